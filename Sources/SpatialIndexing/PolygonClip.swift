import GeoMath

/// A polygon's edges, handed down the quadtree: each cell looks only at the edges that its parent
/// met, so that a search costs about one look at each edge a level, and cells without an edge are
/// inside or outside as a whole.
///
/// Works in degrees, where edges are straight. `nil` for polygons that come near 180 degrees:
/// there ``PreparedPolygon/coverage(of:)`` sorts the turns out.
struct PolygonClip {
  struct Edge: BitwiseCopyable {
    var south: Double
    var north: Double
    var west: Double
    var east: Double
    /// Longitude at a latitude: `origin + slope * latitude`; slope 0 where the edge is level.
    var origin: Double
    var slope: Double
  }

  /// Degrees that cells are widened by: three units, for rows and columns are rounded.
  static let slack = 2.5e-7

  private let edges: [Edge]
  /// Edges of the cells on the way down, each cell's behind its parent's.
  private var met: [Int32]

  init?(_ polygon: GeoPolygon) {
    guard polygon.unwrappedWest > -179.9 && polygon.unwrappedEast < 179.9 else { return nil }
    var edges: [Edge] = []
    edges.reserveCapacity(polygon.corners.count)
    var j = polygon.corners.count - 1
    for i in polygon.corners.indices {
      let (yi, xi) = (polygon.corners[i].latitude, polygon.unwrappedLongitudes[i])
      let (yj, xj) = (polygon.corners[j].latitude, polygon.unwrappedLongitudes[j])
      let isLevel = (yj - yi).magnitude < 1e-6
      let slope = isLevel ? 0 : (xj - xi) / (yj - yi)
      edges.append(
        Edge(
          south: min(yi, yj), north: max(yi, yj), west: min(xi, xj), east: max(xi, xj),
          origin: isLevel ? 0 : xi - slope * yi, slope: slope))
      j = i
    }
    self.edges = edges
    met = (0..<edges.count).map { Int32($0) }
  }

  /// All edges: what the world's cell meets.
  var all: Range<Int> { 0..<edges.count }

  /// Finds which of a parent's edges may touch a box in degrees.
  mutating func meet(
    _ parents: Range<Int>, west: Double, south: Double, east: Double, north: Double
  ) -> Range<Int> {
    let start = parents.upperBound
    met.removeLast(met.count - start)
    for k in parents {
      let number = met[k]
      let edge = edges[Int(number)]
      guard edge.north >= south && edge.south <= north && edge.east >= west && edge.west <= east
      else { continue }
      if edge.slope != 0 {
        let low = edge.origin + edge.slope * max(edge.south, south)
        let high = edge.origin + edge.slope * min(edge.north, north)
        // Steep or long edges: what the product may be off by.
        let slack = Self.slack + edge.slope.magnitude * 1e-13
        guard max(low, high) >= west - slack && min(low, high) <= east + slack else { continue }
      }
      met.append(number)
    }
    return start..<met.count
  }
}
