import Foundation
import MoyeoAPI

/// The schemas of messages in /openapi.json.
///
/// A request is refused for a field that nobody knows, and takes `null` for one that is absent; of an
/// answer new fields may come. So a message that stands in both has a schema for each, the one of
/// requests with `Input` behind its name.
struct OpenAPISchemas {
  let bounds: FieldBounds
  /// Messages in answers, by their full names.
  private let answers: Set<String>

  /// Takes the full names of the messages that calls answer; what they hold is found.
  init(bounds: FieldBounds, answers: [String]) {
    self.bounds = bounds
    self.answers = Self.closure(of: answers + ["moyeo.v1.Error"])
  }

  /// The body of a refusal, where no message has it.
  static var refusal: [String: Any] {
    [
      "type": "object",
      "properties": [
        "code": ["type": "string"], "reason": ["type": "string"], "message": ["type": "string"],
        "fields": [
          "type": "array", "items": OpenAPIPage.reference("moyeo.v1.FieldError"),
        ] as [String: Any],
        "retryAfterMilliseconds": ["type": "integer", "minimum": 0] as [String: Any],
      ],
      "required": ["code", "reason", "message"],
    ]
  }

  static var fieldRefusal: [String: Any] {
    [
      "type": "object",
      "properties": [
        "field": ["type": "string"], "reason": ["type": "string"], "message": ["type": "string"],
      ],
    ]
  }

  private enum Side { case request, answer }

  /// All messages that are in some, and these.
  private static func closure(of names: [String]) -> Set<String> {
    var found: Set<String> = []
    var open = names
    while let name = open.popLast() {
      guard found.insert(name).inserted, let message = MessageSchema.all[name] else { continue }
      for field in message.fields {
        if case .message(let inner) = field.kind, inner.hasPrefix("moyeo.") { open.append(inner) }
      }
    }
    return found
  }

  // MARK: - Of calls

  /// The body of a request, without the fields that the path has: there they are refused.
  func body(of message: MessageSchema, without inPath: Set<String>) -> [String: Any] {
    OpenAPIPage.reference(bodyName(message, inPath))
  }

  private func bodyName(_ message: MessageSchema, _ inPath: Set<String>) -> String {
    let short = OpenAPIPage.shortName(message.name)
    return message.fields.contains { inPath.contains($0.jsonName) }
      ? short + "Body" : name(of: message.name, .request)
  }

  /// One field of a request, in a path or a query.
  func value(_ field: MessageSchema.Field, of message: String) -> [String: Any] {
    schema(field, of: message, .request)
  }

  /// Where no message has the field.
  var layerName: [String: Any] {
    bounds.layerName.merging(["type": "string"]) { $1 }
  }

  /// All schemas that are referred to.
  func components(
    bodies: [(message: MessageSchema, inPath: Set<String>)]
  ) -> [String: Any] {
    var out: [String: Any] = [:]
    for name in answers { add(name, .answer, to: &out) }
    var inner: Set<String> = []
    for (message, inPath) in bodies {
      out[bodyName(message, inPath)] = object(message, .request, without: inPath)
      inner.formUnion(Self.closure(of: [message.name]).subtracting([message.name]))
    }
    // Messages in queries stand there as JSON.
    inner.formUnion(["moyeo.v1.Polygon", "moyeo.v1.Point", "moyeo.v1.AttributeCondition"])
    inner.formUnion(["moyeo.v1.Fence", "moyeo.v1.Box"])
    for name in inner { add(name, .request, to: &out) }
    return out
  }

  private func add(_ name: String, _ side: Side, to out: inout [String: Any]) {
    guard let message = MessageSchema.all[name] else { return }
    out[self.name(of: name, side)] = object(message, side)
  }

  // MARK: - Of messages

  private func name(of message: String, _ side: Side) -> String {
    let short = OpenAPIPage.shortName(message)
    return side == .request && answers.contains(message) ? short + "Input" : short
  }

