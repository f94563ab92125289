import GeoMath
package import ObjectModel
package import RideMatching
import SpatialIndexing
import LiveLayers

extension PartyService {
  // MARK: - One party, and those of a person

  /// One party, as it is in memory now.
  ///
  /// - Parameters:
  ///   - id: The party's.
  ///   - minVersion: A party's own version as text, or one of the layer's.
  /// - Returns: The party, of that version or a newer one.
  /// - Throws: `unknownParty`, `badVersion`, `versionNotReached`.
  package func get(_ id: String, minVersion: String? = nil) throws(PartyServiceError) -> Party {
    if let minVersion, UInt64(minVersion) == nil { try require(minVersion) }
    guard let party = book.party(id) else { throw model.unknownParty(id) }
    if let minVersion, let wanted = UInt64(minVersion), wanted > party.version {
      throw .versionNotReached(minVersion)
    }
    return party
  }

  /// Newest first, by creation, then id.
  /// - Complexity: O(parties of the person).
  package func list(_ query: PartyListQuery) throws(PartyServiceError) -> PartyPage {
    let limit = try limit(query.limit, default: configuration.defaultSearch)
    var fingerprint = QueryFingerprint()
    fingerprint.add("parties")
    // Before the parties are read: what it covers is in the answer.
    let version = layerVersion
    let entries: [PartyEntry]
    switch query.person {
    case .rider(let id):
      fingerprint.add("rider")
      fingerprint.add(id)
      entries = book.entries(rider: id)
    case .host(let id):
      fingerprint.add("host")
      fingerprint.add(id)
      entries = book.entries(host: id)
    }
    fingerprint.add(query.states.map(\.rawValue).sorted())
    let after = try query.cursor.map { text throws(PartyServiceError) in
      try cursor(text, fingerprint.value)
    }
    // Milliseconds may lie before 1970: shifted, so that they order as unsigned numbers do.
    func key(_ party: Party) -> UInt64 {
      UInt64(bitPattern: party.createdAt.milliseconds) ^ 1 << 63
    }
    let found = entries.map(\.party).filter { party in
      guard query.states.isEmpty || query.states.contains(party.state) else { return false }
      guard let after else { return true }
      return (key(party), party.id) < (after.key, after.id)
    }.sorted { (key($0), $0.id) > (key($1), $1.id) }
    let page = Array(found.prefix(limit))
    let next = found.count > limit ? page.last : nil
    return PartyPage(
      parties: page,
      nextCursor: next.map {
        PagingCursor(fingerprint: fingerprint.value, key: key($0), id: $0.id).text
      }, layerVersion: version)
  }

  // MARK: - Near a place

  /// Open and full parties; all filters act before the limit.
  ///
  /// - Throws: What the query has wrong; `tooMuchWork` and `abandoned` by the budget, which is spent
  ///   on what the layer's search looks at and on each party that it finds.
  /// - Complexity: O(parties in the area), at worst.
  package func search(
    _ query: PartySearchQuery, budget: WorkBudget = .unlimited
  ) throws(PartyServiceError) -> PartyPage {
    let limit = try limit(query.limit, default: configuration.defaultSearch)
    if let minVersion = query.minVersion { try require(minVersion) }
    try validate(query)
    var fingerprint = QueryFingerprint()
    query.addFingerprint(to: &fingerprint)
    let after = try query.cursor.map { text throws(PartyServiceError) in
      try cursor(text, fingerprint.value)
    }
    let version = layerVersion
    var collector = PartyCollector(limit: limit, after: after) { [book] id in
      guard let party = book.party(id), party.isActive, self.passes(party, query) else {
        return nil
      }
      return party
    }
    do throws(LayerError) {
      try visit(query, &collector, budget)
    } catch {
      switch error {
      case .tooMuchWork(let limit, _): throw .tooMuchWork(limit: limit, field: "radiusMeters")
      case .abandoned: throw .abandoned
      // Nothing else is asked of the layer that a caller can have wrong.
      default: throw .badCursor
      }
    }
    return PartyPage(
      parties: collector.parties,
      nextCursor: collector.next.map {
        PagingCursor(fingerprint: fingerprint.value, key: $0.key, id: $0.id).text
      }, layerVersion: version)
  }

