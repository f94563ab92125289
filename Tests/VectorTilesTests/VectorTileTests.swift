import GeoMath
import GzipCoding
import SwiftProtobuf
import Testing

@testable import VectorTiles

@Suite struct VectorTileTests {
  static let tile = TileAddress(zoom: 3, x: 6, y: 3)!

  static func features(_ count: Int) -> [TileFeature] {
    (0..<count).map { n -> TileFeature in
      let x = UInt32(tile.minimumX) &+ UInt32(n * 90_000_017 % 500_000_000) &- 30_000_000
      let y = UInt32(tile.minimumY) &+ UInt32(n * 50_000_021 % 500_000_000)
      return TileFeature(
        id: UInt64(n) << 20 | 7, position: MercatorPoint(x: x, y: y),
        properties: [
          .init("cluster", .boolean(n % 2 == 0)), .init("count", .integer(Int64(n % 5) - 2)),
          .init("name", .string("이름 \(n % 3)")), .init("ratio", .double(Double(n) / 3)),
          .init("key \(n % 4)", .integer(.max - Int64(n))),
        ])
    }
  }

  static func value(_ v: VectorTile_Tile.Value) -> TileValue? {
    if v.hasStringValue { return .string(v.stringValue) }
    if v.hasUintValue { return .integer(Int64(v.uintValue)) }
    if v.hasSintValue { return .integer(v.sintValue) }
    if v.hasDoubleValue { return .double(v.doubleValue) }
    if v.hasBoolValue { return .boolean(v.boolValue) }
    return nil
  }

  @Test(arguments: [1, 2, 50, 1_000])
  func decodesToWhatWasWritten(count: Int) throws {
    let features = Self.features(count)
    let bytes = VectorTileEncoder.encode(layer: "층", tile: Self.tile, features: features)
    let message = try VectorTile_Tile(serializedBytes: bytes)
    #expect(message.layers.count == 1)
    let layer = message.layers[0]
    #expect(layer.version == 2 && layer.name == "층" && layer.extent == 4_096)
    #expect(Set(layer.keys).count == layer.keys.count)
    #expect(Set(layer.values).count == layer.values.count)
    #expect(layer.features.count == count)
    for (read, written) in zip(layer.features, features) {
      #expect(read.id == written.id && read.type == .point)
      let geometry = read.geometry
      #expect(geometry.count == 3 && geometry[0] == 9)
      let side = Double(Self.tile.sideUnits)
      let x = (Double(written.position.x) - Double(Self.tile.minimumX)) / side * 4_096
      let y = (Double(written.position.y) - Double(Self.tile.minimumY)) / side * 4_096
      func unzigzag(_ n: UInt32) -> Int { Int(n >> 1) ^ -Int(n & 1) }
      #expect(unzigzag(geometry[1]) == Int(x.rounded(.down)))
      #expect(unzigzag(geometry[2]) == Int(y.rounded(.down)))
      var properties: [TileFeature.Property] = []
      for i in stride(from: 0, to: read.tags.count, by: 2) {
        let value = try #require(Self.value(layer.values[Int(read.tags[i + 1])]))
        properties.append(.init(layer.keys[Int(read.tags[i])], value))
      }
      #expect(properties == written.properties)
    }
    // The generated types write the same number of bytes: nothing is written twice.
    #expect(try message.serializedData().count == bytes.count)
  }

  @Test func noFeatureMeansNoBytes() {
    #expect(VectorTileEncoder.encode(layer: "a", tile: Self.tile, features: []).isEmpty)
  }

  @Test func featuresWithoutIdOrProperties() throws {
    let bytes = VectorTileEncoder.encode(
      layer: "a", tile: Self.tile,
      features: [TileFeature(position: MercatorPoint(x: 0, y: 0))])
    let feature = try VectorTile_Tile(serializedBytes: bytes).layers[0].features[0]
    #expect(!feature.hasID && feature.tags.isEmpty)
  }

