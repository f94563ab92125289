import GeoMath

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Cells of one size around the Earth. Rows of latitude are as high as a cell is wide; each is cut
/// into as many columns of at least that width as go round the Earth there, so that cells are about
/// square up to the poles.
struct SphereCells: Sendable {
  private let rowDegrees: Double

  init(cellMeters: Double) {
    rowDegrees = cellMeters / (Earth.meanRadiusMeters * .pi / 180)
  }

  private func row(_ latitude: Double) -> Int { Int(((latitude + 90) / rowDegrees).rounded(.down)) }

  private func columns(_ row: Int) -> Int {
    let south = Double(row) * rowDegrees - 90
    // Nearest to the equator the row is longest.
    let nearest = south > 0 ? south : min(0, south + rowDegrees)
    return max(1, Int(360 * max(0, cos(min(90, nearest.magnitude) * (.pi / 180))) / rowDegrees))
  }

  private func key(_ row: Int, _ column: Int) -> UInt64 {
    UInt64(UInt32(truncatingIfNeeded: row)) << 32 | UInt64(UInt32(truncatingIfNeeded: column))
  }

  /// Visits every cell that a cap may touch, and others.
  ///
  /// - Parameters:
  ///   - place: The middle of the cap.
  ///   - angle: From there to its edge, radians.
  ///   - most: Cells at most.
  ///   - body: Takes the cells one by one.
  /// - Returns: False where there are more; some were visited then.
  func visit(
    near place: Coordinate, angle: Double, most: Int, _ body: (UInt64) -> Void
  ) -> Bool {
    // A little more than the bound, for rounding.
    let angle = angle * 1.000001 + 1e-9
    guard angle < .pi / 2 else { return false }
    let degrees = angle * (180 / .pi)
    let south = max(-90, place.latitude - degrees)
    let north = min(90, place.latitude + degrees)
    var halfWidth = 180.0
    let ratio = sin(angle) / max(1e-300, cos(place.latitude * (.pi / 180)))
    // A cap that holds a pole holds all longitudes.
    if south > -90 && north < 90 && ratio < 1 { halfWidth = asin(ratio) * (180 / .pi) + 1e-9 }
    let west = place.longitude - halfWidth
    let width = 2 * halfWidth
    var visited = 0
    for row in row(south)...row(north) {
      let columns = columns(row)
      let isWhole = width >= 360 || Int(width / 360 * Double(columns)) + 2 >= columns
      let from = isWhole ? 0 : Int(((west + 180) / 360 * Double(columns)).rounded(.down))
      let to =
        isWhole ? columns - 1 : Int(((west + width + 180) / 360 * Double(columns)).rounded(.down))
      visited += to - from + 1
      guard visited <= most else { return false }
      for column in from...to {
        let wrapped = column % columns
        body(key(row, wrapped < 0 ? wrapped + columns : wrapped))
      }
    }
    return true
  }
}
