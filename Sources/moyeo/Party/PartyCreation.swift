import ArgumentParser
import MoyeoAPI
import MoyeoClient

/// `moyeo party create`.
struct PartyCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Offer a taxi party.",
    discussion: """
      Example: moyeo party create --host mina --from 37.5547,126.9707 --from-name "Seoul Station, \
      exit 1" --to 37.4979,127.0276 --in 30
      """)

  @Option(help: "Who offers it.")
  var host: String
  @OptionGroup var trip: TripOptions
  @Option(help: "Seats in all, those of the host included; 4.")
  var seats: Int32?
  @Option(help: "Seats that the host takes; 1.")
  var hostSeats: Int32?
  @Option(help: ArgumentHelp("How far riders walk at most; 300.", valueName: "meters"))
  var maxWalk: Double?
  @Option(help: ArgumentHelp("Longest ride over the direct one, less 1; 0.25.", valueName: "ratio"))
  var maxDetour: Double?
  @Option(help: "Tags, separated by commas.")
  var tags: String?
  @Option(help: ArgumentHelp("Must be the same for all aboard, e.g. gender.", valueName: "name"))
  var same: [String] = []
  @Option(help: ArgumentHelp("A named pack of rules, e.g. kr-small-taxi.", valueName: "name"))
  var policy: String?
  @Option(help: ArgumentHelp("How to share, e.g. equal; bySoloFare.", valueName: "rule"))
  var split: String?
  @Flag(help: "Later joins may raise the shares of those aboard.")
  var allowRaisedShares = false
  @OptionGroup var agreement: AgreementOptions
  @OptionGroup var attributes: AttributeOptions
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard trip.time.depart != nil || trip.time.minutes != nil else {
      throw ValidationError("give --depart or --in")
    }
  }

  func run() async throws {
    var request = Moyeo_V1_CreatePartyRequest()
    request.hostID = host
    request.origin = trip.origin
    request.destination = trip.destination
    if let time = try trip.time.time() { request.departureTime = time }
    if let window = trip.time.window { request.departureWindowSeconds = window * 60 }
    if let seats { request.seats = seats }
    if let hostSeats { request.hostSeats = hostSeats }
    if let maxWalk { request.maxWalkMeters = maxWalk }
    if let maxDetour { request.maxDetourRatio = maxDetour }
    if let tags { request.tags = tags.split(separator: ",").map(String.init) }
    if !same.isEmpty { request.policy.sameAttributes = same }
    if let policy { request.policyPack = policy }
    if let split { request.splitRule = split }
    agreement.write(to: &request)
    if allowRaisedShares { request.allowRaisedShares = true }
    if !attributes.attributes.isEmpty { request.attributes = attributes.fields }
    let made = request
    try await connection.withClient { client in
      let answer = try await client.createParty(made, idempotencyKey: retry.key)
      if output.json { return try JSONOutput.print(answer) }
      PartyTable.print(answer.party, output.clock)
    }
  }
}
