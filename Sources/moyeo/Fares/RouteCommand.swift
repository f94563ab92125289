import ArgumentParser
import MoyeoAPI
import MoyeoClient

/// `moyeo route`.
struct RouteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "route", abstract: "How far and how long.", subcommands: [RoutePlanCommand.self])
}

/// `moyeo route plan`.
struct RoutePlanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Plan a trip, its stops in the best order.",
    discussion: "Example: moyeo route plan --from 37.5547,126.9707 --to 37.4979,127.0276")

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where the trip begins.", valueName: "latitude,longitude"))
  var from: CoordinateText

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where it ends.", valueName: "latitude,longitude"))
  var to: CoordinateText

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A stop between; repeatable.", valueName: "latitude,longitude"))
  var stop: [CoordinateText] = []

  @Flag(help: "Keep the stops in the order given.")
  var keepOrder = false

  @Option(help: ArgumentHelp("Departure, with its offset from UTC.", valueName: "time"))
  var depart: String?

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let depart { _ = try DepartureText.parse(depart) }
  }

  func run() async throws {
    var request = Moyeo_V1_PlanRouteRequest()
    request.origin = from.place
    request.destination = to.place
    request.stops = stop.map { coordinate in
      var stop = Moyeo_V1_RouteStop()
      stop.latitude = coordinate.latitude
      stop.longitude = coordinate.longitude
      return stop
    }
    if keepOrder { request.keepOrder = true }
    if let depart { request.departureTime = try DepartureText.parse(depart) }
    try await connection.withClient { client in
      let answer = try await client.planRoute(request)
      if output.json { return try JSONOutput.print(answer) }
      var table = TextTable([("", .left), ("", .left)])
      table.append(["distance", NumberText.distance(answer.distanceMeters)])
      var duration = NumberText.duration(answer.durationSeconds)
      if answer.hasLowDurationSeconds, answer.hasHighDurationSeconds {
        duration += " (\(NumberText.duration(answer.lowDurationSeconds)) to "
        duration += "\(NumberText.duration(answer.highDurationSeconds)))"
      }
      table.append(["duration", duration])
      table.append(["source", answer.source])
      if !answer.stopOrder.isEmpty {
        table.append([
          "stop order", answer.stopOrder.map { "\($0 + 1)" }.joined(separator: ", "),
        ])
      }
      table.append(["path", "\(answer.path.count) points (see --json)"])
      if answer.hasFallbackReason { table.append(["note", answer.fallbackReason]) }
      table.print()
      guard answer.legs.count > 1 else { return }
      print()
      var legs = TextTable([("leg", .right), ("distance", .right), ("duration", .right)])
      for (i, leg) in answer.legs.enumerated() {
        legs.append([
          "\(i + 1)", NumberText.distance(leg.distanceMeters),
          NumberText.duration(leg.durationSeconds),
        ])
      }
      legs.print()
    }
  }
}
