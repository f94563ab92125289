import ArgumentParser
import MoyeoAPI
import MoyeoClient

/// `moyeo party commute`.
struct CommuteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "commute",
    abstract: "Parties and requests that repeat: create, list, show, update, cancel, join, leave.",
    subcommands: [
      CommuteCreate.self, CommuteList.self, CommuteShow.self, CommuteUpdate.self,
      CommuteCancel.self, CommuteJoin.self, CommuteLeave.self,
    ])

  /// Days or dates as one word each: `MON,WED` or `MON WED`.
  static func words(_ text: String?) -> [String] {
    (text ?? "").split { $0 == "," || $0 == " " }.map(String.init)
  }

  /// Sends a command and prints the commute that it answers.
  static func run(
    _ connection: ConnectionOptions, _ output: OutputOptions,
    _ command: @escaping @Sendable (MoyeoClient) async throws -> Moyeo_V1_CommuteResponse
  ) async throws {
    try await connection.withClient { client in
      let answer = try await command(client)
      if output.json { return try JSONOutput.print(answer) }
      CommuteTable.print(answer.commute, output.clock)
    }
  }
}

/// `moyeo party commute create`.
struct CommuteCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Offer a party, or keep a request, that repeats.",
    discussion: """
      Example: moyeo party commute create --host mina --from 37.5551,126.9368 --to 37.4979,127.0276 \
      --days MON,TUE,WED,THU,FRI --at 07:45 --zone Asia/Seoul --until 2027-06-30 \
      --holidays kr-public
      """)

  @Option(help: ArgumentHelp("Whose party repeats.", valueName: "id"))
  var host: String?
  @Option(help: ArgumentHelp("Whose request repeats.", valueName: "id"))
  var rider: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where the ride begins.", valueName: "latitude,longitude"))
  var from: CoordinateText
  @Option(help: "Name of that place.")
  var fromName: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where it ends.", valueName: "latitude,longitude"))
  var to: CoordinateText
  @Option(help: "Name of that place.")
  var toName: String?
  @OptionGroup var schedule: ScheduleOptions
  @OptionGroup var trip: CommuteTripOptions
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (host == nil) != (rider == nil) else {
      throw ValidationError("give --host or --rider")
    }
    guard schedule.at != nil, schedule.zone != nil, schedule.until != nil else {
      throw ValidationError("give --at, --zone and --until")
    }
  }

  func run() async throws {
    var request = Moyeo_V1_CreateCommuteRequest()
    if let host { request.hostID = host }
    if let rider { request.riderID = rider }
    request.origin = TripOptions.place(from, fromName)
    request.destination = TripOptions.place(to, toName)
    schedule.write(to: &request)
    trip.write(to: &request)
    let made = request
    try await CommuteCommand.run(connection, output) { client in
      try await client.createCommute(made, idempotencyKey: retry.key)
    }
  }
}

/// On which dates a commute runs.
struct ScheduleOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Days of the week, e.g. MON,TUE.", valueName: "days"))
  var days: String?
  @Option(help: ArgumentHelp("Departure, as clocks of the zone show it.", valueName: "hh:mm"))
  var at: String?
  @Option(help: ArgumentHelp("Time zone, e.g. Asia/Seoul.", valueName: "name"))
  var zone: String?
  @Option(help: ArgumentHelp("First date; today.", valueName: "date"))
  var since: String?
  @Option(help: ArgumentHelp("Last date, included.", valueName: "date"))
  var until: String?
  @Option(help: ArgumentHelp("Dates that run as well.", valueName: "dates"))
  var added: String?
  @Option(help: ArgumentHelp("Dates that do not run.", valueName: "dates"))
  var removed: String?
  @Option(help: ArgumentHelp("Calendar whose holidays do not run.", valueName: "name"))
  var holidays: String?
  @Option(help: ArgumentHelp("How much sooner or later it may be.", valueName: "minutes"))
  var window: Double?

  /// Sets what is given; the rest stays absent.
  func write(to request: inout some CommuteFields) {
    request.weekdays = CommuteCommand.words(days)
    if let at { request.localTime = at }
    if let zone { request.timeZone = zone }
    if let since { request.from = since }
    if let until { request.to = until }
    request.added = CommuteCommand.words(added)
    request.removed = CommuteCommand.words(removed)
    if let holidays { request.holidays = holidays }
    if let window { request.departureWindowSeconds = window * 60 }
  }
}

/// `moyeo party commute list`.
struct CommuteList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "The commutes under way of a host or a rider.")

  @Option(help: ArgumentHelp("Those that this person hosts.", valueName: "id"))
  var host: String?
  @Option(help: ArgumentHelp("Those that this person rides with.", valueName: "id"))
  var rider: String?
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (host == nil) != (rider == nil) else {
      throw ValidationError("give --host or --rider")
    }
  }

  func run() async throws {
    var request = Moyeo_V1_ListCommutesRequest()
    if let host { request.hostID = host }
    if let rider { request.riderID = rider }
    let made = request
    try await connection.withClient { client in
      let answer = try await client.listCommutes(made)
      if output.json { return try JSONOutput.print(answer) }
      CommuteTable.list(answer.commutes, output.clock)
    }
  }
}

/// `moyeo party commute show`.
struct CommuteShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "One commute with its next days.")

  @Argument(help: "The commute's id.")
  var id: String
  @Option(help: ArgumentHelp("Who asks; of a request its rider.", valueName: "id"))
  var rider: String?
  @Option(help: "Days to come that are shown, 0 to 400; 14.")
  var days: Int32?
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_GetCommuteRequest()
    request.id = id
    if let rider { request.riderID = rider }
    if let days { request.days = days }
    let made = request
    try await CommuteCommand.run(connection, output) { try await $0.commute(made) }
  }
}
