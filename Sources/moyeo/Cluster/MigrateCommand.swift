import ArgumentParser
import DurableCommands
import Foundation
import MoyeoCluster
import MoyeoStorage
import ObjectModel
import WireFormat

/// `moyeo migrate`.
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Copy the record of a data directory into an empty one in PostgreSQL.",
    discussion: """
      Stop the daemon first: the record is locked while it is copied. Parties, requests, tickets, \
      commutes, claims, events with their sequences, and the keys of commands with the secret that \
      finds them go over in one transaction; all is read back and compared by counts and digests before \
      it is committed. A target that is not empty is refused; a second call with the same record says \
      that it is done. The data directory is left as it is: start moyeod on it with cluster.postgres, \
      and its positions, API keys and webhooks are served as before.
      """)

  @Option(help: "The daemon's data directory.")
  var dataDirectory = "./moyeo-data"
  @Option(
    name: .customLong("to-postgres"),
    help: ArgumentHelp(
      "Connection string of the target; without it \(ClusterOptions.variable) is taken. Others of this "
        + "machine see a password that stands here: name a passfile, or use the environment."))
  var postgres: String?
  @Flag(help: "Print the figures as JSON.")
  var json = false

  func run() throws {
    let connection = try ClusterOptions.connection(named: postgres, by: "--to-postgres")
    let began = ContinuousClock.now
    var progress = ProgressLine(after: .seconds(1))
    defer { progress.clear() }
    let report: RecordCopy.Report
    do {
      let (store, secret) = try SQLiteStore.openForCopying(directory: dataDirectory)
      defer { store.close() }
      report = try RecordCopy.run(
        from: store, secret: (secret.high, secret.low), to: connection
      ) { done, all in progress.update("rows", done, of: all) }
    } catch let error as StorageError {
      throw CommandFailure(message: error.description)
    } catch let failure as StoreFailure {
      throw CommandFailure(message: failure.reason)
    }
    let seconds = ((ContinuousClock.now - began) / .milliseconds(1)).rounded() / 1000
    progress.clear()
    print(json ? Self.json(report, seconds) : Self.text(report, seconds))
  }

  private static let words = [
    ("party", "parties"), ("ride_request", "rideRequests"), ("ticket", "tickets"),
    ("commute", "commutes"), ("claim", "claims"), ("event", "events"), ("reply", "replies"),
  ]

  private static func json(_ report: RecordCopy.Report, _ seconds: Double) -> String {
    let bytes = JSONWriter.object { json in
      json.bool("wasThere", report.wasThere)
      for (kind, name) in words { json.integer(name, Int64(report.rows[kind] ?? 0)) }
      json.number("seconds", seconds)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func text(_ report: RecordCopy.Report, _ seconds: Double) -> String {
    let counts = [
      ("party", "parties"), ("ride_request", "ride requests"), ("ticket", "tickets"),
      ("commute", "commutes"), ("claim", "claims"), ("event", "events"), ("reply", "keys"),
    ].map { kind, name in "\(NumberText.grouped(report.rows[kind] ?? 0)) \(name)" }
    let list = counts.joined(separator: ", ")
    return report.wasThere
      ? "Copied before, nothing was changed: \(list)."
      : "Copied and compared in \(seconds) s: \(list). Start moyeod with cluster.postgres."
  }
}
