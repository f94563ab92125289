import ArgumentParser
import Foundation
import MoyeoStorage
import WireFormat

/// `moyeo restore`.
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Put a backup into an empty data directory.",
    discussion: """
      Takes what moyeo backup wrote: FILE, and beside it FILE.secret, FILE.keys.json and the others. \
      Give the list of erasures of the directory that is replaced as well (--erasures \
      OLD/erasures.list): people who were erased after the backup are taken out of it when moyeod \
      starts.
      """)

  @Argument(help: "The copy of the record.")
  var file: String
  @Option(help: "Empty, or missing.")
  var dataDirectory: String
  @Option(help: "A list of erasures from after the backup; may be given several times.")
  var erasures: [String] = []
  @Flag(help: "Print what was made as JSON.")
  var json = false

  func run() throws {
    let made: [String]
    var progress = ProgressLine(after: .seconds(1))
    defer { progress.clear() }
    do {
      made = try StoreRestore.run(from: file, to: dataDirectory, erasures: erasures) { done, all in
        progress.update("bytes", done, of: all)
      }
    } catch {
      throw CommandFailure(message: error.description)
    }
    progress.clear()
    if json {
      print(
        JSONPieces.object { text in
          text.string("dataDirectory", dataDirectory)
          text.strings("made", made)
          text.strings("erasures", erasures)
        })
      return
    }
    print("\(dataDirectory): \(made.joined(separator: ", ")).")
    if erasures.isEmpty {
      print("Without --erasures, people who were erased after the backup are back.")
    }
  }
}
