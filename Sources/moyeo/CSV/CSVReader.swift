/// Reads CSV by RFC 4180, piece by piece: quoted fields with delimiters, doubled quotes and line
/// ends in them; LF, CRLF or CR line ends; a byte order mark; empty lines are skipped.
///
/// A quote inside an unquoted field is an ordinary character. A record that cannot be read is
/// handed out with its problem and reading goes on with the line after its first one, so that a
/// stray quote costs the rows it damages and no others. No library for Linux that is to be had does
/// so: they read the whole file into memory, or end with the first record that is damaged.
/// - Complexity: O(bytes); keeps one record and one piece.
struct CSVReader {
  static let maximumRecordBytes = 1 << 20

  private(set) var source: ByteSource
  private(set) var delimiter: UInt8
  private var buffer: [UInt8] = []
  private var position = 0
  private var line = 1
  private var isAtEnd = false

  /// Bytes behind the last record handed out.
  var bytesConsumed: Int { source.bytesRead - (buffer.count - position) }

  init(_ source: ByteSource, delimiter: UInt8 = UInt8(ascii: ",")) {
    self.source = source
    self.delimiter = delimiter
  }

  /// Of a file whose delimiter is found in its first line: the most frequent of `,` `;` TAB `|`
  /// outside quotes, a comma when there is none.
  init(detectingDelimiterOf source: ByteSource) throws {
    self.init(source)
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    var at = 0
    // A pipe may hand out less than the heading.
    while at < Self.maximumRecordBytes {
      if at == buffer.count, try !fill() { break }
      let byte = buffer[at]
      at += 1
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if !isQuoted, byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { break }
      if !isQuoted { counts[byte, default: 0] += 1 }
    }
    var best = UInt8(ascii: ",")
    for candidate in [UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")]
    where counts[candidate, default: 0] > counts[best, default: 0] {
      best = candidate
    }
    delimiter = best
  }

  /// The next record, `nil` at the end. - Throws: What reading the file throws.
  mutating func next() throws -> CSVRecord? {
    if position > 1 << 16 {
      buffer.removeFirst(position)
      position = 0
    }
    while true {
      guard let byte = try byte(at: position) else { return nil }
      guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else { break }
      position = try afterLineEnd(position)
      line += 1
    }
    var record = CSVRecord(line: line)
    do {
      let (end, lines) = try parse(from: position, into: &record)
      position = end
      line += lines
    } catch let problem as CSVRecord.Problem {
      record = CSVRecord(line: line)
      record.problem = problem
      try skipLine()
    }
    return record
  }

  /// - Returns: Where the next record begins, and how many lines this one takes.
  private mutating func parse(from start: Int, into record: inout CSVRecord) throws -> (Int, Int) {
    var i = start
    var lines = 0
    while true {
      if try byte(at: i) == UInt8(ascii: "\"") {
        i = try quotedField(from: i + 1, start: start, into: &record, lines: &lines)
      } else {
        i = try plainField(from: i, start: start, into: &record)
      }
      record.endField()
      guard let byte = try byte(at: i) else { return (i, lines) }
      if byte == delimiter {
        i += 1
        continue
      }
      return (try afterLineEnd(i), lines + 1)
    }
  }

  private mutating func plainField(from first: Int, start: Int, into record: inout CSVRecord)
    throws -> Int
  {
    var i = first
    while true {
      let runStart = i
      while i < buffer.count, !isFieldEnd(buffer[i]) { i += 1 }
      record.append(buffer[runStart..<i])
      guard i - start <= Self.maximumRecordBytes else { throw CSVRecord.Problem.tooLong }
      if i < buffer.count { return i }
      guard try fill() else { return i }
    }
  }

  private mutating func quotedField(
    from first: Int, start: Int, into record: inout CSVRecord, lines: inout Int
  ) throws -> Int {
    var i = first
    while let byte = try byte(at: i) {
      guard i - start <= Self.maximumRecordBytes else {
        throw CSVRecord.Problem.unterminatedQuote
      }
      i += 1
      if byte == UInt8(ascii: "\"") {
        if try self.byte(at: i) == UInt8(ascii: "\"") {
          record.append(byte)
          i += 1
          continue
        }
        // Spaces behind a closing quote are harmless and common.
        while let space = try self.byte(at: i), space == UInt8(ascii: " "), space != delimiter {
          i += 1
        }
        if let after = try self.byte(at: i), !isFieldEnd(after) {
          throw CSVRecord.Problem.textAfterQuote
        }
        return i
      }
      if byte == UInt8(ascii: "\n") {
        lines += 1
      } else if byte == UInt8(ascii: "\r"), try self.byte(at: i) != UInt8(ascii: "\n") {
        lines += 1
      }
      record.append(byte)
    }
    throw CSVRecord.Problem.unterminatedQuote
  }

  private func isFieldEnd(_ byte: UInt8) -> Bool {
    byte == delimiter || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  private mutating func skipLine() throws {
    while let byte = try byte(at: position) {
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        position = try afterLineEnd(position)
        line += 1
        return
      }
      position += 1
    }
  }

  private mutating func afterLineEnd(_ index: Int) throws -> Int {
    if buffer[index] == UInt8(ascii: "\r"), try byte(at: index + 1) == UInt8(ascii: "\n") {
      return index + 2
    }
    return index + 1
  }

  private mutating func byte(at index: Int) throws -> UInt8? {
    while index >= buffer.count {
      guard try fill() else { return nil }
    }
    return buffer[index]
  }

  @discardableResult
  private mutating func fill() throws -> Bool {
    guard !isAtEnd else { return false }
    while true {
      let before = source.bytesRead
      let chunk = try source.next()
      buffer.append(contentsOf: chunk)
      if !chunk.isEmpty { return true }
      // A piece of nothing but a byte order mark is not the end.
      guard source.bytesRead != before else {
        isAtEnd = true
        return false
      }
    }
  }
}
