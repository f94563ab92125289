import ArgumentParser

/// `moyeo admin user`.
struct AdminUserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Show a person's parties, ticket and what happened to them.")
  @Argument(help: "The person's id.")
  var id: String
  @Option(help: "Of this tenant; the caller's own without.")
  var tenant: String?
  @Option(help: "Events after this sequence; without, the newest.")
  var after: UInt64?
  @OptionGroup var admin: AdminOptions

  func run() async throws {
    try await admin.ask(
      "GET", "users/" + AdminOptions.encoded(id),
      query: [("tenant", tenant), ("after", after.map { "\($0)" })])
  }
}
