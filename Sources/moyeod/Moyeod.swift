import ArgumentParser
import Foundation
import Logging
import MoyeoServer
import ObjectModel

/// `moyeod`: reads the configuration, composes the daemon, runs it until SIGTERM or SIGINT.
@main
struct Moyeod: AsyncParsableCommand {
  static let release = "0.1.0"
  static let configuration = CommandConfiguration(
    commandName: "moyeod",
    abstract: "The Moyeo daemon: who is near, over gRPC and HTTP/JSON.",
    discussion: """
      Every setting can stand in a JSON file (--config), in the environment (MOYEO_HTTP_PORT for \
      http.port) or, where there is a flag, on the command line; the last wins. \
      `moyeod --print-configuration` lists all of them.
      """,
    version: "moyeod \(release)")

  @Option(help: "Where state is kept (data.directory).")
  var dataDirectory: String?
  @Option(help: "Address to listen on (host).")
  var host: String?
  @Option(help: "Port for HTTP; 0 picks a free one and logs it (http.port).")
  var httpPort: Int?
  @Option(help: "Port for gRPC; 0 picks a free one and logs it (grpc.port).")
  var grpcPort: Int?
  @Option(help: "Port for the operator's calls; 0 picks a free one and logs it (admin.port).")
  var adminPort: Int?
  @Option(help: "Port for clients of Redis; 0 picks a free one and logs it (resp.port).")
  var respPort: Int?
  @Option(
    help: "Fill the layer `users` with a living city; `seoul` is the one there is (demo.city).")
  var demo: String?
  @Option(
    help: ArgumentHelp(
      "Apps that are spoken to in their own dialect: study-queue, taxi-party, messenger, with "
        + "commas (adapters)."))
  var adapters: [String] = []
  @Option(help: "A JSON file of settings.")
  var config: String?
  @Option(help: "Folder that holds shipped files: data/ and page/ (resources.directory).")
  var resources: String?
  @Flag(
    help: ArgumentHelp(
      "Start although idempotency.secret is lost or is another one: it is set aside, and a command "
        + "that is repeated with an earlier key takes effect a second time."))
  var forgetIdempotencyKeys = false
  @Flag(help: "Print every setting with its default and meaning, then exit.")
  var printConfiguration = false
  @Flag(help: "Read settings, tariffs and policies, say whether they are good, then exit (0 or 2).")
  var checkConfiguration = false
  @Flag(
    help: ArgumentHelp(
      "With --check-configuration: look at what the settings lead to as well, and print it as JSON, as "
        + "moyeo doctor reads it."))
  var findings = false

  func run() async throws {
    if printConfiguration {
      print(SettingsTable.text())
      return
    }
    let settings: Settings
    do {
      settings = try await Settings.load(file: config, flags: flags)
    } catch {
      throw StartFailure.usage("\(error)")
    }
    if checkConfiguration {
      let said = try await ConfigurationCheck(settings: settings).run()
      print(
        findings
          ? try await ConfigurationFindings(settings: settings, now: SystemClock().now()).json()
          : said)
      return
    }
    let logLevel = LogLevelControl(settings.logLevel)
    LoggingSystem.bootstrap(
      { label, provider in
        StructuredLogHandler(
          label: label, format: settings.logFormat, control: logLevel, metadataProvider: provider)
      }, metadataProvider: .callTags)
    AllocatorSettings.apply()
    try await Composition(
      settings: settings, logLevel: logLevel, forgetsKeys: forgetIdempotencyKeys
    ).run()
  }

  private var flags: [(key: String, value: String)] {
    let given: [(key: String, value: String?)] = [
      ("data.directory", dataDirectory), ("host", host), ("http.port", httpPort.map { "\($0)" }),
      ("grpc.port", grpcPort.map { "\($0)" }), ("resp.port", respPort.map { "\($0)" }),
      ("admin.port", adminPort.map { "\($0)" }),
      ("demo.city", demo),
      (AdapterSettings.key, adapters.isEmpty ? nil : adapters.joined(separator: ",")),
      ("resources.directory", resources),
    ]
    return given.compactMap { key, value in value.map { (key, $0) } }
  }

  /// Exit codes: 0, 1 failed, 2 usage.
  static func main() async {
    do {
      var command = try parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch let failure as StartFailure {
      FileHandle.standardError.write(Data("moyeod: \(failure)\n".utf8))
      Foundation.exit(failure.exitCode)
    } catch {
      let code = exitCode(for: error)
      let message = fullMessage(for: error)
      let out: FileHandle = code == .success ? .standardOutput : .standardError
      if !message.isEmpty { out.write(Data((message + "\n").utf8)) }
      Foundation.exit(code == .success ? 0 : (code == .validationFailure ? 2 : 1))
    }
  }
}

/// Why the daemon did not start, or ended badly.
enum StartFailure: Error, CustomStringConvertible {
  /// The command line or a setting is wrong.
  case usage(String)
  case failed(String)

  var description: String {
    switch self {
    case .usage(let message), .failed(let message): message
    }
  }

  var exitCode: Int32 {
    switch self {
    case .usage: 2
    case .failed: 1
    }
  }
}
