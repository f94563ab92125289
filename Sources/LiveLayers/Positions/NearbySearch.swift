package import GeoMath
package import ObjectModel
package import SpatialIndexing

/// A question for the nearest objects of a layer that pass a filter. The hits stand in the order of
/// their distance in whole millimetres, then of their id.
package struct NearbySearch: PagedSearch {
  package var origin: Coordinate
  /// The most hits of a page, 1 or more.
  package var limit: Int
  /// The greatest distance of a hit in whole millimetres, inclusive; `nil` for any distance.
  package var radiusMillimeters: Int64?
  /// The polygon that hits must lie in; `nil` when they may lie anywhere.
  package var within: GeoPolygon?
  package var filter: ObjectFilter
  /// The cursor that the page before answered; `nil` for the first page.
  package var cursor: String?

  package init(
    origin: Coordinate, limit: Int, radiusMillimeters: Int64? = nil, within: GeoPolygon? = nil,
    filter: ObjectFilter = ObjectFilter(), cursor: String? = nil
  ) {
    self.origin = origin
    self.limit = limit
    self.radiusMillimeters = radiusMillimeters
    self.within = within
    self.filter = filter
    self.cursor = cursor
  }

  package var confiningArea: SearchArea? { within.map(SearchArea.polygon) }

  package func fingerprint(layer: String) -> UInt64 {
    var fingerprint = QueryFingerprint()
    fingerprint.add("nearby")
    fingerprint.add(layer)
    fingerprint.add(origin.latitude)
    fingerprint.add(origin.longitude)
    fingerprint.add(radiusMillimeters.map(Int.init) ?? -1)
    confiningArea?.addFingerprint(to: &fingerprint)
    filter.addFingerprint(to: &fingerprint)
    return fingerprint.value
  }
}

extension Layer {
  /// Visits the hits of a page in order. `visit` runs inside the index's read lock, which keeps
  /// writers waiting: it copies what is needed and returns.
  ///
  /// - Returns: The cursor of the next page, `nil` when this one is the last.
  /// - Throws: `badCursor`.
  package func nearby(
    _ search: NearbySearch, now: Instant, _ visit: (HitView) -> Void
  ) throws(LayerError) -> String? {
    var budget = WorkBudget.unlimited
    return try nearby(search, now: now, budget: &budget, visit)
  }

  /// Visits the hits of a page in order and spends the work from a budget. When the budget does not
  /// suffice, what was visited is of no use.
  ///
  /// - Throws: `badCursor`, `tooMuchWork`, `abandoned`.
  package func nearby(
    _ search: NearbySearch, now: Instant, budget: inout WorkBudget, seen: SeenAttributes? = nil,
    _ visit: (HitView) -> Void
  ) throws(LayerError) -> String? {
    let start = try start(of: search)
    // No two places are further apart than half the equator; a forged key may say so.
    if let start, start.key > 30_000_000_000 { throw .badCursor }
    let query = NearestQuery(
      latitude: search.origin.latitude, longitude: search.origin.longitude,
      limit: search.limit + 1, maximumDistanceMillimeters: search.radiusMillimeters,
      filter: search.filter.searchFilter(
        columns: columns, area: search.confiningArea, now: now, seen: seen),
      after: start.map { (distanceMillimeters: Int64(bitPattern: $0.key), id: $0.id) },
      readsRecords: true)
    var page = PageEnd(limit: search.limit)
    // Not in a closure, which would capture a copy of the query.
    var work = budget.work(on: search)
    index.nearest(query, now: now, work: &work) { hit in
      if page.takes(hit, key: UInt64(bitPattern: hit.distanceMillimeters)) { visit(hit) }
    }
    try budget.settle(&work, of: search)
    return page.cursor(of: search, layer: name)
  }
}
