import NIOCore

/// Writes answers in RESP2 or RESP3 straight into the bytes that are sent.
struct RESPWriter {
  /// 2 or 3.
  var version = 2
  var buffer: ByteBuffer

  init(version: Int, buffer: ByteBuffer) {
    self.version = version
    self.buffer = buffer
  }

  /// Writes many parts in one piece.
  ///
  /// - Parameters:
  ///   - most: The bytes that they take at most.
  ///   - write: Writes them.
  mutating func piece(atMost most: Int, _ write: (inout RESPBytes) -> Void) {
    buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: most) { room in
      var bytes = RESPBytes(room, version: version)
      write(&bytes)
      precondition(bytes.count <= most, "a piece is longer than was said")
      return bytes.count
    }
  }

  /// Writes a status, such as `+OK`.
  mutating func status(_ text: StaticString) {
    byte("+")
    _ = buffer.writeStaticString(text)
    end()
  }

  /// Writes a status that is known at run time; it has no line end.
  mutating func status(_ text: String) {
    byte("+")
    buffer.writeString(text)
    end()
  }

  /// Writes an error with its code, such as `ERR`; line ends in it become spaces.
  mutating func error(_ text: String) {
    byte("-")
    buffer.writeBytes(text.utf8.map { $0 == 10 || $0 == 13 ? 32 : $0 })
    end()
  }

  mutating func integer(_ value: Int64) { head(":", value) }

  mutating func integer(_ value: Int) { head(":", Int64(value)) }

  mutating func bulk(_ bytes: some Collection<UInt8>) {
    head("$", Int64(bytes.count))
    buffer.writeBytes(bytes)
    end()
  }

  mutating func bulk(_ text: String) { bulk(text.utf8) }

  mutating func array(_ count: Int) { head("*", Int64(count)) }

  /// Begins a map of so many pairs: names and values in turn.
  mutating func map(_ pairs: Int) {
    if version > 2 { head("%", Int64(pairs)) } else { head("*", Int64(pairs) * 2) }
  }

  /// Begins a set.
  mutating func set(_ count: Int) { head(version > 2 ? "~" : "*", Int64(count)) }

  mutating func null() { literal("$-1\r\n") }

  /// Writes the absence of an array, which RESP2 tells from that of a string.
  mutating func nullArray() { literal("*-1\r\n") }

  /// Writes a text that is meant to be read by people.
  mutating func verbatim(_ text: String) {
    guard version > 2 else { return bulk(text) }
    head("=", Int64(text.utf8.count + 4))
    buffer.writeString("txt:")
    buffer.writeString(text)
    end()
  }

  /// Writes a coordinate with up to 17 decimals.
  mutating func coordinate(_ value: Double) {
    piece(atMost: RESPBytes.numberBytes) { $0.coordinate(value) }
  }

  /// Writes the score of a member.
  mutating func score(_ score: UInt64) {
    piece(atMost: RESPBytes.numberBytes) { $0.score(score) }
  }

  /// Writes a score as a string in both versions, as ZSCAN does.
  mutating func scoreText(_ score: UInt64) {
    piece(atMost: RESPBytes.numberBytes) { $0.scoreText(score) }
  }

  /// Writes a distance with 4 decimals.
  mutating func distance(_ value: Double) {
    piece(atMost: RESPBytes.numberBytes) { $0.distance(value) }
  }

  private mutating func literal(_ resp2: StaticString) {
    _ = buffer.writeStaticString(version > 2 ? "_\r\n" : resp2)
  }

  private mutating func head(_ mark: Unicode.Scalar, _ number: Int64) {
    piece(atMost: RESPBytes.headBytes) { $0.line(mark, number) }
  }

  private mutating func byte(_ mark: Unicode.Scalar) {
    buffer.writeInteger(UInt8(ascii: mark))
  }

  private mutating func end() { buffer.writeInteger(UInt16(0x0D0A)) }
}
