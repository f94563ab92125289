import GeoMath
import LiveLayers
import ObjectModel
import SpatialIndexing

/// Answers a search from a layer's index, as Redis answers it from its sorted set.
///
/// The index measures on the ellipsoid and holds positions as they were reported; Redis measures on
/// a sphere between the middles of cells. So candidates come from a wider search, and each is tested
/// by Redis's cells and sphere.
struct GeoSearch {
  let request: GeoSearchRequest
  let layer: Layer
  let now: ObjectModel.Instant
  private let cells: SearchCells

  /// The most by which a distance on the ellipsoid exceeds one on Redis's sphere: the polar radius
  /// of curvature, 6,399,594 m, by the sphere's, and a little for the rounding of both.
  private static let ellipsoidRatio = 1.0043
  /// What the middles of cells add, in millimetres: half the diagonal of a cell, which is 330 at most
  /// (0.6 m by 0.28 m at the equator), a row more at longitude 180, and the rounding of positions.
  private static let cellMillimeters = 700.0
  /// How far Redis's distance is from the index's: the meridian's radius of curvature at the equator
  /// is 6,335,439 m, which the sphere's exceeds by 1.0059; the other way it is ``ellipsoidRatio``.
  private static let slack = DistanceSlack(ratio: 1.006, meters: cellMillimeters / 1000)
  /// No two places are further apart.
  private static let farthestMeters = 20_100_000.0

  init(_ request: GeoSearchRequest, in layer: Layer, now: ObjectModel.Instant) {
    self.request = request
    self.layer = layer
    self.now = now
    cells = request.shape.cells()
  }

  /// Fills `hits` with what is answered, in its order.
  ///
  /// - Throws: `tooMuchWork`, `abandoned`; `hits` is of no use then.
  func run(budget: inout WorkBudget, into hits: inout GeoHits) throws(LayerError) {
    hits.removeAll()
    if let count = request.count, !request.isAny, request.order == .ascending {
      try nearest(count, budget: &budget, into: &hits)
    } else {
      try all(budget: &budget, into: &hits)
    }
  }

  private func all(budget: inout WorkBudget, into hits: inout GeoHits) throws(LayerError) {
    let query = WithinQuery(
      area: .box(covering(request.shape.reach)), limit: .max, filter: filter, readsRecords: true)
    try spend(&budget) { work in
      _ = layer.index.within(query, now: now, work: &work) { consider($0, &hits) }
    }
    if request.isAny, let count = request.count {
      hits.sortByCell()
      hits.keepFirst(count)
    }
    switch request.order {
    case .none: hits.sortByCell()
    case .ascending: hits.sortByDistance(isDescending: false)
    case .descending: hits.sortByDistance(isDescending: true)
    }
    if let count = request.count { hits.keepFirst(count) }
  }

  private func nearest(
    _ count: Int, budget: inout WorkBudget, into hits: inout GeoHits
  ) throws(LayerError) {
    if try nearestOfCandidates(count, budget: &budget, into: &hits) { return }
    try nearestInRounds(count, budget: &budget, into: &hits)
  }

  /// Asks the index for all that may be among the nearest, in no order.
  ///
  /// - Returns: Whether the answer is certain. It is not where the index does not tell, and where a
  ///   member lies outside of Redis's cells or of a box, so that one further away takes its place.
  ///   Beyond a member outside of a circle there is nothing.
  private func nearestOfCandidates(
    _ count: Int, budget: inout WorkBudget, into hits: inout GeoHits
  ) throws(LayerError) -> Bool {
    guard case .circle = request.shape.kind else { return false }
    let query = query(limit: count, within: Self.millimeters(request.shape.reach))
    var found: Int?
    var isOutside = false
    // More are sorted by comparing, which asks for exact distances.
    let isFew = count <= RankSort.limit
    try spend(&budget) { work in
      found = layer.index.nearestCandidates(query, slack: Self.slack, now: now, work: &work) {
        let isInside = consider($0, &hits) {
          isFew ? request.shape.printedDistance(to: $0) : request.shape.distance(to: $0)
        }
        if !isInside { isOutside = true }
      }
    }
    guard found != nil, !isOutside else { return false }
    hits.keepNearest(count, error: isFew ? CellCode.Origin.seriesError : 0) {
      request.shape.origin.distance(to: $0.place)
    }
    return true
  }

