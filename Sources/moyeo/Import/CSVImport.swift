import MoyeoAPI
import SwiftProtobuf

/// Rows of a CSV file with a heading.
struct CSVImport: ImportSource {
  private var reader: CSVReader
  private let mapping: RowMapping
  private let file: String
  private let names: [String]
  private let latitude: Int
  private let longitude: Int
  private let id: Int?
  private let tags: Int?
  private let observedAt: Int?
  private let attributes: [Int]
  /// Kept as text whatever they look like: a shop may be called 1984.
  private let placeColumns: [(attribute: String, column: Int)]
  /// Whether it is a file of `moyeo export`.
  private let isExported: Bool
  private var row = 0

  var bytesRead: Int { reader.bytesConsumed }

  /// Reads the heading.
  /// - Throws: ``ImportFileError`` when columns are missing or cannot be told apart.
  init(_ source: ByteSource, mapping: RowMapping, delimiter: UInt8? = nil) throws {
    file = source.name
    self.mapping = mapping
    if let delimiter {
      reader = CSVReader(source, delimiter: delimiter)
    } else {
      reader = try CSVReader(detectingDelimiterOf: source)
    }
    guard let heading = try reader.next() else {
      throw ImportFileError.format(line: 1, "\(file) is empty; a heading is needed")
    }
    guard heading.problem == nil else {
      throw ImportFileError.format(
        line: heading.line, "the heading has a quote that does not close")
    }
    guard (0..<heading.count).allSatisfy({ heading.text($0) != nil }) else {
      throw ImportFileError.format(
        line: heading.line,
        "the heading is not UTF-8; convert the file first, e.g. iconv -f CP949 -t UTF-8")
    }
    let names = heading.texts
    self.names = names
    isExported = names == ExportedPosition.heading && mapping.namesNoColumn
    let detection = ColumnDetection(names)
    latitude = try Self.coordinate(
      mapping.latitudeColumn, outcome: detection.latitude, what: "latitude", detection: detection,
      names: names)
    longitude = try Self.coordinate(
      mapping.longitudeColumn, outcome: detection.longitude, what: "longitude",
      detection: detection, names: names)
    id = try mapping.idColumn.map { try Self.named($0, detection, names) } ?? detection.id
    let tagsColumn =
      try mapping.tagsColumn.map { try Self.named($0, detection, names) } ?? detection.tags
    tags = tagsColumn
    let timeColumn =
      try mapping.observedAtColumn.map { try Self.named($0, detection, names) }
      ?? detection.observedAt
    observedAt = timeColumn
    placeColumns = try Self.placeColumns(mapping, detection, names)
    let placed = placeColumns.map(\.column)
    switch mapping.attributes ?? .none {
    case .none: attributes = []
    case .named(let chosen):
      attributes = try chosen.map { try Self.named($0, detection, names) }
        .filter { !placed.contains($0) }
    case .all:
      let taken = [latitude, longitude, id, tagsColumn, timeColumn].compactMap { $0 } + placed
      attributes = names.indices.filter { !taken.contains($0) && !names[$0].trimmed.isEmpty }
    }
  }

  /// Those named, and those found by their heading unless no attributes are wanted.
  private static func placeColumns(
    _ mapping: RowMapping, _ detection: ColumnDetection, _ names: [String]
  ) throws -> [(attribute: String, column: Int)] {
    try RowMapping.PlaceAttribute.allCases.compactMap { attribute in
      if let name = mapping.placeColumns[attribute] {
        return (attribute.rawValue, try named(name, detection, names))
      }
      guard mapping.attributes != RowMapping.Attributes.none else { return nil }
      return detection.column(of: attribute).map { (attribute.rawValue, $0) }
    }
  }

  private static func coordinate(
    _ option: String?, outcome: ColumnDetection.Outcome, what: String,
    detection: ColumnDetection, names: [String]
  ) throws -> Int {
    if let option { return try named(option, detection, names) }
    switch outcome {
    case .found(let index): return index
    case .missing:
      throw ImportFileError.columns(
        "no column is the \(what) by its name; say which with --\(what)-column. "
          + "Columns: \(list(names))")
    case .ambiguous(let indices):
      throw ImportFileError.columns(
        "\(list(indices.map { names[$0] })) could each be the \(what); say which with "
          + "--\(what)-column")
    }
  }

  private static func named(_ name: String, _ detection: ColumnDetection, _ names: [String]) throws
    -> Int
  {
    guard let index = detection.column(named: name) else {
      throw ImportFileError.columns("there is no column \(excerpt(name)). Columns: \(list(names))")
    }
    return index
  }

  private static func list(_ names: [String]) -> String {
    names.map(excerpt).joined(separator: ", ")
  }

