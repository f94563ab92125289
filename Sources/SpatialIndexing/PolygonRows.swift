import GeoMath

/// A polygon laid over Mercator's rows: in each band of rows the runs of columns that its edges pass
/// through. Beside all runs of a band a point is in or out by the number of edges to its east,
/// so that cells and nearly all points are settled by comparing whole numbers.
///
///     band b | run run run ...     first column, width, edge, whether it crosses the band's top
///
/// `nil` for polygons near 180 degrees or beyond 84.9 of latitude, where ``PreparedPolygon`` sorts
/// out turns and clamped rows.
struct PolygonRows {
  /// What is known of a point by its column and row.
  enum Mark {
    static let inside: UInt32 = 0
    static let outside: UInt32 = 1
    /// For the exact test to tell.
    static let unknown: UInt32 = 1 << 31
  }

  private struct Edge: BitwiseCopyable {
    var xi: Double
    var yi: Double
    var xj: Double
    var yj: Double
  }

  private struct Run: BitwiseCopyable {
    var first: UInt32
    /// Columns after the first.
    var width: UInt32
    var edge: UInt32
    /// 1 where the edge crosses the top of the band, else 0.
    var crossing: UInt32
  }

  private let polygon: GeoPolygon
  /// First row of the first band: a little north of the polygon.
  private let top: UInt32
  /// A band has `1 << shift` rows.
  private let shift: UInt32
  private let bandCount: UInt32
  private let edges: [Edge]
  /// Runs of band b are `runs[starts[b]..<starts[b + 1]]`.
  private let starts: [Int32]
  private let runs: [Run]

  /// Degrees and columns by which runs are wider than their edges: a few units, for rows and columns
  /// are rounded.
  private static let latitudeSlack = 3e-7
  private static let columnSlack = 3.0

  /// - Complexity: O(corners x bands an edge spans); bands are about half as many as corners.
  init?(_ polygon: GeoPolygon) {
    guard polygon.unwrappedWest > -179.9, polygon.unwrappedEast < 179.9, polygon.south > -84.9,
      polygon.north < 84.9
    else { return nil }
    self.polygon = polygon
    let corners = polygon.corners
    let rows = corners.map {
      MercatorProjector.shared.point(latitude: $0.latitude, longitude: 0).y
    }
    let top = (rows.min() ?? 4) - 4
    let height = (rows.max() ?? 0) + 4 - top
    let wanted = UInt32(min(512, max(16, corners.count / 2)))
    var shift: UInt32 = 0
    while height >> shift >= wanted { shift += 1 }
    let bandCount = height >> shift + 1
    let latitudes = (0...bandCount).map {
      MercatorPoint.latitude(y: Double(top) + Double($0) * Double(UInt32(1) << shift))
    }
    func bands(_ a: UInt32, _ b: UInt32) -> ClosedRange<Int> {
      Int((min(a, b) - 2 - top) >> shift)...Int((max(a, b) + 2 - top) >> shift)
    }
    var edges: [Edge] = []
    edges.reserveCapacity(corners.count)
    var counts = [Int32](repeating: 0, count: Int(bandCount) + 1)
    var j = corners.count - 1
    for i in corners.indices {
      edges.append(
        Edge(
          xi: polygon.unwrappedLongitudes[i], yi: corners[i].latitude,
          xj: polygon.unwrappedLongitudes[j], yj: corners[j].latitude))
      for band in bands(rows[i], rows[j]) { counts[band + 1] += 1 }
      j = i
    }
    for band in 0..<Int(bandCount) { counts[band + 1] += counts[band] }
    var next = counts
    var runs = [Run](
      repeating: Run(first: 0, width: 0, edge: 0, crossing: 0), count: Int(counts[Int(bandCount)]))
    j = corners.count - 1
    for i in corners.indices {
      for band in bands(rows[i], rows[j]) {
        runs[Int(next[band])] = Self.run(
          edges[i], UInt32(i), north: latitudes[band], south: latitudes[band + 1])
        next[band] += 1
      }
      j = i
    }
    self.top = top
    self.shift = shift
    self.bandCount = bandCount
    self.edges = edges
    self.starts = counts
    self.runs = runs
  }

