import ArgumentParser
import Foundation
import DurableCommands
import MoyeoStorage
import ObjectModel
import Parties
import TestSupport

/// Joins of parties through the partyService and its record, as the daemon carries them out; without the
/// wire.
///
/// Clients ask in a closed loop, each for a seat under a key of its own; a join counts when its
/// answer is back: committed, synced, and shown by memory and index. Creating the parties comes
/// before and is not timed.
@main
struct JoinBenchmark: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "JoinBenchmark",
    abstract: "Joins a second and how long they take, with a backup and moves beside them.")

  @Option(help: "Parties of four seats; the run ends when all seats are sold.")
  var parties = 100_000
  @Option(help: "Clients that ask at the same time.")
  var clients = 32
  @Option(help: "Of each round.")
  var seconds = 5.0
  @Option(help: "Rounds, each reported; a warm-up of one second comes before.")
  var rounds = 3
  @Flag(help: "Back up the record meanwhile, one copy after the other.")
  var backup = false
  @Option(help: "Positions reported a second meanwhile, with clusters and the write-behind.")
  var moves = 0
  @Option(help: "Objects that move.")
  var objects = 100_000
  @Option(help: "Seconds between two rounds of writing positions behind; 0: not written.")
  var positionsEvery = 5
  @Option(
    help: "Then open, propose and accept with so many people, and start with all of them; 0: not.")
  var tickets = 0
  @Flag(help: "Keep the record in memory: what the rules alone cost.")
  var memory = false
  @Option(help: "Where tariffs/ and areas/ are.")
  var data = "data"
  @Option(help: "The record's directory, made anew and removed; its disk is the one measured.")
  var directory = NSTemporaryDirectory() + "moyeo-joins-\(getpid())"

  func run() async throws {
    let files = FileManager.default
    guard !files.fileExists(atPath: directory) else {
      throw ValidationError("\(directory) exists already")
    }
    try files.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? files.removeItem(atPath: directory) }
    try await joins()
    guard tickets > 0, !memory else { return }
    try files.createDirectory(atPath: directory + "/mates", withIntermediateDirectories: true)
    try await TicketPhases(
      count: tickets, clients: clients, directory: directory + "/mates"
    ).run()
  }

  private func joins() async throws {
    let city = try JoinedCity(
      store: memory ? MemoryStore() : try SQLiteStore(directory: directory),
      dataDirectory: data)
    defer { city.stop() }
    var clock = Stopwatch()
    let ids = try await city.createParties(parties)
    print("\(ids.count) parties created in \(clock.lap()) s")

    let disturbances = Disturbances(
      city: city, directory: directory, backs: backup && !memory, movesPerSecond: moves,
      objects: objects, positionsEvery: positionsEvery)
    disturbances.start()
    defer { disturbances.stop() }
    var joins = JoinRounds(city: city, ids: ids, clients: clients)
    _ = await joins.run(seconds: 1)
    print("joins/s     p50     p99   p99.9     max ms   a batch  CPU us  backups  moves/s  age ms")
    for _ in 0..<rounds {
      let before = disturbances.counts
      let round = await joins.run(seconds: seconds)
      let after = disturbances.counts
      print(
        round.line, "\(after.backups - before.backups)".padded(8),
        "\(Int(Double(after.moves - before.moves) / round.seconds))".padded(8),
        "\(city.clusterAgeMilliseconds)".padded(7))
      if round.isSoldOut { print("all seats are sold: --parties \(parties) are too few") }
    }
    if let reason = city.partyService.readOnlyReason {
      throw ValidationError("read only: \(reason)")
    }
  }
}

/// Seconds since the last lap.
struct Stopwatch {
  private var start = ContinuousClock.now

  mutating func lap() -> Double {
    let now = ContinuousClock.now
    defer { start = now }
    return ((now - start) / .milliseconds(1)).rounded() / 1000
  }
}

extension String {
  func padded(_ width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
