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
      return try tagHistogram(
        around: center, radiusMillimeters: radius, filter: filter, limit: limit, now: now,
        budget: &budget)
    }
  }

  /// Reads the objects of the box around a circle page by page, so that the index is not held for
  /// long, and counts those within the radius.
  private func tagHistogram(
    around center: Coordinate, radiusMillimeters radius: Int64, filter: ObjectFilter, limit: Int,
    now: Instant, budget: inout WorkBudget
  ) throws(LayerError) -> [(tag: String, count: Int)] {
    let pageLength = 512
    let origin = DistanceOrigin(center)
    // Half a millimetre more, since distances are rounded to whole ones.
    let box = GeoBox(covering: center, radiusMeters: (Double(radius) + 0.5) / 1000)
    let searchFilter = filter.searchFilter(columns: columns, area: nil, now: now)
    var counts: [String: Int] = [:]
    var last: (mortonCode: UInt64, id: String)?
    repeat {
      let query = WithinQuery(
        area: .box(box), limit: pageLength, filter: searchFilter, after: last, readsRecords: true)
      last = nil
      var visited = 0
      // Each hit is measured and read.
      try budget.searching(cost: 4, field: "radiusMeters") { work in
        _ = index.within(query, now: now, work: &work) { hit in
          visited += 1
          if visited == pageLength {
            last = (hit.mortonCode, String(decoding: hit.id, as: UTF8.self))
          }
          guard origin.millimeters(latitude: hit.latitude, longitude: hit.longitude) <= radius
          else { return }
          for tag in ObjectPayload.tags(in: hit.payload) { counts[tag, default: 0] += 1 }
        }
      }
    } while last != nil
    let ordered = counts.sorted {
      $0.value != $1.value
        ? $0.value > $1.value : $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
    }
    return ordered.prefix(limit).map { ($0.key, $0.value) }
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
