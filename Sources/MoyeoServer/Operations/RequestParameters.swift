import Foundation
import MoyeoAPI
import WireFormat

/// Path and query parameters as the JSON text of a request message.
struct RequestParameters {
  private let schema: MessageSchema

  init(_ schema: MessageSchema) { self.schema = schema }

  /// Writes the parameters of a request as the JSON of its message.
  ///
  /// - Parameters:
  ///   - path: Decoded path parameters.
  ///   - query: The raw query string.
  /// - Returns: A JSON object, in the order in which the parameters first stand.
  /// - Throws: `unknown_field`, `conflicting_fields`, `malformed_request`.
  func json(path: [(name: String, value: String)], query: String?) throws(APIError) -> Data {
    var order: [String] = []
    var values: [String: [String]] = [:]
    for (name, value) in path {
      order.append(name)
      values[name] = [value]
    }
    for (name, value) in try Self.pairs(query) {
      guard schema.field(jsonName: name) != nil else {
        throw APIError(.unknownField, field: name, "there is no parameter \(quoted(name)) here")
      }
      guard !path.contains(where: { $0.name == name }) else {
        throw APIError(.conflictingFields, field: name, "\(name) stands in the path already")
      }
      if values[name] == nil { order.append(name) }
      values[name, default: []].append(value)
    }
    var out: [UInt8] = [UInt8(ascii: "{")]
    for name in order {
      guard let field = schema.field(jsonName: name), let given = values[name] else { continue }
      if out.count > 1 { out.append(UInt8(ascii: ",")) }
      JSONText.append(string: name, to: &out)
      out.append(UInt8(ascii: ":"))
      try append(given, for: field, to: &out)
    }
    out.append(UInt8(ascii: "}"))
    return Data(out)
  }

  /// The same parameters, and a body, as the bytes of the message, which need no decoder of JSON.
  ///
  /// - Returns: `nil` where one is no plain text, number or truth, stands twice or does not fit its
  ///   field: ``json(path:query:)`` and the decoder of JSON say what is wrong, if anything is.
  func encoded(
    path: [(name: String, value: String)], query: String?, body: UnsafeRawBufferPointer? = nil
  ) -> [UInt8]? {
    guard let pairs = try? Self.pairs(query) else { return nil }
    var writer = ProtobufWriter(capacity: 128)
    var seen: UInt64 = 0
    for (name, value) in path + pairs {
      guard let field = schema.field(jsonName: name), field.number < 64 else { return nil }
      let bit: UInt64 = 1 << UInt64(field.number)
      guard seen & bit == 0 || field.isRepeated else { return nil }
      seen |= bit
      guard Self.append(value, field, to: &writer) else { return nil }
    }
    // A list that stands in the path may not stand in the query as well.
    guard !path.contains(where: { part in pairs.contains { $0.name == part.name } }) else {
      return nil
    }
    if let body, !PlainJSON.append(body, of: schema, seen: &seen, to: &writer) { return nil }
    return writer.bytes
  }

  private static func append(
    _ value: String, _ field: MessageSchema.Field, to writer: inout ProtobufWriter
  ) -> Bool {
    switch (field.kind, field.isRepeated) {
    case (.string, _): writer.string(field.number, value)
    case (.double, false):
      guard let number = number(value), number.isFinite else { return false }
      writer.double(field.number, number)
    case (.bool, false):
      guard ["true", "1", "false", "0"].contains(value) else { return false }
      writer.bool(field.number, value == "true" || value == "1")
    case (.int32, false):
      guard let number = Int32(value) else { return false }
      writer.int64(field.number, Int64(number))
    case (.int64, false):
      guard let number = Int64(value) else { return false }
      writer.int64(field.number, number)
    case (.uint32, false):
      guard let number = Int32(value), number >= 0 else { return false }
      writer.varint(field.number, UInt64(number))
    default: return false
    }
    return true
  }

  /// A decimal number, not the hexadecimal ones that Swift reads too.
  private static func number(_ value: String) -> Double? {
    guard !value.hasPrefix(" "), !value.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "x") })
    else { return nil }
    return Double(value)
  }

  private func append(_ given: [String], for field: MessageSchema.Field, to out: inout [UInt8])
    throws(APIError)
  {
    guard field.isRepeated else {
      guard given.count == 1 else {
        throw APIError(
          .malformedRequest, field: field.jsonName,
          "\(field.jsonName) is given \(given.count) times"
        )
      }
      return try append(given[0], for: field, to: &out)
    }
    // A list of messages may come as one JSON list, as /openapi.json declares it.
    if case .message = field.kind, given.count == 1,
      given[0].first(where: { !$0.isWhitespace }) == "["
    {
      return try append(given[0], for: field, to: &out)
    }
    out.append(UInt8(ascii: "["))
    for (i, value) in given.enumerated() {
      if i > 0 { out.append(UInt8(ascii: ",")) }
      try append(value, for: field, to: &out)
    }
    out.append(UInt8(ascii: "]"))
  }

  private func append(_ value: String, for field: MessageSchema.Field, to out: inout [UInt8])
    throws(APIError)
  {
    func refuse(_ what: String) -> APIError {
      APIError(
        .malformedRequest, field: field.jsonName,
        "\(field.jsonName) is \(what); got \(quoted(value))")
    }
    switch field.kind {
    case .double, .float:
      guard let number = Self.number(value) else { throw refuse("a number") }
      JSONText.append(number, to: &out)
    case .bool:
      switch value {
      case "true", "1": out.append(contentsOf: "true".utf8)
      case "false", "0": out.append(contentsOf: "false".utf8)
      default: throw refuse("true or false")
      }
    case .int32, .sint32, .uint32, .fixed32, .sfixed32:
      guard let number = Int32(value) else { throw refuse("a whole number") }
      JSONText.append(Int64(number), to: &out)
    case .int64, .sint64, .uint64, .fixed64, .sfixed64, .enumeration:
      guard let number = Int64(value) else { throw refuse("a whole number") }
      JSONText.append(number, to: &out)
    case .string, .bytes: JSONText.append(string: value, to: &out)
    case .message("google.protobuf.Timestamp"): JSONText.append(string: value, to: &out)
    case .message:
      // JSON text; parsed first, so that it cannot reach beyond its own field. Written again it
      // would lose the last bit of some numbers.
      guard UTF8JSON.value(of: Data(value.utf8)) != nil else { throw refuse("JSON text") }
      out.append(contentsOf: value.utf8)
    }
  }

  /// Names and values of a query string, decoded as HTML forms are.
  static func pairs(_ query: String?) throws(APIError) -> [(name: String, value: String)] {
    guard let query, !query.isEmpty else { return [] }
    var out: [(name: String, value: String)] = []
    // Byte by byte: characters would have to be told apart first.
    for part in Array(query.utf8).split(separator: UInt8(ascii: "&")) {
      let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
      guard let name = PercentCoding.decode(part[..<end], plusIsSpace: true),
        let value = PercentCoding.decode(part[end...].dropFirst(), plusIsSpace: true)
      else { throw APIError(.malformedRequest, "the query is not valid percent-encoding") }
      out.append((name, value))
    }
    return out
  }
}
