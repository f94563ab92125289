import LiveLayers
import SpatialIndexing
import WireFormat

/// The numbers of a hit besides its stored bytes.
struct HitFields {
  var distanceMeters: Double?
  var bearingDegrees: Double?
  var ageSeconds: Double
}

/// Writes hits and versions of moyeo.v1 straight from the index, without generated types in
/// between: 20 hits with tags and attributes cost a tenth of what building and encoding messages
/// costs. `Tests/MoyeoServerTests` holds the two encodings equal.
extension ProtobufWriter {
  /// A `Hit` as field `number`, at most 15.
  mutating func hit(_ number: Int, _ hit: HitContents, _ fields: HitFields) {
    let idSize = 1 + varintLength(UInt64(hit.id.count)) + hit.id.count
    let doubles =
      3 + (fields.distanceMeters == nil ? 0 : 1) + (fields.bearingDegrees == nil ? 0 : 1)
    let size = idSize + 9 * doubles + hit.payload.count
    append(count: 1 + varintLength(UInt64(size)) + size) { room in
      room.key(UInt8(number), 2)
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
  mutating func version(_ number: Int, _ version: LayerVersion) {
    let epoch = Self.hexDigits(UInt64(version.epoch))
    let counter = Self.hexDigits(version.counter)
    append(count: 3 + epoch + counter) { room in
      room.key(UInt8(number), 2)
      room.varint(UInt64(epoch + 1 + counter))
      room.hexadecimal(UInt64(version.epoch), digits: epoch)
      room.byte(UInt8(ascii: "-"))
      room.hexadecimal(version.counter, digits: counter)
    }
  }

  private static func hexDigits(_ value: UInt64) -> Int {
    max(1, (67 - value.leadingZeroBitCount) / 4)
  }
}

extension UncheckedProtobufWriter {
  fileprivate mutating func hexadecimal(_ value: UInt64, digits: Int) {
    for digit in stride(from: 4 * (digits - 1), through: 0, by: -4) {
      let nibble = UInt8(truncatingIfNeeded: value >> UInt64(digit) & 15)
      byte(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") - 10 + nibble)
    }
  }
}
