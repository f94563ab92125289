import ArgumentParser
import MoyeoAPI
import MoyeoClient

/// `moyeo ticket withdraw`.
struct TicketWithdraw: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdraw", abstract: "Take a proposal back. Not asked: unchanged.")

  @OptionGroup var people: TwoPeopleOptions
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await TicketChange.run(.withdraw, people, retry, connection, output)
  }
}

/// `moyeo ticket accept`.
struct TicketAccept: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept", abstract: "Meet somebody who asked.")

  @OptionGroup var people: TwoPeopleOptions
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await TicketChange.run(.accept, people, retry, connection, output)
  }
}

/// `moyeo ticket decline`.
struct TicketDecline: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decline", abstract: "Say no to somebody who asked.")

  @OptionGroup var people: TwoPeopleOptions
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await TicketChange.run(.decline, people, retry, connection, output)
  }
}

/// `moyeo ticket dodge`.
struct TicketDodge: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dodge", abstract: "Call a match off; no waiting for 1, 2, then 3 minutes.")

  @OptionGroup var people: TwoPeopleOptions
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await TicketChange.run(.dodge, people, retry, connection, output)
  }
}

/// `moyeo ticket report`.
struct TicketReport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Report somebody; enough people ban them for a while.")

  @OptionGroup var people: TwoPeopleOptions
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await TicketChange.run(.report, people, retry, connection, output)
  }
}

/// `moyeo ticket block`.
struct TicketBlock: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "block", abstract: "Neither sees the other from now on.")

  @OptionGroup var people: TwoPeopleOptions
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await TicketChange.run(.block, people, retry, connection, output)
  }
}

/// `moyeo ticket unblock`.
struct TicketUnblock: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unblock", abstract: "Take a block back.")

  @OptionGroup var people: TwoPeopleOptions
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await TicketChange.run(.unblock, people, retry, connection, output)
  }
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
    try await TicketChange.run(connection, output) { client in
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
    try await TicketChange.run(connection, output) { client in
      try await client.rateUser(made, idempotencyKey: retry.key)
    }
  }
}
