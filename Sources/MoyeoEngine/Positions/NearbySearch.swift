public import GeoMath
public import ObjectModel
public import SpatialIndexing

/// Who is near: the nearest objects of a layer that pass a filter, in order of distance in whole
/// millimetres, then id.
public struct NearbySearch: Sendable {
  public var origin: Coordinate
  /// 1 or more.
  public var limit: Int
  /// Inclusive, in whole millimetres.
  public var radiusMillimeters: Int64?
  public var within: GeoPolygon?
  public var filter: ObjectFilter
  /// As answered by the page before.
  public var cursor: String?

  public init(
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
  func fingerprint(layer: String) -> UInt64 {
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
  public func nearby(
    _ search: NearbySearch, now: Instant, _ visit: (HitView) -> Void
  ) throws(EngineError) -> String? {
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
        columns: columns, area: search.within.map(SearchArea.polygon), now: now),
      after: after, readsRecords: true)
    var page = PageEnd(limit: search.limit)
    index.nearest(query, now: now) { hit in
      if page.takes(hit, key: UInt64(bitPattern: hit.distanceMillimeters)) { visit(hit) }
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
