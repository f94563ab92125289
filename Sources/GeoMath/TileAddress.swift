/// A Web Mercator tile: `x` grows east, `y` grows south (XYZ scheme).
public struct TileAddress: Hashable, Sendable {
  /// The zoom, 0...30: the world is 2^zoom tiles wide.
  public let zoom: Int
  /// The column, 0..<2^zoom, growing eastwards.
  public let x: UInt32
  /// The row, 0..<2^zoom, growing southwards.
  public let y: UInt32

  /// The deepest zoom that an address names.
  public static let maximumZoom = 30

  /// `nil` when the zoom is outside 0...30 or a column or row outside its zoom's 2^zoom.
  public init?(zoom: Int, x: Int, y: Int) {
    guard (0...Self.maximumZoom).contains(zoom) else { return nil }
    let side = 1 << zoom
    guard (0..<side).contains(x), (0..<side).contains(y) else { return nil }
    self.init(uncheckedZoom: zoom, x: UInt32(x), y: UInt32(y))
  }

  @usableFromInline
  init(uncheckedZoom zoom: Int, x: UInt32, y: UInt32) {
    self.zoom = zoom
    self.x = x
    self.y = y
  }

  /// The tile of `zoom` that holds a point. - Precondition: zoom is 0...30.
  public init(containing point: MercatorPoint, zoom: Int) {
    precondition((0...Self.maximumZoom).contains(zoom), "zoom \(zoom) is outside 0...30")
    // Smart shifts: a shift by 32 gives 0.
    self.init(uncheckedZoom: zoom, x: point.x >> UInt32(32 - zoom), y: point.y >> UInt32(32 - zoom))
  }

  /// The tile one zoom out, `nil` at zoom 0.
  public var parent: TileAddress? {
    zoom == 0 ? nil : TileAddress(uncheckedZoom: zoom - 1, x: x >> 1, y: y >> 1)
  }

  /// The four tiles one zoom in, in Morton order; empty at zoom 30.
  public var children: [TileAddress] {
    guard zoom < Self.maximumZoom else { return [] }
    return [(0, 0), (1, 0), (0, 1), (1, 1)].map { dx, dy in
      TileAddress(uncheckedZoom: zoom + 1, x: x << 1 | dx, y: y << 1 | dy)
    }
  }

  /// Side in Mercator units, 2^(32 - zoom).
  public var sideUnits: UInt64 { 1 << UInt64(32 - zoom) }
  /// First column in Mercator units.
  public var minimumX: UInt64 { UInt64(x) << UInt64(32 - zoom) }
  /// First row in Mercator units.
  public var minimumY: UInt64 { UInt64(y) << UInt64(32 - zoom) }

  /// The tile's edges in degrees.
  public var bounds: GeoBox {
    GeoBox(
      uncheckedWest: MercatorPoint.longitude(x: Double(minimumX)),
      south: MercatorPoint.latitude(y: Double(minimumY + sideUnits)),
      east: MercatorPoint.longitude(x: Double(minimumX + sideUnits)),
      north: MercatorPoint.latitude(y: Double(minimumY)))
  }
}