  /// Visits the objects of the layer in the query's order, in slices, until the page is full.
  private func visit(
    _ query: PartySearchQuery, _ collector: inout PartyCollector, _ budget: WorkBudget
  ) throws(LayerError) {
    var budget = budget
    let now = clock.now()
    let layer = model.layer.layer
    var filter = ObjectFilter()
    filter.tags = query.tags
    filter.tagMatch = query.tagMatch
    let slice = 256
    switch query.area {
    case .around(let place, let radius):
      let meters = radius ?? configuration.defaultSearchRadiusMeters
      var search = NearbySearch(
        origin: place, limit: slice,
        radiusMillimeters: Int64((min(meters, 3e7) * 1000).rounded(.down)), filter: filter)
      search.cursor = collector.after.map {
        PagingCursor(fingerprint: search.fingerprint(layer: layer.name), key: $0.key, id: $0.id)
          .text
      }
      repeat {
        var seen: [(key: UInt64, id: String)] = []
        search.cursor = try layer.nearby(search, now: now, budget: &budget) { hit in
          seen.append((UInt64(bitPattern: hit.distanceMillimeters), hit.idString))
        }
        collector.take(seen)
      } while search.cursor != nil && !collector.isFull
    case .box(let box):
      var search = WithinSearch(area: .box(box), limit: slice, filter: filter)
      search.cursor = collector.after.map {
        PagingCursor(fingerprint: search.fingerprint(layer: layer.name), key: $0.key, id: $0.id)
          .text
      }
      repeat {
        var seen: [(key: UInt64, id: String)] = []
        search.cursor = try layer.within(search, now: now, budget: &budget) { hit in
          seen.append((hit.mortonCode, hit.idString))
        }
        collector.take(seen)
      } while search.cursor != nil && !collector.isFull
    }
  }

  private func validate(_ query: PartySearchQuery) throws(PartyServiceError) {
    if case .around(_, let radius?) = query.area, !(radius >= 0 && radius.isFinite) {
      throw .badField("radiusMeters", message: "must be a number from 0 on")
    }
    if let radius = query.destinationRadiusMeters, !(radius >= 0 && radius.isFinite) {
      throw .badField("destinationRadiusMeters", message: "must be a number from 0 on")
    }
    if let seats = query.seats, !(0...PartyConfiguration.maximumSeatsOfTaxi).contains(seats) {
      throw .limitOutOfRange(
        field: "seats", value: seats, allowed: 0...PartyConfiguration.maximumSeatsOfTaxi)
    }
    if let from = query.from, let to = query.to, from > to {
      throw .badField("to", message: "must not be before from")
    }
  }

  private func passes(_ party: Party, _ query: PartySearchQuery) -> Bool {
    if let seats = query.seats, party.seatsFree < seats { return false }
    if let from = query.from, party.window.end < from { return false }
    if let to = query.to, party.window.start > to { return false }
    if let place = query.destination {
      let radius = query.destinationRadiusMeters ?? configuration.defaultSearchRadiusMeters
      let meters = place.distanceMeters(to: party.destination.coordinate)
      if meters > radius { return false }
    }
    return true
  }

  // MARK: - Versions, limits, cursors

  package func require(_ minVersion: String) throws(PartyServiceError) {
    do {
      try model.layer.layer.require(minVersion: minVersion)
    } catch {
      if case .versionNotReached = error { throw .versionNotReached(minVersion) }
      throw .badVersion(minVersion)
    }
  }

  func limit(_ wanted: Int?, default normal: Int) throws(PartyServiceError) -> Int {
    let allowed = 1...configuration.searchLimit
    let limit = wanted ?? normal
    guard allowed.contains(limit) else {
      throw .limitOutOfRange(field: "limit", value: limit, allowed: allowed)
    }
    return limit
  }

  private func cursor(_ text: String, _ fingerprint: UInt64) throws(PartyServiceError)
    -> PagingCursor
  {
    do { return try PagingCursor(text: text, fingerprint: fingerprint) } catch { throw .badCursor }
  }
}

/// Fills a page from the objects of a layer, in their order.
private struct PartyCollector {
  let limit: Int
  let after: PagingCursor?
  /// The party, if it passes.
  let look: (String) -> Party?
  private(set) var parties: [Party] = []
  /// Where the page ended, if more may follow.
  private(set) var next: (key: UInt64, id: String)?
  private var last: (key: UInt64, id: String)?

  init(limit: Int, after: PagingCursor?, look: @escaping (String) -> Party?) {
    self.limit = limit
    self.after = after
    self.look = look
  }

  var isFull: Bool { next != nil }

  mutating func take(_ seen: [(key: UInt64, id: String)]) {
    for one in seen {
      guard let party = look(one.id) else { continue }
      if parties.count == limit {
        next = last
        return
      }
      parties.append(party)
      last = one
    }
  }
}

extension PartySearchQuery {
  /// Of the query without limit and cursor.
  fileprivate func addFingerprint(to out: inout QueryFingerprint) {
    switch area {
    case .around(let place, let radius):
      out.add("around")
      out.add(place.latitude)
      out.add(place.longitude)
      out.add(radius ?? -1)
    case .box(let box):
      out.add("box")
      for edge in [box.west, box.south, box.east, box.north] { out.add(edge) }
    }
    out.add(destination?.latitude ?? 1000)
    out.add(destination?.longitude ?? 1000)
    out.add(destinationRadiusMeters ?? -1)
    out.add(Int(truncatingIfNeeded: from?.milliseconds ?? .min))
    out.add(Int(truncatingIfNeeded: to?.milliseconds ?? .max))
    out.add(seats ?? 0)
    out.add(tags)
    out.add(tagMatch == .all ? 0 : 1)
  }
}
