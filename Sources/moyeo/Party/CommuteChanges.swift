import ArgumentParser
import MoyeoAPI
import MoyeoClient

/// `moyeo party commute update`.
struct CommuteUpdate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Change the days that have not appeared.",
    discussion: """
      What is not given stays as it is.
      Example: moyeo party commute update 7mfr4 --rider mina --at 08:00 --seats 3 --cleared tags
      """)

  @Argument(help: "The commute's id.")
  var id: String
  @Option(help: ArgumentHelp("Who made it.", valueName: "id"))
  var rider: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where the ride begins.", valueName: "latitude,longitude"))
  var from: CoordinateText?
  @Option(help: "Name of that place.")
  var fromName: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where it ends.", valueName: "latitude,longitude"))
  var to: CoordinateText?
  @Option(help: "Name of that place.")
  var toName: String?
  @OptionGroup var schedule: ScheduleOptions
  @OptionGroup var trip: CommuteTripOptions
  @Option(
    help: ArgumentHelp(
      "As though never given, e.g. tags,maxShare,agreedFare.", valueName: "fields"))
  var cleared: String?
  @Option(help: ArgumentHelp("Dates neither added nor removed any more.", valueName: "dates"))
  var restored: String?
  @Flag(help: "Make anew also the days that have appeared and that nobody has joined.")
  var includeAppeared = false
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard from != nil || fromName == nil, to != nil || toName == nil else {
      throw ValidationError("a name goes with its place: give --from or --to")
    }
  }

  func run() async throws {
    var request = Moyeo_V1_UpdateCommuteRequest()
    request.id = id
    if let rider { request.riderID = rider }
    schedule.write(to: &request)
    request.restored = CommuteCommand.words(restored)
    if let from { request.origin = TripOptions.place(from, fromName) }
    if let to { request.destination = TripOptions.place(to, toName) }
    trip.write(to: &request)
    request.cleared = CommuteCommand.words(cleared)
    if includeAppeared { request.includeAppeared = true }
    let made = request
    try await CommuteCommand.run(connection, output) { client in
      try await client.updateCommute(made, idempotencyKey: retry.key)
    }
  }
}

/// `moyeo party commute cancel`.
struct CommuteCancel: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Let no further day appear. Cancelled already: unchanged.")

  @Argument(help: "The commute's id.")
  var id: String
  @Option(help: ArgumentHelp("Who made it.", valueName: "id"))
  var rider: String?
  @Option(help: "A word that is told.")
  var reason: String?
  @Flag(help: "Call off also the days that have appeared and that nobody has joined.")
  var includeAppeared = false
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_CancelCommuteRequest()
    request.id = id
    if let rider { request.riderID = rider }
    if let reason { request.reason = reason }
    if includeAppeared { request.includeAppeared = true }
    let made = request
    try await CommuteCommand.run(connection, output) { client in
      try await client.cancelCommute(made, idempotencyKey: retry.key)
    }
  }
}

/// `moyeo party commute join`.
struct CommuteJoin: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join", abstract: "Get in on each day. With it already: unchanged.")

  @Argument(help: "The commute's id.")
  var id: String
  @Option(help: "Who gets in.")
  var rider: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where they get out; the commute's.", valueName: "latitude,longitude"))
  var to: CoordinateText?
  @Option(help: "Name of that place.")
  var toName: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Get in on the way, at or near there.", valueName: "latitude,longitude"))
  var board: CoordinateText?
  @Option(help: "Seats taken; 1.")
  var seats: Int32?
  @Option(help: ArgumentHelp("The most to pay on a day, minor units.", valueName: "amount"))
  var maxShare: Int64?
  @OptionGroup var attributes: AttributeOptions
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_JoinCommuteRequest()
    request.id = id
    request.riderID = rider
    if let to { request.destination = TripOptions.place(to, toName) }
    if let place = board?.place { request.boarding = place }
    if let seats { request.seats = seats }
    if let maxShare { request.maxShare = maxShare }
    if !attributes.attributes.isEmpty { request.attributes = attributes.fields }
    let made = request
    try await CommuteCommand.run(connection, output) { client in
      try await client.joinCommute(made, idempotencyKey: retry.key)
    }
  }
}

/// `moyeo party commute leave`.
struct CommuteLeave: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave", abstract: "Get in on no further day. Not with it: unchanged.")

  @Argument(help: "The commute's id.")
  var id: String
  @Option(help: "Who gets out.")
  var rider: String
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_LeaveCommuteRequest()
    request.id = id
    request.riderID = rider
    let made = request
    try await CommuteCommand.run(connection, output) { client in
      try await client.leaveCommute(made, idempotencyKey: retry.key)
    }
  }
}

/// Commutes as text.
enum CommuteTable {
  static func print(_ commute: Moyeo_V1_Commute, _ clock: LocalClock) {
    for line in lines(commute, clock) { Swift.print(TextTable.printable(line)) }
  }

  static func lines(_ commute: Moyeo_V1_Commute, _ clock: LocalClock) -> [String] {
    var lines = [
      "commute \(commute.id)  \(commute.state)"
        + (commute.hasEndReason ? " (\(commute.endReason))" : ""),
      "\(PartyTable.name(commute.origin)) -> \(PartyTable.name(commute.destination))",
      schedule(commute),
    ]
    if !commute.added.isEmpty { lines.append("added " + commute.added.joined(separator: " ")) }
    if !commute.removed.isEmpty {
      lines.append("removed " + commute.removed.joined(separator: " "))
    }
    if commute.riderCount > 0 {
      let names = commute.riders.map(\.riderID).joined(separator: " ")
      lines.append("riders \(names.isEmpty ? "\(commute.riderCount)" : names)")
    }
    guard !commute.occurrences.isEmpty else { return lines }
    var table = TextTable([
      ("date", .left), ("departs", .left), ("", .left), ("party or request", .left),
    ])
    for day in commute.occurrences {
      let change = day.hasClockChange ? " (clocks: \(day.clockChange))" : ""
      table.append([
        day.date, clock.text(day.departureTime) + change,
        day.state + (day.hasReason ? " (\(day.reason))" : ""),
        day.hasPartyID ? day.partyID : day.requestID,
      ])
    }
    return lines + [""] + table.lines
  }

  private static func schedule(_ commute: Moyeo_V1_Commute) -> String {
    "\(commute.weekdays.joined(separator: ",")) \(commute.localTime) \(commute.timeZone), "
      + "\(commute.from) to \(commute.to)"
      + (commute.hasHolidays ? ", not on holidays of \(commute.holidays)" : "")
  }

  static func list(_ commutes: [Moyeo_V1_Commute], _ clock: LocalClock) {
    guard !commutes.isEmpty else { return Terminal.note("no commute is under way") }
    var table = TextTable([
      ("commute", .left), ("from", .left), ("to", .left), ("runs", .left), ("riders", .right),
    ])
    for commute in commutes {
      table.append([
        commute.id, PartyTable.name(commute.origin), PartyTable.name(commute.destination),
        schedule(commute), "\(commute.riderCount)",
      ])
    }
    table.print()
  }
}
