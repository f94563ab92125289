/// Writes protobuf bytes field by field.
///
/// Every function appends one field: a key of `number << 3 | wire type`, then its value. The fields
/// are in the order of the calls.
///
/// SwiftProtobuf reads and writes what is not called often. Where it is, messages are not built to be
/// taken apart again: a report that is read in place costs a quarter of the generated types' time.
public struct ProtobufWriter: Sendable {
  // Inlinable as all that is written for each hit: a server's answers are written in another module.
  @usableFromInline var storage: [UInt8] = []

  /// What is written.
  @inlinable package var bytes: [UInt8] { storage }

  /// - Parameter capacity: The number of bytes to make room for.
  @inlinable
  package init(capacity: Int = 0) { storage.reserveCapacity(capacity) }

  /// Makes a writer that continues after what is written already.
  @inlinable
  package init(_ bytes: [UInt8]) { storage = bytes }

  /// Appends an unsigned number.
  @inlinable
  package mutating func varint(_ number: Int, _ value: UInt64) {
    key(number, wireType: 0)
    storage.appendVarint(value)
  }

  /// Appends a zigzag number (`sint64`), which is short for small magnitudes of either sign.
  @inlinable
  package mutating func signed(_ number: Int, _ value: Int64) {
    varint(number, ZigZag.encode(value))
  }

  /// Appends a number in two's complement (`int64`); a negative one takes 10 bytes.
  @inlinable
  package mutating func int64(_ number: Int, _ value: Int64) {
    varint(number, UInt64(bitPattern: value))
  }

  /// Appends a number as ``int64(_:_:)`` does.
  @inlinable
  package mutating func int32(_ number: Int, _ value: Int) { int64(number, Int64(value)) }

  @inlinable
  package mutating func bool(_ number: Int, _ value: Bool) { varint(number, value ? 1 : 0) }

  @inlinable
  package mutating func double(_ number: Int, _ value: Double) {
    key(number, wireType: 1)
    withUnsafeBytes(of: value.bitPattern.littleEndian) { storage.append(contentsOf: $0) }
  }

  @inlinable
  package mutating func string(_ number: Int, _ value: String) {
    key(number, wireType: 2)
    storage.appendLengthAndBytes(of: value)
  }

  /// Appends bytes, or a text in UTF-8.
  @inlinable
  package mutating func bytes(_ number: Int, _ value: UnsafeRawBufferPointer) {
    key(number, wireType: 2)
    storage.appendVarint(UInt64(value.count))
    storage.append(contentsOf: value)
  }

  /// Appends an encoded message.
  @inlinable
  package mutating func embedded(_ number: Int, _ body: [UInt8]) {
    key(number, wireType: 2)
    storage.appendVarint(UInt64(body.count))
    storage.append(contentsOf: body)
  }

  /// Appends an encoded message from a writer of its own.
  package mutating func message(_ number: Int, _ body: ProtobufWriter) {
    embedded(number, body.bytes)
  }

  /// Appends a message in canonical form: its length is as short as possible, for which the content
  /// of a longer message is moved once.
  package mutating func message(_ number: Int, _ write: (inout ProtobufWriter) -> Void) {
    key(number, wireType: 2)
    let start = storage.count
    storage.append(0)
    write(&self)
    let length = storage.count - start - 1
    guard length >= 0x80 else {
      storage[start] = UInt8(length)
      return
    }
    var digits: [UInt8] = []
    digits.appendVarint(UInt64(length))
    storage.replaceSubrange(start...start, with: digits)
  }

  /// Appends a message whose length, unknown before, takes four bytes (a padded varint, which every
  /// protobuf reader accepts), so that nothing is moved. When `body` throws, nothing of it stays.
  ///
  /// - Precondition: `body` writes less than 2^28 bytes.
  package mutating func nested<Failure: Error>(
    _ number: Int, _ body: (inout ProtobufWriter) throws(Failure) -> Void
  ) throws(Failure) {
    let whole = storage.count
    key(number, wireType: 2)
    let start = storage.count
    for _ in 0..<4 { storage.append(0x80) }
    do throws(Failure) {
      try body(&self)
    } catch {
      storage.removeSubrange(whole...)
      throw error
    }
    let length = storage.count - start - 4
    assert(length < 1 << 28)
    for i in 0..<4 {
      storage[start + i] = UInt8(length >> (7 * i) & 0x7F) | (i < 3 ? 0x80 : 0)
    }
  }

