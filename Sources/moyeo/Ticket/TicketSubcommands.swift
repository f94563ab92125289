import ArgumentParser
import MoyeoAPI
import MoyeoClient

/// `moyeo ticket`.
struct TicketSubcommands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ticket",
    abstract: "Study mates: wait, look around, ask, accept, call off, rate, watch.",
    subcommands: [
      TicketOpen.self, TicketShow.self, TicketSearchCommand.self, TicketPropose.self,
      TicketVerbCommand<TicketWithdraw>.self, TicketVerbCommand<TicketAccept>.self,
      TicketVerbCommand<TicketDecline>.self, TicketVerbCommand<TicketDodge>.self,
      TicketRate.self, TicketVerbCommand<TicketReport>.self, TicketVerbCommand<TicketBlock>.self,
      TicketVerbCommand<TicketUnblock>.self,
      TicketWatchCommand.self, TicketClose.self,
    ])
}

/// Who acts, and on whom.
struct TwoPeopleOptions: ParsableArguments {
  @Argument(help: "Who acts.")
  var user: String
  @Argument(help: "Whom it concerns.")
  var other: String

  var request: Moyeo_V1_OtherUserRequest {
    var request = Moyeo_V1_OtherUserRequest()
    request.userID = user
    request.otherID = other
    return request
  }
}

/// Sends a command and prints the ticket.
enum TicketChangeCommand {
  static func run(
    _ connection: ConnectionOptions, _ output: OutputOptions,
    _ call: (MoyeoClient) async throws -> Moyeo_V1_TicketResponse
  ) async throws {
    try await connection.withClient { client in
      let answer = try await call(client)
      if output.json { return try JSONOutput.print(answer) }
      for line in TicketText.lines(answer.ticket) { print(line) }
    }
  }
}

/// Tickets and people as lines.
enum TicketText {
  static func lines(_ ticket: Moyeo_V1_Ticket) -> [String] {
    var lines = ["\(ticket.userID)  \(ticket.state)"]
    if ticket.hasMatchedWith { lines.append("meets  \(ticket.matchedWith)  (\(ticket.matchID))") }
    if !ticket.tags.isEmpty { lines.append("tags  \(ticket.tags.joined(separator: ", "))") }
    if !ticket.proposalsFrom.isEmpty {
      lines.append("asked by  \(ticket.proposalsFrom.joined(separator: ", "))")
    }
    if !ticket.proposalsTo.isEmpty {
      lines.append("asks  \(ticket.proposalsTo.joined(separator: ", "))")
    }
    if ticket.hasShownAt {
      lines.append(
        "shown at  \(ticket.shownAt.latitude), \(ticket.shownAt.longitude)"
          + "  (a cell of \(Int(ticket.cellMeters)) m)")
    }
    return lines
  }

  static func line(_ person: Moyeo_V1_TicketPerson) -> String {
    let parts = [
      person.userID, "\(Int(person.distanceMeters.rounded())) m",
      person.online ? "online" : "\(Int(person.lastSeenSeconds)) s ago",
      person.tags.joined(separator: ", "), person.asked ? "asked" : "",
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "  ")
  }
}
