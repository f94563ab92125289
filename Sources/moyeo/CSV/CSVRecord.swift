/// One record of a CSV file: its fields, unquoted, in one buffer.
struct CSVRecord {
  /// Why a record could not be read.
  enum Problem: Error, Hashable {
    /// A quote opened in it never closes.
    case unterminatedQuote
    /// Something other than a delimiter follows a closing quote.
    case textAfterQuote
    /// Longer than the reader's bound.
    case tooLong
  }

  /// Physical line on which it begins, from 1.
  var line: Int
  /// When set, the fields are not to be trusted.
  var problem: Problem?
  private(set) var bytes: [UInt8] = []
  private var ends: [Int] = []

  init(line: Int) { self.line = line }

  var count: Int { ends.count }

  /// A field as text; `nil` where it is not UTF-8. - Precondition: `index` is below `count`.
  func text(_ index: Int) -> String? {
    String(validating: slice(index), as: UTF8.self)
  }

  /// All fields, what is not UTF-8 repaired with U+FFFD.
  var texts: [String] { (0..<count).map { String(decoding: slice($0), as: UTF8.self) } }

  func slice(_ index: Int) -> ArraySlice<UInt8> {
    bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
  }

  mutating func append(_ byte: UInt8) { bytes.append(byte) }
  mutating func append(_ run: ArraySlice<UInt8>) { bytes.append(contentsOf: run) }
  mutating func endField() { ends.append(bytes.count) }
}
