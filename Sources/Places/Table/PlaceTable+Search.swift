import GeoMath
import LiveLayers
import ObjectModel
import SpatialIndexing

extension PlaceTable {
  /// Candidates of one step of a search that are looked at one by one. Where more fit, the nearest
  /// places are looked through instead; without a position, the first of them are all there is.
  static let candidateLimit = 1024

  /// Finds places by name, best match first, then nearest, then by id.
  ///
  /// - Throws: ``PlaceError``.
  func search(
    _ search: PlaceSearch, budget: inout WorkBudget
  ) throws(PlaceError) -> [Place] {
    let query = PlaceQuery(search.text)
    guard !query.isEmpty, search.limit > 0 else { return [] }
    followBeforeSearch()
    var run = PlaceSearchRun(table: self, search: search, query: query, now: layers.clock.now())
    for step in PlaceTerms.steps(for: query) where !run.isFilled {
      try run.carryOut(step, &budget)
    }
    return run.places
  }

  /// Names the places at a position, nearest first.
  ///
  /// - Throws: ``PlaceError``.
  func reverse(
    _ question: ReversePlaceSearch, budget: inout WorkBudget
  ) throws(PlaceError) -> [Place] {
    let now = layers.clock.now()
    var found: [(place: Place, distanceMillimeters: Int64)] = []
    for name in layerNames {
      guard let layer = try? layers.layer(name) else { continue }
      var filter = SearchFilter()
      filter.payloadPredicate = { PlaceObject(payload: $0) != nil }
      let query = NearestQuery(
        latitude: question.position.latitude, longitude: question.position.longitude,
        limit: question.limit, filter: filter, readsRecords: true)
      try spend(&budget, cost: 2) { work in
        layer.index.nearest(query, now: now, work: &work) { hit in
          guard let object = PlaceObject(payload: hit.payload) else { return }
          let place = object.place(hit, distanceMillimeters: hit.distanceMillimeters)
          found.append((place, hit.distanceMillimeters))
        }
      }
    }
    guard layerNames.count > 1 else { return found.map(\.place) }
    found.sort { a, b in
      a.distanceMillimeters != b.distanceMillimeters
        ? a.distanceMillimeters < b.distanceMillimeters : a.place.id.precedesAsBytes(b.place.id)
    }
    return found.prefix(question.limit).map(\.place)
  }

  /// Runs a search of the index that may do as much as is left.
  func spend(
    _ budget: inout WorkBudget, cost: Int = 1, _ search: (inout SearchWork) -> Void
  ) throws(PlaceError) {
    do throws(WorkBudget.Exhaustion) {
      try budget.searching(cost: cost, search)
    } catch {
      throw PlaceError(error)
    }
  }
}

extension PlaceError {
  init(_ exhaustion: WorkBudget.Exhaustion) {
    switch exhaustion {
    case .steps(let limit): self = .tooMuchWork(limit: limit, field: "q")
    case .deadlinePassed, .cancelled: self = .abandoned
    }
  }
}

extension String {
  /// The order of ids in answers; `<` of strings is another one.
  func precedesAsBytes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

/// One search under way: what its steps have found.
struct PlaceSearchRun {
  private struct Match {
    let quality: MatchQuality
    /// 0 without a position.
    let distanceMillimeters: Int64
    let place: Place
  }

  private let table: PlaceTable
  private let search: PlaceSearch
  private let query: PlaceQuery
  private let now: Instant
  private let origin: DistanceOrigin?
  private let maximumMillimeters: Int64?
  private var known: Set<UInt32> = []
  private var matches: [Match] = []
  /// All matches up to this quality are found.
  private var complete: MatchQuality?

  init(table: PlaceTable, search: PlaceSearch, query: PlaceQuery, now: Instant) {
    self.table = table
    self.search = search
    self.query = query
    self.now = now
    origin = search.near.map { DistanceOrigin($0) }
    maximumMillimeters =
      search.near == nil ? nil : search.radiusMeters.map { Int64(($0 * 1000).rounded()) }
  }

  /// Whether nothing that is still to come belongs to the answer.
  var isFilled: Bool {
    guard let complete else { return false }
    return matches.count { $0.quality <= complete } >= search.limit
  }

  var places: [Place] {
    matches.sorted { a, b in
      if a.quality != b.quality { return a.quality < b.quality }
      if a.distanceMillimeters != b.distanceMillimeters {
        return a.distanceMillimeters < b.distanceMillimeters
      }
      return a.place.id.precedesAsBytes(b.place.id)
    }.prefix(search.limit).map(\.place)
  }

