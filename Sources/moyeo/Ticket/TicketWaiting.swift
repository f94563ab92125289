import ArgumentParser
import MoyeoAPI
import MoyeoClient
import SwiftProtobuf

/// `moyeo ticket open`.
struct TicketOpen: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Wait for a study mate, or change what for.",
    discussion: "Example: moyeo ticket open ann --at 37.4979,127.0276 --tags swift,math")

  @Argument(help: "Who waits.")
  var user: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where they are.", valueName: "latitude,longitude"))
  var at: CoordinateText
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where they look; where they are.", valueName: "latitude,longitude"))
  var lookingAt: CoordinateText?
  @Option(help: "Interests, separated by commas; none: any.")
  var tags: String?
  @Option(
    help: ArgumentHelp("What others must have, such as gender=female.", valueName: "name=value"))
  var wanted: [String] = []
  @Option(help: ArgumentHelp("How long; 60.", valueName: "minutes"))
  var minutes: Double?
  @OptionGroup var attributes: AttributeOptions
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    for text in wanted where !text.contains("=") { throw ValidationError("--wanted is name=value") }
  }

  func run() async throws {
    var request = Moyeo_V1_OpenTicketRequest()
    request.userID = user
    request.here = at.point
    if let lookingAt { request.lookingAt = lookingAt.point }
    request.tags = tags?.split(separator: ",").map(String.init) ?? []
    if !attributes.attributes.isEmpty { request.attributes = attributes.fields }
    request.wanted = wanted.map { text in
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      var wish = Moyeo_V1_WantedAttribute()
      wish.name = parts.first ?? ""
      wish.values = Array(parts.dropFirst())
      return wish
    }
    if let minutes { request.expiresInSeconds = minutes * 60 }
    let made = request
    try await TicketChangeCommand.run(connection, output) { client in
      try await client.openTicket(made, idempotencyKey: retry.key)
    }
  }
}

/// `moyeo ticket show`.
struct TicketShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "One's own ticket.")

  @Argument(help: "Whose.")
  var user: String
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_GetTicketRequest()
    request.userID = user
    let made = request
    try await TicketChangeCommand.run(connection, output) { client in try await client.ticket(made)
    }
  }
}

/// `moyeo ticket search`.
struct TicketSearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Who is around, who asked, and what people study here.")

  @Argument(help: "Who looks.")
  var user: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where; where their ticket looks.", valueName: "latitude,longitude"))
  var at: CoordinateText?
  @Option(help: "Interests, separated by commas; those of the ticket.")
  var tags: String?
  @Option(help: ArgumentHelp("How far; 3000.", valueName: "meters"))
  var radius: Double?
  @Option(help: "At most so many people; 20.")
  var limit: Int32?
  @Option(help: "Where the page before ended.")
  var cursor: String?
  @Flag(help: "Only people who are online.")
  var online = false
  @Flag(help: "Say whom each rule removed.")
  var explain = false
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_SearchTicketsRequest()
    request.userID = user
    if let at { request.lookingAt = at.point }
    request.tags = tags?.split(separator: ",").map(String.init) ?? []
    if let radius { request.radiusMeters = radius }
    if let limit { request.limit = limit }
    if let cursor { request.cursor = cursor }
    if online { request.onlineOnly = true }
    if explain { request.explain = true }
    let made = request
    try await connection.withClient { client in
      let answer = try await client.searchTickets(made)
      if output.json { return try JSONOutput.print(answer) }
      for person in answer.askedMe { print("asks you  \(TicketText.line(person))") }
      for person in answer.around { print(TicketText.line(person)) }
      if !answer.popularTags.isEmpty {
        print(
          "popular  "
            + answer.popularTags.map { "\($0.tag) \($0.count)" }
            .joined(separator: ", "))
      }
      if answer.hasExplanation {
        let removed = answer.explanation.removed.fields.sorted { $0.key < $1.key }
          .map { "\($0.key) \(Int($0.value.numberValue))" }.joined(separator: ", ")
        print("considered \(answer.explanation.considered), removed: \(removed)")
      }
      if answer.hasNextCursor { print("more with --cursor \(answer.nextCursor)") }
    }
  }
}

/// `moyeo ticket close`.
struct TicketClose: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "close", abstract: "Stop waiting; ends a match for both.")

  @Argument(help: "Whose ticket.")
  var user: String
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_CloseTicketRequest()
    request.userID = user
    let made = request
    try await TicketChangeCommand.run(connection, output) { client in
      try await client.closeTicket(made, idempotencyKey: retry.key)
    }
  }
}

/// `moyeo ticket watch`.
struct TicketWatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "What happens to one's ticket, until Ctrl-C.")

  @Argument(help: "Whose.")
  var user: String
  @Flag(help: "Begin with what has happened so far.")
  var history = false
  @Option(help: "Go on after the event with this token.")
  var resumeToken: String?
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_WatchTicketRequest()
    request.userID = user
    if let resumeToken { request.resumeToken = resumeToken }
    if history { request.afterVersion = "0" }
    let made = request
    let follower = EventFollower(output, option: "--resume-token")
    try await connection.withClient { client in
      try await follower.run { try await client.watchTicket(made, onEvent: follower.print) }
    }
  }
}

extension CoordinateText {
  fileprivate var point: Moyeo_V1_Point {
    var point = Moyeo_V1_Point()
    point.latitude = latitude
    point.longitude = longitude
    return point
  }
}
