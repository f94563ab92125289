import Foundation
import MoyeoAPI
import SwiftProtobuf
import Testing

@testable import moyeo

/// Rows and refusals of a source.
func drain(_ source: some ImportSource) throws -> (rows: [ImportRow], refused: [RefusedRow]) {
  var source = source
  var rows: [ImportRow] = []
  var refused: [RefusedRow] = []
  while let item = try source.next() {
    switch item {
    case .row(let row): rows.append(row)
    case .refused(let row): refused.append(row)
    }
  }
  return (rows, refused)
}

func bytes(_ text: String, name: String = "f", chunkBytes: Int = 7) -> ByteSource {
  ByteSource(name: name, bytes: Array(text.utf8), chunkBytes: chunkBytes)
}

@Suite("column detection")
struct ColumnDetectionTests {
  @Test("usual names are recognised")
  func usual() {
    for (names, latitude, longitude) in [
      (["id", "lat", "lng"], 1, 2), (["Longitude", "Latitude"], 1, 0), (["x", "y"], 1, 0),
      (["역명", "환승역X좌표", "환승역Y좌표"], 2, 1), (["pickup_longitude", "pickup_latitude"], 1, 0),
      (["위도", "경도"], 0, 1), (["LAT", "y", "Long"], 0, 2),
    ] {
      let detection = ColumnDetection(names)
      #expect(detection.latitude == .found(latitude), "\(names)")
      #expect(detection.longitude == .found(longitude), "\(names)")
    }
  }

  @Test("several that fit are not chosen between; none is none")
  func unclear() {
    let detection = ColumnDetection(["pickup_latitude", "dropoff_latitude", "lon", "LON"])
    #expect(detection.latitude == .ambiguous([0, 1]))
    #expect(detection.longitude == .ambiguous([2, 3]))
    #expect(ColumnDetection(["a", "b"]).latitude == .missing)
  }
}

@Suite("CSV import")
struct CSVImportTests {
  @Test("rows become positions with tags, times and attributes")
  func positions() throws {
    var mapping = RowMapping()
    mapping.attributes = .all
    let text = """
      id,lat,lon,tags,observedAt,code,open,n
      a,37.5,127,swift; ios,2026-11-20T23:10:00+09:00,0158,true,4.5
      b, -1e1 ,+3,,,,,
      """
    let (rows, refused) = try drain(try CSVImport(bytes(text), mapping: mapping))
    #expect(refused.isEmpty)
    #expect(rows.map(\.line) == [2, 3])
    let first = try #require(rows.first).position
    #expect(first.id == "a" && first.latitude == 37.5 && first.longitude == 127)
    #expect(first.tags == ["swift", "ios"])
    #expect(first.observedAt.seconds == 1_795_183_800)
    #expect(first.attributes.fields["code"] == Google_Protobuf_Value(stringValue: "0158"))
    #expect(first.attributes.fields["open"] == Google_Protobuf_Value(boolValue: true))
    #expect(first.attributes.fields["n"] == Google_Protobuf_Value(numberValue: 4.5))
    #expect(first.attributes.fields.count == 3)
    #expect(first.hasTtlSeconds && first.ttlSeconds == 0)
    #expect(rows[1].position.latitude == -10 && rows[1].position.attributes.fields.isEmpty)
    #expect(!rows[1].position.hasObservedAt)
  }

