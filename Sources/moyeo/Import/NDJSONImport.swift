import MoyeoAPI
import SwiftProtobuf

/// A JSON object a line: a position as Report takes it, or a GeoJSON feature. A record separator
/// in front (RFC 8142) is skipped.
struct NDJSONImport: ImportSource {
  static let maximumLineBytes = 16 << 20

  private var source: ByteSource
  private let features: FeatureMapping
  private var buffer: [UInt8] = []
  private var position = 0
  private var line = 0
  private var row = 0
  private var isAtEnd = false

  var bytesRead: Int { source.bytesRead - (buffer.count - position) }

  init(_ source: ByteSource, mapping: RowMapping) {
    self.source = source
    features = FeatureMapping(mapping: mapping)
  }

  mutating func next() throws -> ImportItem? {
    while let bytes = try nextLine() {
      var text = bytes[...]
      while let first = text.first, first <= 0x20 { text.removeFirst() }
      while let last = text.last, last <= 0x20 { text.removeLast() }
      guard !text.isEmpty else { continue }
      row += 1
      return item(Array(text), defaultID: RowMapping.defaultID(file: source.name, row: row))
    }
    return nil
  }

  private func item(_ bytes: [UInt8], defaultID: String) -> ImportItem {
    func refused(_ id: String, _ problem: RowProblem) -> ImportItem {
      .refused(
        RefusedRow(
          line: line, id: id, field: problem.field, reason: problem.reason,
          message: problem.message))
    }
    guard let object = try? Google_Protobuf_Struct(jsonUTF8Bytes: bytes) else {
      return refused(
        defaultID,
        RowProblem(reason: "malformed_json", message: "is not a well-formed JSON object"))
    }
    if object.fields["type"]?.stringValue == "Feature" || object.fields["geometry"] != nil {
      return FeatureItem.item(object, line: line, defaultID: defaultID, features)
    }
    let givenID = object.fields["id"]?.stringValue
    do {
      var position = try Moyeo_V1_Position(jsonUTF8Bytes: bytes)
      if !position.hasID { position.id = defaultID }
      if !position.hasTtlSeconds { position.ttlSeconds = features.mapping.ttlSeconds }
      return .row(ImportRow(line: line, position: position))
    } catch JSONDecodingError.unknownField(let name) {
      return refused(
        givenID ?? defaultID,
        RowProblem(
          field: name, reason: "unknown_field",
          message: "a position has no field \(excerpt(name)); put it into attributes"))
    } catch {
      return refused(
        givenID ?? defaultID,
        RowProblem(
          reason: "malformed_request",
          message: "is not a position: a field has a value of the wrong type"))
    }
  }

  private mutating func nextLine() throws -> [UInt8]? {
    var scanned = position
    while true {
      if let end = buffer[scanned...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { position = end + 1 }
        line += 1
        return Array(buffer[position..<end])
      }
      scanned = buffer.count
      guard buffer.count - position <= Self.maximumLineBytes else {
        throw ImportFileError.format(line: line + 1, "a line of more than 16 MiB")
      }
      if isAtEnd {
        guard position < buffer.count else { return nil }
        defer { position = buffer.count }
        line += 1
        return Array(buffer[position...])
      }
      buffer.removeFirst(position)
      scanned -= position
      position = 0
      let before = source.bytesRead
      buffer.append(contentsOf: try source.next())
      isAtEnd = source.bytesRead == before
    }
  }
}
