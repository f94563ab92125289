import Foundation
import Logging
import MoyeoServer

/// One line an event on standard error: `key=value` text, or JSON.
struct StructuredLogHandler: LogHandler {
  enum Format: String, Sendable {
    case text, json
  }

  private static let timeStyle = Date.ISO8601FormatStyle(
    includingFractionalSeconds: true, timeZone: .gmt)

  let label: String
  let format: Format
  /// Of all loggers that were not given a level of their own.
  private let control: LogLevelControl
  private var ownLevel: Logger.Level?
  var metadata: Logger.Metadata = [:]
  /// Of the call that writes the line.
  var metadataProvider: Logger.MetadataProvider?

  init(
    label: String, format: Format, control: LogLevelControl,
    metadataProvider: Logger.MetadataProvider? = nil
  ) {
    self.metadataProvider = metadataProvider
    self.label = label
    self.format = format
    self.control = control
  }

  var logLevel: Logger.Level {
    get { ownLevel ?? control.level }
    set { ownLevel = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var all = metadata
    for (key, value) in metadataProvider?.get() ?? [:] { all[key] = value }
    for (key, value) in event.metadata ?? [:] { all[key] = value }
    let time = Date().formatted(Self.timeStyle)
    let pairs: [(String, String)] =
      [("time", time), ("level", event.level.rawValue), ("message", "\(event.message)")]
      + all.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") }
    let line =
      switch format {
      case .text: pairs.map { "\($0.0)=\(Self.quotedIfNeeded($0.1))" }.joined(separator: " ")
      case .json:
        "{"
          + pairs.map { "\(Self.jsonString($0.0)):\(Self.jsonString($0.1))" }
          .joined(separator: ",") + "}"
      }
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }

  private static func quotedIfNeeded(_ value: String) -> String {
    let plain = !value.isEmpty && value.utf8.allSatisfy { $0 > 32 && $0 != 34 && $0 != 61 }
    return plain ? value : jsonString(value)
  }

  private static func jsonString(_ value: String) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    let data = try? encoder.encode(value)
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
  }
}
