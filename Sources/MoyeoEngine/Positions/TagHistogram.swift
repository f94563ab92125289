public import GeoMath
public import ObjectModel
public import SpatialIndexing

/// Where tags are counted.
public enum TagHistogramArea: Sendable {
  case everywhere
  case area(SearchArea)
  /// The radius is inclusive, in whole millimetres.
  case circle(center: Coordinate, radiusMillimeters: Int64)
}

extension Layer {
  /// How often each tag is carried in an area, most frequent first, then by tag.
  public func tagHistogram(
    area: TagHistogramArea, filter: ObjectFilter, limit: Int, now: Instant
  ) -> [(tag: String, count: Int)] {
    let searchFilter = filter.searchFilter(columns: columns, area: nil, now: now)
    switch area {
    case .everywhere:
      return index.tagHistogram(area: nil, filter: searchFilter, limit: limit, now: now)
    case .area(let area):
      return index.tagHistogram(area: area, filter: searchFilter, limit: limit, now: now)
    case .circle(let center, let radius):
      var counts: [String: Int] = [:]
      let query = NearestQuery(
        latitude: center.latitude, longitude: center.longitude,
        limit: index.statistics().objectCount,
        maximumDistanceMillimeters: radius, filter: searchFilter)
      index.nearest(query, now: now) { hit in
        for tag in ObjectPayload.tags(in: hit.payload) { counts[tag, default: 0] += 1 }
      }
      let ordered = counts.sorted {
        $0.value != $1.value
          ? $0.value > $1.value : $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
      }
      return ordered.prefix(limit).map { ($0.key, $0.value) }
    }
  }
}
