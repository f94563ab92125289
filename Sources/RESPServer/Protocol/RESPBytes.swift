#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes many small parts of an answer into memory that is known to be enough, which ``RESPWriter``
/// lends: each part written to a `ByteBuffer` by itself costs more than the search that found it.
struct RESPBytes {
  /// The most bytes of the head of a list or string: mark, sign, number, and the line's end.
  static let headBytes = 2 + RESPNumber.wholeCapacity + 2
  /// The most bytes of a number with its head.
  static let numberBytes = headBytes + RESPNumber.capacity + 2

  private let start: UnsafeMutableRawPointer
  private let end: UnsafeMutableRawPointer
  /// Where the next part goes.
  private var next: UnsafeMutableRawPointer
  private let version: Int

  /// The bytes that are written.
  var count: Int { next - start }

  init(_ room: UnsafeMutableRawBufferPointer, version: Int) {
    guard let base = room.baseAddress else { preconditionFailure("a piece has no memory") }
    start = base
    end = base + room.count
    next = base
    self.version = version
  }

  @inline(__always)
  mutating func array(_ count: Int) { head("*", UInt64(count)) }

  @inline(__always)
  mutating func bulk(_ bytes: UnsafeRawBufferPointer) {
    head("$", UInt64(bytes.count))
    requireRoom(bytes.count + 2)
    if let text = bytes.baseAddress { memcpy(next, text, bytes.count) }
    next += bytes.count
    endLine()
  }

  /// Writes the score of a member as a whole number.
  @inline(__always)
  mutating func integer(_ value: UInt64) { head(":", value) }

  /// Writes a distance with 4 decimals.
  @inline(__always)
  mutating func distance(_ value: Double) {
    string { $0.appendFourDecimals(value) }
  }

  /// Writes a coordinate with up to 17 decimals: a string in RESP2, a number in RESP3.
  @inline(__always)
  mutating func coordinate(_ value: Double) {
    guard version > 2 else { return string { $0.appendTrimmedDecimals(value) } }
    number(",", atMost: RESPNumber.capacity) { $0.appendTrimmedDecimals(value) }
  }

  /// Writes the score of a member: a string in RESP2, a number in RESP3.
  mutating func score(_ score: UInt64) {
    guard version > 2 else { return string { $0.append(score) } }
    head(",", score)
  }

  /// Writes a score as a string in both versions.
  mutating func scoreText(_ score: UInt64) { string { $0.append(score) } }

  /// Writes a text as a string; its length, which stands in front, is known only afterwards.
  @inline(__always)
  private mutating func string(_ write: (inout RESPNumber) -> Void) {
    let headOfTwoDigits = 5
    requireRoom(headOfTwoDigits + RESPNumber.capacity)
    let place = next + headOfTwoDigits
    var text = RESPNumber(at: place)
    write(&text)
    let length = text.count
    head("$", UInt64(length))
    if next < place {
      // A text of less than ten bytes moves up behind its head. What stands behind it may change.
      let moved = place.loadUnaligned(as: SIMD2<UInt64>.self)
      next.storeBytes(of: moved, as: SIMD2<UInt64>.self)
    }
    next += length
    endLine()
  }

  /// Writes a line that is a mark and a number.
  mutating func line(_ mark: Unicode.Scalar, _ number: Int64) {
    guard number < 0 else { return head(mark, UInt64(number)) }
    self.number(mark, atMost: 1 + RESPNumber.wholeCapacity) {
      $0.append(byte: UInt8(ascii: "-"))
      $0.append(number.magnitude)
    }
  }

  @inline(__always)
  private mutating func head(_ mark: Unicode.Scalar, _ number: UInt64) {
    guard number < 100 else { return longHead(mark, number) }
    requireRoom(5)
    // Four bytes are stored at once; behind them a text may already stand.
    let zero = UInt32(UInt8(ascii: "0"))
    let start = UInt32(UInt8(ascii: mark))
    let digits = UInt32(truncatingIfNeeded: number)
    if digits < 10 {
      let text = start | (zero &+ digits) << 8 | 0x0A0D << 16
      next.storeBytes(of: text.littleEndian, as: UInt32.self)
      next += 4
    } else {
      let text = start | (zero &+ digits / 10) << 8 | (zero &+ digits % 10) << 16 | 0x0D << 24
      next.storeBytes(of: text.littleEndian, as: UInt32.self)
      next.storeBytes(of: 0x0A, toByteOffset: 4, as: UInt8.self)
      next += 5
    }
  }

  @inline(never)
  private mutating func longHead(_ mark: Unicode.Scalar, _ value: UInt64) {
    number(mark, atMost: RESPNumber.wholeCapacity) { $0.append(value) }
  }

  /// Writes a line of a mark and a number.
  private mutating func number(
    _ mark: Unicode.Scalar, atMost most: Int, _ write: (inout RESPNumber) -> Void
  ) {
    requireRoom(1 + most)
    next.storeBytes(of: UInt8(ascii: mark), as: UInt8.self)
    var text = RESPNumber(at: next + 1)
    write(&text)
    next += 1 + text.count
    endLine()
  }

  @inline(__always)
  private func requireRoom(_ bytes: Int) {
    precondition(end - next >= bytes, "a piece is longer than was said")
  }

  @inline(__always)
  private mutating func endLine() {
    requireRoom(2)
    next.storeBytes(of: UInt16(0x0A0D).littleEndian, as: UInt16.self)
    next += 2
  }
}