  mutating func next() throws -> ImportItem? {
    guard let record = try reader.next() else { return nil }
    row += 1
    let defaultID = RowMapping.defaultID(file: file, row: row)
    do {
      return .row(ImportRow(line: record.line, position: try position(record, defaultID)))
    } catch let problem as RowProblem {
      let shownID = id.flatMap { $0 < record.count ? record.text($0) : nil } ?? defaultID
      return .refused(
        RefusedRow(
          line: record.line, id: shownID, field: problem.field, reason: problem.reason,
          message: problem.message))
    }
  }

  private func position(_ record: CSVRecord, _ defaultID: String) throws -> Moyeo_V1_Position {
    if let problem = record.problem { throw RowProblem(problem) }
    guard record.count == names.count else {
      throw RowProblem(
        reason: "field_count",
        message: "has \(record.count) fields where the heading has \(names.count)")
    }
    if isExported { return try exported(record).position(mapping) }
    var position = Moyeo_V1_Position()
    position.id = try id.map { try text(record, $0).trimmed } ?? defaultID
    position.latitude = try number(record, latitude)
    position.longitude = try number(record, longitude)
    position.ttlSeconds = mapping.ttlSeconds
    if let tags { position.tags = mapping.tags(try text(record, tags)) }
    if let observedAt,
      let stamp = try mapping.observedAt(try text(record, observedAt), column: names[observedAt])
    {
      position.observedAt = stamp
    }
    for (attribute, column) in placeColumns {
      let value = try text(record, column).trimmed
      if !value.isEmpty { position.attributes.fields[attribute] = .init(stringValue: value) }
    }
    for column in attributes {
      guard let value = Self.attribute(try text(record, column)) else { continue }
      position.attributes.fields[names[column].trimmed] = value
    }
    return position
  }

  private func exported(_ record: CSVRecord) throws -> ExportedPosition {
    func cell(_ name: String) throws -> String {
      guard let index = names.firstIndex(of: name) else { return "" }
      return try text(record, index)
    }
    return ExportedPosition(
      id: try cell("id"), latitude: try number(record, latitude),
      longitude: try number(record, longitude), observedAt: try cell("observedAt"),
      expiresAt: try cell("expiresAt"), tags: ExportedPosition.tags(cell: try cell("tags")),
      attributes: try cell("attributes"))
  }

  private func text(_ record: CSVRecord, _ column: Int) throws(RowProblem) -> String {
    guard let text = record.text(column) else {
      throw RowProblem(field: names[column], reason: "not_utf8", message: "is not UTF-8 text")
    }
    return text
  }

  private func number(_ record: CSVRecord, _ column: Int) throws(RowProblem) -> Double {
    let text = try text(record, column)
    guard !text.trimmed.isEmpty else {
      throw RowProblem(
        field: names[column], reason: "missing_field", message: "\(names[column]) is empty")
    }
    guard let value = NumberText.parse(text) else {
      throw RowProblem(
        field: names[column], reason: "not_a_number",
        message: "\(excerpt(text)) is not a number")
    }
    return value
  }

  /// Empty cells are absent. Text that is exactly how a number prints becomes one, so that codes
  /// such as `0158` and `1e3` keep their letters; `true` and `false` become booleans.
  static func attribute(_ text: String) -> Google_Protobuf_Value? {
    let trimmed = text.trimmed
    switch trimmed {
    case "": return nil
    case "true", "True", "TRUE": return Google_Protobuf_Value(boolValue: true)
    case "false", "False", "FALSE": return Google_Protobuf_Value(boolValue: false)
    default: break
    }
    if let number = NumberText.parse(trimmed), isPlainNumber(trimmed) {
      return Google_Protobuf_Value(numberValue: number)
    }
    return Google_Protobuf_Value(stringValue: trimmed)
  }

  /// `-?(0|[1-9][0-9]*)(\.[0-9]+)?` with at most 15 digits before the point.
  private static func isPlainNumber(_ text: String) -> Bool {
    var digits = text.utf8[...]
    if digits.first == UInt8(ascii: "-") { digits.removeFirst() }
    let whole = digits.prefix { (48...57).contains($0) }
    guard !whole.isEmpty, whole.count <= 15, whole.count == 1 || whole.first != 48 else {
      return false
    }
    let rest = digits.dropFirst(whole.count)
    return rest.isEmpty
      || (rest.first == UInt8(ascii: ".") && rest.count > 1
        && rest.dropFirst().allSatisfy { (48...57).contains($0) })
  }
}

extension RowProblem {
  init(_ problem: CSVRecord.Problem) {
    switch problem {
    case .unterminatedQuote:
      self.init(reason: "unterminated_quote", message: "a quote that begins here never closes")
    case .textAfterQuote:
      self.init(
        reason: "text_after_quote",
        message: "text follows a closing quote; quotes inside are doubled")
    case .tooLong:
      self.init(
        reason: "row_too_long", message: "is longer than \(CSVReader.maximumRecordBytes) bytes")
    }
  }
}
