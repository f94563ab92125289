/// Writes JSON objects without building a tree of them.
struct JSONText {
  private var bytes: [UInt8] = []
  private var isFirst = true

  static func object(_ write: (inout JSONText) -> Void) -> [UInt8] {
    var text = JSONText()
    text.bytes.reserveCapacity(512)
    text.nested(write)
    return text.bytes
  }

  private mutating func nested(_ write: (inout JSONText) -> Void) {
    bytes.append(UInt8(ascii: "{"))
    isFirst = true
    write(&self)
    bytes.append(UInt8(ascii: "}"))
    isFirst = false
  }

  mutating func string(_ name: String, _ value: String) {
    key(name)
    quoted(value)
  }

  mutating func integer(_ name: String, _ value: Int64) {
    key(name)
    bytes.append(contentsOf: String(value).utf8)
  }

  mutating func number(_ name: String, _ value: Double) {
    key(name)
    guard value.isFinite else { return literal("null") }
    // Whole numbers without ".0", as other writers have them.
    if value == value.rounded(), value.magnitude < 9e15 {
      bytes.append(contentsOf: String(Int64(value)).utf8)
    } else {
      bytes.append(contentsOf: value.description.utf8)
    }
  }

  mutating func bool(_ name: String, _ value: Bool) {
    key(name)
    literal(value ? "true" : "false")
  }

  mutating func object(_ name: String, _ write: (inout JSONText) -> Void) {
    key(name)
    nested(write)
  }

  mutating func objects<T>(_ name: String, _ items: [T], _ write: (T, inout JSONText) -> Void) {
    key(name)
    bytes.append(UInt8(ascii: "["))
    for (i, item) in items.enumerated() {
      if i > 0 { bytes.append(UInt8(ascii: ",")) }
      nested { write(item, &$0) }
    }
    bytes.append(UInt8(ascii: "]"))
  }

  mutating func strings(_ name: String, _ items: [String]) {
    key(name)
    bytes.append(UInt8(ascii: "["))
    for (i, item) in items.enumerated() {
      if i > 0 { bytes.append(UInt8(ascii: ",")) }
      quoted(item)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func key(_ name: String) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
    quoted(name)
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func literal(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  private static let digits = Array("0123456789abcdef".utf8)

  private mutating func quoted(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20:
        literal("\\u00")
        bytes.append(Self.digits[Int(byte >> 4)])
        bytes.append(Self.digits[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
