import MoyeoAPI
import SwiftProtobuf
import Testing

@testable import moyeo

/// Columns and properties that say what a place is.
@Suite("import of places")
struct PlaceImportTests {
  private func attributes(
    _ text: String, _ mapping: RowMapping = RowMapping()
  ) throws -> [String: Google_Protobuf_Value] {
    let rows = try drain(CSVImport(bytes(text), mapping: mapping)).rows
    return try #require(rows.first).position.attributes.fields
  }

  @Test("columns of these names are kept as text, unless no attributes are wanted")
  func found() throws {
    let text = "Name,주소,category,lat,lon,floor\n1984, 잔다리로 1 ,,37.5,127,2\n"
    #expect(
      try attributes(text) == [
        "name": .init(stringValue: "1984"), "address": .init(stringValue: "잔다리로 1"),
      ])
    var mapping = RowMapping()
    mapping.attributes = RowMapping.Attributes.none
    #expect(try attributes(text, mapping).isEmpty)
    mapping.attributes = .all
    #expect(
      try attributes(text, mapping) == [
        "name": .init(stringValue: "1984"), "address": .init(stringValue: "잔다리로 1"),
        "floor": .init(numberValue: 2),
      ])
  }

  @Test("columns may be named, and a name that no column has is refused")
  func named() throws {
    var mapping = RowMapping()
    mapping.placeColumns = [.name: "역한글명칭", .category: "호선명칭"]
    let text = "역한글명칭,호선명칭,환승역X좌표,환승역Y좌표\n삼성중앙,9호선,127.05,37.51\n"
    #expect(
      try attributes(text, mapping) == [
        "name": .init(stringValue: "삼성중앙"), "category": .init(stringValue: "9호선"),
      ])
    // Nothing is guessed from endings.
    #expect(try attributes(text).isEmpty)
    mapping.placeColumns = [.name: "title"]
    #expect(throws: ImportFileError.self) { try attributes(text, mapping) }
  }

  @Test("properties of GeoJSON are renamed")
  func features() throws {
    var mapping = RowMapping()
    mapping.placeColumns = [.name: "title"]
    let text = """
      {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"title":1984,"floor":2},
      "geometry":{"type":"Point","coordinates":[127,37.5]}}]}
      """
    let rows = try drain(GeoJSONImport(bytes(text), mapping: mapping)).rows
    #expect(
      rows.first?.position.attributes.fields == [
        "name": .init(stringValue: "1984"), "floor": .init(numberValue: 2),
      ])
  }
}
