import SwiftProtobuf

/// Features of a GeoJSON FeatureCollection, or a single Feature.
struct GeoJSONImport: ImportSource {
  private var scanner: FeatureScanner
  private let features: FeatureMapping
  private let file: String
  private var row = 0
  private var isFinished = false

  var bytesRead: Int { scanner.bytesConsumed }

  init(_ source: ByteSource, mapping: RowMapping) {
    file = source.name
    scanner = FeatureScanner(source)
    features = FeatureMapping(mapping: mapping)
  }

  mutating func next() throws -> ImportItem? {
    guard !isFinished else { return nil }
    if let element = try scanner.next() { return item(element) }
    isFinished = true
    guard let root = try? Google_Protobuf_Struct(jsonUTF8Bytes: scanner.frame) else {
      throw ImportFileError.format(
        line: scanner.line, "\(file) is not well-formed JSON around its features")
    }
    let kind = root.fields["type"]?.stringValue ?? ""
    if kind == "FeatureCollection", scanner.sawFeatures { return nil }
    if kind == "Feature", !scanner.sawFeatures {
      return item(FeatureScanner.Element(line: 1, bytes: scanner.frame))
    }
    throw ImportFileError.format(
      line: 1, "\(file) is not a GeoJSON FeatureCollection; its type is \(excerpt(kind))")
  }

  private mutating func item(_ element: FeatureScanner.Element) -> ImportItem {
    row += 1
    return FeatureItem.item(
      element.bytes, line: element.line, defaultID: RowMapping.defaultID(file: file, row: row),
      features)
  }
}

/// One feature's text to an item.
enum FeatureItem {
  static func item(
    _ bytes: [UInt8], line: Int, defaultID: String, _ features: FeatureMapping
  ) -> ImportItem {
    guard let feature = try? Google_Protobuf_Struct(jsonUTF8Bytes: bytes) else {
      return .refused(
        RefusedRow(
          line: line, id: defaultID, field: "", reason: "malformed_json",
          message: "is not a well-formed JSON object"))
    }
    return item(feature, line: line, defaultID: defaultID, features)
  }

  static func item(
    _ feature: Google_Protobuf_Struct, line: Int, defaultID: String, _ features: FeatureMapping
  ) -> ImportItem {
    do throws(RowProblem) {
      return .row(
        ImportRow(line: line, position: try features.position(feature, defaultID: defaultID)))
    } catch {
      var shownID = defaultID
      switch feature.fields["id"]?.kind {
      case .stringValue(let text)?: shownID = text
      case .numberValue(let number)?: shownID = JSONOutput.numberText(number)
      default: break
      }
      return .refused(
        RefusedRow(
          line: line, id: shownID, field: error.field, reason: error.reason,
          message: error.message))
    }
  }
}
