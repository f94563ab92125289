import MoyeoEngine
import SpatialIndexing

/// Writes moyeo.v1 messages straight from the index, without generated types in between:
/// 20 hits with tags and attributes cost a tenth of what building and encoding messages costs.
/// `Tests/MoyeoServerTests` holds the two encodings equal.
struct MessageWriter {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// To go on after what is written already.
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func string(_ number: UInt8, _ text: String) {
    bytes.append(number << 3 | 2)
    varint(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  mutating func double(_ number: UInt8, _ value: Double) {
    bytes.append(number << 3 | 1)
    withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func int32(_ number: UInt8, _ value: Int) { int64(number, Int64(value)) }

  mutating func int64(_ number: UInt8, _ value: Int64) {
    bytes.append(number << 3)
    varint(UInt64(bitPattern: value))
  }

  mutating func bool(_ number: UInt8, _ value: Bool) {
    bytes.append(number << 3)
    bytes.append(value ? 1 : 0)
  }

  mutating func message(_ number: UInt8, _ body: MessageWriter) {
    embedded(number, body.bytes)
  }

  /// An encoded message.
  mutating func embedded(_ number: UInt8, _ body: [UInt8]) {
    bytes.append(number << 3 | 2)
    varint(UInt64(body.count))
    bytes.append(contentsOf: body)
  }

  /// A message written in place: its length, unknown before, stands as four bytes (a padded
  /// varint, which every protobuf reader takes), so nothing is copied. When `body` throws, nothing
  /// of it stays.
  mutating func nested<Failure: Error>(
    _ number: UInt8, _ body: (inout MessageWriter) throws(Failure) -> Void
  ) throws(Failure) {
    let start = bytes.count
    bytes.append(number << 3 | 2)
    for _ in 0..<4 { bytes.append(0x80) }
    do throws(Failure) {
      try body(&self)
    } catch {
      bytes.removeSubrange(start...)
      throw error
    }
    let length = bytes.count - start - 5
    assert(length < 1 << 28)
    for i in 0..<4 {
      bytes[start + 1 + i] = UInt8(length >> (7 * i) & 0x7F) | (i < 3 ? 0x80 : 0)
    }
  }

  mutating func raw(_ raw: UnsafeRawBufferPointer) { bytes.append(contentsOf: raw) }

  mutating func timestamp(_ number: UInt8, milliseconds: Int64) {
    var body = MessageWriter()
    let (seconds, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    let borrowed = remainder < 0
    if seconds != 0 || borrowed {
      body.bytes.append(1 << 3)
      body.varint(UInt64(bitPattern: borrowed ? seconds - 1 : seconds))
    }
    let nanoseconds = (borrowed ? remainder + 1000 : remainder) * 1_000_000
    if nanoseconds != 0 {
      body.bytes.append(2 << 3)
      body.varint(UInt64(nanoseconds))
    }
    message(number, body)
  }

  mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  static func varintSize(_ value: Int) -> Int {
    value < 0x80 ? 1 : (value < 0x4000 ? 2 : (value < 0x20_0000 ? 3 : 4))
  }
}

/// The numbers of a hit besides its stored bytes.
struct HitFields {
  var distanceMeters: Double?
  var bearingDegrees: Double?
  var ageSeconds: Double
}

extension MessageWriter {
  /// A `Hit` as field `number`.
  mutating func hit(_ number: UInt8, _ hit: HitContents, _ fields: HitFields) {
    let idSize = 1 + Self.varintSize(hit.id.count) + hit.id.count
    let doubles =
      3 + (fields.distanceMeters == nil ? 0 : 1) + (fields.bearingDegrees == nil ? 0 : 1)
    let size = idSize + 9 * doubles + hit.payload.count
    append(count: 1 + Self.varintSize(size) + size) { room in
      room.key(number, 2)
      room.varint(UInt64(size))
      room.key(1, 2)
      room.varint(UInt64(hit.id.count))
      room.raw(hit.id)
      room.double(2, hit.latitude)
      room.double(3, hit.longitude)
      if let distance = fields.distanceMeters { room.double(4, distance) }
      if let bearing = fields.bearingDegrees { room.double(5, bearing) }
      room.double(6, fields.ageSeconds)
      room.raw(hit.payload)
    }
  }

  /// A layer's version, as ``LayerVersion/text`` has it.
  mutating func version(_ number: UInt8, _ version: LayerVersion) {
    let epoch = Self.hexDigits(UInt64(version.epoch))
    let counter = Self.hexDigits(version.counter)
    append(count: 3 + epoch + counter) { room in
      room.key(number, 2)
      room.varint(UInt64(epoch + 1 + counter))
      room.hexadecimal(UInt64(version.epoch), digits: epoch)
      room.byte(UInt8(ascii: "-"))
      room.hexadecimal(version.counter, digits: counter)
    }
  }

  private static func hexDigits(_ value: UInt64) -> Int {
    max(1, (67 - value.leadingZeroBitCount) / 4)
  }

  /// Room for `count` bytes is looked for once; `fill` writes exactly so many.
  @inline(__always)
  private mutating func append(count: Int, _ fill: (inout MessageRoom) -> Void) {
    bytes.append(addingCapacity: count) { span in
      span.withUnsafeMutableBufferPointer { buffer, initialized in
        var room = MessageRoom(UnsafeMutableRawBufferPointer(buffer))
        fill(&room)
        precondition(room.written == count, "a field of another size than was said")
        initialized += count
      }
    }
  }
}

/// Uninitialised bytes that fields are written into, without a check for each.
///
/// Invariant: `written` never passes the size, which each caller works out beforehand; checked in
/// debug builds for each write, and by ``MessageWriter`` for all of them.
private struct MessageRoom {
  private let bytes: UnsafeMutableRawBufferPointer
  private(set) var written = 0

  init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

  mutating func byte(_ byte: UInt8) {
    bytes.storeBytes(of: byte, toByteOffset: written, as: UInt8.self)
    written &+= 1  // Safe: below the size of a buffer.
  }

  mutating func key(_ number: UInt8, _ wireType: UInt8) { byte(number << 3 | wireType) }

  mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      byte(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    byte(UInt8(rest))
  }

  mutating func double(_ number: UInt8, _ value: Double) {
    key(number, 1)
    bytes.storeBytes(of: value.bitPattern.littleEndian, toByteOffset: written, as: UInt64.self)
    written &+= 8  // Safe: as above.
  }

  mutating func raw(_ raw: UnsafeRawBufferPointer) {
    UnsafeMutableRawBufferPointer(rebasing: bytes[written..<written + raw.count])
      .copyMemory(from: raw)
    written &+= raw.count  // Safe: as above.
  }

  mutating func hexadecimal(_ value: UInt64, digits: Int) {
    for digit in stride(from: 4 * (digits - 1), through: 0, by: -4) {
      let nibble = UInt8(truncatingIfNeeded: value >> UInt64(digit) & 15)
      byte(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") - 10 + nibble)
    }
  }
}