  @Test("bad rows are refused with line, field and reason; the others are not touched")
  func refusals() throws {
    let text = "lat,lon\n1,2\nx,2\n1,\n1,2,3\n1,nan\n\"1,2\n3,4\n1,0x10\n"
    let (rows, refused) = try drain(
      try CSVImport(bytes(text, name: "t.csv"), mapping: RowMapping()))
    #expect(rows.map(\.position.id) == ["t.csv:1", "t.csv:7"])
    #expect(
      refused.map { [String($0.line), $0.field, $0.reason, $0.id] } == [
        ["3", "lat", "not_a_number", "t.csv:2"], ["4", "lon", "missing_field", "t.csv:3"],
        ["5", "", "field_count", "t.csv:4"], ["6", "lon", "not_a_number", "t.csv:5"],
        ["7", "", "unterminated_quote", "t.csv:6"], ["9", "lon", "not_a_number", "t.csv:8"],
      ])
  }

  @Test("text that is not UTF-8 is refused: in the heading the file, in a row the row")
  func encodings() throws {
    let cp949 = ByteSource(name: "k.csv", bytes: [0xC0, 0xA7, 0xB5, 0xB5] + Array(",x\n1,2".utf8))
    #expect(throws: ImportFileError.self) { try CSVImport(cp949, mapping: RowMapping()) }
    var mapping = RowMapping()
    mapping.attributes = .all
    let row = ByteSource(
      name: "k.csv", bytes: Array("lat,lon,n\n1,2,".utf8) + [0xC0, 0xA7] + Array("\n3,4,ok".utf8))
    let (rows, refused) = try drain(try CSVImport(row, mapping: mapping))
    #expect(rows.count == 1 && refused.map(\.reason) == ["not_utf8"])
    #expect(throws: ByteSourceError.utf16("u")) {
      try CSVImport(ByteSource(name: "u", bytes: [0xFF, 0xFE, 0x61, 0]), mapping: RowMapping())
    }
  }

  @Test("unclear, missing and unknown columns are said before anything is sent")
  func columns() throws {
    for (heading, option) in [("a_lat,b_lat,lon", nil), ("a,b", nil), ("lat,lon", "nope")] {
      var mapping = RowMapping()
      mapping.idColumn = option
      #expect(throws: ImportFileError.self) {
        try CSVImport(bytes(heading + "\n1,2,3"), mapping: mapping)
      }
    }
    #expect(throws: ImportFileError.self) { try CSVImport(bytes(""), mapping: RowMapping()) }
  }

  @Test("default ids of long file names stay below the id's bound")
  func longNames() {
    let id = RowMapping.defaultID(file: String(repeating: "한", count: 80), row: 1_000_000)
    #expect(id.utf8.count <= 128 && id.hasSuffix(":1000000"))
  }
}

@Suite("GeoJSON import")
struct GeoJSONImportTests {
  static let text = #"""
    {"note": "\"features\": [", "meta": {"features": [1, 2]}, "type": "FeatureCollection",
    "features": [
      {"type": "Feature", "id": 7, "properties": {"name": "a]}\"", "none": null, "tags": ["x", "y"]},
       "geometry": {"type": "Point", "coordinates": [127.5, 37.5, 12]}},
      {"type": "Feature", "geometry": null, "properties": {}},
      {"type": "Feature", "geometry": {"type": "LineString", "coordinates": [[1, 2]]}},
      {"type": "Feature", "geometry": {"type": "Point", "coordinates": ["1", 2]}},
      null, {"broken": }, 12,
      {"type": "Feature", "id": "z", "geometry": {"type": "Point", "coordinates": [1, 2]}}
    ], "bbox": [1, 2, 3, 4]}
    """#

  @Test("points are taken, others refused with their line", arguments: [1, 2, 13, 4096])
  func collection(chunkBytes: Int) throws {
    let (rows, refused) = try drain(
      GeoJSONImport(bytes(Self.text, name: "p", chunkBytes: chunkBytes), mapping: RowMapping()))
    #expect(rows.map(\.line) == [3, 9])
    #expect(rows.map(\.position.id) == ["7", "z"])
    #expect(rows[0].position.tags == ["x", "y"])
    #expect(rows[0].position.longitude == 127.5 && rows[0].position.latitude == 37.5)
    #expect(rows[0].position.attributes.fields.keys.sorted() == ["name"])
    #expect(
      refused.map { "\($0.line) \($0.reason)" } == [
        "5 missing_geometry", "6 unsupported_geometry", "7 bad_geometry", "8 malformed_json",
        "8 malformed_json", "8 malformed_json",
      ])
    #expect(refused.map(\.id) == ["p:2", "p:3", "p:4", "p:5", "p:6", "p:7"])
  }

  @Test("a single feature, and what is no collection")
  func others() throws {
    let feature =
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":null}"#
    #expect(try drain(GeoJSONImport(bytes(feature), mapping: RowMapping())).rows.count == 1)
    for text in [#"{"type":"Topology"}"#, "[1,2]", "", "{", #"{"type":"FeatureCollection"}"#] {
      #expect(throws: ImportFileError.self, "\(text)") {
        try drain(GeoJSONImport(bytes(text), mapping: RowMapping()))
      }
    }
  }

  @Test("a file that breaks off keeps the features before the break")
  func truncated() throws {
    let cut = String(Self.text.prefix(Self.text.count - 60))
    var source = GeoJSONImport(bytes(cut), mapping: RowMapping())
    var rows = 0
    #expect(throws: ImportFileError.self) {
      while let item = try source.next() { if case .row = item { rows += 1 } }
    }
    #expect(rows == 1)
  }
}

@Suite("NDJSON import")
struct NDJSONImportTests {
  @Test("positions and features, a line each", arguments: [1, 50, 4096])
  func lines(chunkBytes: Int) throws {
    let text = """
      \u{FEFF}{"id": "a", "latitude": 1, "longitude": 2, "ttlSeconds": 5, "tags": ["t"]}\r

