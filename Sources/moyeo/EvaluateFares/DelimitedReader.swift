import Foundation

/// Reads a file of comma-separated values (RFC 4180: quotes, doubled quotes, either line end) a
/// chunk at a time, so that a file larger than memory does.
struct DelimitedReader {
  private let handle: FileHandle
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false
  private static let chunkBytes = 1 << 20

  /// Names of the columns, trimmed.
  private(set) var header: [String] = []

  init(path: String) throws {
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw EvaluationError.cannotRead(path)
    }
    self.handle = handle
    var names: [ArraySlice<UInt8>] = []
    guard try readRow(into: &names) else { throw EvaluationError.empty(path) }
    var texts = names.map {
      String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    }
    if let first = texts.first, first.hasPrefix("\u{FEFF}") { texts[0] = String(first.dropFirst()) }
    header = texts
  }

  /// The next row that is not blank; false at the end of the file.
  mutating func readRow(into fields: inout [ArraySlice<UInt8>]) throws -> Bool {
    while let line = try nextLine() {
      if line.isEmpty { continue }
      split(line, into: &fields)
      return true
    }
    return false
  }

  /// The bytes up to the next line end outside quotes.
  private mutating func nextLine() throws -> ArraySlice<UInt8>? {
    var scan = position
    var isQuoted = false
    while true {
      while scan < buffer.count {
        let byte = buffer[scan]
        if byte == UInt8(ascii: "\"") {
          isQuoted.toggle()
        } else if byte == UInt8(ascii: "\n") && !isQuoted {
          let line = trimmed(buffer[position..<scan])
          position = scan + 1
          return line
        }
        scan += 1
      }
      if isAtEnd {
        guard position < buffer.count else { return nil }
        let line = trimmed(buffer[position...])
        position = buffer.count
        return line
      }
      let consumed = position
      buffer.removeFirst(consumed)
      position = 0
      scan -= consumed
      let chunk = try handle.read(upToCount: Self.chunkBytes) ?? Data()
      if chunk.isEmpty { isAtEnd = true } else { buffer.append(contentsOf: chunk) }
    }
  }

  private func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    line.last == UInt8(ascii: "\r") ? line.dropLast() : line
  }

  private func split(_ line: ArraySlice<UInt8>, into fields: inout [ArraySlice<UInt8>]) {
    fields.removeAll(keepingCapacity: true)
    guard line.contains(UInt8(ascii: "\"")) else {
      var start = line.startIndex
      for i in line.indices where line[i] == UInt8(ascii: ",") {
        fields.append(line[start..<i])
        start = i + 1
      }
      fields.append(line[start...])
      return
    }
    var field: [UInt8] = []
    var isQuoted = false
    var i = line.startIndex
    while i < line.endIndex {
      let byte = line[i]
      if byte == UInt8(ascii: "\"") {
        if isQuoted && i + 1 < line.endIndex && line[i + 1] == UInt8(ascii: "\"") {
          field.append(byte)
          i += 1
        } else {
          isQuoted.toggle()
        }
      } else if byte == UInt8(ascii: ",") && !isQuoted {
        fields.append(field[...])
        field = []
      } else {
        field.append(byte)
      }
      i += 1
    }
    fields.append(field[...])
  }
}

/// Why an evaluation cannot run.
enum EvaluationError: Error, CustomStringConvertible {
  case cannotRead(String)
  case empty(String)
  /// No column for something that is needed.
  case noColumn(String, tried: [String], option: String)
  case noTariff(String, known: [String])
  /// Nothing is left after cleaning.
  case noRows

  var description: String {
    switch self {
    case .cannotRead(let path): "cannot read \(path)"
    case .empty(let path): "\(path) is empty"
    case .noColumn(let what, let tried, let option):
      "no column for the \(what): tried \(tried.joined(separator: ", ")); name it with \(option)"
    case .noTariff(let id, let known):
      "no tariff \"\(id)\"; known are \(known.joined(separator: ", "))"
    case .noRows: "no row is left after cleaning"
    }
  }
}
