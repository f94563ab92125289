import ArgumentParser
import MoyeoAPI
import MoyeoClient
import Threading

/// `moyeo party request`.
struct PartyRequestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "request",
    abstract: "Requests that wait: keep one, see what is offered to it, accept or decline.",
    subcommands: [
      PartyRequestMake.self, PartyRideOffers.self, PartyAcceptOffer.self, PartyDeclineOffer.self,
    ])
}

/// `moyeo party request make`.
struct PartyRequestMake: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make", abstract: "Keep a request: parties that match it, and offers, are told.",
    discussion: """
      Example: moyeo party request make --rider jun --from 37.5551,126.9707 --to 37.4979,127.0276 \
      --in 30
      """)

  @Option(help: "Who wants to ride.")
  var rider: String
  @OptionGroup var trip: TripOptions
  @Option(help: ArgumentHelp("Longest walk to the pick-up.", valueName: "meters"))
  var maxWalk: Double?
  @Option(help: ArgumentHelp("Longest ride over the direct one, less 1.", valueName: "ratio"))
  var maxDetour: Double?
  @Option(help: ArgumentHelp("The most to pay, minor units.", valueName: "amount"))
  var maxShare: Int64?
  @Option(help: "Seats taken; 1.")
  var seats: Int32?
  @OptionGroup var boarding: BoardingOptions
  @OptionGroup var attributes: AttributeOptions
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_WatchMatchesRequest()
    request.store = true
    request.riderID = rider
    request.origin = trip.origin
    request.destination = trip.destination
    if let time = try trip.time.time() { request.departureTime = time }
    if let window = trip.time.window { request.departureWindowSeconds = window * 60 }
    if let maxWalk { request.maxWalkMeters = maxWalk }
    if let maxDetour { request.maxDetourRatio = maxDetour }
    if let maxShare { request.maxShare = maxShare }
    if let seats { request.seats = seats }
    if let place = boarding.board?.place { request.boarding = place }
    if let seconds = boarding.maxRideSeconds { request.maxRideSeconds = seconds }
    if let seconds = boarding.maxDetourSeconds { request.maxDetourSeconds = seconds }
    if let time = try boarding.latest() { request.arriveBy = time }
    if !attributes.attributes.isEmpty { request.attributes = attributes.fields }
    let (made, key) = (request, retry.key)
    try await connection.withClient { client in
      let kept = StateLock(Moyeo_V1_WatchMatchesEvent())
      do {
        try await client.watchMatches(made, idempotencyKey: key) { event in
          kept.withLock { $0 = event }
          throw HasBegun()
        }
      } catch is HasBegun {}
      let first = kept.withLock { $0 }
      if output.json { return try JSONOutput.print(first) }
      Swift.print("\(first.matchID) \(first.candidates.count) parties match now")
    }
  }
}

/// The first event says what was asked: the stream is left.
private struct HasBegun: Error {}

/// `moyeo party request offers`.
struct PartyRideOffers: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "offers", abstract: "Rides offered to a person who waits, newest first.")

  @Option(help: ArgumentHelp("Whose offers.", valueName: "id"))
  var rider: String
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_ListRideOffersRequest()
    request.riderID = rider
    let made = request
    try await connection.withClient { client in
      let answer = try await client.rideOffers(made)
      if output.json { return try JSONOutput.print(answer) }
      guard !answer.offers.isEmpty else { return Terminal.note("nothing is offered") }
      var table = TextTable([
        ("offer", .left), ("state", .left), ("from", .left), ("departs", .left),
        ("walk", .right), ("detour", .right), ("you pay", .right), ("alone", .right), ("", .left),
        ("riders", .right), ("until", .left),
      ])
      for offer in answer.offers {
        table.append([
          offer.id, offer.state, PartyTable.name(offer.hasBoarding ? offer.boarding : offer.origin),
          output.clock.text(offer.departureTime), NumberText.distance(offer.walkMeters),
          NumberText.duration(offer.detourSeconds),
          Self.money(offer.share, offer), Self.money(offer.soloFare, offer), offer.currency,
          "\(offer.accepted)/\(offer.riders)", output.clock.text(offer.expiresAt),
        ])
      }
      table.print()
    }
  }

  private static func money(_ amount: Int64, _ offer: Moyeo_V1_RideOffer) -> String {
    MoneyText.format(amount, digits: MoneyText.minorUnitDigits(offer.currency))
  }
}

/// `moyeo party request accept`.
struct PartyAcceptOffer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept", abstract: "Take the ride of an offer; it is firm once all have.")

  @OptionGroup var answer: OfferArguments

  func run() async throws {
    var request = Moyeo_V1_AcceptRideOfferRequest()
    request.id = answer.id
    request.riderID = answer.rider
    let made = request
    try await answer.run { client, key in
      try await client.acceptRideOffer(made, idempotencyKey: key)
    }
  }
}

/// `moyeo party request decline`.
struct PartyDeclineOffer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decline", abstract: "Do not take the ride of an offer; the request goes on.")

  @OptionGroup var answer: OfferArguments

  func run() async throws {
    var request = Moyeo_V1_DeclineRideOfferRequest()
    request.id = answer.id
    request.riderID = answer.rider
    let made = request
    try await answer.run { client, key in
      try await client.declineRideOffer(made, idempotencyKey: key)
    }
  }
}

/// Which offer, and who answers it.
struct OfferArguments: ParsableArguments {
  @Argument(help: "The offer's id, as `offers` lists it.")
  var id: String
  @Option(help: ArgumentHelp("Who answers.", valueName: "id"))
  var rider: String
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run(
    _ call: @Sendable @escaping (MoyeoClient, String?) async throws -> Moyeo_V1_RideOfferResponse
  ) async throws {
    let (output, key) = (output, retry.key)
    try await connection.withClient { client in
      let answer = try await call(client, key)
      if output.json { return try JSONOutput.print(answer) }
      let offer = answer.offer
      Swift.print(
        "\(offer.id) \(offer.state), \(offer.accepted) of \(offer.riders) accepted"
          + (offer.partyID.isEmpty ? "" : ", party \(offer.partyID)")
          + (offer.endReason.isEmpty ? "" : " (\(offer.endReason))"))
    }
  }
}
