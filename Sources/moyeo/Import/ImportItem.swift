import MoyeoAPI
import SwiftProtobuf

/// A row that can be sent.
struct ImportRow: Sendable {
  /// Where it begins in the file, from 1.
  var line: Int
  var position: Moyeo_V1_Position
}

/// A row that was not taken, by us or by the service.
struct RefusedRow: Hashable, Sendable {
  var line: Int
  var id: String
  /// The column or field at fault; may be empty.
  var field: String
  var reason: String
  var message: String
}

enum ImportItem: Sendable {
  case row(ImportRow)
  case refused(RefusedRow)
}

/// A file being read into rows.
protocol ImportSource {
  /// Bytes of the file behind the last row handed out.
  var bytesRead: Int { get }
  /// The next row, `nil` at the end.
  /// - Throws: ``ImportFileError`` when the rest of the file cannot be read.
  mutating func next() throws -> ImportItem?
}

/// Why a file, or the rest of it, cannot be read.
enum ImportFileError: Error, Hashable, CustomStringConvertible {
  /// The options do not fit the file's columns.
  case columns(String)
  /// The file is not of its format from a line on.
  case format(line: Int, String)

  var description: String {
    switch self {
    case .columns(let message): message
    case .format(let line, let message): "line \(line): \(message)"
    }
  }
}

/// What a row's values mean, whatever the format.
struct RowMapping: Sendable {
  var idColumn: String?
  var latitudeColumn: String?
  var longitudeColumn: String?
  var tagsColumn: String?
  var observedAtColumn: String?
  /// Columns that say what a place is, by the attribute that each becomes; one of that name is found.
  var placeColumns: [PlaceAttribute: String] = [:]
  /// Characters that divide tags.
  var tagSeparators = ";|,"
  /// `nil`: the format's own default, which is none for CSV and all for GeoJSON.
  var attributes: Attributes?
  var ttlSeconds = 0.0
  /// For times that name no offset.
  var utcOffsetSeconds = 0

  /// What `moyeo place` finds an object by and tells of it.
  enum PlaceAttribute: String, CaseIterable, Sendable {
    case name, address, category
  }

  enum Attributes: Hashable, Sendable {
    case none
    case all
    case named([String])
  }

  /// Whether the columns are left to be found.
  var namesNoColumn: Bool {
    [idColumn, latitudeColumn, longitudeColumn, tagsColumn, observedAtColumn]
      .allSatisfy { $0 == nil } && placeColumns.isEmpty
  }

  /// Also a JSON array of texts, as `moyeo export` writes tags that hold a divider.
  func tags(_ text: String) -> [String] {
    if let list = ExportedPosition.jsonList(text) { return list }
    return text.split(whereSeparator: { tagSeparators.contains($0) }).map { String($0).trimmed }
      .filter { !$0.isEmpty }
  }

  /// `<file>:<row>`, the row counted from 1 without the heading. A long name is cut, because ids
  /// end at 128 bytes.
  static func defaultID(file: String, row: Int) -> String {
    var name = file
    while name.utf8.count > 100 { name.removeLast() }
    return "\(name):\(row)"
  }

  func observedAt(_ text: String, column: String) throws(RowProblem) -> Google_Protobuf_Timestamp? {
    guard !text.trimmed.isEmpty else { return nil }
    guard let stamp = TimeText.parse(text, offsetSeconds: utcOffsetSeconds) else {
      throw RowProblem(
        field: column, reason: "bad_time",
        message: "\(excerpt(text)) is not a time such as 2026-11-20T23:10:00+09:00")
    }
    return stamp
  }
}

/// Why a row cannot be sent.
struct RowProblem: Error, Hashable {
  var field = ""
  var reason: String
  var message: String
}

/// A value in quotes, cut short, for messages.
func excerpt(_ text: String) -> String {
  "\"" + TextTable.printable(String(text.prefix(40))) + (text.count > 40 ? "…" : "") + "\""
}
