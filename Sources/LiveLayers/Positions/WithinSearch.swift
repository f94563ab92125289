package import ObjectModel
package import SpatialIndexing

/// A question for the objects of a box or polygon that pass a filter. The hits stand in the order
/// of their Morton code, then of their id.
package struct WithinSearch: PagedSearch {
  package var area: SearchArea
  /// The most hits of a page, 1 or more.
  package var limit: Int
  package var filter: ObjectFilter
  /// The cursor that the page before answered; `nil` for the first page.
  package var cursor: String?

  package init(
    area: SearchArea, limit: Int, filter: ObjectFilter = ObjectFilter(), cursor: String? = nil
  ) {
    self.area = area
    self.limit = limit
    self.filter = filter
    self.cursor = cursor
  }

  package var confiningArea: SearchArea? { area }

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
  /// Visits the hits of a page in order. `visit` runs inside the index's read lock, which keeps
  /// writers waiting: it copies what is needed and returns.
  ///
  /// - Returns: The cursor of the next page, `nil` when this one is the last.
  /// - Throws: `badCursor`.
  package func within(
    _ search: WithinSearch, now: Instant, _ visit: (HitView) -> Void
  ) throws(LayerError) -> String? {
    var budget = WorkBudget.unlimited
    return try within(search, now: now, budget: &budget, visit)
  }

  /// Visits the hits of a page in order and spends the work from a budget. When the budget does not
  /// suffice, what was visited is of no use.
  ///
  /// - Throws: `badCursor`, `tooMuchWork`, `abandoned`.
  package func within(
    _ search: WithinSearch, now: Instant, budget: inout WorkBudget, seen: SeenAttributes? = nil,
    _ visit: (HitView) -> Void
  ) throws(LayerError) -> String? {
    let start = try start(of: search)
    let query = WithinQuery(
      area: search.area, limit: search.limit + 1,
      filter: search.filter.searchFilter(columns: columns, area: nil, now: now, seen: seen),
      after: start.map { (mortonCode: $0.key, id: $0.id) }, readsRecords: true)
    var page = PageEnd(limit: search.limit)
    var work = budget.work(on: search)
    index.within(query, now: now, work: &work) { hit in
      if page.takes(hit, key: hit.mortonCode) { visit(hit) }
    }
    try budget.settle(&work, of: search)
    return page.cursor(of: search, layer: name)
  }
}
