package import Foundation

/// A JSON document kept as it stands, so that what is wrong can be named by its path.
package enum JSONTree: Decodable, Hashable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONTree])
  case object([String: JSONTree])

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONTree].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONTree].self))
    }
  }

  /// - Throws: ``FileProblem`` with the parser's own words.
  package static func parse(_ data: Data, file: String) throws(FileProblem) -> JSONTree {
    do {
      return try JSONDecoder().decode(JSONTree.self, from: data)
    } catch {
      var words = "\(error)"
      if case DecodingError.dataCorrupted(let context) = error {
        words =
          (context.underlyingError as NSError?)?.userInfo["NSDebugDescription"] as? String
          ?? context.debugDescription
      }
      throw FileProblem(file: file, path: "", message: "not JSON: \(words)")
    }
  }

  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }

  /// Whether a path such as `surcharges[1].percent` leads to something.
  package func holds(path: String) -> Bool {
    var here = self
    for step in path.replacingOccurrences(of: "[", with: ".[").split(separator: ".") {
      if step.hasPrefix("["), step.hasSuffix("]") {
        guard case .array(let items) = here, let i = Int(step.dropFirst().dropLast()),
          items.indices.contains(i)
        else { return false }
        here = items[i]
      } else {
        guard case .object(let fields) = here, let next = fields[String(step)] else {
          return false
        }
        here = next
      }
    }
    return !path.isEmpty
  }
}

/// What is wrong with a file, and where in it.
package struct FileProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package let file: String
  /// JSON path; empty for the file as a whole.
  package let path: String
  package let message: String

  package init(file: String, path: String, message: String) {
    self.file = file
    self.path = path
    self.message = message
  }

  package var description: String {
    path.isEmpty ? "\(file): \(message)" : "\(file): \(path): \(message)"
  }
}

/// Reads the fields of one object and remembers where it stands. Fields nobody asked for are
/// refused by ``finish()``: a misspelt optional field must not pass in silence.
package struct JSONObjectReader {
  let file: String
  let path: String
  private let fields: [String: JSONTree]
  private var asked: Set<String> = []

  package init(_ tree: JSONTree, file: String, path: String = "") throws(FileProblem) {
    guard case .object(let fields) = tree else {
      throw FileProblem(file: file, path: path, message: "must be an object, is \(tree.kind)")
    }
    self.file = file
    self.path = path
    self.fields = fields
  }

  package func pathOf(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  package func problem(_ name: String, _ message: String) -> FileProblem {
    FileProblem(file: file, path: pathOf(name), message: message)
  }

  /// Nil when absent or null.
  package mutating func tree(_ name: String) -> JSONTree? {
    asked.insert(name)
    guard let value = fields[name], value != .null else { return nil }
    return value
  }

  private func required<T>(_ value: T?, _ name: String) throws(FileProblem) -> T {
    guard let value else { throw problem(name, "is missing") }
    return value
  }

  package mutating func optionalString(_ name: String) throws(FileProblem) -> String? {
    guard let tree = tree(name) else { return nil }
    guard case .string(let value) = tree else {
      throw problem(name, "must be a string, is \(tree.kind)")
    }
    return value
  }

  package mutating func string(_ name: String) throws(FileProblem) -> String {
    try required(try optionalString(name), name)
  }

  package mutating func optionalBool(_ name: String) throws(FileProblem) -> Bool? {
    guard let tree = tree(name) else { return nil }
    guard case .bool(let value) = tree else {
      throw problem(name, "must be true or false, is \(tree.kind)")
    }
    return value
  }

  package mutating func optionalNumber(_ name: String) throws(FileProblem) -> Double? {
    guard let tree = tree(name) else { return nil }
    guard case .number(let value) = tree else {
      throw problem(name, "must be a number, is \(tree.kind)")
    }
    return value
  }

  package mutating func number(_ name: String) throws(FileProblem) -> Double {
    try required(try optionalNumber(name), name)
  }

  package mutating func optionalInteger(_ name: String) throws(FileProblem) -> Int64? {
    guard let value = try optionalNumber(name) else { return nil }
    guard value.magnitude <= 9e15, let whole = Int64(exactly: value) else {
      throw problem(name, "must be a whole number, is \(value)")
    }
    return whole
  }

  package mutating func integer(_ name: String) throws(FileProblem) -> Int64 {
    try required(try optionalInteger(name), name)
  }

  /// A percentage as hundredths of a percent.
  package mutating func optionalPercent(_ name: String) throws(FileProblem) -> Int64? {
    guard let value = try optionalNumber(name) else { return nil }
    let hundredths = (value * 100).rounded()
    guard value.magnitude <= 1e6, (hundredths - value * 100).magnitude < 1e-6 else {
      throw problem(name, "must have at most two digits after the point, is \(value)")
    }
    return Int64(hundredths)
  }

  package mutating func percent(_ name: String) throws(FileProblem) -> Int64 {
    try required(try optionalPercent(name), name)
  }

  package mutating func choice<T: RawRepresentable & CaseIterable>(
    _ name: String, _ type: T.Type
  ) throws(FileProblem) -> T? where T.RawValue == String {
    guard let text = try optionalString(name) else { return nil }
    guard let value = T(rawValue: text) else {
      let words = T.allCases.map(\.rawValue).joined(separator: ", ")
      throw problem(name, "must be one of \(words), is \"\(text)\"")
    }
    return value
  }

  package mutating func requiredChoice<T: RawRepresentable & CaseIterable>(
    _ name: String, _ type: T.Type
  ) throws(FileProblem) -> T where T.RawValue == String {
    try required(try choice(name, type), name)
  }

  /// Empty when absent.
  package mutating func list(_ name: String) throws(FileProblem) -> [JSONTree] {
    guard let tree = tree(name) else { return [] }
    guard case .array(let items) = tree else {
      throw problem(name, "must be a list, is \(tree.kind)")
    }
    return items
  }

  package mutating func strings(_ name: String) throws(FileProblem) -> [String] {
    var out: [String] = []
    for (i, item) in try list(name).enumerated() {
      guard case .string(let value) = item else {
        throw problem("\(name)[\(i)]", "must be a string, is \(item.kind)")
      }
      out.append(value)
    }
    return out
  }

  package mutating func optionalObject(_ name: String) throws(FileProblem) -> JSONObjectReader? {
    guard let tree = tree(name) else { return nil }
    return try JSONObjectReader(tree, file: file, path: pathOf(name))
  }

  package mutating func object(_ name: String) throws(FileProblem) -> JSONObjectReader {
    try required(try optionalObject(name), name)
  }

  package mutating func objects(_ name: String) throws(FileProblem) -> [JSONObjectReader] {
    var out: [JSONObjectReader] = []
    for (i, item) in try list(name).enumerated() {
      out.append(try JSONObjectReader(item, file: file, path: pathOf("\(name)[\(i)]")))
    }
    return out
  }

  /// Call it when all fields have been asked for.
  package func finish() throws(FileProblem) {
    for name in fields.keys.sorted() where !asked.contains(name) {
      throw problem(name, "is not a field; known are \(asked.sorted().joined(separator: ", "))")
    }
  }
}
