/// A list of strings as a JSON array, for columns that people read in SQL.
enum StringList {
  static func encode(_ list: [String]) -> String {
    var out: [UInt8] = [UInt8(ascii: "[")]
    out.reserveCapacity(2 + list.reduce(0) { $0 + $1.utf8.count + 3 })
    for (index, text) in list.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      out.append(UInt8(ascii: "\""))
      for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): out += [UInt8(ascii: "\\"), byte]
        case 0..<0x20:
          let hex = String(byte, radix: 16)
          out += "\\u\(String(repeating: "0", count: 4 - hex.count))\(hex)".utf8
        default: out.append(byte)
        }
      }
      out.append(UInt8(ascii: "\""))
    }
    out.append(UInt8(ascii: "]"))
    return String(decoding: out, as: UTF8.self)
  }

  /// Of what ``encode(_:)`` wrote; anything else gives what could be read of it.
  static func decode(_ text: String) -> [String] {
    var out: [String] = []
    var current: String.UnicodeScalarView?
    var scalars = text.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      guard current != nil else {
        if scalar == "\"" { current = String.UnicodeScalarView() }
        continue
      }
      switch scalar {
      case "\"":
        out.append(String(current ?? .init()))
        current = nil
      case "\\":
        guard let escaped = scalars.next() else { return out }
        if escaped == "u" {
          var value: UInt32 = 0
          for _ in 0..<4 {
            guard let digit = scalars.next().flatMap({ Character($0).hexDigitValue }) else {
              return out
            }
            value = value << 4 | UInt32(digit)
          }
          if let control = Unicode.Scalar(value) { current?.append(control) }
        } else {
          current?.append(escaped)
        }
      default: current?.append(scalar)
      }
    }
    return out
  }
}
