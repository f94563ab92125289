public import GeoMath
import WireFormat

/// Writes one layer of point or line features in the wire format of Mapbox Vector Tiles 2.1, without a
/// message object in between.
///
/// There is no encoder of tiles for Swift; the generated messages, which tests hold this against, hold
/// every feature and value as an object of its own until the tile is written.
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

  /// Layer.features; the first `featureBytes` count.
  private var features: [UInt8]
  private var featureBytes = 0
  /// Of the feature at hand: keys and values in turn.
  private var tags: [UInt32] = []
  private var tagBytes = 0
  private var x: UInt64 = 0
  private var y: UInt64 = 0
  private var id: UInt64?
  private var keys: [String] = []
  private var values = ValueTable()
  /// Features written.
  public private(set) var featureCount = 0

  /// Begins a layer of a tile whose side has `extent` units.
  public init(name: String, tile: TileAddress, extent: UInt32 = 4_096) {
    self.name = name
    self.extent = extent
    zoom = tile.zoom
    originX = tile.minimumX
    originY = tile.minimumY
    features = Array(repeating: 0, count: 8_192)
    tags.reserveCapacity(32)
  }

  /// The number of a key, the same for the same name.
  public mutating func key(_ name: String) -> Key {
    if let index = keys.firstIndex(of: name) { return Key(index: UInt32(index)) }
    keys.append(name)
    return Key(index: UInt32(keys.count - 1))
  }

  /// Begins a feature; its properties follow, then ``endFeature()``.
  public mutating func beginFeature(id: UInt64?, at position: MercatorPoint) {
    self.id = id
    tags.removeAll(keepingCapacity: true)
    tagBytes = 0
    let (x, y) = tileCoordinates(position)
    // Zigzag.
    self.x = UInt64(truncatingIfNeeded: x << 1 ^ x >> 63)
    self.y = UInt64(truncatingIfNeeded: y << 1 ^ y >> 63)
  }

  /// Begins a line without an id; its properties follow, then ``endLine(_:)``.
  public mutating func beginLine() {
    id = nil
    tags.removeAll(keepingCapacity: true)
    tagBytes = 0
  }

  /// Ends the line begun last, along its corners.
  ///
  /// - Precondition: It has two or more, each different from the one before.
  public mutating func endLine(_ corners: [TileLine.Corner]) {
    precondition(corners.count > 1, "a line has two corners or more")
    var geometry: [UInt8] = [9]  // MoveTo, once: 1 << 3 | 1.
    var (x, y): (Int64, Int64) = (0, 0)
    for (i, corner) in corners.enumerated() {
      if i == 1 { geometry.appendVarint(UInt64(corners.count - 1) << 3 | 2) }  // LineTo
      for step in [corner.x - x, corner.y - y] {
        geometry.appendVarint(UInt64(bitPattern: step << 1 ^ step >> 63))
      }
      (x, y) = (corner.x, corner.y)
    }
    var body: [UInt8] = []
    if tagBytes > 0 {
      body.append(0x12)
      body.appendVarint(UInt64(tagBytes))
      for tag in tags { body.appendVarint(UInt64(tag)) }
    }
    body.append(contentsOf: [0x18, 2, 0x22])  // type LINESTRING; geometry
    body.appendVarint(UInt64(geometry.count))
    body.append(contentsOf: geometry)
    var feature: [UInt8] = [0x12]  // Layer.features
    feature.appendVarint(UInt64(body.count))
    feature.append(contentsOf: body)
    features.replaceSubrange(featureBytes..<features.count, with: feature)
    featureBytes += feature.count
    featureCount += 1
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

  /// Adds an integer property to the feature begun.
  public mutating func add(_ key: Key, integer value: Int64) {
    tag(key, values.number(kind: .integer, bits: UInt64(bitPattern: value)))
  }
  /// For values that hardly repeat, such as ids: skips the search for an equal one.
  public mutating func add(_ key: Key, uniqueInteger value: Int64) {
    tag(key, values.append(kind: .integer, bits: UInt64(bitPattern: value)))
  }
  /// Adds a number property to the feature begun.
  public mutating func add(_ key: Key, double value: Double) {
    tag(key, values.number(kind: .double, bits: value.bitPattern))
  }
  /// Adds a truth property to the feature begun.
  public mutating func add(_ key: Key, boolean value: Bool) {
    tag(key, values.number(kind: .boolean, bits: value ? 1 : 0))
  }
  /// Adds a text property to the feature begun.
  public mutating func add(_ key: Key, string value: String) {
    tag(key, values.string(value))
  }
  /// For strings that hardly repeat, such as ids: skips the search for an equal one.
  public mutating func add(_ key: Key, uniqueString value: String) {
    tag(key, values.append(string: value))
  }
  /// Adds a property of any kind to the feature begun.
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
    tags.append(key.index)
    tags.append(value)
    tagBytes += varintLength(UInt64(key.index)) + varintLength(UInt64(value))
  }

  /// Ends the feature begun last.
  public mutating func endFeature() {
    let geometryBytes = 1 + varintLength(x) + varintLength(y)
    // Type; geometry, whose length is below 128.
    var length = 2 + 2 + geometryBytes
    if let id { length += 1 + varintLength(id) }
    if tagBytes > 0 { length += 1 + varintLength(UInt64(tagBytes)) + tagBytes }
    let total = 1 + varintLength(UInt64(length)) + length
    if featureBytes + total > features.count {
      features.append(contentsOf: repeatElement(0, count: max(total, features.count, 8_192)))
    }
    features.withUnsafeMutableBytes { buffer in
      var writer = UncheckedProtobufWriter(
        UnsafeMutableRawBufferPointer(rebasing: buffer[featureBytes...]))
      writer.byte(0x12)  // Layer.features
      writer.varint(UInt64(length))
      if let id {
        writer.byte(0x08)
        writer.varint(id)
      }
      if tagBytes > 0 {
        writer.byte(0x12)
        writer.varint(UInt64(tagBytes))
        for tag in tags { writer.varint(UInt64(tag)) }
      }
      writer.byte(0x18)  // type
      writer.byte(1)  // POINT
      writer.byte(0x22)  // geometry
      writer.byte(UInt8(geometryBytes))
      writer.byte(9)  // MoveTo, once: 1 << 3 | 1.
      writer.varint(x)
      writer.varint(y)
      assert(writer.written == total)
    }
    featureBytes += total
    featureCount += 1
  }

  /// Writes a whole feature.
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
    let length = head.count + featureBytes + tail.count
    var tile: [UInt8] = []
    tile.reserveCapacity(length + 8)
    tile.append(0x1A)  // Tile.layers
    tile.appendVarint(UInt64(length))
    tile.append(contentsOf: head)
    tile.append(contentsOf: features[..<featureBytes])
    tile.append(contentsOf: tail)
    return tile
  }
}