  @Test func pointsAcrossTheAntimeridianLieBesideTheTile() {
    let first = TileAddress(zoom: 4, x: 0, y: 8)!
    let last = TileAddress(zoom: 4, x: 15, y: 8)!
    let west = VectorTileLayerWriter(name: "a", tile: first)
    #expect(west.tileCoordinates(MercatorPoint(x: .max, y: 1 << 31)).x == -1)
    let east = VectorTileLayerWriter(name: "a", tile: last)
    #expect(east.tileCoordinates(MercatorPoint(x: 0, y: 1 << 31)).x == 4_096)
    let world = VectorTileLayerWriter(name: "a", tile: TileAddress(zoom: 0, x: 0, y: 0)!)
    #expect(world.tileCoordinates(MercatorPoint(x: .max, y: .max)) == (4_095, 4_095))
    #expect(world.tileCoordinates(MercatorPoint(x: 0, y: 0)) == (0, 0))
  }

  @Test(arguments: [
    (0, TileValue.integer(0)), (999, .integer(999)), (1_000, .string("1k")),
    (1_049, .string("1k")), (1_050, .string("1.1k")), (9_949, .string("9.9k")),
    (9_999, .string("10k")), (10_000, .string("10k")), (12_500, .string("13k")),
    (1_234_567, .string("1235k")),
  ])
  func countsAreAbbreviatedAsSuperclusterDoes(count: Int, wanted: TileValue) {
    #expect(ClusterProperty.abbreviated(count) == wanted)
  }
}

@Suite struct GzipTests {
  @Test(arguments: [0, 1, 100, 10_000, 200_000], [1, 6, 12])
  func roundTrip(count: Int, level: Int) throws {
    let encoder = GzipEncoder(level: level)
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
    for _ in 0..<3 {
      let packed = encoder.compress(bytes)
      #expect(GzipDecoder.decompress(packed) == bytes)
      #expect(packed == encoder.compress(bytes))
    }
    #expect(GzipDecoder.decompress(Array(encoder.compress(bytes).dropLast(3))) == nil)
  }

  /// Inputs of every kind and length around the limits of matches and blocks.
  @Test(arguments: [0 as UInt64, 1, 2, 3])
  func fastRoundTrip(kind: UInt64) {
    var state = kind &+ 1
    for length in [0, 1, 2, 3, 4, 5, 7, 8, 255, 256, 257, 258, 259, 300, 5_000, 32_767, 32_768] {
      let bytes = (0..<length).map { n -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        switch kind {
        case 0: return UInt8(truncatingIfNeeded: state >> 56)
        case 1: return 7
        case 2: return UInt8(truncatingIfNeeded: state >> 62)
        default: return UInt8(truncatingIfNeeded: n / 3 % 251) & (n % 700 < 400 ? 255 : 15)
        }
      }
      let packed = GzipEncoder.fast.compress(bytes)
      #expect(GzipDecoder.decompress(packed) == bytes)
      #expect(packed == GzipEncoder.gzip(bytes, level: 1))
    }
  }

  /// A higher level is never much larger, and the lowest one packs a tile to a third.
  @Test func levelsTradeTimeForSize() {
    let tile = VectorTileEncoder.encode(
      layer: "a", tile: VectorTileTests.tile, features: VectorTileTests.features(150))
    let sizes = [1, 6, 12].map { GzipEncoder.gzip(tile, level: $0).count }
    #expect(sizes[0] * 2 < tile.count && sizes[1] <= sizes[0] && sizes[2] <= sizes[1])
    #expect(GzipEncoder.gzip(tile, level: 0).count == sizes[0])
  }

  /// Readers of other makes look at magic number, method and flags.
  @Test func theHeaderHasNoTimeAndNoName() {
    let packed = GzipEncoder.fast.compress([1, 2, 3])
    #expect(Array(packed[..<4]) == [0x1F, 0x8B, 8, 0] && packed[4..<8].allSatisfy { $0 == 0 })
  }

  @Test func garbageIsRefused() {
    #expect(GzipDecoder.decompress([1, 2, 3]) == nil)
    #expect(GzipDecoder.decompress([]) == nil)
    let bomb = GzipEncoder(level: 9).compress(Array(repeating: 0, count: 1_000_000))
    #expect(GzipDecoder.decompress(bomb)?.count == 1_000_000)
    #expect(GzipDecoder.decompress(bomb + [0]) == nil)
    #expect(GzipDecoder.decompress(bomb, limit: 1_000) == nil)
  }
}

