import ArgumentParser
import Foundation
import MoyeoStorage

/// `moyeo doctor`.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Look a data directory and its settings through.",
    discussion: """
      Checks the directory and who uses it, versions, SQLite's integrity, whether parties and their \
      claims agree, spatial indexes, the positions' snapshot, erasures, webhooks and dead letters, free \
      space and how far it will last. With --config (or --settings, for those of the environment) also \
      the settings, as moyeod reads them: keys of callers, certificates and how long they are good, where \
      webhooks lead, whether the operators' port answers, and with cluster.postgres the server: what a commit \
      survives, clocks, which daemons follow, the feed. Nothing is changed; the daemon may run.

      Exit codes: 0 nothing is wrong (notices may be there), 1 something is, 2 wrong usage.
      """)

  @Option(help: "The daemon's data directory.")
  var dataDirectory = "./moyeo-data"
  @Option(help: "A JSON file of settings to check.")
  var config: String?
  @Flag(help: "Check the settings although no file is given: those of the environment (MOYEO_...).")
  var settings = false
  @Option(help: "The moyeod that checks the settings; by default the one beside this program.")
  var daemon: String?
  @Option(help: "Seconds to measure joins on this disk, in a directory made and removed for it.")
  var measure: Double?
  @Option(help: "A token or API key with the scope admin, for the operators' port; MOYEO_TOKEN.")
  var token: String?
  @Option(help: "PEM file of who signs the daemon's certificate; MOYEO_CA.")
  var ca: String?
  @Flag(help: "Print the findings as JSON.")
  var json = false

  func validate() throws {
    if let measure, !(measure > 0 && measure <= 600) {
      throw ValidationError("--measure takes seconds, more than 0 and at most 600")
    }
  }

  func run() async throws {
    var findings = StoreDoctor.examine(dataDirectory: dataDirectory)
    if config != nil || settings { findings += await ofSettings() }
    if let measure { findings.append(measured(seconds: measure)) }
    print(json ? Self.json(findings) : Self.text(findings))
    let wrong = findings.count { $0.grade == .wrong }
    if wrong > 0 {
      throw CommandFailure(message: json ? "" : wrong == 1 ? "1 problem" : "\(wrong) problems")
    }
  }

  private func ofSettings() async -> [StoreDoctor.Finding] {
    let report = SettingsCheck(daemon: daemon, dataDirectory: dataDirectory).report(file: config)
    var findings = report.findings
    if let url = report.adminURL {
      let probe = AdminProbe(
        url: url, token: token, ca: ca, asksWhoCalls: report.asksWhoCalls,
        isServed: StoreDoctor.isServed(dataDirectory: dataDirectory))
      findings.append(await probe.finding())
    }
    if let tracing = TracingCheck.finding(file: config) { findings.append(tracing) }
    return findings + ClusterCheck.findings(file: config)
  }

  private func measured(seconds: Double) -> StoreDoctor.Finding {
    do {
      let figures = try StoreDoctor.measure(dataDirectory: dataDirectory, seconds: seconds)
      let p99 = (figures.p99Milliseconds * 100).rounded() / 100
      return .init(
        .fine, "speed",
        "\(Int(figures.commandsPerSecond)) durable joins a second, \(figures.batch) a commit, "
          + "p99 of a commit \(p99) ms")
    } catch {
      return .init(.wrong, "speed", "\(error)")
    }
  }

  static func text(_ findings: [StoreDoctor.Finding]) -> String {
    let width = findings.map(\.subject.count).max() ?? 0
    return findings.map { finding in
      let mark =
        switch finding.grade {
        case .fine: "ok    "
        case .notice: "notice"
        case .wrong: "WRONG "
        }
      let subject = finding.subject.padding(toLength: width, withPad: " ", startingAt: 0)
      return "\(mark)  \(subject)  \(finding.text)"
    }.joined(separator: "\n")
  }

  static func json(_ findings: [StoreDoctor.Finding]) -> String {
    let items = findings.map {
      "{\"grade\":\"\($0.grade.rawValue)\",\"subject\":\(JSONPieces.string($0.subject)),"
        + "\"text\":\(JSONPieces.string($0.text))}"
    }
    return "{\"findings\":[\(items.joined(separator: ","))]}"
  }
}
