import Foundation

/// The rows of a CSV file of recorded trips, below its header line.
struct TripRows {
  private var reader: CSVReader
  /// Names of the columns, trimmed.
  let header: [String]

  /// - Throws: ``EvaluationError``.
  init(path: String) throws {
    guard let source = try? ByteSource(path: path) else { throw EvaluationError.cannotRead(path) }
    reader = CSVReader(source)
    guard let first = try reader.next() else { throw EvaluationError.empty(path) }
    header = first.texts.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The next row that is not blank; without fields where it cannot be read.
  mutating func next() throws -> CSVRecord? {
    guard let record = try reader.next() else { return nil }
    return record.problem == nil ? record : CSVRecord(line: record.line)
  }
}
