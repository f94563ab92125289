import ArgumentParser
import Foundation
import MoyeoStorage

/// `moyeo doctor`.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Look a data directory and its settings through.",
    discussion: """
      Checks the directory and who uses it, versions, SQLite's integrity, whether parties and their \
      claims agree, spatial indexes, the positions' snapshot, free space and how far it will last; \
      with --config also the settings, as moyeod reads them. Nothing is changed; the daemon may run.

      Exit codes: 0 nothing is wrong (notices may be there), 1 something is, 2 wrong usage.
      """)

  @Option(help: "The daemon's data directory.")
  var dataDirectory = "./moyeo-data"
  @Option(help: "A JSON file of settings to check.")
  var config: String?
  @Option(help: "The moyeod that checks the settings; by default the one beside this program.")
  var daemon: String?
  @Option(help: "Seconds to measure joins on this disk, in a directory made and removed for it.")
  var measure: Double?
  @Flag(help: "Print the findings as JSON.")
  var json = false

  func validate() throws {
    if let measure, !(measure > 0 && measure <= 600) {
      throw ValidationError("--measure takes seconds, more than 0 and at most 600")
    }
  }

  func run() throws {
    var findings = StoreDoctor.examine(dataDirectory: dataDirectory)
    if let config { findings.append(SettingsCheck(daemon: daemon).finding(file: config)) }
    if let measure { findings.append(measured(seconds: measure)) }
    print(json ? Self.json(findings) : Self.text(findings))
    let wrong = findings.count { $0.grade == .wrong }
    if wrong > 0 {
      throw CommandFailure(message: json ? "" : wrong == 1 ? "1 problem" : "\(wrong) problems")
    }
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

/// Has moyeod itself read a file of settings: one reading of them, not two that drift apart.
struct SettingsCheck {
  var daemon: String?

  func finding(file: String) -> StoreDoctor.Finding {
    guard FileManager.default.isReadableFile(atPath: file) else {
      return .init(.wrong, "settings", "\(file) cannot be read")
    }
    guard let program = daemon ?? Self.beside() else {
      return .init(.notice, "settings", "no moyeod beside this program checks them: --daemon")
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["--check-configuration", "--config", file]
    let output = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = output
    do {
      try process.run()
    } catch {
      return .init(.notice, "settings", "\(program) cannot be started")
    }
    let said = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus != 0 else {
      return .init(.fine, "settings", "\(file): moyeod takes them")
    }
    let text = String(decoding: said, as: UTF8.self).trimmingCharacters(
      in: .whitespacesAndNewlines)
    return .init(.wrong, "settings", "\(file): \(text)")
  }

  private static func beside() -> String? {
    guard let own = Bundle.main.executableURL else { return nil }
    let path = own.deletingLastPathComponent().appendingPathComponent("moyeod").path
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }
}
