import MoyeoAPI
import SwiftProtobuf
import WireFormat

/// Answers as the service's own JSON: lists always there, integers as numbers.
enum JSONOutput {
  static func text(_ message: some Message) throws -> String {
    var options = BinaryEncodingOptions()
    options.useDeterministicOrdering = true
    let bytes: [UInt8] = try message.serializedBytes(options: options)
    return String(decoding: try JSONTranscoder(type(of: message)).json(bytes), as: UTF8.self)
  }

  static func print(_ message: some Message) throws { Swift.print(try text(message)) }

  /// Attributes on one line: `level=3 gender=female`, in order of their names.
  static func inline(_ attributes: Google_Protobuf_Struct) -> String {
    attributes.fields.sorted { $0.key < $1.key }
      .map { "\($0.key)=\(inline($0.value))" }.joined(separator: " ")
  }

  static func inline(_ value: Google_Protobuf_Value) -> String {
    switch value.kind {
    case .stringValue(let text)?: text
    case .numberValue(let number)?: numberText(number)
    default: (try? value.jsonString()) ?? ""
    }
  }

  /// The shortest text of a number, without `.0`.
  static func numberText(_ number: Double) -> String {
    var bytes: [UInt8] = []
    JSONText.append(number, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
