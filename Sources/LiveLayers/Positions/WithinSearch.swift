package import ObjectModel
package import SpatialIndexing

/// Who is inside: the objects of a box or polygon that pass a filter, by Morton code, then id.
package struct WithinSearch: Sendable {
  package var area: SearchArea
  /// 1 or more.
  package var limit: Int
  package var filter: ObjectFilter
  /// As answered by the page before.
  package var cursor: String?

  package init(
    area: SearchArea, limit: Int, filter: ObjectFilter = ObjectFilter(), cursor: String? = nil
  ) {
    self.area = area
    self.limit = limit
    self.filter = filter
    self.cursor = cursor
  }

  package func fingerprint(layer: String) -> UInt64 {
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
  package func within(
    _ search: WithinSearch, now: Instant, _ visit: (HitView) -> Void
  ) throws(LayerError) -> String? {
    var budget = WorkBudget.unlimited
    return try within(search, now: now, budget: &budget, visit)
  }

  /// The same, spending from a budget: what was visited is of no use when it does not suffice.
  ///
  /// - Throws: `badCursor`, `tooMuchWork`, `abandoned`.
  package func within(
    _ search: WithinSearch, now: Instant, budget: inout WorkBudget, seen: SeenAttributes? = nil,
    _ visit: (HitView) -> Void
  ) throws(LayerError) -> String? {
    var after: (mortonCode: UInt64, id: String)?
    if let cursor = search.cursor {
      let place = try PagingCursor(text: cursor, fingerprint: search.fingerprint(layer: name))
      after = (place.key, place.id)
    }
    let query = WithinQuery(
      area: search.area, limit: search.limit + 1,
      filter: search.filter.searchFilter(columns: columns, area: nil, now: now, seen: seen),
      after: after,
      readsRecords: true)
    var page = PageEnd(limit: search.limit)
    try budget.searching(
      cost: search.filter.stepCost(area: search.area),
      field: search.filter.longestPart(area: search.area)
    ) { work in
      _ = index.within(query, now: now, work: &work) { hit in
        if page.takes(hit, key: hit.mortonCode) { visit(hit) }
      }
    }
    return page.cursor { search.fingerprint(layer: name) }
  }
}
