import ArgumentParser
import MoyeoAPI
import SwiftProtobuf

/// A condition on an attribute: `level=5`, `gender=female`, `code="05"`, `level:1..3`, `level:2..`,
/// `level>=2`, `level<=3`.
struct ConditionText: ExpressibleByArgument, Hashable, Sendable {
  let condition: Moyeo_V1_AttributeCondition

  init?(argument: String) {
    var condition = Moyeo_V1_AttributeCondition()
    guard let mark = argument.firstIndex(where: { "=:<>".contains($0) }) else { return nil }
    let name = String(argument[..<mark]).trimmed
    guard !name.isEmpty else { return nil }
    condition.attribute = name
    let rest = String(argument[argument.index(after: mark)...])
    switch argument[mark] {
    case "=": condition.equals = Self.value(rest)
    case ":":
      guard let dots = rest.range(of: "..") else { return nil }
      let low = String(rest[..<dots.lowerBound]).trimmed
      let high = String(rest[dots.upperBound...]).trimmed
      guard !low.isEmpty || !high.isEmpty else { return nil }
      if !low.isEmpty {
        guard let value = NumberText.parse(low) else { return nil }
        condition.min = value
      }
      if !high.isEmpty {
        guard let value = NumberText.parse(high) else { return nil }
        condition.max = value
      }
    case let sign:
      // Ranges are closed, so there is no plain < or >.
      guard rest.hasPrefix("="), let value = NumberText.parse(String(rest.dropFirst())) else {
        return nil
      }
      if sign == ">" { condition.min = value } else { condition.max = value }
    }
    self.condition = condition
  }

  /// Numbers, `true` and `false` mean themselves; quotes make a string of anything.
  static func value(_ text: String) -> Google_Protobuf_Value {
    let trimmed = text.trimmed
    if trimmed.count >= 2, trimmed.hasPrefix("\""), trimmed.hasSuffix("\"") {
      return Google_Protobuf_Value(stringValue: String(trimmed.dropFirst().dropLast()))
    }
    switch trimmed {
    case "true": return Google_Protobuf_Value(boolValue: true)
    case "false": return Google_Protobuf_Value(boolValue: false)
    default:
      guard let number = NumberText.parse(trimmed) else {
        return Google_Protobuf_Value(stringValue: trimmed)
      }
      return Google_Protobuf_Value(numberValue: number)
    }
  }
}

extension String {
  /// The first place where a text stands.
  fileprivate func range(of needle: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(needle) {
        return start..<index(start, offsetBy: needle.count)
      }
      start = index(after: start)
    }
    return nil
  }
}
