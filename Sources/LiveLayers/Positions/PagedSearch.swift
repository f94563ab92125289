import ObjectModel
package import SpatialIndexing

/// A search whose hits stand in a total order (a number, then the id), so that each page can begin
/// right after the last hit of the page before.
package protocol PagedSearch: Sendable {
  /// The most hits of a page, 1 or more.
  var limit: Int { get }
  var filter: ObjectFilter { get }
  /// The cursor that the page before answered; `nil` for the first page.
  var cursor: String? { get }
  /// The area that confines the hits; `nil` when they may lie anywhere.
  var confiningArea: SearchArea? { get }

  /// Returns a number that stands for everything that decides which hits there are and in which
  /// order. Limit and cursor are not part of it, so that a caller may change the size of its pages.
  func fingerprint(layer: String) -> UInt64
}

extension Layer {
  /// Reads where the page of a search begins.
  ///
  /// - Returns: The place after which the page begins; `nil` for the first page.
  /// - Throws: `badCursor` for a cursor of another search.
  func start(of search: some PagedSearch) throws(LayerError) -> PagingCursor? {
    guard let cursor = search.cursor else { return nil }
    return try PagingCursor(text: cursor, fingerprint: search.fingerprint(layer: name))
  }
}

extension WorkBudget {
  /// Begins a search that may do as much as is left of the budget.
  func work(on search: some PagedSearch) -> SearchWork {
    SearchWork(
      spending: self, stepCost: search.filter.stepCost(area: search.confiningArea))
  }

  /// Takes over what a search left of the budget.
  ///
  /// - Throws: `tooMuchWork` when the search ended unfinished, `abandoned`.
  mutating func settle(_ work: inout SearchWork, of search: some PagedSearch) throws(LayerError) {
    do throws(Exhaustion) {
      try settle(&work)
    } catch {
      throw LayerError(error, field: search.filter.longestPart(area: search.confiningArea))
    }
  }
}

/// Counts the hits of a page and remembers its last one, after which the next page begins. The search
/// asks for one hit more than the page has, which tells whether there is a next page.
struct PageEnd {
  let limit: Int
  private var count = 0
  private var last: (key: UInt64, id: String)?
  private var hasMore = false

  init(limit: Int) { self.limit = limit }

  /// Returns whether a hit belongs to this page, and not to the next one.
  mutating func takes(_ hit: HitView, key: UInt64) -> Bool {
    count += 1
    if count == limit { last = (key, String(decoding: hit.id, as: UTF8.self)) }
    if count > limit { hasMore = true }
    return count <= limit
  }

  /// Returns the cursor of the next page, `nil` when this one is the last.
  func cursor(of search: some PagedSearch, layer: String) -> String? {
    guard hasMore, let last else { return nil }
    let fingerprint = search.fingerprint(layer: layer)
    return PagingCursor(fingerprint: fingerprint, key: last.key, id: last.id).text
  }
}
