/// A ``GeoPolygon`` made ready for many points: edges sorted into bands of latitude, so that a
/// test looks at the few edges that its latitude can cross.
///
/// ``contains(latitude:longitude:)`` gives the same answer as ``GeoPolygon/contains(latitude:longitude:)``,
/// bit for bit: the same edges cross a latitude, and they are intersected by the same expression.
public struct PreparedPolygon: Sendable {
  /// How much of a box a polygon covers.
  public enum Coverage: Sendable {
    case none
    /// Some of it, or not known.
    case partial
    case full
  }

  struct Edge: Sendable {
    var xi: Double
    var yi: Double
    var xj: Double
    var yj: Double
  }

  /// The polygon that this answers for.
  public let polygon: GeoPolygon
  private let bandCount: Int
  private let bandsPerDegree: Double
  /// Edges of band b are `edges[starts[b]..<starts[b + 1]]`.
  private var starts: [Int32]
  private var edges: [Edge]

  /// - Complexity: O(corners x bands an edge spans).
  public init(_ polygon: GeoPolygon) {
    self.polygon = polygon
    let corners = polygon.corners
    let count = corners.count
    bandCount = min(1024, max(8, count))
    let span = polygon.north - polygon.south
    bandsPerDegree = span > 0 ? Double(bandCount) / span : 0
    starts = []
    edges = []
    var ring: [Edge] = []
    ring.reserveCapacity(count)
    var j = count - 1
    for i in corners.indices {
      ring.append(
        Edge(
          xi: polygon.unwrappedLongitudes[i], yi: corners[i].latitude,
          xj: polygon.unwrappedLongitudes[j], yj: corners[j].latitude))
      j = i
    }
    var counts = [Int32](repeating: 0, count: bandCount + 1)
    for edge in ring { for band in bands(of: edge) { counts[band + 1] += 1 } }
    for band in 0..<bandCount { counts[band + 1] += counts[band] }
    starts = counts
    var next = counts
    edges = [Edge](
      repeating: Edge(xi: 0, yi: 0, xj: 0, yj: 0), count: Int(counts[bandCount]))
    for edge in ring {
      for band in bands(of: edge) {
        edges[Int(next[band])] = edge
        next[band] += 1
      }
    }
  }

  /// The band of a latitude within the polygon's. The product grows with the latitude, so that an
  /// edge's bands run from the one of its lower end to the one of its upper end.
  @inline(__always)
  private func band(_ latitude: Double) -> Int {
    let position = (latitude - polygon.south) * bandsPerDegree
    return max(0, min(bandCount - 1, Int(position)))
  }

  private func bands(of edge: Edge) -> ClosedRange<Int> {
    band(min(edge.yi, edge.yj))...band(max(edge.yi, edge.yj))
  }

  /// - Complexity: O(edges in the latitude's band).
  public func contains(latitude: Double, longitude: Double) -> Bool {
    guard latitude >= polygon.south && latitude <= polygon.north else { return false }
    var inside = false
    for turn in [-360.0, 0, 360] {
      let x = longitude + turn
      guard x >= polygon.unwrappedWest && x <= polygon.unwrappedEast else { continue }
      if evenOdd(x: x, y: latitude) { inside.toggle() }
    }
    return inside
  }

  private func evenOdd(x: Double, y: Double) -> Bool {
    let band = band(y)
    var inside = false
    return edges.withUnsafeBufferPointer { edges in
      for i in Int(starts[band])..<Int(starts[band + 1]) {
        let edge = edges[i]
        if (edge.yi > y) != (edge.yj > y),
          x < (edge.xj - edge.xi) * (y - edge.yi) / (edge.yj - edge.yi) + edge.xi
        {
          inside.toggle()
        }
      }
      return inside
    }
  }

  /// How much of a box that crosses no antimeridian is covered: `none` and `full` are certain,
  /// for all points at least 1e-9 degrees inside the box's edges; `partial` may be either.
  public func coverage(of box: GeoBox) -> Coverage {
    guard box.north >= polygon.south && box.south <= polygon.north else { return .none }
    var met = false
    for turn in [-360.0, 0, 360] {
      let west = box.west + turn
      let east = box.east + turn
      guard east >= polygon.unwrappedWest && west <= polygon.unwrappedEast else { continue }
      // Two turns of the box both reach the ring: leave it to the points.
      if met { return .partial }
      met = true
      if touchesEdge(west: west, south: box.south, east: east, north: box.north) {
        return .partial
      }
    }
    guard met else { return .none }
    let isInside = contains(
      latitude: (box.south + box.north) / 2, longitude: (box.west + box.east) / 2)
    return isInside ? .full : .none
  }

  /// Whether an edge passes through a box in unwrapped degrees; `true` when in doubt.
  private func touchesEdge(west: Double, south: Double, east: Double, north: Double) -> Bool {
    let first = band(max(south, polygon.south))
    let last = band(min(north, polygon.north))
    for i in Int(starts[first])..<Int(starts[last + 1]) {
      let edge = edges[i]
      let low = min(edge.yi, edge.yj)
      let high = max(edge.yi, edge.yj)
      guard high >= south && low <= north else { continue }
      // The edge's longitudes over the box's latitudes.
      let slope = high > low ? (edge.xj - edge.xi) / (edge.yj - edge.yi) : 0
      let atLow = high > low ? edge.xi + slope * (max(low, south) - edge.yi) : edge.xi
      let atHigh = high > low ? edge.xi + slope * (min(high, north) - edge.yi) : edge.xj
      let slack = 1e-9
      if max(atLow, atHigh) >= west - slack && min(atLow, atHigh) <= east + slack { return true }
    }
    return false
  }
}