  /// Appends a field of zeros, which readers skip. For a count below 1 it appends nothing.
  package mutating func zeros(_ number: Int, count: Int) {
    guard count > 0 else { return }
    key(number, wireType: 2)
    storage.appendVarint(UInt64(count))
    storage.append(contentsOf: repeatElement(0, count: count))
  }

  /// Appends a `google.protobuf.Timestamp`.
  package mutating func timestamp(_ number: Int, milliseconds: Int64) {
    message(number) { body in
      let (seconds, nanoseconds) = RFC3339.parts(milliseconds: milliseconds)
      if seconds != 0 { body.int64(1, seconds) }
      if nanoseconds != 0 { body.int64(2, nanoseconds) }
    }
  }

  /// Appends a number without a key, as packed lists have them.
  @inlinable
  package mutating func rawVarint(_ value: UInt64) { storage.appendVarint(value) }

  /// Appends bytes as they are: fields that were encoded before.
  @inlinable
  package mutating func raw(_ raw: UnsafeRawBufferPointer) { storage.append(contentsOf: raw) }

  @inlinable
  mutating func key(_ number: Int, wireType: UInt64) {
    storage.appendVarint(UInt64(number) << 3 | wireType)
  }

  /// Makes room for `count` bytes once; `fill` writes exactly so many.
  @inlinable @inline(__always)
  package mutating func append(count: Int, _ fill: (inout UncheckedProtobufWriter) -> Void) {
    appendUninitialized(count: count) { raw in
      var writer = UncheckedProtobufWriter(raw)
      fill(&writer)
      return writer.written
    }
  }

  @inlinable @inline(__always)
  mutating func appendUninitialized(
    count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int
  ) {
    storage.append(addingCapacity: count) { span in
      span.withUnsafeMutableBufferPointer { buffer, initialized in
        let written = fill(UnsafeMutableRawBufferPointer(buffer))
        precondition(written == count, "a field has \(written) bytes, not the \(count) announced")
        initialized += count
      }
    }
  }
}

/// Writes fields into uninitialised bytes without a check for each.
///
/// Invariant: ``written`` never exceeds the size, which each caller works out beforehand. Debug
/// builds check each write, and ``ProtobufWriter/append(count:_:)`` checks all of them together.
public struct UncheckedProtobufWriter {
  @usableFromInline let bytes: UnsafeMutableRawBufferPointer
  /// The number of bytes written so far.
  @inlinable package var written: Int { count }
  @usableFromInline var count = 0

  @inlinable
  package init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

  @inlinable @inline(__always)
  package mutating func byte(_ byte: UInt8) {
    bytes.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count &+= 1  // Safe: below the size of a buffer.
  }

  @inlinable @inline(__always)
  package mutating func key(_ number: UInt8, _ wireType: UInt8) { byte(number << 3 | wireType) }

  @inlinable @inline(__always)
  package mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      byte(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    byte(UInt8(truncatingIfNeeded: rest))
  }

  @inlinable @inline(__always)
  package mutating func double(_ number: UInt8, _ value: Double) {
    key(number, 1)
    bytes.storeBytes(of: value.bitPattern.littleEndian, toByteOffset: count, as: UInt64.self)
    count &+= 8  // Safe: as above.
  }

  @inlinable @inline(__always)
  package mutating func raw(_ raw: UnsafeRawBufferPointer) {
    UnsafeMutableRawBufferPointer(rebasing: bytes[count..<count + raw.count])
      .copyMemory(from: raw)
    count &+= raw.count  // Safe: as above.
  }
}

/// Returns the number of bytes that a varint takes, 1 to 10.
@inlinable @inline(__always)
package func varintLength(_ value: UInt64) -> Int {
  max(1, (64 - value.leadingZeroBitCount + 6) / 7)
}

extension [UInt8] {
  /// Appends a number in base 128, the lowest digits first.
  @inlinable @inline(__always)
  package mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends the length of a text in UTF-8, then the text.
  @inlinable
  package mutating func appendLengthAndBytes(of text: String) {
    appendVarint(UInt64(text.utf8.count))
    append(contentsOf: text.utf8)
  }
}