@Suite struct LineTests {
  @Test func linesDecodeToWhatWasWritten() throws {
    let lines: [[TileLine.Corner]] = [
      [.init(x: 2, y: 2), .init(x: 2, y: 10), .init(x: 10, y: 10)],
      [.init(x: -100, y: 5), .init(x: 4_200, y: -7)],
    ]
    var writer = VectorTileLayerWriter(name: "roads", tile: VectorTileTests.tile)
    let name = writer.key("name")
    for (i, line) in lines.enumerated() {
      writer.beginLine()
      writer.add(name, string: "길 \(i)")
      writer.endLine(line)
    }
    // A point after lines.
    writer.add(VectorTileTests.features(1)[0])
    let bytes = writer.finish()
    let message = try VectorTile_Tile(serializedBytes: bytes)
    let layer = try #require(message.layers.first)
    let kinds: [VectorTile_Tile.GeomType] = layer.features.map { $0.type }
    #expect(kinds == [.linestring, .linestring, .point])
    // Section 4.3.5.3 of the specification.
    #expect(layer.features[0].geometry == [9, 4, 4, 18, 0, 16, 16, 0])
    #expect(layer.features[1].geometry == [9, 199, 10, 10, 8_600, 23])
    #expect(
      layer.features.prefix(2).map { layer.values[Int($0.tags[1])].stringValue } == ["길 0", "길 1"])
  }

  @Test func linesAreCutToTheTile() {
    func corners(_ pairs: [(Int64, Int64)]) -> [TileLine.Corner] {
      pairs.map { TileLine.Corner(x: $0.0, y: $0.1) }
    }
    func pieces(_ pairs: [(Int64, Int64)]) -> [[TileLine.Corner]] {
      TileLine.pieces(of: corners(pairs), in: 0...100)
    }
    #expect(pieces([(10, 10), (10, 10), (20, 10)]) == [corners([(10, 10), (20, 10)])])
    #expect(pieces([(-50, 50), (150, 50)]) == [corners([(0, 50), (100, 50)])])
    // Out and in again: two pieces; what only passes by is none.
    #expect(
      pieces([(50, 50), (50, -50), (80, -50), (80, 50)])
        == [corners([(50, 50), (50, 0)]), corners([(80, 0), (80, 50)])])
    #expect(pieces([(-10, -10), (-10, 200)]) == [])
    #expect(pieces([(-1, 0), (0, -1)]) == [])
    #expect(pieces([(5, 5)]) == [] && pieces([]) == [])
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func noPieceLeavesTheTileAndNothingInItIsLost(seed: UInt64) {
    var state = seed
    func draw() -> Int64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int64(state >> 33) % 400 - 150
    }
    let line = (0..<60).map { _ in TileLine.Corner(x: draw(), y: draw()) }
    let pieces = TileLine.pieces(of: line, in: 0...100)
    #expect(pieces.joined().allSatisfy { (0...100).contains($0.x) && (0...100).contains($0.y) })
    #expect(pieces.allSatisfy { $0.count > 1 && zip($0, $0.dropFirst()).allSatisfy { $0 != $1 } })
    // Corners inside are all there, in their order.
    let inside = line.filter { (1...99).contains($0.x) && (1...99).contains($0.y) }
    var rest = inside[...]
    for corner in pieces.joined() where corner == rest.first { rest = rest.dropFirst() }
    #expect(rest.isEmpty)
  }
}

@Suite struct GeoJSONTileTests {
  @Test func escapesAndNumbers() {
    let feature = TileFeature(
      id: 5, position: MercatorPoint(x: 1 << 31, y: 1 << 31),
      coordinate: Coordinate(uncheckedLatitude: -37.5665, longitude: 126.9780001),
      properties: [
        .init("a\"b", .string("줄\n\\")), .init("n", .integer(-3)), .init("d", .double(0.5)),
        .init("x", .double(.nan)), .init("t", .boolean(true)),
      ])
    let text = String(decoding: GeoJSONTile.encode([feature]), as: UTF8.self)
    #expect(
      text
        == #"{"type":"FeatureCollection","features":[{"type":"Feature","id":5,"geometry":{"type":"Point","coordinates":[126.9780001,-37.5665]},"properties":{"a\"b":"줄\n\\","n":-3,"d":0.5,"x":null,"t":true}}]}"#
    )
    #expect(
      String(decoding: GeoJSONTile.encode([]), as: UTF8.self)
        == #"{"type":"FeatureCollection","features":[]}"#)
  }
}
