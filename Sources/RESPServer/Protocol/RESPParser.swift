/// What a connection may send as one command.
package struct RESPLimits: Sendable, Hashable {
  /// The most words of a command.
  package var arguments = 65_536
  /// The most bytes of a command, its lengths included.
  package var commandBytes = 1 << 20

  package init() {}
}

/// Why what a connection sends is no RESP. The connection is told and closed.
struct RESPProtocolError: Error, Hashable {
  /// The sentence after `-ERR Protocol error: `.
  let message: String
}

/// Finds commands in the bytes of a connection: arrays of bulk strings, or lines of words. Libraries
/// for Swift are of clients: they read answers, and know neither lines nor the bounds of a server.
///
/// It remembers how far it came in a command that has not arrived whole, so that a command of many
/// words is read once. Positions count from the start of the command, since the bytes before it
/// leave the buffer.
struct RESPParser {
  enum Step: Equatable {
    /// A command is complete; it ends before this position. Its words stand in ``ranges``.
    case command(end: Int)
    /// Nothing to do up to this position: an empty line or an empty array.
    case nothing(end: Int)
    /// The command has not arrived whole.
    case incomplete
  }

  let limits: RESPLimits
  /// The words of the last complete command, as positions in its bytes, or in ``line`` if that is
  /// not `nil`.
  private(set) var ranges: [Range<Int>] = []
  /// The words of a command that came as a line, without quotes and escapes.
  private(set) var line: [UInt8]?
  /// The words that an array still lacks; `nil` before its head.
  private var lacking: Int?
  private var position = 0

  init(limits: RESPLimits) { self.limits = limits }

  /// Longest line of an array's head, a bulk string's head, or of words.
  static let maximumLine = 65_536

  /// Reads on in the command that begins with the first byte.
  mutating func next(in bytes: UnsafeRawBufferPointer) throws(RESPProtocolError) -> Step {
    if lacking == nil {
      guard let first = bytes.first else { return .incomplete }
      ranges.removeAll(keepingCapacity: true)
      line = nil
      position = 0
      guard first == UInt8(ascii: "*") else { return try nextLine(in: bytes) }
      guard
        let (count, end) = try head(
          in: bytes, "too big mbulk count string", "invalid multibulk length")
      else { return .incomplete }
      guard count > 0 else { return .nothing(end: end) }
      guard count <= limits.arguments else {
        throw RESPProtocolError(message: "invalid multibulk length")
      }
      lacking = Int(count)
      position = end
      ranges.reserveCapacity(min(Int(count), 1024))
    }
    while let left = lacking, left > 0 {
      guard try nextWord(in: bytes) else { return .incomplete }
      lacking = left - 1
    }
    lacking = nil
    return .command(end: position)
  }

  /// Reads one bulk string; its two bytes of end are not looked at, as in Redis.
  ///
  /// - Returns: Whether it is there whole.
  @inline(__always)
  private mutating func nextWord(
    in bytes: UnsafeRawBufferPointer
  ) throws(RESPProtocolError) -> Bool {
    guard position < bytes.count else { return false }
    guard bytes[position] == UInt8(ascii: "$") else {
      let found = String(decoding: CollectionOfOne(bytes[position]), as: UTF8.self)
      throw RESPProtocolError(message: "expected '$', got '\(found)'")
    }
    guard
      let (count, start) = try head(in: bytes, "too big bulk count string", "invalid bulk length")
    else { return false }
    // The position is below the limit, as the words before were.
    guard count >= 0, count <= limits.commandBytes, start + Int(count) <= limits.commandBytes else {
      throw RESPProtocolError(message: "invalid bulk length")
    }
    let end = start + Int(count)
    guard end + 2 <= bytes.count else { return false }
    ranges.append(start..<end)
    position = end + 2
    return true
  }

  /// Reads the number behind the byte at ``position``, up to the line's end.
  @inline(__always)
  private func head(
    in bytes: UnsafeRawBufferPointer, _ tooLong: StaticString, _ invalid: StaticString
  ) throws(RESPProtocolError) -> (number: Int64, end: Int)? {
    if let plain = plainHead(in: bytes) { return plain }
    return try anyHead(in: bytes, tooLong, invalid)
  }

  /// The same for what nearly all heads are: a number of up to four digits with its line's end.
  @inline(__always)
  private func plainHead(in bytes: UnsafeRawBufferPointer) -> (number: Int64, end: Int)? {
    var i = position + 1
    // Behind the digits there are two bytes more.
    let last = min(i + 4, bytes.count - 2)
    guard i < last, bytes[i] != UInt8(ascii: "0") else { return nil }
    var number: Int64 = 0
    while i <= last {
      let byte = bytes[i]
      let digit = byte &- UInt8(ascii: "0")
      guard digit < 10 else {
        return byte == UInt8(ascii: "\r") && i > position + 1 ? (number, i + 2) : nil
      }
      // Safe: five digits at most.
      number = number &* 10 &+ Int64(digit)
      i &+= 1
    }
    return nil
  }

