import ArgumentParser

/// What all commands on people and parties take.
struct AdminReason: ParsableArguments {
  @Option(help: "Why; the record keeps it.")
  var reason: String
  @Option(help: "Of this tenant; the caller's own without.")
  var tenant: String?
  @Option(help: "A second time with this key does nothing.")
  var idempotencyKey: String?

  func ask(
    _ admin: AdminOptions, _ path: String, _ id: String, _ verb: String,
    _ body: [(String, String)] = [], flags: [String] = []
  ) async throws {
    try await admin.ask(
      "POST", "\(path)/\(AdminOptions.encoded(id))/\(verb)",
      body: body + [("reason", reason)], flags: flags, query: [("tenant", tenant)],
      key: idempotencyKey)
  }
}

/// `moyeo admin ban`.
struct AdminBanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ban", abstract: "Forbid a person to wait, and to offer and join rides.")
  @Argument(help: "The person's id.")
  var id: String
  @Option(help: "When it ends, such as 2026-12-01T00:00:00Z.")
  var until: String
  @OptionGroup var why: AdminReason
  @OptionGroup var admin: AdminOptions

  func run() async throws { try await why.ask(admin, "users", id, "ban", [("until", until)]) }
}

/// `moyeo admin unban`.
struct AdminUnbanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unban", abstract: "End a ban before its time.")
  @Argument(help: "The person's id.")
  var id: String
  @OptionGroup var why: AdminReason
  @OptionGroup var admin: AdminOptions

  func run() async throws { try await why.ask(admin, "users", id, "unban") }
}

/// `moyeo admin clear-penalty`.
struct AdminClearPenaltyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear-penalty", abstract: "End a penalty before its time.")
  @Argument(help: "The person's id.")
  var id: String
  @OptionGroup var why: AdminReason
  @OptionGroup var admin: AdminOptions

  func run() async throws { try await why.ask(admin, "users", id, "clear-penalty") }
}

/// `moyeo admin erase`.
struct AdminEraseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Erase a person: positions, ticket, blocks; what others keep loses the name.")
  @Argument(help: "The person's id.")
  var id: String
  @OptionGroup var why: AdminReason
  @OptionGroup var admin: AdminOptions

  func run() async throws { try await why.ask(admin, "users", id, "erase") }
}

/// `moyeo admin cancel-party`.
struct AdminCancelPartyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel-party", abstract: "Call a party off.")
  @Argument(help: "The party's id.")
  var id: String
  @OptionGroup var why: AdminReason
  @OptionGroup var admin: AdminOptions

  func run() async throws { try await why.ask(admin, "parties", id, "cancel") }
}

/// `moyeo admin close-ticket`.
struct AdminCloseTicketCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "close-ticket", abstract: "Close a person's ticket, a match included.")
  @Argument(help: "The person's id.")
  var id: String
  @OptionGroup var why: AdminReason
  @OptionGroup var admin: AdminOptions

  func run() async throws { try await why.ask(admin, "tickets", id, "close") }
}

/// `moyeo admin close-commute`.
struct AdminCloseCommuteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "close-commute", abstract: "End a commute: no further day appears.")
  @Argument(help: "The commute's id.")
  var id: String
  @Flag(help: "Call off also its days that have not departed, those too that somebody has joined.")
  var includeAppeared = false
  @OptionGroup var why: AdminReason
  @OptionGroup var admin: AdminOptions

  func run() async throws {
    try await why.ask(
      admin, "commutes", id, "close", flags: includeAppeared ? ["includeAppeared"] : [])
  }
}
