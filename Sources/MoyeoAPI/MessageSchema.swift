import Foundation
public import SwiftProtobuf

/// What the JSON mapping, the query parameters and the OpenAPI page need to know of a message,
/// read once from the descriptors of moyeo.v1.
public final class MessageSchema: Sendable {
  /// How a field's value is written.
  public enum Kind: Sendable {
    case double, float, bool, string, bytes, enumeration
    case int32, sint32, uint32, fixed32, sfixed32
    case int64, sint64, uint64, fixed64, sfixed64
    /// Full name, e.g. `moyeo.v1.Hit`.
    case message(String)
  }

  /// One field of a message, as the descriptor declares it.
  public struct Field: Sendable {
    /// The field number on the wire, 1 or more.
    public let number: Int
    /// The field's name in JSON, in lowerCamelCase.
    public let jsonName: String
    /// How one value is written; for a repeated field, how each element is.
    public let kind: Kind
    /// Whether the field is a list.
    public let isRepeated: Bool
    /// `"name":` as UTF-8.
    let key: [UInt8]
  }

  /// Full name, e.g. `moyeo.v1.Hit`.
  public let name: String
  /// In order of their numbers.
  public let fields: [Field]
  /// Index into `fields` by field number; -1 where there is none. Numbers are small and dense.
  private let indexByNumber: [Int16]

  init(name: String, fields: [Field]) {
    self.name = name
    self.fields = fields.sorted { $0.number < $1.number }
    var table = [Int16](repeating: -1, count: (self.fields.last?.number ?? 0) + 1)
    for (i, field) in self.fields.enumerated() { table[field.number] = Int16(i) }
    indexByNumber = table
  }

  @inline(__always)
  func fieldIndex(number: Int) -> Int? {
    guard number < indexByNumber.count, indexByNumber[number] >= 0 else { return nil }
    return Int(indexByNumber[number])
  }

  /// The field that JSON calls by this lowerCamelCase name; `nil` when the message has none.
  public func field(jsonName: String) -> Field? { fields.first { $0.jsonName == jsonName } }

  /// The same by the bytes of the name.
  func field(named name: UnsafeRawBufferPointer) -> Field? {
    // A key stands in quotes, before a colon.
    fields.first {
      $0.key.count == name.count + 3 && $0.key.dropFirst().dropLast(2).elementsEqual(name)
    }
  }

  /// All messages of moyeo.v1, by full name.
  public static let all: [String: MessageSchema] = load()

  /// The schema of a generated message type; traps for a type that is not of moyeo.v1.
  public static func of(_ type: any Message.Type) -> MessageSchema {
    guard let schema = all[type.protoMessageName] else {
      preconditionFailure("no descriptor for \(type.protoMessageName)")
    }
    return schema
  }

  private static func load() -> [String: MessageSchema] {
    var found: [String: MessageSchema] = [:]
    for file in DescriptorFiles.committed() {
      for message in file.messageType { add(message, prefix: file.package, to: &found) }
    }
    return found
  }

  private static func add(
    _ message: Google_Protobuf_DescriptorProto, prefix: String,
    to found: inout [String: MessageSchema]
  ) {
    let name = prefix + "." + message.name
    found[name] = MessageSchema(
      name: name,
      fields: message.field.map { field in
        Field(
          number: Int(field.number), jsonName: field.jsonName, kind: kind(of: field),
          isRepeated: field.label == .repeated, key: Array("\"\(field.jsonName)\":".utf8))
      })
    for nested in message.nestedType { add(nested, prefix: name, to: &found) }
  }

  private static func kind(of field: Google_Protobuf_FieldDescriptorProto) -> Kind {
    switch field.type {
    case .double: .double
    case .float: .float
    case .int64: .int64
    case .uint64: .uint64
    case .int32: .int32
    case .fixed64: .fixed64
    case .fixed32: .fixed32
    case .bool: .bool
    case .string: .string
    case .bytes: .bytes
    case .uint32: .uint32
    case .enum: .enumeration
    case .sfixed32: .sfixed32
    case .sfixed64: .sfixed64
    case .sint32: .sint32
    case .sint64: .sint64
    case .message, .group: .message(String(field.typeName.dropFirst()))
    }
  }
}
