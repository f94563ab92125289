import ArgumentParser
import MoyeoAPI
import MoyeoClient
import SwiftProtobuf

/// `moyeo party show`.
struct PartyShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "One party with riders, fare and shares.")

  @Argument(help: "The party's id.")
  var id: String
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_GetPartyRequest()
    request.id = id
    let made = request
    try await connection.withClient { client in
      let answer = try await client.party(made)
      if output.json { return try JSONOutput.print(answer) }
      PartyTable.print(answer.party, output.clock)
    }
  }
}

/// `moyeo party list`.
struct PartyList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "The parties of a person, newest first.")

  @Option(help: ArgumentHelp("Who is aboard.", valueName: "id"))
  var rider: String?
  @Option(help: ArgumentHelp("Who hosts.", valueName: "id"))
  var host: String?
  @Option(help: ArgumentHelp("Who waits for a host's word.", valueName: "id"))
  var requester: String?
  @Option(help: "open, full, departed, cancelled or ended; may be repeated.")
  var state: [String] = []
  @Option(help: "Parties a page.")
  var limit: Int32?
  @Option(help: "Where the page before ended.")
  var cursor: String?
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard [rider, host, requester].count(where: { $0 != nil }) == 1 else {
      throw ValidationError("give --rider, --host or --requester")
    }
  }

  func run() async throws {
    var request = Moyeo_V1_ListPartiesRequest()
    if let rider { request.riderID = rider }
    if let host { request.hostID = host }
    if let requester { request.requesterID = requester }
    request.state = state
    if let limit { request.limit = limit }
    if let cursor { request.cursor = cursor }
    let made = request
    try await connection.withClient { client in
      let answer = try await client.listParties(made)
      if output.json { return try JSONOutput.print(answer) }
      PartyTable.list(answer.parties, nextCursor: answer.nextCursorIfSet, output.clock)
    }
  }
}

/// `moyeo party search`.
struct PartySearch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Open and full parties near a place or in a box.")

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The place.", valueName: "latitude,longitude"))
  var at: CoordinateText?
  @Option(help: ArgumentHelp("Farthest origin, inclusive; 1000.", valueName: "meters"))
  var radius: Double?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Instead of a place.", valueName: "west,south,east,north"))
  var box: BoxText?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only going near there.", valueName: "latitude,longitude"))
  var to: CoordinateText?
  @Option(help: ArgumentHelp("Of the destination; 1000.", valueName: "meters"))
  var toRadius: Double?
  @Option(help: "Seats free at least.")
  var seats: Int32?
  @Option(help: "Tags, separated by commas.")
  var tags: String?
  @Option(help: "Parties a page.")
  var limit: Int32?
  @Option(help: "Where the page before ended.")
  var cursor: String?
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (at == nil) != (box == nil) else { throw ValidationError("give --at or --box") }
  }

  func run() async throws {
    var request = Moyeo_V1_SearchPartiesRequest()
    if let at {
      request.latitude = at.latitude
      request.longitude = at.longitude
    }
    if let radius { request.radiusMeters = radius }
    if let box {
      request.box.west = box.west
      request.box.south = box.south
      request.box.east = box.east
      request.box.north = box.north
    }
    if let to {
      request.destination.latitude = to.latitude
      request.destination.longitude = to.longitude
    }
    if let toRadius { request.destinationRadiusMeters = toRadius }
    if let seats { request.seats = seats }
    if let tags { request.tags = tags.split(separator: ",").map(String.init) }
    if let limit { request.limit = limit }
    if let cursor { request.cursor = cursor }
    let made = request
    try await connection.withClient { client in
      let answer = try await client.searchParties(made)
      if output.json { return try JSONOutput.print(answer) }
      PartyTable.list(answer.parties, nextCursor: answer.nextCursorIfSet, output.clock)
    }
  }
}