  /// The columns that an edge may pass through between two latitudes.
  private static func run(_ edge: Edge, _ number: UInt32, north: Double, south: Double) -> Run {
    var west = min(edge.xi, edge.xj)
    var east = max(edge.xi, edge.xj)
    if (edge.yj - edge.yi).magnitude > 1e-6 {
      let slope = (edge.xj - edge.xi) / (edge.yj - edge.yi)
      let a = edge.xi + slope * (north + latitudeSlack - edge.yi)
      let b = edge.xi + slope * (south - latitudeSlack - edge.yi)
      (west, east) = (
        min(east, max(west, min(a, b))), max(west, min(east, max(a, b)))
      )
    }
    let columnsPerDegree = 4_294_967_296.0 / 360
    // Safe: columns of -179.9...179.9 degrees, a few units more or less.
    let first = UInt32((west + 180) * columnsPerDegree - columnSlack)
    let last = UInt32((east + 180) * columnsPerDegree + columnSlack)
    return Run(
      first: first, width: last - first, edge: number,
      crossing: (edge.yi > north) != (edge.yj > north) ? 1 : 0)
  }

  /// How a cell of Mercator units lies to the polygon.
  func relation(x: UInt32, y: UInt32, right: UInt32, bottom: UInt32) -> PreparedArea.Relation {
    guard bottom >= top && y >> shift <= top >> shift + bandCount else { return .outside }
    let first = min(bandCount - 1, (max(y, top) - top) >> shift)
    let last = min(bandCount - 1, (bottom - top) >> shift)
    let width = right - x
    return unsafe runs.withUnsafeBufferPointer { runs in
      for k in Int(starts[Int(first)])..<Int(starts[Int(last) + 1]) {
        let run = unsafe runs[k]
        // Safe: differences that wrap are great, and great ones overlap nothing.
        if run.first &- x <= width || x &- run.first <= run.width { return .mixed }
      }
      // No edge in sight: one point is as good as another.
      var crossings: UInt32 = 0
      for k in Int(starts[Int(first)])..<Int(starts[Int(first) + 1]) {
        crossings ^= unsafe runs[k].first > x ? runs[k].crossing : 0
      }
      return crossings == 1 ? .inside : .outside
    }
  }

  /// The ``Mark`` of each of eight points, of which the first `lanes` count.
  func marks(_ x: SIMD8<UInt32>, _ y: SIMD8<UInt32>, lanes: Int) -> SIMD8<UInt32> {
    var marks = SIMD8<UInt32>(repeating: Mark.outside)
    unsafe runs.withUnsafeBufferPointer { runs in
      unsafe starts.withUnsafeBufferPointer { starts in
        for lane in 0..<lanes {
          let column = x[lane]
          // Safe: a row north of the top wraps to a band that there is not.
          let band = (y[lane] &- top) >> shift
          guard band < bandCount else { continue }
          var crossings: UInt32 = 0
          var isUnknown = false
          for k in unsafe Int(starts[Int(band)])..<Int(starts[Int(band) + 1]) {
            let run = unsafe runs[k]
            isUnknown = isUnknown || column &- run.first <= run.width
            crossings ^= run.first > column ? run.crossing : 0
          }
          marks[lane] = isUnknown ? Mark.unknown : crossings ^ 1
        }
      }
    }
    return marks
  }

  /// The exact test: the answer of `GeoPolygon.contains`, from the edges of the row's band.
  func contains(latitude: Double, longitude: Double) -> Bool {
    guard latitude >= polygon.south && latitude <= polygon.north,
      longitude >= polygon.unwrappedWest && longitude <= polygon.unwrappedEast
    else { return false }
    let row = MercatorProjector.shared.point(latitude: latitude, longitude: longitude).y
    let band = Int(min(bandCount - 1, (row - top) >> shift))
    var isInside = false
    for k in Int(starts[band])..<Int(starts[band + 1]) {
      let edge = edges[Int(runs[k].edge)]
      if (edge.yi > latitude) != (edge.yj > latitude),
        longitude < (edge.xj - edge.xi) * (latitude - edge.yi) / (edge.yj - edge.yi) + edge.xi
      {
        isInside.toggle()
      }
    }
    return isInside
  }
}
