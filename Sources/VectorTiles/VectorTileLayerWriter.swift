public import GeoMath

/// Writes one layer of point features in the wire format of Mapbox Vector Tiles 2.1, without a
/// message object in between.
///
/// Per feature: ``beginFeature(id:at:)``, properties, ``endFeature()``; at the end ``finish()``.
/// Equal values are written once. Geometry (section 4.3): one MoveTo command and the zigzag
/// difference from 0, 0, in tile coordinates that grow right and down; points in a margin lie
/// outside 0..<extent.
public struct VectorTileLayerWriter: Sendable {
  /// A key's number in this layer.
  public struct Key: Hashable, Sendable { let index: UInt32 }

  private let name: String
  private let extent: UInt32
  private let zoom: Int
  private let originX: UInt64
  private let originY: UInt64

  private var features: [UInt8] = []
  private var tags: [UInt8] = []
  private var geometry: [UInt8] = []
  private var id: UInt64?
  private var keys: [String] = []
  private var values = ValueTable()
  public private(set) var featureCount = 0

  public init(name: String, tile: TileAddress, extent: UInt32 = 4_096) {
    self.name = name
    self.extent = extent
    zoom = tile.zoom
    originX = tile.minimumX
    originY = tile.minimumY
    features.reserveCapacity(4_096)
  }

  /// The number of a key, the same for the same name.
  public mutating func key(_ name: String) -> Key {
    if let index = keys.firstIndex(of: name) { return Key(index: UInt32(index)) }
    keys.append(name)
    return Key(index: UInt32(keys.count - 1))
  }

  public mutating func beginFeature(id: UInt64?, at position: MercatorPoint) {
    self.id = id
    tags.removeAll(keepingCapacity: true)
    geometry.removeAll(keepingCapacity: true)
    let (x, y) = tileCoordinates(position)
    geometry.append(9)  // MoveTo, once: 1 << 3 | 1.
    geometry.appendVarint(UInt64(truncatingIfNeeded: x << 1 ^ x >> 63))
    geometry.appendVarint(UInt64(truncatingIfNeeded: y << 1 ^ y >> 63))
  }

  /// Where a point lies in the tile, in units of 1/extent of its side, rounded down; the short way
  /// round the world.
  public func tileCoordinates(_ position: MercatorPoint) -> (x: Int64, y: Int64) {
    let shift = Int64(32 - zoom)
    var dx = Int64(position.x) - Int64(originX)
    // Half a world either side of the tile's centre.
    let half = Int64(1) << 31
    let centre = Int64(1) << (shift - 1)
    if dx - centre >= half { dx -= half * 2 }
    if dx - centre < -half { dx += half * 2 }
    let dy = Int64(position.y) - Int64(originY)
    return ((dx * Int64(extent)) >> shift, (dy * Int64(extent)) >> shift)
  }

  public mutating func add(_ key: Key, integer value: Int64) {
    tag(key, values.number(kind: .integer, bits: UInt64(bitPattern: value)))
  }
  /// For values that hardly repeat, such as ids: skips the search for an equal one.
  public mutating func add(_ key: Key, uniqueInteger value: Int64) {
    tag(key, values.append(kind: .integer, bits: UInt64(bitPattern: value)))
  }
  public mutating func add(_ key: Key, double value: Double) {
    tag(key, values.number(kind: .double, bits: value.bitPattern))
  }
  public mutating func add(_ key: Key, boolean value: Bool) {
    tag(key, values.number(kind: .boolean, bits: value ? 1 : 0))
  }
  public mutating func add(_ key: Key, string value: String) {
    tag(key, values.string(value))
  }
  /// For strings that hardly repeat, such as ids: skips the search for an equal one.
  public mutating func add(_ key: Key, uniqueString value: String) {
    tag(key, values.append(string: value))
  }
  public mutating func add(_ key: Key, _ value: TileValue) {
    switch value {
    case .string(let value): add(key, string: value)
    case .integer(let value): add(key, integer: value)
    case .double(let value): add(key, double: value)
    case .boolean(let value): add(key, boolean: value)
    }
  }

  @inline(__always)
  private mutating func tag(_ key: Key, _ value: UInt32) {
    tags.appendVarint(UInt64(key.index))
    tags.appendVarint(UInt64(value))
  }

  public mutating func endFeature() {
    var length = 2 + 2 + geometry.count  // type; geometry with a length below 128
    if let id { length += 1 + varintLength(id) }
    if !tags.isEmpty { length += 1 + varintLength(UInt64(tags.count)) + tags.count }
    features.append(0x12)  // Layer.features
    features.appendVarint(UInt64(length))
    if let id {
      features.append(0x08)
      features.appendVarint(id)
    }
    if !tags.isEmpty {
      features.append(0x12)
      features.appendVarint(UInt64(tags.count))
      features.append(contentsOf: tags)
    }
    features.append(0x18)  // type
    features.append(1)  // POINT
    features.append(0x22)  // geometry
    features.append(UInt8(geometry.count))
    features.append(contentsOf: geometry)
    featureCount += 1
  }

  public mutating func add(_ feature: TileFeature) {
    beginFeature(id: feature.id, at: feature.position)
    for property in feature.properties { add(key(property.key), property.value) }
    endFeature()
  }

  /// The tile: this one layer, or no bytes at all if it has no feature.
  public func finish() -> [UInt8] {
    guard featureCount > 0 else { return [] }
    var head: [UInt8] = [0x78, 2]  // version 2
    head.append(0x0A)
    head.appendLengthAndBytes(of: name)
    var tail: [UInt8] = []
    for key in keys {
      tail.append(0x1A)
      tail.appendLengthAndBytes(of: key)
    }
    tail.append(contentsOf: values.bytes)
    tail.append(0x28)
    tail.appendVarint(UInt64(extent))
    let length = head.count + features.count + tail.count
    var tile: [UInt8] = []
    tile.reserveCapacity(length + 8)
    tile.append(0x1A)  // Tile.layers
    tile.appendVarint(UInt64(length))
    tile.append(contentsOf: head)
    tile.append(contentsOf: features)
    tile.append(contentsOf: tail)
    return tile
  }
}