  /// Asks the index for somewhat more than is wanted, until nothing beyond can be nearer.
  private func nearestInRounds(
    _ count: Int, budget: inout WorkBudget, into hits: inout GeoHits
  ) throws(LayerError) {
    let farthest = Self.millimeters(Self.farthestMeters)
    var reach = min(Self.millimeters(request.shape.reach), farthest)
    // In a city three more are enough in 98 of 100 searches; the next round is whole in any case.
    var asked = count.clamped + count.clamped / 16 + 2
    while true {
      hits.removeAll()
      var found = 0
      var last: Int64 = 0
      let query = query(limit: asked, within: reach)
      try spend(&budget) { work in
        _ = layer.index.nearest(query, now: now, work: &work) { hit in
          found += 1
          last = hit.distanceMillimeters
          consider(hit, &hits)
        }
      }
      hits.sortByDistance(isDescending: false)
      let isWhole = found < asked
      if hits.list.count >= count {
        let certain = Self.millimeters(hits.list[count - 1].distance)
        if isWhole || last > certain { return hits.keepFirst(count) }
        // Whatever is nearer than the last of them lies within this distance.
        reach = min(reach, certain)
        asked = 1 << 40
      } else if isWhole {
        return
      } else {
        asked = (asked * 4).clamped
      }
    }
  }

  private func query(limit: Int, within millimeters: Int64) -> NearestQuery {
    NearestQuery(
      latitude: request.shape.center.latitude, longitude: request.shape.center.longitude,
      limit: limit, maximumDistanceMillimeters: millimeters, filter: filter, readsRecords: true)
  }

  /// Takes a member in, if it lies in the shape and in Redis's cells.
  ///
  /// - Returns: Whether it lies in the cells.
  @discardableResult
  @inline(__always)
  private func consider(_ hit: HitView, _ hits: inout GeoHits) -> Bool {
    consider(hit, &hits) { request.shape.distance(to: $0) }
  }

  /// The same, measured in some way.
  @inline(__always)
  private func consider(
    _ hit: HitView, _ hits: inout GeoHits, _ measured: (CellCode.Place) -> Double?
  ) -> Bool {
    let contents = hit.contents
    guard
      let code = CellCode.ScoredPlace(
        longitude: contents.longitude, latitude: contents.latitude),
      let cell = cells.index(of: code.score)
    else { return false }
    if let distance = measured(code.place) {
      hits.append(id: contents.id, code, distance: distance, cell: cell)
    }
    return true
  }

  private var filter: SearchFilter { layer.searchFilter(request.filter, now: now) }

  private func spend(
    _ budget: inout WorkBudget, _ search: (inout SearchWork) -> Void
  ) throws(LayerError) {
    do throws(WorkBudget.Exhaustion) {
      try budget.searching(cost: request.filter.conditions.isEmpty ? 1 : 2, search)
    } catch {
      switch error {
      case .steps(let limit): throw .tooMuchWork(limit: limit, field: "count")
      case .deadlinePassed, .cancelled: throw .abandoned
      }
    }
  }

  private func covering(_ meters: Double) -> GeoBox {
    guard meters < Self.farthestMeters else {
      return GeoBox(uncheckedWest: -180, south: -90, east: 180, north: 90)
    }
    return GeoBox(
      covering: Coordinate(
        uncheckedLatitude: request.shape.center.latitude,
        longitude: request.shape.center.longitude),
      radiusMillimeters: Self.millimeters(meters))
  }

  /// Returns a distance on the ellipsoid that nothing within a distance on the sphere exceeds.
  private static func millimeters(_ meters: Double) -> Int64 {
    // Not less than the farthest: a radius may be any number, infinity included.
    guard meters < farthestMeters else {
      return Int64(farthestMeters * 1000 * ellipsoidRatio + cellMillimeters)
    }
    return Int64(meters * 1000 * ellipsoidRatio + cellMillimeters)
  }
}

extension Int {
  /// Far above any number of objects, and far below an overflow.
  fileprivate var clamped: Int { Swift.min(self, 1 << 40) }
}
