import ArgumentParser
import CitySimulation
import Foundation
import MoyeoAPI
import MoyeoClient
import ObjectModel
import SwiftProtobuf

/// `moyeo simulate`.
struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate", abstract: "Move a living city through the daemon until stopped.",
    discussion: """
      People sleep, commute, meet and stroll between the city's hot spots and report each 20 \
      seconds. The same seed and start give the same movements. Ctrl-C stops; positions then expire \
      by themselves.
      """)

  @Option(help: "The city: a table data/<city>-hotspots.csv.")
  var city: String = "seoul"

  @Option(help: "People.")
  var users: Int = 50_000

  @Option(help: "Taxi parties to offer, where the daemon has parties.")
  var parties: Int = 0

  @Option(help: "Seed of everything random.")
  var seed: UInt64 = 1

  @Option(help: "Simulated seconds a second.")
  var speed: Double = 1

  @Option(help: ArgumentHelp("Seconds to run; without it, until stopped.", valueName: "seconds"))
  var duration: Double?

  @Option(help: ArgumentHelp("Simulated time to begin at; now.", valueName: "time"))
  var start: String?

  @Option(
    help: ArgumentHelp("Simulated seconds between two reports of one person.", valueName: "seconds")
  )
  var heartbeat: Double = 20

  @Option(help: "The layer to fill.")
  var layer: String = "users"

  @Option(help: "Reports a request, 1-1000.")
  var batchSize: Int = 1000

  @Option(help: ArgumentHelp("The folder that holds data/.", valueName: "folder"))
  var resources: String?

  @Flag(help: "Print the figures at the end as JSON.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    guard (1...10_000_000).contains(users) else {
      throw ValidationError("--users is 1 to 10000000")
    }
    guard (0...users).contains(parties) else {
      throw ValidationError("--parties is 0 to the number of --users")
    }
    guard speed > 0, speed <= 10_000 else {
      throw ValidationError("--speed is above 0 and at most 10000")
    }
    guard heartbeat >= 0.1, heartbeat <= 86_400 else {
      throw ValidationError("--heartbeat is 0.1 to 86400 seconds")
    }
    if let duration, !(duration > 0 && duration < 1e9) {
      throw ValidationError("--duration is above 0")
    }
    guard (1...1000).contains(batchSize) else { throw ValidationError("--batch-size is 1 to 1000") }
    if let start { _ = try DepartureText.parse(start) }
    guard !city.isEmpty, !city.contains("/") else { throw ValidationError("--city is a name") }
  }

  private static func now() -> Instant {
    Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
  }

  private func loadCity() throws -> City {
    let path = try ResourceFolder.path(ofData: "\(city)-hotspots.csv", given: resources)
    var source = try ByteSource(path: path)
    let text = String(decoding: try source.readAll(limit: 16 << 20), as: UTF8.self)
    do {
      return try City(name: city, utcOffsetSeconds: City.seoulOffsetSeconds, table: text)
    } catch { throw CommandFailure(message: "\(path): \(error)") }
  }

  func run() async throws {
    let interrupt = InterruptSignal()
    let place = try loadCity()
    let begin = try start.map(DepartureText.parse).map {
      Instant(milliseconds: $0.seconds * 1000 + Int64($0.nanos) / 1_000_000)
    }
    let endpoint = try connection.endpoint()
    // It makes its own attempts, and tells of them.
    try await connection.withClient(retries: .never) { client in
      let simulation = CitySimulation(
        city: place, users: users, seed: seed, start: begin ?? Self.now(),
        heartbeatMilliseconds: Int64(heartbeat * 1000))
      Terminal.note(
        "\(city): \(NumberText.grouped(users)) people, layer \(layer), seed \(seed), at \(endpoint)"
      )
      var mover = CityMover(
        sink: client, simulation: simulation, layer: layer, batchSize: batchSize,
        ttlSeconds: max(60, min(86_400, 3 * heartbeat / speed)))
      try await mover.loadEverybody { interrupt.isRaised }
      if parties > 0 {
        try await PartyOffers(client: client, simulation: simulation)
          .offer(parties, from: Self.now()) { interrupt.isRaised }
      }
      let seconds = try await mover.run(speed: speed, duration: duration) { interrupt.isRaised }
      print(json ? mover.figures(seconds) : mover.summary(seconds))
    }
  }
}
