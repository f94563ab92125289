import ArgumentParser
import Foundation
import MoyeoStorage
import Threading

/// `moyeo backup`.
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy the record of a data directory while its daemon goes on.",
    discussion: """
      The copy holds everything that was acknowledged before the command began. It is checked \
      (integrity_check) and synced before it gets its name. FILE.secret, for its owner alone, is the \
      secret of the idempotency keys: with it a command repeated after a restore still has one \
      effect. Beside it come keys, webhooks with their letters, and the list of erasures, where there \
      are any. moyeo restore puts them into an empty directory. Positions are not in it: they come back with the next heartbeats.
      """)

  @Option(help: "The daemon's data directory.")
  var dataDirectory = "./moyeo-data"
  @Option(name: .customLong("to"), help: "The file to write; must not exist yet.")
  var file: String
  @Flag(help: "Print the figures as JSON.")
  var json = false

  func run() throws {
    let report: StoreBackup.Report
    let progress = StateLock(ProgressLine(after: .seconds(1)))
    defer { progress.withLock { $0.clear() } }
    do {
      report = try StoreBackup.run(dataDirectory: dataDirectory, to: file) { done, all in
        progress.withLock { $0.update("pages", done, of: all) }
      }
    } catch {
      throw CommandFailure(message: error.description)
    }
    progress.withLock { $0.clear() }
    let seconds = (report.seconds * 1_000).rounded() / 1_000
    if json {
      print(
        "{\"file\":\(JSONPieces.string(file)),\"secret\":"
          + "\(report.secretPath.map(JSONPieces.string) ?? "null"),\"bytes\":\(report.bytes),\"seconds\":\(seconds),"
          + "\"beside\":[\(report.companions.map(JSONPieces.string).joined(separator: ","))],"
          + "\"parties\":\(report.parties),\"claims\":\(report.claims),\"events\":\(report.events)}"
      )
    } else {
      print(
        "\(file): \(report.parties) parties, \(report.claims) claims, \(report.events) events, "
          + "\(report.bytes) bytes in \(seconds) s, checked."
          + (report.secretPath.map { " The keys' secret: \($0)." } ?? "")
          + (report.companions.isEmpty
            ? "" : " Beside it: \(report.companions.joined(separator: ", "))."))
    }
  }
}
