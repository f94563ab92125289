import WireFormat

/// The values of a layer in wire form, each once.
struct ValueTable: Sendable {
  enum Kind: UInt8, Sendable { case integer, double, boolean, string }

  /// Layer.values, field by field.
  private(set) var bytes: [UInt8] = []
  private var count: UInt32 = 0
  // Open addressing; a slot is the number of a value plus one.
  private var slots: [UInt32] = []
  private var used = 0
  private var entries: [(kind: Kind, bits: UInt64, number: UInt32)] = []
  private var strings: [String: UInt32] = [:]

  /// The number of a value, written if it is new.
  mutating func number(kind: Kind, bits: UInt64) -> UInt32 {
    if (entries.count + 1) * 2 > slots.count { grow() }
    var i = home(kind, bits)
    while slots[i] != 0 {
      let entry = entries[Int(slots[i] - 1)]
      if entry.bits == bits && entry.kind == kind { return entry.number }
      i = (i + 1) & (slots.count - 1)
    }
    let number = append(kind: kind, bits: bits)
    entries.append((kind, bits, number))
    slots[i] = UInt32(entries.count)
    return number
  }

  private func home(_ kind: Kind, _ bits: UInt64) -> Int {
    let mixed = (bits ^ UInt64(kind.rawValue)) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 32) & (slots.count - 1)
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: max(64, slots.count * 2))
    for (n, entry) in entries.enumerated() {
      var i = home(entry.kind, entry.bits)
      while slots[i] != 0 { i = (i + 1) & (slots.count - 1) }
      slots[i] = UInt32(n + 1)
    }
  }

  mutating func append(kind: Kind, bits: UInt64) -> UInt32 {
    bytes.append(0x22)  // Layer.values
    switch kind {
    case .integer:
      if bits >> 63 == 0 {
        bytes.append(UInt8(1 + varintLength(bits)))
        bytes.append(0x28)  // uint_value
        bytes.appendVarint(bits)
      } else {
        let zigzag = bits << 1 ^ .max
        bytes.append(UInt8(1 + varintLength(zigzag)))
        bytes.append(0x30)  // sint_value
        bytes.appendVarint(zigzag)
      }
    case .double:
      bytes.append(9)
      bytes.append(0x19)  // double_value
      for i in 0..<UInt64(8) { bytes.append(UInt8(truncatingIfNeeded: bits >> (8 * i))) }
    case .boolean:
      bytes.append(2)
      bytes.append(0x38)  // bool_value
      bytes.append(UInt8(truncatingIfNeeded: bits))
    case .string:
      preconditionFailure("strings are not kept as bits")
    }
    count += 1
    return count - 1
  }

  mutating func string(_ value: String) -> UInt32 {
    if let number = strings[value] { return number }
    let number = append(string: value)
    strings[value] = number
    return number
  }

  mutating func append(string value: String) -> UInt32 {
    let length = value.utf8.count
    bytes.append(0x22)
    bytes.appendVarint(UInt64(1 + varintLength(UInt64(length)) + length))
    bytes.append(0x0A)  // string_value
    bytes.appendVarint(UInt64(length))
    bytes.append(contentsOf: value.utf8)
    count += 1
    return count - 1
  }
}
