import ObjectModel
import Testing
import WireFormat

/// The one suite for damaged and truncated protobuf bytes: every reader of the package rests on
/// ``ProtobufReader``.
@Suite struct ProtobufFuzzTests {
  /// A field as the model has it.
  private enum Value: Equatable {
    case varint(UInt64)
    case double(UInt64)
    case bytes([UInt8])
  }

  private static func randomFields(_ random: inout SplitMix64) -> [(number: Int, value: Value)] {
    (0..<random.below(12)).map { _ in
      let number = 1 + random.below([15, 2047, (1 << 29) - 1][random.below(3)])
      switch random.below(3) {
      case 0: return (number, .varint(random.next() >> UInt64(random.below(64))))
      case 1: return (number, .double(random.next()))
      default:
        return (number, .bytes((0..<random.below(300)).map { _ in UInt8(random.below(256)) }))
      }
    }
  }

  private static func write(_ fields: [(number: Int, value: Value)]) -> [UInt8] {
    var writer = ProtobufWriter()
    for field in fields {
      switch field.value {
      case .varint(let value): writer.varint(field.number, value)
      case .double(let bits): writer.double(field.number, Double(bitPattern: bits))
      case .bytes(let bytes): writer.embedded(field.number, bytes)
      }
    }
    return writer.bytes
  }

  private static func read(_ bytes: [UInt8]) throws -> [(number: Int, value: Value)] {
    try bytes.withProtobufReader { reader throws(WireFormatError) in
      var fields: [(number: Int, value: Value)] = []
      while let field = try reader.next() {
        switch field.wireType {
        case 0: fields.append((field.number, .varint(field.bits)))
        case 1: fields.append((field.number, .double(field.bits)))
        default: fields.append((field.number, .bytes(Array(field.bytes))))
        }
      }
      return fields
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func whatIsWrittenIsReadBack(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      let fields = Self.randomFields(&random)
      let found = try Self.read(Self.write(fields))
      #expect(found.map(\.number) == fields.map(\.number))
      #expect(found.map(\.value) == fields.map(\.value))
    }
  }

  @Test(arguments: [4, 5, 6] as [UInt64])
  func aCutOffMessageIsDamagedOrEndsBetweenFields(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let fields = Self.randomFields(&random)
      let bytes = Self.write(fields)
      guard !bytes.isEmpty else { continue }
      let cut = Array(bytes[..<random.below(bytes.count)])
      if let found = try? Self.read(cut) {
        #expect(found.map(\.value) == fields.prefix(found.count).map(\.value))
        #expect(Self.write(found).count == cut.count)
      }
    }
  }

  @Test(arguments: [7, 8, 9] as [UInt64])
  func bothStylesAgreeOnAnyBytes(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<3000 {
      let bytes = (0..<random.below(40)).map { _ in UInt8(random.below(256)) }
      bytes.withProtobufReader { reader in
        var quiet = reader
        var quietCount = 0
        while quiet.nextField() != nil { quietCount += 1 }
        var count = 0
        var isIntact = true
        do throws(WireFormatError) {
          while try reader.next() != nil { count += 1 }
        } catch {
          isIntact = false
        }
        #expect(count == quietCount && isIntact == quiet.isIntact, "\(bytes)")
      }
    }
  }

  @Test func rulesForDamage() {
    let damaged: [[UInt8]] = [
      [0x00], [0x08], [0x0A, 5, 1], [0x0B], [0x0C], [0x0E], [0x0F], [0x09, 1, 2, 3], [0x0D, 1],
      Array(repeating: 0x80, count: 11), [0x0A] + Array(repeating: 0xFF, count: 9) + [1],
      [0x80, 0x80, 0x80, 0x80, 0x10, 0],
    ]
    for bytes in damaged {
      #expect(throws: WireFormatError.self, "\(bytes)") { try Self.read(bytes) }
    }
  }

  @Test func aPaddedLengthIsReadAsTheCanonicalOne() throws {
    var padded = ProtobufWriter()
    padded.nested(3) { $0.string(1, "모여") }
    var canonical = ProtobufWriter()
    canonical.message(3) { $0.string(1, "모여") }
    #expect(padded.bytes.count == canonical.bytes.count + 3)
    #expect(try Self.read(padded.bytes).map(\.value) == Self.read(canonical.bytes).map(\.value))
  }
}
