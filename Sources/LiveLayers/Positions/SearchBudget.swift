import GeoMath
import ObjectModel
import SpatialIndexing

extension ObjectFilter {
  /// Returns how many steps of a budget one step of a search with this filter costs. Conditions on
  /// attributes read each object's record, and polygons have their edges tested.
  func stepCost(area: SearchArea?) -> Int {
    var cost = conditions.isEmpty ? 1 : 2
    if case .polygon(let polygon) = area { cost += polygon.corners.count / 64 }
    return cost
  }

  /// Returns the field of the request that makes the search long, which the caller should narrow.
  func longestPart(area: SearchArea?) -> String {
    if !conditions.isEmpty { return "where" }
    if case .polygon = area { return "within" }
    if maximumAgeMilliseconds != nil { return "maxAgeSeconds" }
    return "limit"
  }
}

extension WorkBudget {
  /// Runs a search that may do as much as is left of the budget.
  ///
  /// - Throws: `tooMuchWork` when the search ended unfinished, `abandoned`.
  mutating func searching<Answer>(
    cost: Int, field: String, _ search: (inout SearchWork) -> Answer
  ) throws(LayerError) -> Answer {
    do throws(Exhaustion) {
      return try searching(cost: cost, search)
    } catch {
      throw LayerError(error, field: field)
    }
  }
}

extension LayerError {
  /// What the caller of a search is told that its budget ended.
  ///
  /// - Parameters:
  ///   - exhaustion: Why a search ended unfinished.
  ///   - field: The part of the query that made it long.
  init(_ exhaustion: WorkBudget.Exhaustion, field: String) {
    switch exhaustion {
    case .steps(let limit): self = .tooMuchWork(limit: limit, field: field)
    case .deadlinePassed, .cancelled: self = .abandoned
    }
  }
}
