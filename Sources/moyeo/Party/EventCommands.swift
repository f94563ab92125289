import ArgumentParser
import Foundation
import MoyeoAPI
import MoyeoClient

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
    let isJSON = output.json
    try await connection.withClient { client in
      try await client.watchParty(made) { event in try EventOutput.print(event, isJSON: isJSON) }
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
    let isJSON = output.json
    if follow {
      var request = Moyeo_V1_WatchEventsRequest()
      request.after = after
      request.kinds = kinds
      let made = request
      return try await connection.withClient { client in
        try await client.watchEvents(made) { event in
          try EventOutput.print(event, isJSON: isJSON)
        }
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
      if isJSON { return try JSONOutput.print(answer) }
      for event in answer.events { print(PartyTable.event(event)) }
      Terminal.note("next: --after \(answer.next)")
    }
  }
}

enum EventOutput {
  static func print(_ event: Moyeo_V1_Event, isJSON: Bool) throws {
    Swift.print(isJSON ? try JSONOutput.text(event) : PartyTable.event(event))
    // Standard output may be a pipe.
    fflush(nil)
  }
}
