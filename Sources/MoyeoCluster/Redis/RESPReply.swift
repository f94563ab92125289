package import NIOCore

/// An answer of a Redis server, in RESP2 or RESP3.
package enum RESPReply: Hashable, Sendable {
  /// A line: a status, or a number of RESP3 as its text.
  case line(String)
  /// What the server refuses, e.g. `MOVED 3999 127.0.0.1:6381`.
  case error(String)
  case integer(Int64)
  case bulk(ByteBuffer)
  case null
  /// A list or set; a map as keys and values in turn.
  case array([RESPReply])
  /// What a server tells of itself, which answers no command.
  case push([RESPReply])

  package var elements: [RESPReply]? { if case .array(let all) = self { all } else { nil } }

  package var integerValue: Int64? { if case .integer(let value) = self { value } else { nil } }

  /// The text of a string or line.
  package var text: String? {
    switch self {
    case .line(let text): text
    case .bulk(let bytes): String(buffer: bytes)
    case .error, .integer, .null, .array, .push: nil
    }
  }
}

/// What a server sends is no RESP, or more than is taken.
package struct RESPReplyError: Error, Hashable {
  package let message: String
}

/// Reads answers as their bytes arrive. Each token is read once, however the bytes are cut, and nothing
/// is reserved on the word of a length alone.
package struct RESPReplyParser {
  package struct Limits: Sendable, Hashable {
    /// The most bytes of one answer.
    package var replyBytes = 64 << 20
    /// The most values of one answer, in all its lists.
    package var values = 1 << 20
    package var depth = 8
    package var lineBytes = 64 << 10
    package init() {}
  }

  private struct Open {
    var left: Int
    var isPush: Bool
    var values: [RESPReply]
  }

  private let limits: Limits
  private var open: [Open] = []
  /// Of the answer that is being read.
  private var taken = 0
  private var values = 0

  package init(limits: Limits = Limits()) { self.limits = limits }

  /// Takes the next answer out of what has arrived.
  ///
  /// - Returns: Nil until it is there whole.
  /// - Throws: ``RESPReplyError``; the connection is of no use then.
  package mutating func next(in buffer: inout ByteBuffer) throws(RESPReplyError) -> RESPReply? {
    while true {
      guard var value = try token(in: &buffer) else { return nil }
      while true {
        guard var top = open.popLast() else {
          taken = 0
          values = 0
          return value
        }
        top.values.append(value)
        top.left -= 1
        guard top.left == 0 else {
          open.append(top)
          break
        }
        value = top.isPush ? .push(top.values) : .array(top.values)
      }
    }
  }

  /// Reads one token that is a value by itself. Heads of lists open them.
  private mutating func token(in buffer: inout ByteBuffer) throws(RESPReplyError) -> RESPReply? {
    while true {
      guard let mark = buffer.getInteger(at: buffer.readerIndex, as: UInt8.self),
        let line = try line(in: buffer)
      else { return nil }
      let headBytes = line.count + 3
      values += 1
      if values > limits.values { throw RESPReplyError(message: "too many values") }
      switch Unicode.Scalar(mark) {
      case "+", ",", "(":
        try take(headBytes, of: &buffer)
        return .line(line)
      case "-":
        try take(headBytes, of: &buffer)
        return .error(line)
      case ":":
        let number = try number(line)
        try take(headBytes, of: &buffer)
        return .integer(number)
      case "#":
        guard line == "t" || line == "f" else { throw RESPReplyError(message: "bad boolean") }
        try take(headBytes, of: &buffer)
        return .integer(line == "t" ? 1 : 0)
      case "_":
        try take(headBytes, of: &buffer)
        return .null
      case "$", "=", "!":
        let count = try number(line)
        if count == -1 {
          try take(headBytes, of: &buffer)
          return .null
        }
        guard count >= 0, count <= limits.replyBytes else {
          throw RESPReplyError(message: "bad length of a string")
        }
        guard buffer.readableBytes >= headBytes + Int(count) + 2 else {
          values -= 1
          return nil
        }
        try take(headBytes + Int(count) + 2, ofWhole: buffer)
        buffer.moveReaderIndex(forwardBy: headBytes)
        guard let bytes = buffer.readSlice(length: Int(count)),
          buffer.readInteger(as: UInt16.self) == 0x0D0A
        else { throw RESPReplyError(message: "a string does not end where it should") }
        return mark == UInt8(ascii: "!") ? .error(String(buffer: bytes)) : .bulk(bytes)
      case "*", "~", ">", "%":
        var count = try number(line)
        try take(headBytes, of: &buffer)
        if count == -1 { return .null }
        guard count >= 0, count <= limits.values else {
          throw RESPReplyError(message: "bad length of a list")
        }
        if mark == UInt8(ascii: "%") { count *= 2 }
        let isPush = mark == UInt8(ascii: ">")
        if count == 0 { return isPush ? .push([]) : .array([]) }
        guard open.count < limits.depth else { throw RESPReplyError(message: "lists too deep") }
        open.append(Open(left: Int(count), isPush: isPush, values: []))
      default: throw RESPReplyError(message: "unknown mark \(mark)")
      }
    }
  }

  /// Returns the text between a mark and its line's end, nil until that has arrived.
  private func line(in buffer: ByteBuffer) throws(RESPReplyError) -> String? {
    let view = buffer.readableBytesView.dropFirst()
    guard let end = view.prefix(limits.lineBytes).firstIndex(of: UInt8(ascii: "\r")) else {
      if view.count >= limits.lineBytes { throw RESPReplyError(message: "a line is too long") }
      return nil
    }
    guard end + 1 < view.endIndex else { return nil }
    guard view[end + 1] == UInt8(ascii: "\n") else {
      throw RESPReplyError(message: "a line does not end where it should")
    }
    // Lines are ASCII; a byte that is none must not change their length.
    let bytes = view[view.startIndex..<end]
    guard bytes.allSatisfy({ $0 < 0x80 }) else {
      throw RESPReplyError(message: "a line is not ASCII")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func take(_ count: Int, of buffer: inout ByteBuffer) throws(RESPReplyError) {
    try take(count, ofWhole: buffer)
    buffer.moveReaderIndex(forwardBy: count)
  }

  private mutating func take(_ count: Int, ofWhole buffer: ByteBuffer) throws(RESPReplyError) {
    taken += count
    if taken > limits.replyBytes { throw RESPReplyError(message: "an answer is too long") }
  }

  private func number(_ text: String) throws(RESPReplyError) -> Int64 {
    guard let number = Int64(text) else { throw RESPReplyError(message: "bad number") }
    return number
  }
}
