/// Writes many small parts of an answer into memory that is known to be enough, which ``RESPWriter``
/// lends: each part written to a `ByteBuffer` by itself costs more than the search that found it.
struct RESPBytes {
  /// The most bytes of the head of a list or string, its number's 20 digits included.
  static let headBytes = 23
  /// The most bytes of a number with its head.
  static let numberBytes = headBytes + NumberText.capacity + 2

  private let room: UnsafeMutableRawBufferPointer
  private let version: Int
  private(set) var count = 0

  init(_ room: UnsafeMutableRawBufferPointer, version: Int) {
    self.room = room
    self.version = version
  }

  mutating func array(_ count: Int) { head("*", UInt64(count)) }

  mutating func bulk(_ bytes: UnsafeRawBufferPointer) {
    head("$", UInt64(bytes.count))
    append(bytes)
    end()
  }

  /// Writes the score of a member as a whole number.
  mutating func integer(_ value: UInt64) { head(":", value) }

  /// Writes a distance with 4 decimals.
  mutating func distance(_ value: Double) {
    var text = NumberText()
    text.appendFourDecimals(value)
    text.bytes { bulk($0) }
  }

  /// Writes a coordinate with up to 17 decimals.
  mutating func coordinate(_ value: Double) {
    var text = NumberText()
    text.appendTrimmedDecimals(value)
    text.bytes { digits in
      guard version > 2 else { return bulk(digits) }
      byte(UInt8(ascii: ","))
      append(digits)
      end()
    }
  }

  private mutating func head(_ mark: Unicode.Scalar, _ number: UInt64) {
    byte(UInt8(ascii: mark))
    if number < 10 {
      byte(UInt8(ascii: "0") + UInt8(number))
    } else {
      var text = NumberText()
      text.append(number)
      text.bytes { append($0) }
    }
    end()
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    UnsafeMutableRawBufferPointer(rebasing: room[count..<(count + bytes.count)])
      .copyMemory(from: bytes)
    count += bytes.count
  }

  private mutating func byte(_ byte: UInt8) {
    room[count] = byte
    count += 1
  }

  private mutating func end() {
    byte(0x0D)
    byte(0x0A)
  }
}