  private func object(
    _ message: MessageSchema, _ side: Side, without inPath: Set<String> = []
  ) -> [String: Any] {
    let required =
      side == .request
      ? FieldBounds.required(of: message.name).filter { !inPath.contains($0) } : []
    var properties: [String: Any] = [:]
    for field in message.fields where !inPath.contains(field.jsonName) {
      let one = schema(field, of: message.name, side)
      properties[field.jsonName] =
        side == .request && !required.contains(field.jsonName) ? Self.orNull(one) : one
    }
    var object: [String: Any] = ["type": "object", "properties": properties]
    if side == .request { object["additionalProperties"] = false }
    if !required.isEmpty { object["required"] = required }
    if let text = DeclarationTexts.text(of: OpenAPIPage.shortName(message.name)) {
      object["description"] = text
    }
    return object
  }

  /// As the JSON mapping of protobuf reads it: null is an absent field.
  private static func orNull(_ schema: [String: Any]) -> [String: Any] {
    var out = schema
    if let reference = out.removeValue(forKey: "$ref") {
      out["anyOf"] = [["$ref": reference], ["type": "null"]]
    } else if let type = schema["type"] as? String {
      out["type"] = [type, "null"]
      if let words = schema["enum"] as? [Any] { out["enum"] = words + [NSNull()] }
    }
    return out
  }

  private func schema(
    _ field: MessageSchema.Field, of message: String, _ side: Side
  ) -> [String: Any] {
    var out = plainSchema(field, of: message, side)
    let name = OpenAPIPage.shortName(message) + "." + field.jsonName
    if let text = DeclarationTexts.text(of: name) ?? FieldTexts.text(of: field.jsonName) {
      out["description"] = text
      if side == .request, !field.isRepeated, let value = Self.standardValue(in: text, of: out) {
        out["default"] = value
      }
    }
    return out
  }

  /// What an absent field means, as its text says: `20 when absent`, or `"exact" when absent`.
  private static func standardValue(in text: String, of schema: [String: Any]) -> Any? {
    guard let words = text.range(of: " when absent") else { return nil }
    let value = text[..<words.lowerBound].split(separator: " ").last ?? ""
    switch schema["type"] as? String {
    case "number", "integer":
      return Int(value.replacing(",", with: ""))
    case "string" where value.hasPrefix("\"") && value.hasSuffix("\"") && value.count > 2:
      return String(value.dropFirst().dropLast())
    default: return nil
    }
  }

  private func plainSchema(
    _ field: MessageSchema.Field, of message: String, _ side: Side
  ) -> [String: Any] {
    var one: [String: Any] =
      switch field.kind {
      case .double, .float: ["type": "number"]
      case .bool: ["type": "boolean"]
      case .string: ["type": "string"]
      case .bytes: ["type": "string", "contentEncoding": "base64"]
      case .int32, .sint32, .uint32, .fixed32, .sfixed32, .enumeration:
        ["type": "integer", "format": "int32"]
      case .int64, .sint64, .uint64, .fixed64, .sfixed64: ["type": "integer", "format": "int64"]
      case .message("google.protobuf.Timestamp"): ["type": "string", "format": "date-time"]
      case .message("google.protobuf.Struct"): ["type": "object"]
      case .message("google.protobuf.Value"): [:]
      case .message("google.protobuf.ListValue"): ["type": "array", "items": [:] as [String: Any]]
      case .message(let inner): OpenAPIPage.reference(name(of: inner, side))
      }
    one.merge(bounds.keywords(of: field, in: message)) { $1 }
    if side == .request { one.merge(bounds.requestKeywords(of: field, in: message)) { $1 } }
    guard field.isRepeated else { return one }
    let list: [String: Any] = ["type": "array", "items": one]
    return list.merging(bounds.listKeywords(of: field, in: message)) { $1 }
  }
}
