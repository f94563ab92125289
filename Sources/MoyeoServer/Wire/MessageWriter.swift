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

  mutating func int32(_ number: UInt8, _ value: Int) {
    bytes.append(number << 3)
    varint(UInt64(bitPattern: Int64(value)))
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
  mutating func hit(_ number: UInt8, _ hit: HitView, _ fields: HitFields) {
    let idSize = 1 + Self.varintSize(hit.id.count) + hit.id.count
    let doubles =
      3 + (fields.distanceMeters == nil ? 0 : 1) + (fields.bearingDegrees == nil ? 0 : 1)
    let size = idSize + 9 * doubles + hit.payload.count
    bytes.append(number << 3 | 2)
    varint(UInt64(size))
    bytes.append(1 << 3 | 2)
    varint(UInt64(hit.id.count))
    raw(hit.id)
    double(2, hit.latitude)
    double(3, hit.longitude)
    if let distance = fields.distanceMeters { double(4, distance) }
    if let bearing = fields.bearingDegrees { double(5, bearing) }
    double(6, fields.ageSeconds)
    raw(hit.payload)
  }
}
