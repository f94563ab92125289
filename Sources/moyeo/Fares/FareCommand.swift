import ArgumentParser
import Foundation
import MoyeoAPI
import MoyeoClient
import SwiftProtobuf

/// `moyeo fare`.
struct FareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fare", abstract: "What a taxi trip costs, item by item, and each rider's share.",
    discussion: """
      Example: moyeo fare --from 37.5547,126.9707 --to 37.4979,127.0276 \
      --depart 2026-11-20T23:10+09:00 --riders 3
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where the trip begins.", valueName: "latitude,longitude"))
  var from: CoordinateText?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where it ends.", valueName: "latitude,longitude"))
  var to: CoordinateText?

  @Option(help: ArgumentHelp("Instead of places: the distance.", valueName: "meters"))
  var distance: Double?

  @Option(help: ArgumentHelp("Instead of places: the duration.", valueName: "seconds"))
  var duration: Double?

  @Option(help: ArgumentHelp("Departure, with its offset from UTC; now.", valueName: "time"))
  var depart: String?

  @Option(help: "Riders who share.")
  var riders: Int?

  @Option(help: ArgumentHelp("How to share, e.g. equal, bySoloFare.", valueName: "rule"))
  var split: String?

  @Option(help: ArgumentHelp("The tariff; found from the origin otherwise.", valueName: "id"))
  var tariff: String?

  @Option(help: ArgumentHelp("Vehicle class, e.g. standard.", valueName: "class"))
  var vehicle: String?

  @Option(help: ArgumentHelp("Tolls, in minor units of the currency.", valueName: "amount"))
  var tolls: Int64?

  @Option(help: ArgumentHelp("A flat trip of the tariff, e.g. jfk.", valueName: "name"))
  var flatTrip: String?

  @Flag(help: "The taxi is called, so that a call fee is due.")
  var called = false

  @Option(help: "Seats of the taxi, for the price once it is full.")
  var seats: Int32?

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (from == nil) == (to == nil) else { throw ValidationError("--from and --to go together") }
    guard (distance == nil) == (duration == nil) else {
      throw ValidationError("--distance and --duration go together")
    }
    guard from != nil || distance != nil else {
      throw ValidationError("give --from and --to, or --distance and --duration")
    }
    if let depart { _ = try DepartureText.parse(depart) }
    if let riders, !(1...100).contains(riders) { throw ValidationError("--riders is 1 to 100") }
  }

  func request() throws -> Moyeo_V1_EstimateFareRequest {
    var request = Moyeo_V1_EstimateFareRequest()
    if let from, let to {
      request.origin = from.place
      request.destination = to.place
    }
    if let distance, let duration {
      request.distanceMeters = distance
      request.durationSeconds = duration
    }
    request.departureTime =
      try depart.map(DepartureText.parse) ?? Google_Protobuf_Timestamp(date: Date())
    if let riders { request.riderCount = Int32(riders) }
    if let split { request.splitRule = split }
    if let tariff { request.tariffID = tariff }
    if let vehicle { request.vehicleClass = vehicle }
    if let tolls { request.tolls = tolls }
    if let flatTrip { request.flatTrip = flatTrip }
    if called { request.called = true }
    if let seats { request.seats = seats }
    return request
  }

  func run() async throws {
    let request = try request()
    try await connection.withClient { client in
      let answer = try await client.estimateFare(request)
      if output.json { return try JSONOutput.print(answer) }
      for line in FareListing.lines(answer.fare, output.clock) { print(line) }
    }
  }
}

/// A departure as typed.
enum DepartureText {
  static func parse(_ text: String) throws -> Google_Protobuf_Timestamp {
    guard let stamp = TimeText.parse(text) else {
      throw ValidationError(
        "\(excerpt(text)) is not a time with its offset, such as 2026-11-20T23:10+09:00")
    }
    return stamp
  }
}
