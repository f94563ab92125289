import SwiftProtobuf

/// Finds what in a JSON text does not fit a request message: all of it, with the path of each
/// field. It is asked when the decoder has refused the text, which tells of one mistake and not
/// where it stands.
///
/// Texts that are no JSON are judged up to where they break.
public struct JSONFieldCheck {
  /// One place at which a JSON text does not fit the message that it is read as.
  public struct Violation: Hashable, Sendable {
    /// The field as a refusal names it, such as `positions[3].latitude`.
    public let path: String
    /// Whether the message has no such field; else the value does not fit it.
    public let isUnknown: Bool
    /// E.g. `latitude is a number; got a string`.
    public let message: String
  }

  /// The first violations, at most `maximum`, in the order of the text.
  /// - Complexity: O(bytes up to the last of them).
  public static func violations(
    in json: UnsafeRawBufferPointer, of schema: MessageSchema, maximum: Int = 100
  ) -> [Violation] {
    var check = JSONFieldCheck(bytes: json, maximum: maximum)
    try? check.message(schema, path: "", depth: 0)
    return check.violations
  }

  /// The text breaks, or enough is found.
  private struct Stop: Error {}

  private let bytes: UnsafeRawBufferPointer
  private let maximum: Int
  private var at = 0
  private var violations: [Violation] = []
  private static let deepest = 100

  private init(bytes: UnsafeRawBufferPointer, maximum: Int) {
    self.bytes = bytes
    self.maximum = maximum
  }

  // MARK: - Messages and their fields

  private mutating func message(_ schema: MessageSchema, path: String, depth: Int) throws(Stop) {
    guard depth < Self.deepest else { throw Stop() }
    try expect("{")
    if try take("}") { return }
    repeat {
      let key = try string()
      try expect(":")
      let place = path.isEmpty ? key : path + "." + key
      if let field = schema.field(jsonName: key) ?? schema.field(jsonName: Self.camelCase(key)) {
        try value(of: field, path: place, depth: depth)
      } else {
        try add(place, isUnknown: true, "there is no field \"\(key.prefix(64))\" here")
        try skipValue(depth: depth)
      }
    } while try take(",")
    try expect("}")
  }

  private mutating func value(
    of field: MessageSchema.Field, path: String, depth: Int
  ) throws(Stop) {
    // Of a field as a whole, null says that it is absent.
    if try kind() == .null { return try skipValue(depth: depth) }
    guard field.isRepeated else { return try element(of: field, path: path, depth: depth) }
    guard try kind() == .list else {
      try refuse(path, field.jsonName, "a list", depth: depth)
      return
    }
    try expect("[")
    if try take("]") { return }
    var index = 0
    repeat {
      try element(of: field, path: "\(path)[\(index)]", depth: depth)
      index += 1
    } while try take(",")
    try expect("]")
  }

  private mutating func element(
    of field: MessageSchema.Field, path: String, depth: Int
  ) throws(Stop) {
    let given = try kind()
    let wanted: String
    switch field.kind {
    case .message("google.protobuf.Value"): return try attribute(path: path, depth: depth)
    case .message("google.protobuf.Struct"):
      if given == .object { return try attribute(path: path, depth: depth) }
      wanted = "an object"
    case .message("google.protobuf.ListValue"):
      if given == .list { return try attribute(path: path, depth: depth) }
      wanted = "a list"
    case .message("google.protobuf.Timestamp"):
      wanted = "a time in RFC 3339, such as 2026-11-20T23:10:00+09:00"
      if given == .string {
        let start = at
        try skipValue(depth: depth)
        let text = Array(bytes[start..<at])
        if (try? Google_Protobuf_Timestamp(jsonUTF8Bytes: text)) != nil { return }
        return try add(path, isUnknown: false, "\(field.jsonName) is \(wanted)")
      }
    case .message(let name):
      if given == .object {
        guard let inner = MessageSchema.all[name] else { return try skipValue(depth: depth) }
        return try message(inner, path: path, depth: depth + 1)
      }
      wanted = "an object"
    case .string, .bytes:
      if given == .string { return try skipValue(depth: depth) }
      wanted = "a string"
    case .bool:
      if given == .boolean { return try skipValue(depth: depth) }
      wanted = "true or false"
    case .enumeration: return try skipValue(depth: depth)
    case .double, .float: return try number(field, path: path, isWhole: false, 0...0, depth: depth)
    case .int32, .sint32, .sfixed32:
      return try number(
        field, path: path, isWhole: true, Double(Int32.min)...Double(Int32.max), depth: depth)
    case .uint32, .fixed32:
      return try number(field, path: path, isWhole: true, 0...Double(UInt32.max), depth: depth)
    case .int64, .sint64, .sfixed64:
      return try number(
        field, path: path, isWhole: true, Double(Int64.min)...Double(Int64.max), depth: depth)
    case .uint64, .fixed64:
      return try number(field, path: path, isWhole: true, 0...Double(UInt64.max), depth: depth)
    }
    try refuse(path, field.jsonName, wanted, depth: depth)
  }

