import Foundation

/// What a command measured, as it printed it with `--json`.
enum MeasuredRun {
  /// `moyeo bench`.
  case load([String: Any])
  /// `moyeo replay`.
  case replay([String: Any])
  /// `moyeo evaluate-fares`.
  case fares([String: Any])

  /// Reads one JSON object, or one a line as `moyeo bench` prints several; the name is for messages.
  /// What none of the three commands prints is a ``CommandFailure``.
  static func read(_ data: Data, name: String) throws -> [MeasuredRun] {
    if let whole = try? JSONSerialization.jsonObject(with: data) {
      return try (whole as? [Any] ?? [whole]).map { try run($0, name) }
    }
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
      .filter { !$0.allSatisfy(\.isWhitespace) }
    guard !lines.isEmpty else { throw CommandFailure(message: "\(name) is empty") }
    return try lines.map { line in
      guard let one = try? JSONSerialization.jsonObject(with: Data(line.utf8)) else {
        throw unknown(name)
      }
      return try run(one, name)
    }
  }

  private static func run(_ value: Any, _ name: String) throws -> MeasuredRun {
    guard let object = value as? [String: Any] else { throw unknown(name) }
    if object["latencyMicroseconds"] is [String: Any] { return .load(object) }
    if object["modes"] is [Any] { return .replay(object) }
    if object["tariff"] is String, object["withinRange"] is NSNumber { return .fares(object) }
    throw unknown(name)
  }

  private static func unknown(_ name: String) -> CommandFailure {
    CommandFailure(
      message: "\(name) is not what bench, replay or evaluate-fares print with --json")
  }
}
