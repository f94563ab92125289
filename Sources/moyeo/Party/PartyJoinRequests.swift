import ArgumentParser
import MoyeoAPI
import MoyeoClient

/// `moyeo party approve`.
struct PartyApprove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve", abstract: "Let a rider in who asked the host.")

  @OptionGroup var asked: JoinRequestArguments
  @Option(help: "The host; may be left out by services.")
  var host: String?
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_ApproveJoinRequest()
    request.id = asked.id
    request.requestID = asked.request
    if let host { request.hostID = host }
    let made = request
    try await PartyChangeCommand.run(connection, output) { client in
      try await client.approveJoin(made, idempotencyKey: retry.key)
    }
  }
}

/// `moyeo party decline`.
struct PartyDecline: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decline", abstract: "Refuse a rider who asked the host.")

  @OptionGroup var asked: JoinRequestArguments
  @Option(help: "The host; may be left out by services.")
  var host: String?
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_DeclineJoinRequest()
    request.id = asked.id
    request.requestID = asked.request
    if let host { request.hostID = host }
    let made = request
    try await PartyChangeCommand.run(connection, output) { client in
      try await client.declineJoin(made, idempotencyKey: retry.key)
    }
  }
}

/// `moyeo party withdraw-join`.
struct PartyWithdrawJoin: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdraw-join", abstract: "No longer ask a host for a seat.")

  @OptionGroup var asked: JoinRequestArguments
  @Option(help: "Who asked; may be left out by services.")
  var rider: String?
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_WithdrawJoinRequest()
    request.id = asked.id
    request.requestID = asked.request
    if let rider { request.riderID = rider }
    let made = request
    try await PartyChangeCommand.run(connection, output) { client in
      try await client.withdrawJoin(made, idempotencyKey: retry.key)
    }
  }
}

/// Which request of which party.
struct JoinRequestArguments: ParsableArguments {
  @Argument(help: "The party's id.")
  var id: String
  @Argument(help: "The request's id, as `join` answered it and `show` lists it.")
  var request: String
}

/// What a host may settle about price and joining beside the trip.
struct AgreementOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What the whole ride costs, minor units, whatever a meter says.", valueName: "amount"))
  var agreedFare: Int64?
  @Option(help: ArgumentHelp("Of the agreed fare, e.g. KRW.", valueName: "code"))
  var currency: String?
  @Option(help: ArgumentHelp("host: who joins asks the host first.", valueName: "who"))
  var approval: String?
  @Flag(help: "A pending request keeps its seats from others.")
  var holdSeats = false
  @Option(
    help: ArgumentHelp(
      "snapped: only members see where exactly they meet.", valueName: "precision"))
  var originPrecision: String?

  func validate() throws {
    guard (agreedFare == nil) == (currency == nil) else {
      throw ValidationError("--agreed-fare and --currency go together")
    }
  }

  func write(to request: inout Moyeo_V1_CreatePartyRequest) {
    if let agreedFare, let currency {
      request.agreedFare.amount = agreedFare
      request.agreedFare.currency = currency
    }
    if let approval { request.approval = approval }
    if let originPrecision { request.originPrecision = originPrecision }
    if holdSeats { request.holdSeats = true }
  }
}
