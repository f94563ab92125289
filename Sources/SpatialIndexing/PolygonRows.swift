import GeoMath

/// A polygon divided into bands of Mercator rows. For each band it knows the runs of columns that
/// the polygon's edges pass through. A point outside all runs of its band is inside or outside by
/// the number of edges to its east, so that cells and nearly all points are decided by comparing
/// whole numbers.
///
///     band b | eight runs | eight runs | ...     first columns, widths, crossings of the top, edges
///
/// There is none for polygons near 180 degrees or beyond 84.9 degrees of latitude, where
/// ``PreparedPolygon`` handles wrapped longitudes and clamped rows.
struct PolygonRows {
  /// What the column and row of a point tell about it.
  enum Mark {
    static let inside: UInt32 = 0
    static let outside: UInt32 = 1
    /// Only the exact test can tell.
    static let unknown: UInt32 = 1 << 31
  }

  private struct Edge: BitwiseCopyable {
    var xi: Double
    var yi: Double
    var xj: Double
    var yj: Double
  }

  /// Eight runs of a band. Those after the last have no edge and lie at the world's last column.
  private struct Runs: BitwiseCopyable {
    var first = SIMD8<UInt32>(repeating: .max)
    /// The number of columns after the first, with its sign bit flipped for signed comparisons.
    var width = SIMD8<UInt32>(repeating: PolygonRows.sign)
    /// All bits are set where the edge crosses the top of the band, none elsewhere.
    var crossing = SIMD8<UInt32>.zero
    var edge = SIMD8<UInt32>(repeating: PolygonRows.noEdge)

    /// Returns all bits for each run that begins east of a column and whose edge crosses the top of
    /// the band.
    @inline(__always)
    func crossings(eastOf column: UInt32) -> SIMD8<UInt32> {
      let isEast: SIMDMask<SIMD8<Int32>> =
        turned(first) .> turned(SIMD8(repeating: column))
      return unsafe unsafeBitCast(isEast, to: SIMD8<UInt32>.self) & crossing
    }

    /// Returns which runs hold a column.
    @inline(__always)
    func hold(_ column: UInt32) -> SIMDMask<SIMD8<Int32>> {
      // Safe: a difference that wraps is great, and no run is as wide.
      let isHeld: SIMDMask<SIMD8<Int32>> =
        turned(SIMD8(repeating: column) &- first) .<= SIMD8(truncatingIfNeeded: width)
      return isHeld
    }

    /// Returns which runs begin within a range of columns.
    @inline(__always)
    func begin(after column: UInt32, width: UInt32) -> SIMDMask<SIMD8<Int32>> {
      let begins: SIMDMask<SIMD8<Int32>> =
        turned(first &- SIMD8(repeating: column)) .<= turned(SIMD8(repeating: width))
      return begins
    }

    /// Flips the sign bits, so that a signed comparison, which every processor has, compares
    /// unsigned numbers.
    @inline(__always)
    private func turned(_ values: SIMD8<UInt32>) -> SIMD8<Int32> {
      SIMD8<Int32>(truncatingIfNeeded: values ^ SIMD8(repeating: PolygonRows.sign))
    }
  }

  fileprivate static let sign: UInt32 = 1 << 31
  fileprivate static let noEdge = UInt32.max

  private let polygon: GeoPolygon
  /// The first row of the first band, a little north of the polygon.
  private let top: UInt32
  /// The logarithm of a band's number of rows, which is `1 << shift`.
  private let shift: UInt32
  private let bandCount: UInt32
  private let edges: [Edge]
  /// Where the runs of a band begin: those of band b are `runs[starts[b]..<starts[b + 1]]`.
  private let starts: [Int32]
  private let runs: [Runs]

  /// The degrees and columns by which runs are wider than their edges. Rows and columns are
  /// rounded, so that it takes a few units.
  private static let latitudeSlack = 3e-7
  private static let columnSlack = 3.0

