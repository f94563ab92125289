/// Writes JSON objects without building a tree of them, in the order of the calls, which `JSONEncoder`
/// and `JSONSerialization` do not promise.
package struct JSONWriter {
  private var bytes: [UInt8] = []
  private var isFirst = true

  package static func object(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
    var text = JSONWriter()
    text.bytes.reserveCapacity(512)
    text.nested(write)
    return text.bytes
  }

  private mutating func nested(_ write: (inout JSONWriter) -> Void) {
    bytes.append(UInt8(ascii: "{"))
    isFirst = true
    write(&self)
    bytes.append(UInt8(ascii: "}"))
    isFirst = false
  }

  package mutating func string(_ name: String, _ value: String) {
    key(name)
    quoted(value)
  }

  package mutating func integer(_ name: String, _ value: Int64) {
    key(name)
    JSONText.append(value, to: &bytes)
  }

  package mutating func number(_ name: String, _ value: Double) {
    key(name)
    guard value.isFinite else { return literal("null") }
    JSONText.append(value, to: &bytes)
  }

  package mutating func bool(_ name: String, _ value: Bool) {
    key(name)
    literal(value ? "true" : "false")
  }

  /// Writes what is JSON already.
  package mutating func raw(_ name: String, _ json: [UInt8]) {
    key(name)
    bytes.append(contentsOf: json)
  }

  package mutating func object(_ name: String, _ write: (inout JSONWriter) -> Void) {
    key(name)
    nested(write)
  }

  package mutating func objects<T>(
    _ name: String, _ items: [T], _ write: (T, inout JSONWriter) -> Void
  ) {
    key(name)
    bytes.append(UInt8(ascii: "["))
    for (i, item) in items.enumerated() {
      if i > 0 { bytes.append(UInt8(ascii: ",")) }
      nested { write(item, &$0) }
    }
    bytes.append(UInt8(ascii: "]"))
  }

  package mutating func strings(_ name: String, _ items: [String]) {
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

  private mutating func quoted(_ text: String) { JSONText.append(string: text, to: &bytes) }
}
