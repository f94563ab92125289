import GeoMath
import LiveLayers
import ObjectModel
import SpatialIndexing

/// One search under way: what its steps have found.
struct PlaceSearchRun {
  private struct Match {
    let quality: MatchQuality
    /// 0 without a position.
    let distanceMillimeters: Int64
    let id: String
    let layer: Int
    let handle: ObjectHandle
  }

  private let table: PlaceTable
  private let search: PlaceSearch
  private let query: PlaceQuery
  private let now: Instant
  private let origin: DistanceOrigin?
  private let maximumMillimeters: Int64?
  private var terms: PlaceTermSearch
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
    terms = PlaceTermSearch(table.terms)
  }

  /// Whether nothing that is still to come belongs to the answer.
  var isFilled: Bool {
    guard let complete, matches.count >= search.limit else { return false }
    return matches.count { $0.quality <= complete } >= search.limit
  }

  /// The answer, read from the layers; what has left them meanwhile is not told.
  func places() -> [Place] {
    let best = matches.sorted { a, b in
      if a.quality != b.quality { return a.quality < b.quality }
      if a.distanceMillimeters != b.distanceMillimeters {
        return a.distanceMillimeters < b.distanceMillimeters
      }
      return a.id.precedesAsBytes(b.id)
    }.prefix(search.limit)
    var places: [Place?] = Array(repeating: nil, count: best.count)
    for (i, name) in table.layerNames.enumerated() {
      let here = best.indices.filter { best[$0].layer == i }
      guard !here.isEmpty, let layer = try? table.layers.layer(name) else { continue }
      layer.index.forEachObject(handles: here.map { best[$0].handle }, now: now) { j, hit in
        let distance = origin.map { _ in best[here[j]].distanceMillimeters }
        places[here[j]] =
          PlaceObject(payload: hit.payload)?.place(hit, distanceMillimeters: distance)
      }
    }
    return places.compactMap { $0 }
  }

  /// Carries out the next step.
  ///
  /// - Throws: ``PlaceError`` when the budget does not suffice.
  mutating func carryOut(_ step: PlaceTerms.Step, _ budget: inout WorkBudget) throws(PlaceError) {
    let limit = PlaceTable.candidateLimit
    let visited = terms.termsVisited
    let candidates = find(step.lookup, limit: limit)
    let isFew = candidates.count <= limit
    let steps = 1 + (terms.termsVisited - visited) / PlaceTable.termsPerStep
    do throws(WorkBudget.Exhaustion) {
      try budget.spend(steps + (isFew || search.near == nil ? min(candidates.count, limit) : 0))
    } catch {
      throw PlaceError(error)
    }
    if !isFew, let near = search.near {
      try lookThrough(candidates, around: near, upTo: step.quality, &budget)
    } else {
      take(candidates.prefix(limit), upTo: step.quality)
    }
    if step.completes { complete = step.quality }
  }

  /// - Returns: All that the step may find, and if more than `limit`, hardly any others.
  private mutating func find(_ lookup: PlaceTerms.Lookup, limit: Int) -> PlaceCandidates {
    switch lookup {
    case .terms(let groups): return terms.candidates(groups, limit: limit)
    case .error(let error, let others):
      guard !others.isEmpty else { return terms.candidates(error) }
      let sure = terms.candidates(others, limit: limit)
      if sure.count <= limit { return sure }
      var candidates = terms.candidates(error)
      candidates.formIntersection(sure)
      return candidates
    }
  }

  /// Looks at candidates one by one.
  private mutating func take(_ numbers: [UInt32], upTo worst: MatchQuality) {
    var fitting: [(number: UInt32, entry: PlaceEntry, quality: MatchQuality)] = []
    table.entries.forEach(numbers) { number, entry in
      guard !known.contains(number),
        let quality = query.quality(of: entry.keys, notWorseThan: worst)
      else { return }
      fitting.append((number, entry, quality))
    }
    for (i, name) in table.layerNames.enumerated() {
      let here = table.layerNames.count == 1 ? fitting : fitting.filter { $0.entry.layer == i }
      guard !here.isEmpty, let layer = try? table.layers.layer(name) else { continue }
      layer.index.forEachObject(handles: here.map(\.entry.handle), now: now) { j, hit in
        let distance =
          origin?.millimeters(latitude: hit.latitude, longitude: hit.longitude)
        add(here[j].number, here[j].quality, hit, distance, layer: i)
      }
    }
  }

  private mutating func add(
    _ number: UInt32, _ quality: MatchQuality, _ hit: HitView, _ distance: Int64?, layer: Int
  ) {
    if let distance, let maximumMillimeters, distance > maximumMillimeters { return }
    guard known.insert(number).inserted else { return }
    matches.append(
      Match(
        quality: quality, distanceMillimeters: distance ?? 0, id: hit.idString, layer: layer,
        handle: hit.handle))
  }

  // MARK: - Many candidates

  /// Looks through the places around a position, nearest first, until enough of the candidates fit.
  private mutating func lookThrough(
    _ candidates: PlaceCandidates, around near: Coordinate, upTo quality: MatchQuality,
    _ budget: inout WorkBudget
  ) throws(PlaceError) {
    let reach = quality <= .address ? Int.max : PlaceTable.errorReach
    // As many places as are likely to hold the answer, and half as many again.
    let likely = table.count / max(1, candidates.count) * search.limit * 3 / 2
    for (i, name) in table.layerNames.enumerated() {
      guard let layer = try? table.layers.layer(name) else { continue }
      var wanted = search.limit
      var after: (distanceMillimeters: Int64, id: String)?
      var page = min(max(likely, 64), 4096)
      var visited = 0
      while wanted > 0, visited < reach {
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
        wanted -= take(
          candidates, handles, distances, ofLayer: i, layer, upTo: quality, wanted)
        guard let last else { break }
        visited += page
        after = last
        page *= 4
      }
    }
  }

  /// - Returns: How many of them fit.
  private mutating func take(
    _ candidates: PlaceCandidates, _ handles: [ObjectHandle], _ distances: [Int64],
    ofLayer place: Int, _ layer: Layer, upTo quality: MatchQuality, _ wanted: Int
  ) -> Int {
    var fitting: [(at: Int, number: UInt32, quality: MatchQuality)] = []
    table.entries.forEach(layer: place, handles: handles) { at, number, entry in
      guard fitting.count < wanted, candidates.contains(number), !known.contains(number) else {
        return
      }
      if let found = query.quality(of: entry.keys, notWorseThan: quality), found <= quality {
        fitting.append((at, number, found))
      }
    }
    layer.index.forEachObject(handles: fitting.map { handles[$0.at] }, now: now) { j, hit in
      add(fitting[j].number, fitting[j].quality, hit, distances[fitting[j].at], layer: place)
    }
    return fitting.count
  }
}