  /// Divides a polygon into bands, about half as many as it has corners, and fewer where its edges span
  /// many of them.
  ///
  /// - Returns: `nil` for a polygon near 180 degrees or beyond 84.9 degrees of latitude.
  /// - Complexity: O(corners x bands that an edge spans, ``runsPerEdge`` at most on average).
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
    // Where edges are long, more bands only repeat them: a comb of 1,000 corners had half a million
    // runs, 8 MB to fill and to give back for each question.
    let most = Self.runsPerEdge * corners.count
    while shift < 31, Self.runCount(rows, top: top, shift: shift) > most { shift += 1 }
    let bandCount = height >> shift + 1
    let latitudes = (0...bandCount).map {
      MercatorPoint.latitude(y: Double(top) + Double($0) * Double(UInt32(1) << shift))
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
      for band in Self.bands(rows[i], rows[j], top: top, shift: shift) { counts[band + 1] += 1 }
      j = i
    }
    for band in 0..<Int(bandCount) { counts[band + 1] = counts[band] + (counts[band + 1] + 7) / 8 }
    // This counts single runs, not groups of eight.
    var next = counts.map { Int($0) * 8 }
    var runs = [Runs](repeating: Runs(), count: Int(counts[Int(bandCount)]))
    j = corners.count - 1
    for i in corners.indices {
      for band in Self.bands(rows[i], rows[j], top: top, shift: shift) {
        let run = Self.run(edges[i], north: latitudes[band], south: latitudes[band + 1])
        let place = next[band]
        unsafe runs.withUnsafeMutableBytes {
          // The address of one lane of each vector.
          let lane = unsafe $0.baseAddress.unsafelyUnwrapped + (place / 8 * 128 + place % 8 * 4)
          unsafe lane.storeBytes(of: run.first, as: UInt32.self)
          unsafe lane.storeBytes(of: run.width ^ Self.sign, toByteOffset: 32, as: UInt32.self)
          unsafe lane.storeBytes(of: run.crosses ? .max : 0, toByteOffset: 64, as: UInt32.self)
          unsafe lane.storeBytes(of: UInt32(i), toByteOffset: 96, as: UInt32.self)
        }
        next[band] = place + 1
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

  /// The number of runs there is room for.
  var runCapacity: Int { runs.count * 8 }

  /// The most runs that an edge has on average.
  static let runsPerEdge = 64

  /// Returns the bands of 2^shift rows that an edge between two rows may pass through.
  @inline(__always)
  private static func bands(
    _ a: UInt32, _ b: UInt32, top: UInt32, shift: UInt32
  ) -> ClosedRange<Int> {
    Int((min(a, b) - 2 - top) >> shift)...Int((max(a, b) + 2 - top) >> shift)
  }

  /// Returns how many runs there are where bands have 2^shift rows.
  private static func runCount(_ rows: [UInt32], top: UInt32, shift: UInt32) -> Int {
    var count = 0
    var before = rows[rows.count - 1]
    for row in rows {
      count += bands(row, before, top: top, shift: shift).count
      before = row
    }
    return count
  }

  /// Returns the columns that an edge may pass through between two latitudes, and whether it
  /// crosses the northern one.
  @inline(__always)
  private static func run(
    _ edge: Edge, north: Double, south: Double
  ) -> (first: UInt32, width: UInt32, crosses: Bool) {
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
    // Safe: longitudes are within -179.9...179.9 degrees, a few units more or less.
    let first = UInt32((west + 180) * columnsPerDegree - columnSlack)
    let last = UInt32((east + 180) * columnsPerDegree + columnSlack)
    return (first, last - first, (edge.yi > north) != (edge.yj > north))
  }

  /// Returns how a cell of Mercator units lies to the polygon.
  func relation(x: UInt32, y: UInt32, right: UInt32, bottom: UInt32) -> PreparedArea.Relation {
    guard bottom >= top && y >> shift <= top >> shift + bandCount else { return .outside }
    let first = min(bandCount - 1, (max(y, top) - top) >> shift)
    let last = min(bandCount - 1, (bottom - top) >> shift)
    let width = right - x
    return unsafe runs.withUnsafeBufferPointer { runs in
      for k in Int(starts[Int(first)])..<Int(starts[Int(last) + 1]) {
        let eight = unsafe runs[k]
        if SIMD8Distances.any(eight.begin(after: x, width: width) .| eight.hold(x)) {
          return .mixed
        }
      }
      // No edge is near, so that all points of the cell are inside or outside together.
      var crossings = SIMD8<UInt32>.zero
      for k in Int(starts[Int(first)])..<Int(starts[Int(first) + 1]) {
        crossings ^= unsafe runs[k].crossings(eastOf: x)
      }
      return crossings.wrappedSum() & 1 == 1 ? .inside : .outside
    }
  }

  /// Writes the ``Mark`` of each of the first `lanes` of eight points. `points` holds their
  /// columns, then their rows.
  func mark(_ points: UnsafeRawPointer, lanes: Int, into marks: UnsafeMutablePointer<UInt32>) {
    let columns = unsafe points.assumingMemoryBound(to: UInt32.self)
    unsafe runs.withUnsafeBufferPointer { runs in
      unsafe starts.withUnsafeBufferPointer { starts in
        for lane in 0..<lanes {
          let column = unsafe columns[lane]
          // Safe: a row north of the top wraps to a band that does not exist.
          let band = unsafe (columns[8 + lane] &- top) >> shift
          guard band < bandCount else {
            unsafe marks[lane] = Mark.outside
            continue
          }
          var crossings = SIMD8<UInt32>.zero
          var isHeld = SIMDMask<SIMD8<Int32>>(repeating: false)
          for k in unsafe Int(starts[Int(band)])..<Int(starts[Int(band) + 1]) {
            let eight = unsafe runs[k]
            isHeld = isHeld .| eight.hold(column)
            crossings ^= eight.crossings(eastOf: column)
          }
          unsafe marks[lane] =
            SIMD8Distances.any(isHeld) ? Mark.unknown : ~crossings.wrappedSum() & 1
        }
      }
    }
  }

  /// Tests a point exactly, with the answer of `GeoPolygon.contains`, by the edges of its row's
  /// band.
  func contains(latitude: Double, longitude: Double) -> Bool {
    guard latitude >= polygon.south && latitude <= polygon.north,
      longitude >= polygon.unwrappedWest && longitude <= polygon.unwrappedEast
    else { return false }
    let point = MercatorProjector.shared.point(latitude: latitude, longitude: longitude)
    let band = Int(min(bandCount - 1, (point.y - top) >> shift))
    var isInside = false
    for k in Int(starts[band])..<Int(starts[band + 1]) {
      let eight = runs[k]
      let isHeld = eight.hold(point.x)
      for lane in 0..<8 {
        let number = eight.edge[lane]
        if number == Self.noEdge { break }
        let edge = edges[Int(number)]
        let meets = (edge.yi > latitude) != (edge.yj > latitude)
        // A point outside an edge's run is known to be west or east of the edge.
        var isEast = eight.first[lane] > point.x
        if isHeld[lane] && meets {
          isEast =
            longitude < (edge.xj - edge.xi) * (latitude - edge.yi) / (edge.yj - edge.yi) + edge.xi
        }
        isInside = isInside != (meets && isEast)
      }
    }
    return isInside
  }
}
