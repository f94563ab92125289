package import GeoMath
package import ObjectModel
package import SpatialIndexing

/// Who is near: the nearest objects of a layer that pass a filter, in order of distance in whole
/// millimetres, then id.
package struct NearbySearch: Sendable {
  package var origin: Coordinate
  /// 1 or more.
  package var limit: Int
  /// Inclusive, in whole millimetres.
  package var radiusMillimeters: Int64?
  package var within: GeoPolygon?
  package var filter: ObjectFilter
  /// As answered by the page before.
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

  /// The query without limit and cursor, as a number.
  package func fingerprint(layer: String) -> UInt64 {
    var fingerprint = QueryFingerprint()
    fingerprint.add("nearby")
    fingerprint.add(layer)
    fingerprint.add(origin.latitude)
    fingerprint.add(origin.longitude)
    fingerprint.add(radiusMillimeters.map(Int.init) ?? -1)
    within.map { SearchArea.polygon($0).addFingerprint(to: &fingerprint) }
    filter.addFingerprint(to: &fingerprint)
    return fingerprint.value
  }
}

extension Layer {
  /// Visits the hits in order, inside the index's read lock: copy what is needed, quickly.
  ///
  /// - Returns: The cursor of the next page, `nil` when this one is the last.
  /// - Throws: `badCursor`.
  package func nearby(
    _ search: NearbySearch, now: Instant, _ visit: (HitView) -> Void
  ) throws(LayerError) -> String? {
    var budget = WorkBudget.unlimited
    return try nearby(search, now: now, budget: &budget, visit)
  }

  /// The same, spending from a budget: what was visited is of no use when it does not suffice.
  ///
  /// - Throws: `badCursor`, `tooMuchWork`, `abandoned`.
  package func nearby(
    _ search: NearbySearch, now: Instant, budget: inout WorkBudget, seen: SeenAttributes? = nil,
    _ visit: (HitView) -> Void
  ) throws(LayerError) -> String? {
    let area = search.within.map(SearchArea.polygon)
    var after: (distanceMillimeters: Int64, id: String)?
    if let cursor = search.cursor {
      let place = try PagingCursor(text: cursor, fingerprint: search.fingerprint(layer: name))
      // No two places are further apart than half the equator; a forged key may say so.
      guard place.key <= 30_000_000_000 else { throw .badCursor }
      after = (Int64(bitPattern: place.key), place.id)
    }
    let query = NearestQuery(
      latitude: search.origin.latitude, longitude: search.origin.longitude,
      limit: search.limit + 1, maximumDistanceMillimeters: search.radiusMillimeters,
      filter: search.filter.searchFilter(
        columns: columns, area: area, now: now, seen: seen),
      after: after, readsRecords: true)
    var page = PageEnd(limit: search.limit)
    try budget.searching(
      cost: search.filter.stepCost(area: area), field: search.filter.longestPart(area: area)
    ) { work in
      _ = index.nearest(query, now: now, work: &work) { hit in
        if page.takes(hit, key: UInt64(bitPattern: hit.distanceMillimeters)) { visit(hit) }
      }
    }
    return page.cursor { search.fingerprint(layer: name) }
  }
}

/// Counts a page's hits and remembers where it ended, if more follow.
struct PageEnd {
  let limit: Int
  private var count = 0
  private var last: (key: UInt64, id: String)?
  private var hasMore = false

  init(limit: Int) { self.limit = limit }

  mutating func takes(_ hit: HitView, key: UInt64) -> Bool {
    count += 1
    if count == limit { last = (key, String(decoding: hit.id, as: UTF8.self)) }
    if count > limit { hasMore = true }
    return count <= limit
  }

  func cursor(fingerprint: () -> UInt64) -> String? {
    guard hasMore, let last else { return nil }
    return PagingCursor(fingerprint: fingerprint(), key: last.key, id: last.id).text
  }
}