/// `moyeo party match`.
struct PartyMatch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "match", abstract: "Parties that a rider could join, by their own saving.",
    discussion: """
      Example: moyeo party match --rider jun --from 37.5551,126.9707 --to 37.4979,127.0276 --in 30 \
      --explain
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
  @Option(help: "Candidates; 10.")
  var limit: Int32?
  @Flag(help: "Say what each rule removed, and what little more would match.")
  var explain = false
  @Flag(help: "Show parties, too, that overlap one of the rider's own; a join refuses those.")
  var allowOverlap = false
  @OptionGroup var boarding: BoardingOptions
  @OptionGroup var attributes: AttributeOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_MatchPartiesRequest()
    request.riderID = rider
    request.origin = trip.origin
    request.destination = trip.destination
    if let time = try trip.time.time() { request.departureTime = time }
    if let window = trip.time.window { request.departureWindowSeconds = window * 60 }
    if let maxWalk { request.maxWalkMeters = maxWalk }
    if let maxDetour { request.maxDetourRatio = maxDetour }
    if let maxShare { request.maxShare = maxShare }
    if let seats { request.seats = seats }
    if let limit { request.limit = limit }
    if explain { request.explain = true }
    if allowOverlap { request.allowsOverlap = true }
    if let place = boarding.board?.place { request.boarding = place }
    if let seconds = boarding.maxRideSeconds { request.maxRideSeconds = seconds }
    if let seconds = boarding.maxDetourSeconds { request.maxDetourSeconds = seconds }
    if let time = try boarding.latest() { request.arriveBy = time }
    if !attributes.attributes.isEmpty { request.attributes = attributes.fields }
    let made = request
    try await connection.withClient { client in
      let answer = try await client.matchParties(made)
      if output.json { return try JSONOutput.print(answer) }
      Self.print(answer, output.clock)
    }
  }

  private static func print(_ answer: Moyeo_V1_MatchPartiesResponse, _ clock: LocalClock) {
    if answer.candidates.isEmpty {
      Terminal.note("no party matches")
    } else {
      var table = TextTable([
        ("party", .left), ("from", .left), ("departs", .left), ("walk", .right),
        ("detour", .right), ("you pay", .right), ("you save", .right), ("", .left),
      ])
      for candidate in answer.candidates {
        let party = candidate.party
        table.append([
          party.id, PartyTable.name(party.origin), clock.text(party.departureTime),
          NumberText.distance(candidate.walkMeters),
          NumberText.duration(candidate.detourSeconds),
          candidate.hasYourFare ? PartyTable.money(candidate.yourFare, party.fare) : "",
          candidate.hasYourSaving ? PartyTable.money(candidate.yourSaving, party.fare) : "",
          party.fare.currency,
        ])
      }
      table.print()
    }
    guard answer.hasExplanation else { return }
    let explanation = answer.explanation
    let removed = explanation.removed.fields.sorted { $0.key < $1.key }
      .filter { $0.value.numberValue > 0 }
      .map { "\($0.key) \(JSONOutput.inline($0.value))" }
    Swift.print(
      "\(explanation.considered) parties looked at, \(explanation.matched) match"
        + (removed.isEmpty ? "" : "; removed by " + removed.joined(separator: ", ")))
    if explanation.hasRelaxation { Swift.print(explanation.relaxation.message) }
  }
}

/// `moyeo party preview`.
struct PartyPreview: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview", abstract: "What joining a party would mean for everyone aboard.")

  @Argument(help: "The party's id.")
  var id: String
  @Option(help: "Who would join.")
  var rider: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where they get out; the party's.", valueName: "latitude,longitude"))
  var to: CoordinateText?
  @Option(help: "Seats taken; 1.")
  var seats: Int32?
  @Option(help: ArgumentHelp("Longest walk to the pick-up.", valueName: "meters"))
  var maxWalk: Double?
  @OptionGroup var boarding: BoardingOptions
  @OptionGroup var attributes: AttributeOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_PreviewJoinRequest()
    request.id = id
    request.riderID = rider
    if let to { request.destination = to.place }
    if let seats { request.seats = seats }
    if !attributes.attributes.isEmpty { request.attributes = attributes.fields }
    if let place = boarding.board?.place { request.boarding = place }
    if let walk = maxWalk { request.maxWalkMeters = walk }
    if let seconds = boarding.maxRideSeconds { request.maxRideSeconds = seconds }
    if let seconds = boarding.maxDetourSeconds { request.maxDetourSeconds = seconds }
    if let time = try boarding.latest() { request.arriveBy = time }
    let made = request
    try await connection.withClient { client in
      let answer = try await client.previewJoin(made)
      if output.json { return try JSONOutput.print(answer) }
      guard !answer.hasRefusal else {
        return Terminal.note("refused: \(answer.refusalMessage) (\(answer.refusal))")
      }
      var table = TextTable([
        ("rider", .left), ("pays now", .right), ("if full", .right), ("alone", .right),
        ("detour", .right),
      ])
      for (now, full) in zip(answer.now, answer.ifFull) {
        table.append([
          now.riderID, now.hasShare ? PartyTable.money(now.share, answer.fare) : "",
          full.hasShare ? PartyTable.money(full.share, answer.fare) : "",
          now.hasSoloFare ? PartyTable.money(now.soloFare, answer.fare) : "",
          NumberText.duration(now.detourSeconds),
        ])
      }
      table.print()
    }
  }
}
