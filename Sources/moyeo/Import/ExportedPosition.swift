import MoyeoAPI
import MoyeoStorage
import SwiftProtobuf

/// A position as `moyeo export` writes it, read back exactly as it was: nothing is trimmed, tags and
/// attributes keep their types, and it expires when it was to expire.
struct ExportedPosition {
  /// The value of the member `moyeo` by which a GeoJSON feature says that it is one.
  static let marker = "position"
  /// The heading by which a CSV file says that its rows are.
  static let heading =
    StoreExport.positions.columns.map(\.name) + ["latitude", "longitude"]

  var id = ""
  var latitude = 0.0
  var longitude = 0.0
  var observedAt = ""
  /// Empty: never.
  var expiresAt = ""
  var tags: [String] = []
  /// A JSON object.
  var attributes = "{}"

  /// The position as a report carries it.
  ///
  /// - Parameter mapping: Its time to live, if it has one, stands above the file's.
  /// - Returns: The position; without attributes where the mapping asks for none.
  /// - Throws: ``RowProblem`` for a time or attributes that cannot be read.
  func position(_ mapping: RowMapping) throws(RowProblem) -> Moyeo_V1_Position {
    var position = Moyeo_V1_Position()
    position.id = id
    position.latitude = latitude
    position.longitude = longitude
    position.tags = tags
    let observed = try time(observedAt, "observedAt")
    position.observedAt = observed
    position.ttlSeconds = mapping.ttlSeconds
    if mapping.ttlSeconds == 0, !expiresAt.isEmpty {
      let expires = try time(expiresAt, "expiresAt")
      let nanoseconds = Int64(expires.nanos) - Int64(observed.nanos)
      // Whole milliseconds, as they are kept.
      let milliseconds = (expires.seconds - observed.seconds) * 1000 + nanoseconds / 1_000_000
      position.ttlSeconds = Double(milliseconds) / 1000
    }
    if mapping.attributes == RowMapping.Attributes.none { return position }
    guard let read = try? Google_Protobuf_Struct(jsonString: attributes) else {
      throw RowProblem(
        field: "attributes", reason: "malformed_json", message: "is not a JSON object")
    }
    position.attributes = read
    return position
  }

  /// A list as a table's cell holds it: a JSON array, or texts with `;` between.
  static func tags(cell: String) -> [String] {
    if let list = jsonList(cell) { return list }
    return cell.isEmpty ? [] : cell.split(separator: ";").map(String.init)
  }

  /// The texts of a JSON array, nil when it is none.
  static func jsonList(_ text: String) -> [String]? {
    guard text.hasPrefix("["), let list = try? Google_Protobuf_ListValue(jsonString: text) else {
      return nil
    }
    var texts: [String] = []
    for value in list.values {
      guard case .stringValue(let text)? = value.kind else { return nil }
      texts.append(text)
    }
    return texts
  }

  private func time(
    _ text: String, _ field: String
  ) throws(RowProblem) -> Google_Protobuf_Timestamp {
    guard let stamp = TimeText.parse(text, offsetSeconds: 0) else {
      throw RowProblem(
        field: field, reason: "bad_time",
        message: "\(excerpt(text)) is not a time such as 2026-11-20T23:10:00Z")
    }
    return stamp
  }
}

/// The rows of a map that `moyeo export --format spatialite` wrote.
struct SpatialImport: ImportSource {
  private let file: SpatialPositions
  private let mapping: RowMapping
  private let totalBytes: Int
  private var row = 0

  /// In proportion to the rows.
  var bytesRead: Int { file.count == 0 ? totalBytes : totalBytes * row / file.count }

  init(path: String, totalBytes: Int, mapping: RowMapping) throws {
    file = try SpatialPositions(path: path)
    self.mapping = mapping
    self.totalBytes = totalBytes
  }

  mutating func next() throws -> ImportItem? {
    guard let feature = try file.next() else { return nil }
    row += 1
    func text(_ name: String) -> String {
      let index = StoreExport.positions.columns.firstIndex { $0.name == name }
      return index.map { feature.values[$0].plainText } ?? ""
    }
    let exported = ExportedPosition(
      id: text("id"), latitude: feature.latitude, longitude: feature.longitude,
      observedAt: text("observedAt"), expiresAt: text("expiresAt"),
      tags: ExportedPosition.tags(cell: text("tags")), attributes: text("attributes"))
    do throws(RowProblem) {
      return .row(ImportRow(line: row, position: try exported.position(mapping)))
    } catch {
      return .refused(
        RefusedRow(
          line: row, id: exported.id, field: error.field, reason: error.reason,
          message: error.message))
    }
  }
}
