import LiveLayers
import ObjectModel

/// Reads a JSON object whose values are strings, numbers, true and false: attributes as one word of
/// a command gives them. Nothing is nested, so that no input can make it call itself.
struct FlatJSON {
  private let bytes: UnsafeRawBufferPointer
  private var i = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Returns the members of the object that the bytes are; `nil` for anything else, and for a name
  /// that stands twice.
  mutating func object() -> [(name: String, value: AttributeValue)]? {
    var members: [(name: String, value: AttributeValue)] = []
    var names: Set<String> = []
    skipSpace()
    guard take("{") else { return nil }
    skipSpace()
    if !take("}") {
      repeat {
        skipSpace()
        guard let name = string().map(CanonicalText.normalize), names.insert(name).inserted else {
          return nil
        }
        skipSpace()
        guard take(":") else { return nil }
        skipSpace()
        guard let value = value() else { return nil }
        members.append((name, value))
        skipSpace()
      } while take(",")
      guard take("}") else { return nil }
    }
    skipSpace()
    return i == bytes.count ? members : nil
  }

  /// Returns the string that the bytes are; `nil` for anything else.
  mutating func onlyString() -> String? {
    guard let string = string(), i == bytes.count else { return nil }
    return string
  }

  private mutating func value() -> AttributeValue? {
    guard i < bytes.count else { return nil }
    switch bytes[i] {
    case UInt8(ascii: "\""): return string().map { .string(CanonicalText.normalize($0)) }
    case UInt8(ascii: "t"): return word("true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return word("false") ? .bool(false) : nil
    default: return number().map(AttributeValue.number)
    }
  }

  private mutating func number() -> Double? {
    let start = i
    while i < bytes.count, "+-.0123456789eE".utf8.contains(bytes[i]) { i += 1 }
    let text = UnsafeRawBufferPointer(rebasing: bytes[start..<i])
    guard let first = text.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "."),
      let value = WordNumber.double(text), value.isFinite
    else { return nil }
    return value
  }

  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    var out: [UInt8] = []
    while i < bytes.count {
      let byte = bytes[i]
      i += 1
      switch byte {
      case UInt8(ascii: "\""): return String(validating: out, as: UTF8.self)
      case 0..<32: return nil
      case UInt8(ascii: "\\"):
        guard let scalar = escape() else { return nil }
        out.append(contentsOf: Character(scalar).utf8)
      default: out.append(byte)
      }
    }
    return nil
  }

  private mutating func escape() -> Unicode.Scalar? {
    guard i < bytes.count else { return nil }
    let byte = bytes[i]
    i += 1
    switch byte {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "u"):
      guard let unit = hexadecimalUnit() else { return nil }
      guard unit >= 0xD800, unit < 0xDC00 else { return Unicode.Scalar(unit) }
      guard take("\\"), take("u"), let low = hexadecimalUnit(), low >= 0xDC00, low < 0xE000
      else { return nil }
      return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    default: return nil
    }
  }

  private mutating func hexadecimalUnit() -> UInt32? {
    guard i + 4 <= bytes.count else { return nil }
    let digits = bytes[i..<i + 4]
    i += 4
    guard digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-") else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  private mutating func word(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard i + count <= bytes.count else { return false }
    for k in 0..<count where bytes[i + k] != word.utf8Start[k] { return false }
    i += count
    return true
  }

  private mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard i < bytes.count, bytes[i] == UInt8(ascii: mark) else { return false }
    i += 1
    return true
  }

  private mutating func skipSpace() {
    while i < bytes.count, [9, 10, 13, 32].contains(bytes[i]) { i += 1 }
  }
}
