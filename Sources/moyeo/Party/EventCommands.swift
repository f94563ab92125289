import ArgumentParser
import Foundation
import MoyeoAPI
import MoyeoClient
import Threading

/// `moyeo party watch`.
struct PartyWatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "What happens to a party, until Ctrl-C.")

  @Argument(help: "The party's id.")
  var id: String
  @Flag(help: "Begin with what has happened so far.")
  var history = false
  @Option(help: "Go on after the event with this token.")
  var resumeToken: String?
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_WatchPartyRequest()
    request.id = id
    if let resumeToken { request.resumeToken = resumeToken }
    if history { request.afterVersion = "0" }
    let made = request
    let follower = EventFollower(output, option: "--resume-token")
    try await connection.withClient { client in
      try await follower.run { try await client.watchParty(made, onEvent: follower.print) }
    }
  }
}

/// `moyeo events`.
struct EventsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events", abstract: "The tenant's durable events, in the order of their commits.",
    discussion: """
      Example: moyeo events --after 0 --kinds party.joined,party.left; with --follow it goes on \
      until Ctrl-C.
      """)

  @Option(help: "Events after this sequence; 0: from the oldest kept.")
  var after: Int64 = 0
  @Option(help: "Only these kinds, separated by commas.")
  var kinds: String?
  @Option(help: "Events a page.")
  var limit: Int32?
  @Option(help: ArgumentHelp("Wait so long for a first one, 0-30.", valueName: "seconds"))
  var wait: Double = 0
  @Flag(help: "Go on as they come.")
  var follow = false
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let kinds = kinds?.split(separator: ",").map(String.init) ?? []
    for kind in kinds where !EventKinds.all.contains(kind) {
      throw CommandFailure.usage(
        NearestName.refusal("kind of event", kind, known: EventKinds.all))
    }
    if follow {
      var request = Moyeo_V1_WatchEventsRequest()
      request.after = after
      request.kinds = kinds
      let made = request
      let follower = EventFollower(output, option: "--after")
      return try await connection.withClient { client in
        try await follower.run { try await client.watchEvents(made, onEvent: follower.print) }
      }
    }
    var request = Moyeo_V1_ListEventsRequest()
    request.after = after
    request.kinds = kinds
    if let limit { request.limit = limit }
    if wait > 0 { request.waitSeconds = wait }
    let made = request
    try await connection.withClient { client in
      let answer = try await client.listEvents(made)
      if output.json { return try JSONOutput.print(answer) }
      for event in answer.events { print(PartyTable.event(event, output.clock)) }
      Terminal.note("next: --after \(answer.next)")
    }
  }
}

/// The kinds of events that a daemon keeps, as ``Moyeo_V1_Event/kind`` names them.
enum EventKinds {
  static let all = [
    "admin.banned", "admin.commute_closed", "admin.erased", "admin.party_cancelled",
    "admin.penalty_cleared", "admin.ticket_closed", "admin.unbanned",
    "commute.appeared", "commute.cancelled", "commute.created", "commute.ended",
    "commute.join_refused", "commute.joined", "commute.left", "commute.skipped", "commute.updated",
    "match.found",
    "offer.accepted", "offer.confirmed", "offer.declined", "offer.expired", "offer.made",
    "offer.withdrawn",
    "party.cancelled", "party.created", "party.departed", "party.departing", "party.ended",
    "party.host_changed", "party.join_requested", "party.joined", "party.left", "party.removed",
    "party.request_approved", "party.request_declined", "party.request_expired",
    "party.request_withdrawn", "party.settled",
    "party.shares_changed", "party.updated",
    "ticket.asked", "ticket.banned", "ticket.blocked", "ticket.closed", "ticket.declined",
    "ticket.dodged", "ticket.expired", "ticket.matched", "ticket.opened", "ticket.pardoned",
    "ticket.penalised", "ticket.proposed", "ticket.rated", "ticket.reported", "ticket.unblocked",
    "ticket.updated", "ticket.withdrawn",
  ]
}

/// Prints a stream of events; when it ends without Ctrl-C, says how to go on behind the last one.
final class EventFollower: Sendable {
  private let isJSON: Bool
  private let clock: LocalClock
  private let option: String
  private let last = StateLock<String?>(nil)

  /// - Parameters:
  ///   - output: How events are printed.
  ///   - option: What takes the token of an event to go on behind it.
  init(_ output: OutputOptions, option: String) {
    isJSON = output.json
    clock = output.clock
    self.option = option
  }

  var print: @Sendable (Moyeo_V1_Event) async throws -> Void {
    { [self] event in
      let line = isJSON ? try JSONOutput.text(event) : PartyTable.event(event, clock)
      try StandardOutput.printAtOnce(line)
      last.withLock { $0 = event.resumeToken.isEmpty ? "\(event.sequence)" : event.resumeToken }
    }
  }

  /// - Throws: ``CommandFailure`` with the code of an unreachable daemon when the stream ended; what
  ///   printing an event threw, as it was.
  func run(_ follow: () async throws -> Void) async throws {
    var cause = "the daemon ended the stream"
    do {
      try await follow()
    } catch let error as MoyeoError {
      guard isEnd(error) else { throw error }
      cause = "\(error)"
    }
    throw ending(cause)
  }

  /// Whether another try later may go on; other errors are answers.
  private func isEnd(_ error: MoyeoError) -> Bool {
    switch error {
    // One that was never reached is told as ever.
    case .unreachable: last.withLock { $0 } != nil
    case .timedOut, .unexpectedAnswer: true
    case .refused(let refusal): refusal.code == "UNAVAILABLE" || refusal.reason == "unavailable"
    case .badEndpoint, .noToken, .cancelled: false
    }
  }

  func ending(_ cause: String) -> CommandFailure {
    let token = last.withLock { $0 }
    return CommandFailure(
      message: cause
        + (token.map { "; go on with \(option) \($0)" } ?? "; nothing had come yet"),
      code: CommandExit.unreachable)
  }
}
