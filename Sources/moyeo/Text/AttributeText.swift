import SwiftProtobuf

/// Attributes as JSON that reads back as the same: members by name, whole numbers without a point.
enum AttributeText {
  static func json(_ attributes: Google_Protobuf_Struct) -> String {
    let members = attributes.fields.sorted { $0.key < $1.key }
      .map { JSONPieces.string($0.key) + ":" + json($0.value) }
    return "{" + members.joined(separator: ",") + "}"
  }

  private static func json(_ value: Google_Protobuf_Value) -> String {
    switch value.kind {
    case nil, .nullValue?: "null"
    case .boolValue(let isTrue)?: isTrue ? "true" : "false"
    case .numberValue(let number)?: number.isFinite ? JSONOutput.numberText(number) : "null"
    case .stringValue(let text)?: JSONPieces.string(text)
    case .structValue(let object)?: json(object)
    case .listValue(let list)?: "[" + list.values.map(json).joined(separator: ",") + "]"
    }
  }
}
