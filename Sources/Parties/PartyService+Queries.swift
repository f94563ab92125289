import GeoMath
package import ObjectModel
package import RideMatching
import SpatialIndexing
import LiveLayers
import DurableCommands

extension PartyService {
  // MARK: - One party, and those of a person

  /// One party, as it is now.
  ///
  /// - Parameters:
  ///   - id: The party's.
  ///   - minVersion: A party's own version as text, or one of the layer's.
  /// - Returns: The party, of that version or a newer one.
  /// - Throws: `unknownParty`, `badVersion`, `versionNotReached`; `commit` where it is over and the
  ///   record cannot be read.
  package func get(
    _ id: String, minVersion: String? = nil
  ) async throws(PartyServiceError) -> Party {
    if let minVersion, UInt64(minVersion) == nil { try require(minVersion) }
    let party: Party
    switch book.place(of: id) {
    case .memory(let entry): party = entry.party
    case .nowhere: throw model.unknownParty(id)
    case .record:
      guard let read = try await recorded.read([id])[id] else { throw model.unknownParty(id) }
      party = read
    }
    if let minVersion, let wanted = UInt64(minVersion), wanted > party.version {
      // Another daemon may have told it.
      pipeline.commands.hurry()
      throw .versionNotReached(minVersion)
    }
    return party
  }

  /// One that is under way; nil where it is over, or none.
  package func partyUnderWay(_ id: String) -> Party? {
    book.entry(id).flatMap { $0.interval == nil ? nil : $0.party }
  }

  /// - Throws: `unknownParty`.
  package func requireParty(_ id: String) throws(PartyServiceError) {
    if case .nowhere = book.place(of: id) { throw model.unknownParty(id) }
  }

  /// Newest first, by creation, then id.
  /// - Throws: What the query has wrong; `commit` where the record cannot be read.
  /// - Complexity: O(parties of the person); those of the page that ended a while ago are read.
  package func list(_ query: PartyListQuery) async throws(PartyServiceError) -> PartyPage {
    let limit = try limit(query.limit, default: configuration.defaultSearch)
    var fingerprint = QueryFingerprint()
    fingerprint.add("parties")
    // Before the parties are read: what it covers is in the answer.
    let version = layerVersion
    let known: (entries: [PartyEntry], ended: [EndedAggregates.Summary])
    switch query.person {
    case .rider(let id):
      fingerprint.add("rider")
      fingerprint.add(id)
      known = book.parties(rider: id)
    case .host(let id):
      fingerprint.add("host")
      fingerprint.add(id)
      known = book.parties(host: id)
    case .requester(let id):
      fingerprint.add("requester")
      fingerprint.add(id)
      known = (book.entries(book.partyIDs(requester: id)), [])
    }
    fingerprint.add(unordered: query.states.map(\.rawValue))
    let after = try query.cursor.map { text throws(PartyServiceError) in
      try cursor(text, fingerprint.value)
    }
    let places =
      (known.entries.filter { query.takes($0.party) }.map { ListedParty($0.party) }
      + (query.takesEnded ? known.ended.map(ListedParty.init) : []))
      .filter { listed in after.map { (listed.key, listed.id) < ($0.key, $0.id) } ?? true }
      .sorted { ($0.key, $0.id) > ($1.key, $1.id) }
    // One more than the page holds tells whether another follows.
    let found = try await read(places, of: query, atMost: limit + 1)
    let page = Array(found.prefix(limit))
    let next = found.count > limit ? page.last : nil
    return PartyPage(
      parties: page,
      nextCursor: next.map(ListedParty.init).map {
        PagingCursor(fingerprint: fingerprint.value, key: $0.key, id: $0.id).text
      }, layerVersion: version)
  }

  /// The first parties of a list. What the record no longer has, or has of somebody else, is passed over.
  private func read(
    _ places: [ListedParty], of query: PartyListQuery, atMost limit: Int
  ) async throws(PartyServiceError) -> [Party] {
    var found: [Party] = []
    var rest = places[...]
    while found.count < limit, !rest.isEmpty {
      let slice = rest.prefix(limit - found.count)
      rest = rest.dropFirst(slice.count)
      let read = try await recorded.read(slice.filter { $0.party == nil }.map(\.id))
      found += slice.compactMap { listed in
        if let party = listed.party { return party }
        return read[listed.id].flatMap { query.takes($0) && query.concerns($0) ? $0 : nil }
      }
    }
    return found
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

/// A party of somebody's list, by what orders it.
private struct ListedParty {
  /// Of its creation. Milliseconds may lie before 1970: shifted, so that they order as unsigned numbers do.
  let key: UInt64
  let id: String
  /// Nil: in the record.
  let party: Party?

  init(_ party: Party) { self.init(party.createdAt, party.id, party) }

  init(_ ended: EndedAggregates.Summary) { self.init(ended.createdAt, ended.id, nil) }

  private init(_ createdAt: Instant, _ id: String, _ party: Party?) {
    key = UInt64(bitPattern: createdAt.milliseconds) ^ 1 << 63
    self.id = id
    self.party = party
  }
}

extension PartyListQuery {
  fileprivate var takesEnded: Bool {
    states.isEmpty || states.contains(.ended) || states.contains(.cancelled)
  }

  fileprivate func takes(_ party: Party) -> Bool {
    states.isEmpty || states.contains(party.state)
  }

  fileprivate func concerns(_ party: Party) -> Bool {
    switch person {
    case .rider(let id): party.riders.contains { $0.id == id }
    case .host(let id): party.hostID == id
    case .requester(let id): party.pendingRequests.contains { $0.riderID == id }
    }
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