      \u{1E}{"type":"Feature","geometry":{"type":"Point","coordinates":[3,4]},"properties":{"k":1}}
      {"latitude": 5, "longitude": 6}
      {"id": "b", "lat": 1}
      {"id": "c", "latitude": "x"}
      not json
      {"id": "d", "latitude": 7, "longitude": 8}
      """
    let (rows, refused) = try drain(
      NDJSONImport(bytes(text, name: "n", chunkBytes: chunkBytes), mapping: RowMapping()))
    #expect(rows.map(\.line) == [1, 3, 4, 8])
    #expect(rows.map(\.position.id) == ["a", "n:2", "n:3", "d"])
    #expect(rows.map(\.position.ttlSeconds) == [5, 0, 0, 0])
    #expect(
      refused.map { "\($0.line) \($0.id) \($0.reason)" } == [
        "5 b unknown_field", "6 c malformed_request", "7 n:6 malformed_json",
      ])
  }
}

/// The shared data, when it is there.
enum SharedData {
  static let folder: String? = {
    if let path = ProcessInfo.processInfo.environment["MOYEO_SHARED_DATA"] { return path }
    var folder = URL(fileURLWithPath: #filePath)
    while folder.path != "/" {
      folder = folder.deletingLastPathComponent()
      let candidate = folder.appendingPathComponent("shared/data").path
      if FileManager.default.fileExists(atPath: candidate + "/places.geojson") { return candidate }
    }
    return nil
  }()
}

@Suite("real files", .enabled(if: SharedData.folder != nil, "shared data is absent"))
struct RealFileTests {
  let folder = SharedData.folder ?? ""

  @Test func placesAreImportedButForOneWithoutAGeometry() throws {
    let (rows, refused) = try drain(
      GeoJSONImport(try ByteSource(path: folder + "/places.geojson"), mapping: RowMapping()))
    #expect(rows.count == 162)
    #expect(refused.map(\.reason) == ["missing_geometry"])
    #expect(Set(rows.map(\.position.id)).count == 162)
  }

  @Test func everyStationIsImportedInsideKorea() throws {
    let (rows, refused) = try drain(
      try CSVImport(
        try ByteSource(path: folder + "/seoul-subway-stations.csv"), mapping: RowMapping()))
    #expect(rows.count == 786 && refused.isEmpty)
    #expect(rows.allSatisfy { (33...39).contains($0.position.latitude) })
  }

  @Test func trips() throws {
    var mapping = RowMapping()
    mapping.latitudeColumn = "pickup_latitude"
    mapping.longitudeColumn = "pickup_longitude"
    let (rows, refused) = try drain(
      try CSVImport(try ByteSource(path: folder + "/nyc-trips-2015-01.csv"), mapping: mapping))
    #expect(rows.count == 1000 && refused.isEmpty)
    #expect(rows.count { $0.position.latitude == 0 && $0.position.longitude == 0 } == 18)
  }
}
