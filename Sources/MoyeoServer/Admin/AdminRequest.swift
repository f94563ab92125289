import Foundation
import Identity
import MoyeoAPI

/// What a call of the operator says in its path, query and body: names with one text each.
struct AdminRequest: Sendable {
  /// Decoded segments of the path.
  let path: [String: String]
  let query: [String: String]
  let body: [String: String]
  let idempotencyKey: String?

  static let maximumBodyBytes = 16 * 1024

  /// Reads a query.
  ///
  /// - Parameters:
  ///   - text: Behind the question mark; nil: none.
  ///   - names: The only ones that may stand there.
  /// - Returns: The value of each name.
  /// - Throws: `unknown_field`, `malformed_request`, `conflicting_fields`.
  static func query(_ text: String?, names: Set<String>) throws(APIError) -> [String: String] {
    var out: [String: String] = [:]
    for part in (text ?? "").split(separator: "&") {
      let pieces = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentCoding.decode(pieces[0], plusIsSpace: true),
        let value = PercentCoding.decode(pieces.count > 1 ? pieces[1] : "", plusIsSpace: true)
      else { throw APIError(.malformedRequest, "the query is not valid percent-encoding") }
      guard names.contains(name) else {
        throw APIError(.unknownField, field: name, "this call does not know \(quoted(name))")
      }
      guard out.updateValue(value, forKey: name) == nil else {
        throw APIError(.conflictingFields, field: name, "\(name) stands twice in the query")
      }
    }
    return out
  }

  /// Reads a body: one object whose values are texts, or `true` and `false`.
  ///
  /// - Parameters:
  ///   - bytes: As they arrived; none: no name is given.
  ///   - names: The only ones that may stand there.
  ///   - flags: Those of them that are true or false.
  /// - Returns: The value of each name.
  /// - Throws: `malformed_request`, `unknown_field`, `bad_value`.
  static func body(
    _ bytes: Data, names: Set<String>, flags: Set<String> = []
  ) throws(APIError) -> [String: String] {
    guard !bytes.isEmpty else { return [:] }
    guard let object = try? JSONSerialization.jsonObject(with: bytes) as? [String: Any] else {
      throw APIError(.malformedRequest, "the body is not a JSON object")
    }
    if let twice = bytes.withUnsafeBytes({ JSONRepeatedName.first(in: $0) }) {
      throw APIError(.malformedRequest, "the body has \(quoted(twice)) twice")
    }
    var out: [String: String] = [:]
    for (name, value) in object.sorted(by: { $0.key < $1.key }) {
      guard names.contains(name) else {
        throw APIError(.unknownField, field: name, "this call does not know \(quoted(name))")
      }
      if flags.contains(name) {
        guard JSONBoolean.isOne(value), let flag = value as? Bool else {
          throw APIError(.badValue, field: name, "\(name) is true or false")
        }
        out[name] = String(flag)
        continue
      }
      guard let text = value as? String else {
        throw APIError(.badValue, field: name, "\(name) is a string")
      }
      out[name] = text
    }
    return out
  }
}