  /// A number, or one in quotes, as protobuf's JSON has them.
  private mutating func number(
    _ field: MessageSchema.Field, path: String, isWhole: Bool, _ range: ClosedRange<Double>,
    depth: Int
  ) throws(Stop) {
    let wanted = isWhole ? "a whole number" : "a number"
    let text: String
    switch try kind() {
    case .number:
      let start = at
      try skipValue(depth: depth)
      text = String(decoding: bytes[start..<at], as: UTF8.self)
    case .string:
      text = try string()
      if !isWhole, ["NaN", "Infinity", "-Infinity"].contains(text) { return }
    default: return try refuse(path, field.jsonName, wanted, depth: depth)
    }
    guard let number = Double(text), number.isFinite else {
      return try add(
        path, isUnknown: false, "\(field.jsonName) is \(wanted); got \(text.prefix(32))")
    }
    guard isWhole, number != number.rounded() || !range.contains(number) else { return }
    try add(
      path, isUnknown: false,
      "\(field.jsonName) is \(wanted) in its range; got \(text.prefix(32))")
  }

  private mutating func refuse(
    _ path: String, _ name: String, _ wanted: String, depth: Int
  ) throws(Stop) {
    try add(path, isUnknown: false, "\(name) is \(wanted); got \(try kind().rawValue)")
    try skipValue(depth: depth)
  }

  private mutating func add(_ path: String, isUnknown: Bool, _ message: String) throws(Stop) {
    violations.append(Violation(path: path, isUnknown: isUnknown, message: message))
    if violations.count >= maximum { throw Stop() }
  }

  /// `seats_free` as `seatsFree`: protobuf takes both names.
  private static func camelCase(_ name: String) -> String {
    guard name.utf8.contains(UInt8(ascii: "_")) else { return name }
    let words = name.split(separator: "_", omittingEmptySubsequences: false)
    return words.dropFirst().reduce(into: String(words.first ?? "")) { out, word in
      out += word.prefix(1).uppercased() + word.dropFirst()
    }
  }

  /// A value of attributes, in which no object carries one name twice.
  private mutating func attribute(path: String, depth: Int) throws(Stop) {
    guard depth < Self.deepest else { throw Stop() }
    switch try kind() {
    case .null, .boolean, .number, .string: try skipValue(depth: depth)
    case .list:
      try expect("[")
      if try take("]") { return }
      var index = 0
      repeat {
        try attribute(path: "\(path)[\(index)]", depth: depth + 1)
        index += 1
      } while try take(",")
      try expect("]")
    case .object:
      try expect("{")
      if try take("}") { return }
      // Equal strings are those that are equal in NFC.
      var names: Set<String> = []
      repeat {
        let name = try string()
        let place = path.isEmpty ? name : path + "." + name
        if !names.insert(name).inserted {
          try add(place, isUnknown: false, Self.sentence(repeatedAttribute: name))
        }
        try expect(":")
        try attribute(path: place, depth: depth + 1)
      } while try take(",")
      try expect("}")
    }
  }

  /// What is said of attributes that carry one name twice, in either form of a request.
  public static func sentence(repeatedAttribute name: String) -> String {
    "two attributes are called \"\(name.prefix(64))\"; spellings of one name are one name"
  }

  // MARK: - JSON text

  private enum Kind: String {
    case null
    case boolean = "true or false"
    case number = "a number"
    case string = "a string"
    case list = "a list"
    case object = "an object"
  }

  private mutating func skipSpace() {
    while at < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { at += 1 }
  }

  private mutating func kind() throws(Stop) -> Kind {
    skipSpace()
    guard at < bytes.count else { throw Stop() }
    switch bytes[at] {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .list
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
    case UInt8(ascii: "-"), 48...57: return .number
    default: throw Stop()
    }
  }

  private mutating func take(_ character: Unicode.Scalar) throws(Stop) -> Bool {
    skipSpace()
    guard at < bytes.count else { throw Stop() }
    guard bytes[at] == UInt8(ascii: character) else { return false }
    at += 1
    return true
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(Stop) {
    guard try take(character) else { throw Stop() }
  }

  /// A string without its quotes; escapes stay as they are, which names have none of.
  private mutating func string() throws(Stop) -> String {
    try expect("\"")
    let start = at
    while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
      at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard at < bytes.count else { throw Stop() }
    defer { at += 1 }
    return String(decoding: bytes[start..<at], as: UTF8.self)
  }

  /// Passes over one value, whatever is in it.
  private mutating func skipValue(depth: Int) throws(Stop) {
    guard depth < Self.deepest else { throw Stop() }
    switch try kind() {
    case .string: _ = try string()
    case .null, .boolean, .number:
      // Up to what ends it.
      while at < bytes.count, !",]} \t\r\n".utf8.contains(bytes[at]) { at += 1 }
    case .list:
      try expect("[")
      if try take("]") { return }
      repeat { try skipValue(depth: depth + 1) } while try take(",")
      try expect("]")
    case .object:
      try expect("{")
      if try take("}") { return }
      repeat {
        _ = try string()
        try expect(":")
        try skipValue(depth: depth + 1)
      } while try take(",")
      try expect("}")
    }
  }
}
