import ArgumentParser
import MoyeoAPI
import MoyeoClient

/// `moyeo party join`.
struct PartyJoin: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join", abstract: "Get in. Aboard already: unchanged.")

  @Argument(help: "The party's id.")
  var id: String
  @Option(help: "Who gets in.")
  var rider: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where they get out; the party's.", valueName: "latitude,longitude"))
  var to: CoordinateText?
  @Option(help: "Name of that place.")
  var toName: String?
  @Option(help: "Seats taken; 1.")
  var seats: Int32?
  @Option(help: ArgumentHelp("The most to pay, minor units.", valueName: "amount"))
  var maxShare: Int64?
  @Option(help: ArgumentHelp("Longest walk to the pick-up.", valueName: "meters"))
  var maxWalk: Double?
  @OptionGroup var boarding: BoardingOptions
  @OptionGroup var attributes: AttributeOptions
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_JoinPartyRequest()
    request.id = id
    request.riderID = rider
    if let to { request.destination = TripOptions.place(to, toName) }
    if let seats { request.seats = seats }
    if let maxShare { request.maxShare = maxShare }
    if !attributes.attributes.isEmpty { request.attributes = attributes.fields }
    if let place = boarding.board?.place { request.boarding = place }
    if let walk = maxWalk { request.maxWalkMeters = walk }
    if let seconds = boarding.maxRideSeconds { request.maxRideSeconds = seconds }
    if let seconds = boarding.maxDetourSeconds { request.maxDetourSeconds = seconds }
    if let time = try boarding.latest() { request.arriveBy = time }
    let made = request
    try await PartyChangeCommand.run(connection, output) { client in
      try await client.joinParty(made, idempotencyKey: retry.key)
    }
  }
}

/// `moyeo party leave`.
struct PartyLeave: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave", abstract: "Get out. Not aboard: unchanged.")

  @Argument(help: "The party's id.")
  var id: String
  @Option(help: "Who gets out.")
  var rider: String
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_LeavePartyRequest()
    request.id = id
    request.riderID = rider
    let made = request
    try await PartyChangeCommand.run(connection, output) { client in
      try await client.leaveParty(made, idempotencyKey: retry.key)
    }
  }
}

/// `moyeo party update`.
struct PartyUpdate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Change time, window or seats.")

  @Argument(help: "The party's id.")
  var id: String
  @Option(help: "The host.")
  var rider: String?
  @OptionGroup var time: DepartureOptions
  @Option(help: "Seats in all.")
  var seats: Int32?
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_UpdatePartyRequest()
    request.id = id
    if let rider { request.riderID = rider }
    if let time = try time.time() { request.departureTime = time }
    if let window = time.window { request.departureWindowSeconds = window * 60 }
    if let seats { request.seats = seats }
    let made = request
    try await PartyChangeCommand.run(connection, output) { client in
      try await client.updateParty(made, idempotencyKey: retry.key)
    }
  }
}

/// `moyeo party remove`.
struct PartyRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take a rider out.")

  @Argument(help: "The party's id.")
  var id: String
  @Option(help: "Who is taken out.")
  var rider: String
  @Option(help: "no_show or host.")
  var reason: String = "host"
  @Option(help: "Who asks; may be left out by services.")
  var host: String?
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_RemoveRiderRequest()
    request.id = id
    request.riderID = rider
    request.reason = reason
    if let host { request.hostID = host }
    let made = request
    try await PartyChangeCommand.run(connection, output) { client in
      try await client.removeRider(made, idempotencyKey: retry.key)
    }
  }
}

/// `moyeo party depart`.
struct PartyDepart: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "depart", abstract: "The taxi leaves: closes joining.")

  @Argument(help: "The party's id.")
  var id: String
  @Option(help: "The host.")
  var rider: String?
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_DepartPartyRequest()
    request.id = id
    if let rider { request.riderID = rider }
    let made = request
    try await PartyChangeCommand.run(connection, output) { client in
      try await client.departParty(made, idempotencyKey: retry.key)
    }
  }
}

/// `moyeo party settle`.
struct PartySettle: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settle", abstract: "Split what the meter said by the party's rule.")

  @Argument(help: "The party's id.")
  var id: String
  @Option(help: "Who paid the driver.")
  var payer: String
  @Option(help: "What was paid, tolls included, minor units.")
  var amount: Int64
  @Option(help: "Tolls in it, minor units.")
  var tolls: Int64?
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_SettlePartyRequest()
    request.id = id
    request.payerID = payer
    request.amount = amount
    if let tolls { request.tolls = tolls }
    let made = request
    try await PartyChangeCommand.run(connection, output) { client in
      try await client.settleParty(made, idempotencyKey: retry.key)
    }
  }
}

/// `moyeo party cancel`.
struct PartyCancel: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Call a party off.")

  @Argument(help: "The party's id.")
  var id: String
  @Option(help: "The host.")
  var rider: String?
  @Option(help: "Why.")
  var reason: String?
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_CancelPartyRequest()
    request.id = id
    if let rider { request.riderID = rider }
    if let reason { request.reason = reason }
    let made = request
    try await PartyChangeCommand.run(connection, output) { client in
      try await client.cancelParty(made, idempotencyKey: retry.key)
    }
  }
}

/// Runs a command on a party and shows the party.
enum PartyChangeCommand {
  static func run(
    _ connection: ConnectionOptions, _ output: OutputOptions,
    _ call: (MoyeoClient) async throws -> Moyeo_V1_PartyResponse
  ) async throws {
    try await connection.withClient { client in
      let answer = try await call(client)
      if output.json { return try JSONOutput.print(answer) }
      PartyTable.print(answer.party, output.clock)
      guard answer.hasJoinRequest else { return }
      Terminal.note(PartyTable.joinRequest(answer.joinRequest, output.clock))
    }
  }
}
