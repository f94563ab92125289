import ArgumentParser
import Foundation
import MoyeoStorage
import ObjectModel
import SwiftProtobuf
import WireFormat

/// `moyeo disclosures`.
struct DisclosuresCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disclosures",
    abstract: "Who was shown whose position, by the log of a data directory.",
    discussion: """
      The log is kept of the layers that the setting disclosures.layers names, in files of a day each. \
      Give --of to learn who was shown somebody, --to to learn whom somebody was shown. A moment is \
      2026-11-20T23:10:05Z, or with an offset, or a day.
      """)

  @Option(help: "The daemon's data directory.")
  var dataDirectory = "./moyeo-data"
  @Option(help: "Whose position was shown: the id of an object, ticket or party.")
  var of: String?
  @Option(help: "To whom: the subject of a token, or the id of an API key.")
  var to: String?
  @Option(help: "Only this layer's.")
  var layer: String?
  @Option(help: "Only this tenant's.")
  var tenant: String?
  @Option(help: "Not before.")
  var since: String?
  @Option(help: "Before.")
  var until: String?
  @Flag(help: "Print the lines of the log as they are.")
  var json = false

  func validate() throws {
    for (name, text) in [("--since", since), ("--until", until)] {
      guard let text, Self.moment(text) == nil else { continue }
      throw ValidationError("\(name) is no moment: \(text)")
    }
  }

  private static func moment(_ text: String) -> Instant? {
    TimeText.parse(text, offsetSeconds: 0).map {
      Instant(milliseconds: $0.seconds * 1000 + Int64($0.nanos) / 1_000_000)
    }
  }

  func run() throws {
    let reader = DisclosureReader(directory: dataDirectory)
    guard !reader.isEmpty else {
      throw CommandFailure(
        message: "\(dataDirectory) has no log of disclosures: set disclosures.layers to keep one")
    }
    if !json {
      print("TIME                      TO                    CALL           LAYER    SHOWN")
    }
    let damaged: Int
    do {
      damaged = try reader.each(
        from: since.flatMap(Self.moment), until: until.flatMap(Self.moment)
      ) { entry, line in
        if let row = row(entry, line) { print(row) }
      }
    } catch {
      throw CommandFailure(message: "\(dataDirectory): \(error)")
    }
    if damaged > 0 {
      Terminal.writeError("\(damaged) lines cannot be read; a crash may cut the last one short\n")
    }
  }

  /// What is printed of an entry; nil where it is not asked for.
  private func row(_ entry: DisclosureFiles.Entry, _ line: Data) -> String? {
    guard of.map({ entry.ids.contains($0) }) ?? true, to.map({ $0 == entry.viewer }) ?? true,
      layer.map({ $0 == entry.layer }) ?? true, tenant.map({ $0 == entry.tenant }) ?? true
    else { return nil }
    if json { return String(decoding: line, as: UTF8.self) }
    let shown = of ?? entry.ids.joined(separator: " ")
    let cells: [(String, Int)] = [
      (RFC3339.utc(entry.at), 24), (entry.viewer ?? "(\(entry.role))", 20), (entry.call, 13),
      (entry.layer, 7),
    ]
    // One after another as they are read: the log may be larger than memory.
    return cells.map { text, width in
      let text = TextTable.printable(text)
      return text + String(repeating: " ", count: max(0, width - DisplayWidth.of(text)))
    }.joined(separator: "  ") + "  " + TextTable.printable(shown)
  }
}