  mutating func carryOut(_ step: PlaceTerms.Step, _ budget: inout WorkBudget) throws(PlaceError) {
    let limit = PlaceTable.candidateLimit
    var numbers: [UInt32] = []
    for query in step.supersets + [step.query] {
      numbers = try find(query, limit: limit + 1, &budget)
      if numbers.count <= limit { break }
    }
    // Places with an error are few among those around: looking through them would go far.
    if numbers.count > limit, step.quality <= .address, let near = search.near {
      try lookThrough(around: near, upTo: step.quality, &budget)
    } else {
      take(numbers.prefix(limit))
    }
    if step.completes { complete = step.quality }
  }

  private func find(
    _ query: PlaceTextQuery, limit: Int, _ budget: inout WorkBudget
  ) throws(PlaceError) -> [UInt32] {
    let numbers: [UInt32]
    do throws(StoreFailure) {
      numbers = try table.textIndex.find(query, limit: limit)
    } catch {
      throw .unavailable(reason: error.reason)
    }
    do throws(WorkBudget.Exhaustion) {
      try budget.spend(1 + numbers.count)
    } catch {
      throw PlaceError(error)
    }
    return numbers
  }

  /// Looks at candidates one by one.
  private mutating func take(_ numbers: some Sequence<UInt32>) {
    var fitting: [(number: UInt32, entry: PlaceEntry, quality: MatchQuality)] = []
    table.entries.forEach(numbers.filter { !known.contains($0) }) { number, entry in
      if let quality = query.quality(of: entry.keys) { fitting.append((number, entry, quality)) }
    }
    for (i, name) in table.layerNames.enumerated() {
      let here = fitting.filter { $0.entry.layer == i }
      guard !here.isEmpty, let layer = try? table.layers.layer(name) else { continue }
      layer.index.forEachObject(handles: here.map(\.entry.handle), now: now) { j, hit in
        let distance =
          origin?.millimeters(latitude: hit.latitude, longitude: hit.longitude)
        add(here[j].number, here[j].quality, hit, distance)
      }
    }
  }

  private mutating func add(
    _ number: UInt32, _ quality: MatchQuality, _ hit: HitView, _ distance: Int64?
  ) {
    if let distance, let maximumMillimeters, distance > maximumMillimeters { return }
    guard known.insert(number).inserted, let object = PlaceObject(payload: hit.payload) else {
      return
    }
    matches.append(
      Match(
        quality: quality, distanceMillimeters: distance ?? 0,
        place: object.place(hit, distanceMillimeters: distance)))
  }

  /// Looks through the places around a position, nearest first, until there are enough that fit.
  private mutating func lookThrough(
    around near: Coordinate, upTo quality: MatchQuality, _ budget: inout WorkBudget
  ) throws(PlaceError) {
    for (i, name) in table.layerNames.enumerated() {
      guard let layer = try? table.layers.layer(name) else { continue }
      var wanted = search.limit
      var after: (distanceMillimeters: Int64, id: String)?
      var page = 256
      while wanted > 0 {
        let nearest = NearestQuery(
          latitude: near.latitude, longitude: near.longitude, limit: page,
          maximumDistanceMillimeters: maximumMillimeters, after: after)
        var handles: [ObjectHandle] = []
        var last: (distanceMillimeters: Int64, id: String)?
        var distances: [Int64] = []
        try table.spend(&budget) { work in
          layer.index.nearest(nearest, now: now, work: &work) { hit in
            handles.append(hit.handle)
            distances.append(hit.distanceMillimeters)
            if handles.count == page { last = (hit.distanceMillimeters, hit.idString) }
          }
        }
        wanted -= take(handles, distances, ofLayer: i, layer, upTo: quality, wanted)
        guard let last else { break }
        after = last
        page *= 4
      }
    }
  }

  /// - Returns: How many of them fit.
  private mutating func take(
    _ handles: [ObjectHandle], _ distances: [Int64], ofLayer place: Int, _ layer: Layer,
    upTo quality: MatchQuality, _ wanted: Int
  ) -> Int {
    var fitting: [(at: Int, number: UInt32, quality: MatchQuality)] = []
    table.entries.forEach(layer: place, handles: handles) { at, number, entry in
      guard fitting.count < wanted else { return }
      if let found = query.quality(of: entry.keys, notWorseThan: quality), found <= quality,
        !known.contains(number)
      {
        fitting.append((at, number, found))
      }
    }
    layer.index.forEachObject(handles: fitting.map { handles[$0.at] }, now: now) { j, hit in
      add(fitting[j].number, fitting[j].quality, hit, distances[fitting[j].at])
    }
    return fitting.count
  }
}
