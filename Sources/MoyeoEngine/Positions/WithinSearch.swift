public import ObjectModel
public import SpatialIndexing

/// Who is inside: the objects of a box or polygon that pass a filter, by Morton code, then id.
public struct WithinSearch: Sendable {
  public var area: SearchArea
  /// 1 or more.
  public var limit: Int
  public var filter: ObjectFilter
  /// As answered by the page before.
  public var cursor: String?

  public init(
    area: SearchArea, limit: Int, filter: ObjectFilter = ObjectFilter(), cursor: String? = nil
  ) {
    self.area = area
    self.limit = limit
    self.filter = filter
    self.cursor = cursor
  }

  func fingerprint(layer: String) -> UInt64 {
    var fingerprint = QueryFingerprint()
    fingerprint.add("within")
    fingerprint.add(layer)
    area.addFingerprint(to: &fingerprint)
    filter.addFingerprint(to: &fingerprint)
    return fingerprint.value
  }
}

extension Layer {
  /// Visits the hits in order, inside the index's read lock: copy what is needed, quickly.
  ///
  /// - Returns: The cursor of the next page, `nil` when this one is the last.
  /// - Throws: `badCursor`.
  public func within(
    _ search: WithinSearch, now: Instant, _ visit: (HitView) -> Void
  ) throws(EngineError) -> String? {
    var after: (mortonCode: UInt64, id: String)?
    if let cursor = search.cursor {
      let place = try PagingCursor(text: cursor, fingerprint: search.fingerprint(layer: name))
      after = (place.key, place.id)
    }
    let query = WithinQuery(
      area: search.area, limit: search.limit + 1,
      filter: search.filter.searchFilter(columns: columns, area: nil, now: now), after: after,
      readsRecords: true)
    var page = PageEnd(limit: search.limit)
    index.within(query, now: now) { hit in
      if page.takes(hit, key: hit.mortonCode) { visit(hit) }
    }
    return page.cursor { search.fingerprint(layer: name) }
  }
}
