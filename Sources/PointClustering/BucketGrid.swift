/// A uniform grid over a fixed set of positions, for disks of about the size of its cells.
///
/// Cells are not stored. Each point is in the bucket that its cell hashes to, and the points are
/// counting-sorted by bucket, so that a dense city in an empty world costs no more than an even
/// spread.
///
///     starts    0   2   2   5   …            one more than there are buckets
///     entries | 7 3 |   | 1 9 4 | …          points of a bucket in order of input
///                   cell (column, row) = floor(x / side), floor(y / side)
///
/// Positions are rounded to 32-bit floating point numbers, as supercluster keeps them.
///
/// - Complexity: O(n) to make. A disk with the radius of a cell's side visits at most nine cells. A
///   box visits its cells, or all points where it has more cells than there are points.
struct BucketGrid: Sendable {
  private struct Entry: BitwiseCopyable {
    var x: Float
    var y: Float
    var index: UInt32
  }

  private let side: Double
  private let starts: [UInt32]
  private let entries: [Entry]
  /// The number of buckets, a power of two, minus one.
  private let mask: UInt64

  /// Makes a grid without points.
  init() { self.init(x: [], y: [], side: 1) }

  /// Makes a grid whose cells have a side; a side that is not above 0 is taken as the least useful
  /// one.
  init(x: [Double], y: [Double], side: Double) {
    // Smaller cells than the positions can tell apart would only make large numbers.
    self.side = max(side, 0x1p-31)
    var bucketCount = 1
    while bucketCount < x.count { bucketCount *= 2 }
    mask = UInt64(bucketCount - 1)
    var counts = [UInt32](repeating: 0, count: bucketCount + 1)
    var buckets = [UInt32](repeating: 0, count: x.count)
    for i in x.indices {
      let bucket = Self.bucket(
        Self.cell(Double(Float(x[i])), self.side), Self.cell(Double(Float(y[i])), self.side), mask)
      buckets[i] = UInt32(bucket)
      counts[bucket + 1] += 1
    }
    for bucket in 0..<bucketCount { counts[bucket + 1] += counts[bucket] }
    starts = counts
    var sorted = [Entry](repeating: Entry(x: 0, y: 0, index: 0), count: x.count)
    for i in x.indices {
      let bucket = Int(buckets[i])
      sorted[Int(counts[bucket])] = Entry(x: Float(x[i]), y: Float(y[i]), index: UInt32(i))
      counts[bucket] += 1
    }
    entries = sorted
  }

  @inline(__always)
  private static func cell(_ coordinate: Double, _ side: Double) -> Int64 {
    Int64((coordinate / side).rounded(.down))
  }

  @inline(__always)
  private static func bucket(_ column: Int64, _ row: Int64, _ mask: UInt64) -> Int {
    // These are odd constants of the golden ratio; the high bits of the products are mixed best.
    let mixed =
      UInt64(bitPattern: column) &* 0x9E37_79B9_7F4A_7C15
      ^ (UInt64(bitPattern: row) &* 0xC2B2_AE3D_27D4_EB4F).byteSwapped
    return Int(truncatingIfNeeded: (mixed ^ mixed >> 32) & mask)
  }

  /// Returns the points of a box, its edges included, in the order of input.
  func range(minX: Double, minY: Double, maxX: Double, maxY: Double) -> [Int] {
    var found: [Int] = []
    visit(minX: minX, minY: minY, maxX: maxX, maxY: maxY) { x, y, index in
      if x >= minX && x <= maxX && y >= minY && y <= maxY { found.append(index) }
    }
    found.sort()
    return found
  }

  /// Fills a list with the points at most `radius` away from a point, in the order of input.
  func within(x qx: Double, y qy: Double, radius: Double, into found: inout [Int]) {
    found.removeAll(keepingCapacity: true)
    let square = radius * radius
    visit(
      minX: qx - radius, minY: qy - radius, maxX: qx + radius, maxY: qy + radius
    ) { x, y, index in
      let (dx, dy) = (x - qx, y - qy)
      if dx * dx + dy * dy <= square { found.append(index) }
    }
    found.sort()
  }

  /// Calls `body` once with each point of the cells that a box touches.
  @inline(__always)
  private func visit(
    minX: Double, minY: Double, maxX: Double, maxY: Double,
    _ body: (_ x: Double, _ y: Double, _ index: Int) -> Void
  ) {
    guard minX <= maxX, minY <= maxY else { return }
    let count = Double(entries.count)
    let across = (maxX / side).rounded(.down) - (minX / side).rounded(.down) + 1
    let down = (maxY / side).rounded(.down) - (minY / side).rounded(.down) + 1
    // Counted in floating point, because a box may have more cells than an integer can count.
    guard across * down <= max(16, count) else {
      for entry in entries { body(Double(entry.x), Double(entry.y), Int(entry.index)) }
      return
    }
    let (first, last) = (Self.cell(minX, side), Self.cell(maxX, side))
    for row in Self.cell(minY, side)...Self.cell(maxY, side) {
      for column in first...last {
        let bucket = Self.bucket(column, row, mask)
        for i in Int(starts[bucket])..<Int(starts[bucket + 1]) {
          let (x, y) = (Double(entries[i].x), Double(entries[i].y))
          // Other cells may hash to this bucket.
          if Self.cell(x, side) == column && Self.cell(y, side) == row {
            body(x, y, Int(entries[i].index))
          }
        }
      }
    }
  }
}
