import ArgumentParser
import Foundation
import GeoMath
import MoyeoAPI
import MoyeoStorage
import ObjectModel
import SwiftProtobuf
import Testing

@testable import moyeo
import LiveLayers

/// What `moyeo export` writes, `moyeo import` reads as it was.
@Suite struct ExportImportTests {
  /// Taken anew by each test: a short life began with the first one would have passed by the last.
  private static var now: Instant { SystemClock().now() }

  /// A data directory with positions that are hard on a format.
  private static func directory() throws -> (path: String, expected: [Moyeo_V1_Position]) {
    let path = NSTemporaryDirectory() + "moyeo-export-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let attributes = try Google_Protobuf_Struct(
      jsonString: #"""
        {"whole": 3, "half": 0.5, "large": 12345678901234, "small": -1e-7, "code": "0158",
         "yes": true, "no": false, "nothing": null, "text": "a,\"b\"\nc;d", "number": "42",
         "list": [1, "two", [3]], "object": {"deep": {"x": 1}}, "이름": "값", " space ": " s "}
        """#)
    let cases: [(id: String, tags: [String], attributes: Google_Protobuf_Struct, seconds: Int64?)] =
      [
        ("plain", ["swift", "ios"], attributes, 3600), (" space ", [], .init(), nil),
        ("line\nbreak,\"quoted\";x", ["a;b", "c|d", "e,f", "[g]"], attributes, 86_400),
        ("이름", ["[x"], .init(), 7200), ("=1+1", ["한국어", "c++"], .init(), nil),
        ("0017", ["one"], try .init(jsonString: #"{"level": 3}"#), 100),
      ]
    let (archive, now) = (PositionsSnapshot(directory: path), Self.now)
    defer { archive.close() }
    var stored: [StoredPosition] = []
    var expected: [Moyeo_V1_Position] = []
    for (index, one) in cases.enumerated() {
      let observed = now.advanced(milliseconds: Int64(-index * 137 - 1))
      var payload: [UInt8] = []
      ObjectPayload.append(
        tags: one.tags, attributes: try one.attributes.serializedBytes(), to: &payload)
      let latitude = 37.566_312_345_678_9 + Double(index)
      stored.append(
        StoredPosition(
          key: StoredPositionKey(tenant: "default", layer: "users", id: one.id),
          latitude: latitude, longitude: -0.000_001,
          observedAt: observed,
          expiresAt: one.seconds.map { observed.advanced(milliseconds: $0 * 1000 + 250) }
            ?? .distantFuture, payload: payload))
      var position = Moyeo_V1_Position()
      position.id = one.id
      position.latitude = latitude
      position.longitude = -0.000_001
      position.tags = one.tags
      position.attributes = one.attributes
      position.ttlSeconds = one.seconds.map { Double($0) + 0.25 } ?? 0
      position.observedAt.seconds = observed.milliseconds / 1000
      position.observedAt.nanos = Int32(observed.milliseconds % 1000) * 1_000_000
      expected.append(position)
    }
    try archive.write(stored, removing: [])
    return (path, expected.sorted { $0.id < $1.id })
  }

  private static func export(_ arguments: [String]) throws {
    try ExportCommand.parse(arguments).run()
  }

  @Test(arguments: ExportCommand.Format.allCases)
  func whatIsExportedComesBackAsItWas(format: ExportCommand.Format) throws {
    let (path, expected) = try Self.directory()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = path + "/out"
    try Self.export([
      "--data-directory", path, "--format", format.rawValue, "--what", "positions", "--layer",
      "users", "--to", file,
    ])
    let mapping = RowMapping()
    var found: (rows: [ImportRow], refused: [RefusedRow])
    switch format {
    case .csv: found = try drain(try CSVImport(try ByteSource(path: file), mapping: mapping))
    case .geojson: found = try drain(GeoJSONImport(try ByteSource(path: file), mapping: mapping))
    case .spatialite:
      found = try drain(try SpatialImport(path: file, totalBytes: 100, mapping: mapping))
    }
    #expect(found.refused == [])
    found.rows.sort { $0.position.id < $1.position.id }
    #expect(found.rows.count == expected.count)
    for (row, position) in zip(found.rows, expected) {
      #expect(row.position == position, "\(format): \(position.id)")
    }
  }

  @Test func wholeNumbersStayWhole() throws {
    let (path, _) = try Self.directory()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Self.export([
      "--data-directory", path, "--format", "geojson", "--layer", "users", "--to", path + "/out",
    ])
    let text = try String(contentsOfFile: path + "/out", encoding: .utf8)
    #expect(text.contains(#""whole":3,"#))
    #expect(text.contains(#""large":12345678901234,"#))
    // A time may end in 3.0 as well.
    #expect(!text.contains(#""whole":3.0"#))
  }

  @Test func wholeDegreesStayWholeAndLinesAreLines() throws {
    var line = StoreExport.Feature(
      latitude: 37, longitude: 127.5, values: [.number(5), .number(5.25)])
    let columns = Array(
      StoreExport.lines.columns.filter { $0.kind == .number })
    try #require(columns.map(\.name) == ["distanceMeters", "durationSeconds"])
    #expect(FeatureText.csv(line) == "5,5.25,37,127.5\r\n")
    #expect(
      FeatureText.geoJSON(line, columns, .parties).hasSuffix(
        #""geometry":{"type":"Point","coordinates":[127.5,37]},"properties":{"distanceMeters":5,"durationSeconds":5.25}}"#
      ))
    line.line = [
      try Coordinate(latitude: 37, longitude: 127.5), try Coordinate(latitude: 38, longitude: 128),
    ]
    #expect(FeatureText.csv(line) == "5,5.25,\"LINESTRING (127.5 37, 128 38)\"\r\n")
    #expect(
      FeatureText.geoJSON(line, columns, .lines).contains(
        #""geometry":{"type":"LineString","coordinates":[[127.5,37],[128,38]]}"#))
    #expect(FeatureText.csvHeading(StoreExport.lines).hasSuffix("source,line\r\n"))
  }

  @Test func aLayerThatIsNotThereIsAnError() throws {
    let (path, _) = try Self.directory()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = path + "/out"
    let failure = #expect(throws: CommandFailure.self) {
      try Self.export([
        "--data-directory", path, "--format", "csv", "--layer", "nolayer", "--to", file,
      ])
    }
    #expect(failure?.message.contains("it has users") == true)
    #expect(failure?.code == 1)
    #expect(!FileManager.default.fileExists(atPath: file))
    #expect(!FileManager.default.fileExists(atPath: file + ".partial"))
  }

  @Test func outputThatCannotBeWrittenIsASentence() throws {
    let (path, _) = try Self.directory()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    var sink = FeatureSink(file: path + "/out", handle: full)
    let failure = #expect(throws: CommandFailure.self) {
      try sink.write("text")
      try sink.finish()
    }
    #expect(failure?.message == "\(path)/out cannot be written: No space left on device")
  }
}