  private func anyHead(
    in bytes: UnsafeRawBufferPointer, _ tooLong: StaticString, _ invalid: StaticString
  ) throws(RESPProtocolError) -> (number: Int64, end: Int)? {
    let rest = UnsafeRawBufferPointer(rebasing: bytes[(position + 1)...])
    guard let length = rest.prefix(Self.maximumLine).firstIndex(of: UInt8(ascii: "\r")) else {
      if rest.count >= Self.maximumLine { throw RESPProtocolError(message: "\(tooLong)") }
      return nil
    }
    guard length + 2 <= rest.count else { return nil }
    guard let number = WordNumber.integer(UnsafeRawBufferPointer(rebasing: rest[..<length])) else {
      throw RESPProtocolError(message: "\(invalid)")
    }
    return (number, position + 1 + length + 2)
  }

  private mutating func nextLine(
    in bytes: UnsafeRawBufferPointer
  ) throws(RESPProtocolError) -> Step {
    guard let feed = bytes.prefix(Self.maximumLine).firstIndex(of: UInt8(ascii: "\n")) else {
      if bytes.count >= Self.maximumLine {
        throw RESPProtocolError(message: "too big inline request")
      }
      return .incomplete
    }
    var length = feed
    if length > 0, bytes[length - 1] == UInt8(ascii: "\r") { length -= 1 }
    var splitter = LineSplitter(UnsafeRawBufferPointer(rebasing: bytes[..<length]))
    guard splitter.split() else {
      throw RESPProtocolError(message: "unbalanced quotes in request")
    }
    guard !splitter.ranges.isEmpty else { return .nothing(end: feed + 1) }
    ranges = splitter.ranges
    line = splitter.words
    return .command(end: feed + 1)
  }
}

/// Splits a line into words. Words in double quotes take escapes (`\n`, `\x41`), those in single
/// quotes only `\'`; a closing quote ends its word.
private struct LineSplitter {
  private let line: UnsafeRawBufferPointer
  private var i = 0
  private(set) var words: [UInt8] = []
  private(set) var ranges: [Range<Int>] = []

  init(_ line: UnsafeRawBufferPointer) {
    // A NUL ends the line.
    self.line = UnsafeRawBufferPointer(rebasing: line.prefix { $0 != 0 })
  }

  /// - Returns: Whether every quote is closed, and followed by a space or the end.
  mutating func split() -> Bool {
    while true {
      while i < line.count, WordNumber.isSpace(line[i]) { i += 1 }
      guard i < line.count else { return true }
      let start = words.count
      guard word() else { return false }
      ranges.append(start..<words.count)
    }
  }

  private mutating func word() -> Bool {
    while i < line.count, !WordNumber.isSpace(line[i]) {
      let byte = line[i]
      i += 1
      switch byte {
      case UInt8(ascii: "\""): return quoted(by: byte, takesEscapes: true)
      case UInt8(ascii: "'"): return quoted(by: byte, takesEscapes: false)
      default: words.append(byte)
      }
    }
    return true
  }

  private mutating func quoted(by quote: UInt8, takesEscapes: Bool) -> Bool {
    while i < line.count {
      let byte = line[i]
      i += 1
      if byte == quote { return i == line.count || WordNumber.isSpace(line[i]) }
      guard byte == UInt8(ascii: "\\"), i < line.count else {
        words.append(byte)
        continue
      }
      if takesEscapes {
        escape()
      } else if line[i] == quote {
        words.append(quote)
        i += 1
      } else {
        words.append(byte)
      }
    }
    return false
  }

  /// Reads what stands behind a backslash.
  private mutating func escape() {
    let byte = line[i]
    if byte == UInt8(ascii: "x"), i + 2 < line.count, let high = hexadecimal(line[i + 1]),
      let low = hexadecimal(line[i + 2])
    {
      words.append(high << 4 | low)
      i += 3
      return
    }
    i += 1
    switch byte {
    case UInt8(ascii: "n"): words.append(10)
    case UInt8(ascii: "r"): words.append(13)
    case UInt8(ascii: "t"): words.append(9)
    case UInt8(ascii: "b"): words.append(8)
    case UInt8(ascii: "a"): words.append(7)
    default: words.append(byte)
    }
  }

  private func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
