#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A static k-d tree over 32-bit floating point positions, kept in two flat arrays; searches answer
/// in the same order as the `kdbush` library (version 4), on which supercluster's results depend.
///
/// Sorting is Floyd-Rivest selection around the middle, axes taking turns, down to nodes of
/// `nodeSize` points.
struct FlatKDTree: Sendable {
  private(set) var ids: [UInt32]
  private(set) var coordinates: [Float]
  private let nodeSize: Int

  init(x: [Double], y: [Double], nodeSize: Int) {
    self.nodeSize = min(max(nodeSize, 2), 65_535)
    ids = Array(0..<UInt32(x.count))
    coordinates = []
    coordinates.reserveCapacity(2 * x.count)
    for i in x.indices {
      coordinates.append(Float(x[i]))
      coordinates.append(Float(y[i]))
    }
    sort(0, ids.count - 1, axis: 0)
  }

  /// Ids of the points in a box, edges included.
  func range(minX: Double, minY: Double, maxX: Double, maxY: Double) -> [Int] {
    var found: [Int] = []
    search(minX, minY, maxX, maxY) { x, y, id in
      if x >= minX && x <= maxX && y >= minY && y <= maxY { found.append(id) }
    }
    return found
  }

  /// Appends the ids of the points at most `radius` from a point.
  func within(x qx: Double, y qy: Double, radius: Double, into found: inout [Int]) {
    let square = radius * radius
    search(qx - radius, qy - radius, qx + radius, qy + radius) { x, y, id in
      let (dx, dy) = (x - qx, y - qy)
      if dx * dx + dy * dy <= square { found.append(id) }
    }
  }

  @inline(__always)
  private func search(
    _ minX: Double, _ minY: Double, _ maxX: Double, _ maxY: Double,
    _ visit: (_ x: Double, _ y: Double, _ id: Int) -> Void
  ) {
    var stack = [(left: 0, right: ids.count - 1, axis: 0)]
    while let (left, right, axis) = stack.popLast() {
      if right - left <= nodeSize {
        if left <= right {
          for i in left...right {
            visit(Double(coordinates[2 * i]), Double(coordinates[2 * i + 1]), Int(ids[i]))
          }
        }
        continue
      }
      let m = (left + right) >> 1
      let (x, y) = (Double(coordinates[2 * m]), Double(coordinates[2 * m + 1]))
      visit(x, y, Int(ids[m]))
      if axis == 0 ? minX <= x : minY <= y { stack.append((left, m - 1, 1 - axis)) }
      if axis == 0 ? maxX >= x : maxY >= y { stack.append((m + 1, right, 1 - axis)) }
    }
  }

  private mutating func sort(_ left: Int, _ right: Int, axis: Int) {
    guard right - left > nodeSize else { return }
    let m = (left + right) >> 1
    select(m, left, right, axis)
    sort(left, m - 1, axis: 1 - axis)
    sort(m + 1, right, axis: 1 - axis)
  }

  /// R. W. Floyd, R. L. Rivest, "Algorithm 489: SELECT", CACM 18 (1975).
  private mutating func select(_ k: Int, _ first: Int, _ last: Int, _ axis: Int) {
    var (left, right) = (first, last)
    while right > left {
      if right - left > 600 {
        let n = Double(right - left + 1)
        let m = Double(k - left + 1)
        let z = log(n)
        let s = 0.5 * exp(2 * z / 3)
        let sd = 0.5 * (z * s * (n - s) / n).squareRoot() * (m - n / 2 < 0 ? -1 : 1)
        let newLeft = max(left, Int((Double(k) - m * s / n + sd).rounded(.down)))
        let newRight = min(right, Int((Double(k) + (n - m) * s / n + sd).rounded(.down)))
        select(k, newLeft, newRight, axis)
      }
      let t = coordinates[2 * k + axis]
      var i = left
      var j = right
      swapItems(left, k)
      if coordinates[2 * right + axis] > t { swapItems(left, right) }
      while i < j {
        swapItems(i, j)
        i += 1
        j -= 1
        while coordinates[2 * i + axis] < t { i += 1 }
        while coordinates[2 * j + axis] > t { j -= 1 }
      }
      if coordinates[2 * left + axis] == t {
        swapItems(left, j)
      } else {
        j += 1
        swapItems(j, right)
      }
      if j <= k { left = j + 1 }
      if k <= j { right = j - 1 }
    }
  }

  @inline(__always)
  private mutating func swapItems(_ i: Int, _ j: Int) {
    ids.swapAt(i, j)
    coordinates.swapAt(2 * i, 2 * j)
    coordinates.swapAt(2 * i + 1, 2 * j + 1)
  }
}
