import ObjectModel
import SwiftProtobuf

@testable import MoyeoAPI

/// Encodes random messages of a schema, field by field, with values of all sizes.
struct RandomWireMessage {
  var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func message(_ schema: MessageSchema, depth: Int = 0) -> [UInt8] {
    var out: [UInt8] = []
    for field in schema.fields where Int.random(in: 0..<4, using: &generator) > 0 {
      let count = field.isRepeated ? Int.random(in: 0..<4, using: &generator) : 1
      if case .message = field.kind, depth > 3 { continue }
      for _ in 0..<count { value(field.kind, number: field.number, depth: depth, to: &out) }
    }
    return out
  }

  private mutating func value(
    _ kind: MessageSchema.Kind, number: Int, depth: Int, to out: inout [UInt8]
  ) {
    switch kind {
    case .double: fixed(number, finiteDouble().bitPattern, to: &out)
    case .float, .fixed32, .sfixed32:
      tag(number, 5, to: &out)
      withUnsafeBytes(of: UInt32(truncatingIfNeeded: bits()).littleEndian) {
        out.append(contentsOf: $0)
      }
    case .bool: integer(number, UInt64.random(in: 0...1, using: &generator), to: &out)
    case .enumeration: integer(number, UInt64.random(in: 0...2, using: &generator), to: &out)
    case .int32, .sint32:
      integer(
        number, UInt64(bitPattern: Int64(Int32(truncatingIfNeeded: Int64(bitPattern: bits())))),
        to: &out)
    case .uint32: integer(number, UInt64(UInt32(truncatingIfNeeded: bits())), to: &out)
    case .int64, .uint64, .sint64: integer(number, bits(), to: &out)
    case .fixed64, .sfixed64: fixed(number, bits(), to: &out)
    case .string: bytes(number, Array(text().utf8), to: &out)
    case .bytes:
      let count = Int.random(in: 0..<20, using: &generator)
      bytes(number, (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }, to: &out)
    case .message(let name): bytes(number, inner(name, depth: depth + 1), to: &out)
    }
  }

  private mutating func inner(_ name: String, depth: Int) -> [UInt8] {
    let encoded: [UInt8]?
    switch name {
    case "google.protobuf.Struct": encoded = try? structure(depth).serializedBytes()
    case "google.protobuf.Value": encoded = try? structValue(depth).serializedBytes()
    case "google.protobuf.ListValue": encoded = try? list(depth).serializedBytes()
    case "google.protobuf.Timestamp":
      var time = Google_Protobuf_Timestamp()
      time.seconds = Int64.random(in: -62_135_596_800...253_402_300_799, using: &generator)
      time.nanos =
        [0, 5_000_000, 999_000_000, 123_456_789, 1].randomElement(using: &generator) ?? 0
      encoded = try? time.serializedBytes()
    default: encoded = MessageSchema.all[name].map { message($0, depth: depth) }
    }
    return encoded ?? []
  }

  private mutating func structure(_ depth: Int) -> Google_Protobuf_Struct {
    var out = Google_Protobuf_Struct()
    for _ in 0..<Int.random(in: 0..<4, using: &generator) {
      out.fields[text()] = structValue(depth + 1)
    }
    return out
  }

  private mutating func list(_ depth: Int) -> Google_Protobuf_ListValue {
    var out = Google_Protobuf_ListValue()
    for _ in 0..<Int.random(in: 0..<4, using: &generator) { out.values.append(structValue(depth)) }
    return out
  }

  private mutating func structValue(_ depth: Int) -> Google_Protobuf_Value {
    var out = Google_Protobuf_Value()
    switch Int.random(in: 0..<(depth > 5 ? 4 : 6), using: &generator) {
    case 0: out.nullValue = .nullValue
    case 1: out.numberValue = finiteDouble()
    case 2: out.stringValue = text()
    case 3: out.boolValue = Bool.random(using: &generator)
    case 4: out.structValue = structure(depth + 1)
    default: out.listValue = list(depth + 1)
    }
    return out
  }

  private mutating func bits() -> UInt64 {
    generator.next() >> UInt64.random(in: 0..<64, using: &generator)
  }

  /// Coordinates, whole numbers, and any finite bit pattern.
  private mutating func finiteDouble() -> Double {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return Double.random(in: -180...180, using: &generator)
    case 1:
      return Double(Int64.random(in: -1_000_000_000_000...1_000_000_000_000, using: &generator))
    case 2:
      return [0, -0.0, 0.1, 1e15, 1e16, 9_007_199_254_740_992, 1e-300, 1.7e308]
        .randomElement(using: &generator) ?? 0
    default:
      let value = Double(bitPattern: generator.next())
      return value.isFinite ? value : 1.5
    }
  }

  private mutating func text() -> String {
    let pieces = [
      "a", "swift", "모여", "\u{1112}\u{1161}", "\"", "\\", "\n", "\t", "\u{1}", "\u{7F}",
      "\u{2028}", "😀", "</script>", "é", "\0",
    ]
    return (0..<Int.random(in: 0..<5, using: &generator)).map { _ in
      pieces.randomElement(using: &generator) ?? ""
    }.joined()
  }

  // MARK: - Wire format

  private func tag(_ number: Int, _ wireType: Int, to out: inout [UInt8]) {
    varint(UInt64(number << 3 | wireType), to: &out)
  }

  private func integer(_ number: Int, _ value: UInt64, to out: inout [UInt8]) {
    tag(number, 0, to: &out)
    varint(value, to: &out)
  }

  private func fixed(_ number: Int, _ value: UInt64, to out: inout [UInt8]) {
    tag(number, 1, to: &out)
    withUnsafeBytes(of: value.littleEndian) { out.append(contentsOf: $0) }
  }

  private func bytes(_ number: Int, _ value: [UInt8], to out: inout [UInt8]) {
    tag(number, 2, to: &out)
    varint(UInt64(value.count), to: &out)
    out.append(contentsOf: value)
  }

  private func varint(_ value: UInt64, to out: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      out.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    out.append(UInt8(rest))
  }
}
