import ArgumentParser

/// `moyeo admin statistics`.
struct AdminStatisticsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "statistics", abstract: "Layers, shared reads, commits, connections.")
  @Option(help: "Of this tenant; the caller's own without.")
  var tenant: String?
  @OptionGroup var admin: AdminOptions

  func run() async throws { try await admin.ask("GET", "statistics", query: [("tenant", tenant)]) }
}

/// `moyeo admin log-level`.
struct AdminLogLevelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log-level", abstract: "Show or change from which level on lines are logged.")
  @Argument(help: "trace, debug, info, notice, warning, error or critical; without, it is shown.")
  var level: String?
  @OptionGroup var admin: AdminOptions

  func run() async throws {
    if let level {
      try await admin.ask("PUT", "log-level", body: [("level", level)])
    } else {
      try await admin.ask("GET", "log-level")
    }
  }
}

/// `moyeo admin drain`.
struct AdminDrainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drain", abstract: "Have /readyz say no, so that no new work is sent here.")
  @Flag(help: "Have it say yes again.")
  var end = false
  @OptionGroup var admin: AdminOptions

  func run() async throws { try await admin.ask(end ? "DELETE" : "POST", "drain") }
}

/// `moyeo admin snapshot`.
struct AdminSnapshotCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot", abstract: "Write the positions that are not written yet.")
  @OptionGroup var admin: AdminOptions

  func run() async throws { try await admin.ask("POST", "snapshot") }
}

/// `moyeo admin keys`.
struct AdminKeysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "List the API keys that the daemon takes; none can be read back."
  )
  @Option(help: "Of this tenant; without, all that the caller may see.")
  var tenant: String?
  @OptionGroup var admin: AdminOptions

  func run() async throws { try await admin.ask("GET", "keys", query: [("tenant", tenant)]) }
}

/// `moyeo admin tenants`.
struct AdminTenantsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tenants", abstract: "List the tenants that are served.")
  @OptionGroup var admin: AdminOptions

  func run() async throws { try await admin.ask("GET", "tenants") }
}
