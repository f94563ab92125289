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

  private let room: UnsafeMutableRawBufferPointer
  private let version: Int
  private(set) var count = 0

  init(_ room: UnsafeMutableRawBufferPointer, version: Int) {
    self.room = room
    self.version = version
  }

  @inline(__always)
  mutating func array(_ count: Int) { head("*", UInt64(count)) }

  @inline(__always)
  mutating func bulk(_ bytes: UnsafeRawBufferPointer) {
    head("$", UInt64(bytes.count))
    append(bytes)
    end()
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
    byte(UInt8(ascii: ","))
    write(atMost: RESPNumber.capacity) { $0.appendTrimmedDecimals(value) }
    end()
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
    let start = count + headOfTwoDigits
    var text = number(at: start, atMost: RESPNumber.capacity)
    write(&text)
    head("$", UInt64(text.count))
    if count < start { moveUp(text.count, from: start) }
    count += text.count
    end()
  }

  /// Moves a text of less than ten bytes up behind its head. What stands behind it may change.
  @inline(__always)
  private func moveUp(_ length: Int, from start: Int) {
    guard let base = room.baseAddress, length < 16, start + 16 <= room.count else {
      preconditionFailure("a piece is longer than was said")
    }
    let text = base.loadUnaligned(fromByteOffset: start, as: SIMD2<UInt64>.self)
    base.storeBytes(of: text, toByteOffset: count, as: SIMD2<UInt64>.self)
  }

  /// Writes a line that is a mark and a number.
  mutating func line(_ mark: Unicode.Scalar, _ number: Int64) {
    guard number < 0 else { return head(mark, UInt64(number)) }
    byte(UInt8(ascii: mark))
    byte(UInt8(ascii: "-"))
    write(atMost: RESPNumber.wholeCapacity) { $0.append(number.magnitude) }
    end()
  }

  @inline(__always)
  private mutating func head(_ mark: Unicode.Scalar, _ number: UInt64) {
    guard number < 100 else { return longHead(mark, number) }
    guard let base = room.baseAddress, count + 5 <= room.count else {
      preconditionFailure("a piece is longer than was said")
    }
    // Four bytes are stored at once; behind them a text may already stand.
    let zero = UInt32(UInt8(ascii: "0"))
    let start = UInt32(UInt8(ascii: mark))
    let digits = UInt32(truncatingIfNeeded: number)
    if digits < 10 {
      let text = start | (zero + digits) << 8 | 0x0A0D << 16
      base.storeBytes(of: text.littleEndian, toByteOffset: count, as: UInt32.self)
      count += 4
    } else {
      let text = start | (zero + digits / 10) << 8 | (zero + digits % 10) << 16 | 0x0D << 24
      base.storeBytes(of: text.littleEndian, toByteOffset: count, as: UInt32.self)
      base.storeBytes(of: 0x0A, toByteOffset: count + 4, as: UInt8.self)
      count += 5
    }
  }

  @inline(never)
  private mutating func longHead(_ mark: Unicode.Scalar, _ number: UInt64) {
    byte(UInt8(ascii: mark))
    write(atMost: RESPNumber.wholeCapacity) { $0.append(number) }
    end()
  }

  @inline(__always)
  private mutating func write(atMost most: Int, _ write: (inout RESPNumber) -> Void) {
    var text = number(at: count, atMost: most)
    write(&text)
    count += text.count
  }

  @inline(__always)
  private func number(at offset: Int, atMost most: Int) -> RESPNumber {
    guard let base = room.baseAddress, offset + most <= room.count else {
      preconditionFailure("a piece is longer than was said")
    }
    return RESPNumber(at: base + offset)
  }

  @inline(__always)
  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let base = room.baseAddress, count + bytes.count <= room.count else {
      preconditionFailure("a piece is longer than was said")
    }
    if let text = bytes.baseAddress { memcpy(base + count, text, bytes.count) }
    count += bytes.count
  }

  @inline(__always)
  private mutating func byte(_ byte: UInt8) {
    room[count] = byte
    count += 1
  }

  @inline(__always)
  private mutating func end() {
    guard let base = room.baseAddress, count + 2 <= room.count else {
      preconditionFailure("a piece is longer than was said")
    }
    base.storeBytes(of: UInt16(0x0A0D).littleEndian, toByteOffset: count, as: UInt16.self)
    count += 2
  }
}
