package import GeoMath
package import ObjectModel
package import SpatialIndexing

/// The area in which tags are counted.
package enum TagHistogramArea: Sendable {
  case everywhere
  case area(SearchArea)
  /// The radius is inclusive, in whole millimetres.
  case circle(center: Coordinate, radiusMillimeters: Int64)
}

extension Layer {
  /// Counts how many objects of an area carry each tag, most frequent first, then by tag.
  ///
  /// - Throws: `tooMuchWork`, `abandoned`.
  package func tagHistogram(
    area: TagHistogramArea, filter: ObjectFilter, limit: Int, now: Instant,
    budget: inout WorkBudget
  ) throws(LayerError) -> [(tag: String, count: Int)] {
    let searchFilter = filter.searchFilter(columns: columns, area: nil, now: now)
    switch area {
    case .everywhere:
      return try budget.searching(cost: 1, field: "west") { work in
        index.tagHistogram(area: nil, filter: searchFilter, limit: limit, now: now, work: &work)
      }
    case .area(let area):
      return try budget.searching(cost: filter.stepCost(area: area), field: "within") { work in
        index.tagHistogram(area: area, filter: searchFilter, limit: limit, now: now, work: &work)
      }
    case .circle(let center, let radius):
      let circle = SearchCircle(center: center, radiusMillimeters: radius)
      // A step costs more, because the distance of each object is worked out.
      return try budget.searching(cost: 4, field: "radiusMeters") { work in
        index.tagHistogram(
          circle: circle, filter: searchFilter, limit: limit, now: now, work: &work)
      }
    }
  }

  /// Counts without a bound on the work.
  package func tagHistogram(
    area: TagHistogramArea, filter: ObjectFilter, limit: Int, now: Instant
  ) -> [(tag: String, count: Int)] {
    var budget = WorkBudget.unlimited
    // An unlimited budget is never exceeded.
    return
      (try? tagHistogram(
        area: area, filter: filter, limit: limit, now: now, budget: &budget)) ?? []
  }
}
