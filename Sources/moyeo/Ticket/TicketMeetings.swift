import ArgumentParser
import MoyeoAPI
import MoyeoClient

/// `moyeo ticket withdraw|accept|decline|dodge|report|block|unblock`: what one person does about
/// another.
struct TicketVerbCommand<Kind: TicketVerbKind>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: Kind.verb.rawValue, abstract: Kind.abstract)
  }

  @OptionGroup var people: TwoPeopleOptions
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await TicketChangeCommand.run(connection, output) { client in
      try await client.changeTicket(Kind.verb, people.request, idempotencyKey: retry.key)
    }
  }
}

/// Which of them a ``TicketVerbCommand`` is.
protocol TicketVerbKind {
  static var verb: MoyeoClient.TicketVerb { get }
  static var abstract: String { get }
}

enum TicketWithdraw: TicketVerbKind {
  static let verb = MoyeoClient.TicketVerb.withdraw
  static let abstract = "Take a proposal back. Not asked: unchanged."
}

enum TicketAccept: TicketVerbKind {
  static let verb = MoyeoClient.TicketVerb.accept
  static let abstract = "Meet somebody who asked."
}

enum TicketDecline: TicketVerbKind {
  static let verb = MoyeoClient.TicketVerb.decline
  static let abstract = "Say no to somebody who asked."
}

enum TicketDodge: TicketVerbKind {
  static let verb = MoyeoClient.TicketVerb.dodge
  static let abstract = "Call a match off; no waiting for 1, 2, then 3 minutes."
}

enum TicketReport: TicketVerbKind {
  static let verb = MoyeoClient.TicketVerb.report
  static let abstract = "Report somebody; enough people ban them for a while."
}

enum TicketBlock: TicketVerbKind {
  static let verb = MoyeoClient.TicketVerb.block
  static let abstract = "Neither sees the other from now on."
}

enum TicketUnblock: TicketVerbKind {
  static let verb = MoyeoClient.TicketVerb.unblock
  static let abstract = "Take a block back."
}

/// `moyeo ticket propose`.
struct TicketPropose: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "propose", abstract: "Ask somebody to meet; a match if they asked already.")

  @OptionGroup var people: TwoPeopleOptions
  @Flag(help: "Refuse when they asked already, instead of making the match.")
  var onlyAsk = false
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_ProposeRequest()
    request.userID = people.user
    request.otherID = people.other
    if onlyAsk { request.matchIfAsked = false }
    let made = request
    try await TicketChangeCommand.run(connection, output) { client in
      try await client.propose(made, idempotencyKey: retry.key)
    }
  }
}

/// `moyeo ticket rate`.
struct TicketRate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rate", abstract: "Say what it was like to meet somebody; ends the match.")

  @OptionGroup var people: TwoPeopleOptions
  @Option(help: "1 to 5.")
  var stars: Int32?
  @Option(help: "A sentence.")
  var comment: String?
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_RateUserRequest()
    request.userID = people.user
    request.otherID = people.other
    if let stars { request.stars = stars }
    if let comment { request.comment = comment }
    let made = request
    try await TicketChangeCommand.run(connection, output) { client in
      try await client.rateUser(made, idempotencyKey: retry.key)
    }
  }
}
