import ArgumentParser
import MoyeoClient

/// The command line.
@main
struct MoyeoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "moyeo",
    abstract: "Talk to a moyeod: import positions, ask who is near, price a ride, load-test.",
    discussion: """
      Every command finds the daemon by --url (HTTP) or --grpc, or by the environment variables \
      MOYEO_URL and MOYEO_GRPC.

      Exit codes: 0 done, 1 failed, 2 wrong usage, 3 the daemon cannot be reached, 130 interrupted.
      """,
    version: "moyeo 0.1.0",
    subcommands: [
      ImportCommand.self, NearbyCommand.self, WithinCommand.self, GetCommand.self,
      RemoveCommand.self, WatchCommand.self, TagsCommand.self, LayersCommand.self, FareCommand.self,
      TariffsCommand.self,
      RouteCommand.self, PlaceCommand.self, PartyCommand.self, TicketSubcommands.self,
      EventsCommand.self, SimulateCommand.self, BenchCommand.self, EvaluateFaresCommand.self,
      FitSlowTimeCommand.self, PrepareRoadsCommand.self, ReplayCommand.self, ReportCommand.self,
      BackupCommand.self,
      RestoreCommand.self, ExportCommand.self, DoctorCommand.self, KeysCommand.self,
      WebhooksCommand.self, AdminSubcommands.self, DisclosuresCommand.self, ClusterCommand.self,
      MigrateCommand.self,
      CompletionsCommand.self,
    ])

  /// The library's own `main` exits with 64 for wrong usage.
  static func main() async {
    do {
      var command = try parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      try StandardOutput.finish()
    } catch {
      CommandExit.end(with: error)
    }
  }
}
