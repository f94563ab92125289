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
    try spend(1 + (terms.termsVisited - visited) / PlaceTable.termsPerStep, &budget)
    if let near = search.near {
      try takeNearest(candidates, around: near, upTo: step.quality, &budget)
    } else {
      try spend(min(candidates.count, limit), &budget)
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

  /// Looks at candidates one by one, without a position.
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
        add(here[j].number, here[j].quality, hit, distanceMillimeters: nil, layer: i)
      }
    }
  }

  private mutating func add(
    _ number: UInt32, _ quality: MatchQuality, _ hit: HitView, distanceMillimeters: Int64?,
    layer: Int
  ) {
    guard known.insert(number).inserted else { return }
    matches.append(
      Match(
        quality: quality, distanceMillimeters: distanceMillimeters ?? 0, id: hit.idString,
        layer: layer,
        handle: hit.handle))
  }

  // MARK: - Nearest first

  /// Looks at candidates in order of distance until as many fit as the answer may hold. What fits
  /// better than the step's quality was found by the steps before, or the search would have ended.
  private mutating func takeNearest(
    _ candidates: PlaceCandidates, around near: Coordinate, upTo quality: MatchQuality,
    _ budget: inout WorkBudget
  ) throws(PlaceError) {
    // As many places as are likely to hold the answer, and half as many again.
    let likely = table.count / max(1, candidates.count) * search.limit * 3 / 2
    let page = max(likely, PlaceTable.smallestPage)
    guard candidates.count > PlaceTable.readsPerVisit * page else {
      return try takeInOrder(candidates, upTo: quality, &budget)
    }
    for (i, name) in table.layerNames.enumerated() {
      guard let layer = try? table.layers.layer(name) else { continue }
      guard
        try lookThrough(
          layer, i, for: candidates, around: near, upTo: quality, page: page, &budget)
      else {
        // Few of the candidates are near: all are read in place of what lies between.
        return try takeInOrder(candidates, upTo: quality, &budget)
      }
    }
  }

  /// Reads where all candidates are, and judges them in order of distance.
  private mutating func takeInOrder(
    _ candidates: PlaceCandidates, upTo quality: MatchQuality, _ budget: inout WorkBudget
  ) throws(PlaceError) {
    try spend(1 + candidates.count / PlaceTable.readsPerVisit, &budget)
    var found: [PlaceEntries.Location] = []
    found.reserveCapacity(candidates.count)
    table.entries.forEachLocation(of: candidates) { found.append($0) }
    var queue = NearestFirst(capacity: found.count)
    for (i, name) in table.layerNames.enumerated() {
      guard let layer = try? table.layers.layer(name) else { continue }
      let isOnly = table.layerNames.count == 1
      let here = isOnly ? Array(found.indices) : found.indices.filter { found[$0].layer == i }
      layer.index.forEachObject(handles: here.map { found[$0].handle }, now: now) { j, hit in
        let distance =
          origin?.millimeters(latitude: hit.latitude, longitude: hit.longitude) ?? 0
        if let maximumMillimeters, distance > maximumMillimeters { return }
        queue.append(distance, here[j])
      }
    }
    queue.order()
    var wanted = search.limit
    var last: Int64 = -1
    while let (distance, i) = queue.popFirst(), wanted > 0 || distance == last {
      let place = found[i]
      guard !known.contains(place.number) else { continue }
      try spend(1, &budget)
      guard let entry = table.entries.entry(place.number), entry.handle == place.handle,
        let fitting = query.quality(of: entry.keys, notWorseThan: quality),
        let layer = try? table.layers.layer(table.layerNames[entry.layer])
      else { continue }
      let isThere: Void? = layer.index.withObject(handle: entry.handle, now: now) { hit in
        add(place.number, fitting, hit, distanceMillimeters: distance, layer: entry.layer)
      }
      guard isThere != nil else { continue }
      wanted -= 1
      last = distance
    }
  }

  private func spend(_ steps: Int, _ budget: inout WorkBudget) throws(PlaceError) {
    do throws(WorkBudget.Exhaustion) {
      try budget.spend(steps)
    } catch {
      throw PlaceError(error)
    }
  }

  /// Looks through the places of a layer around a position, nearest first, until enough of the
  /// candidates fit.
  ///
  /// - Returns: Whether enough were found, or all; else the candidates are fewer than what would have
  ///   to be looked through next.
  private mutating func lookThrough(
    _ layer: Layer, _ place: Int, for candidates: PlaceCandidates, around near: Coordinate,
    upTo quality: MatchQuality, page first: Int, _ budget: inout WorkBudget
  ) throws(PlaceError) -> Bool {
    var wanted = search.limit
    var after: (distanceMillimeters: Int64, id: String)?
    var page = first
    while wanted > 0 {
      guard candidates.count > PlaceTable.readsPerVisit * page else { return false }
      let nearest = NearestQuery(
        latitude: near.latitude, longitude: near.longitude, limit: page,
        maximumDistanceMillimeters: maximumMillimeters, after: after)
      var handles: [ObjectHandle] = []
      handles.reserveCapacity(page)
      var last: (distanceMillimeters: Int64, id: String)?
      var distances: [Int64] = []
      distances.reserveCapacity(page)
      try table.spend(&budget) { work in
        layer.index.nearest(nearest, now: now, work: &work) { hit in
          handles.append(hit.handle)
          distances.append(hit.distanceMillimeters)
          if handles.count == page { last = (hit.distanceMillimeters, hit.idString) }
        }
      }
      wanted -= take(
        candidates, handles, distances, of: layer, at: place, upTo: quality, atMost: wanted)
      guard let last else { return true }
      after = last
      page *= 4
    }
    return true
  }

  /// - Returns: How many of them fit.
  private mutating func take(
    _ candidates: PlaceCandidates, _ handles: [ObjectHandle], _ distances: [Int64],
    of layer: Layer, at place: Int, upTo quality: MatchQuality, atMost wanted: Int
  ) -> Int {
    var fitting: [(at: Int, number: UInt32, quality: MatchQuality)] = []
    table.entries.forEach(layer: place, handles: handles) { at, number, keys in
      guard fitting.count < wanted, candidates.contains(number), !known.contains(number) else {
        return
      }
      if let found = query.quality(of: keys(), notWorseThan: quality) {
        fitting.append((at, number, found))
      }
    }
    layer.index.forEachObject(handles: fitting.map { handles[$0.at] }, now: now) { j, hit in
      add(
        fitting[j].number, fitting[j].quality, hit,
        distanceMillimeters: distances[fitting[j].at], layer: place)
    }
    return fitting.count
  }
}
