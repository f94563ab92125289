import Foundation
import MoyeoStorage

/// Has moyeod itself read settings: one reading of them, not two that drift apart.
struct SettingsCheck {
  var daemon: String?
  /// Whose keys and webhooks the settings go with.
  var dataDirectory: String

  /// What the report is without a moyeod that makes one.
  private static func alone(
    _ grade: StoreDoctor.Finding.Grade, _ text: String
  ) -> SettingsReport {
    SettingsReport(findings: [.init(grade, "settings", text)])
  }

  /// - Parameter file: A JSON file; nil: those of the environment.
  /// - Returns: What moyeod says of them.
  func report(file: String?) -> SettingsReport {
    if let file, !FileManager.default.isReadableFile(atPath: file) {
      return Self.alone(
        .wrong, "\(file) cannot be read: give the file that moyeod is started with.")
    }
    guard let program = daemon ?? Self.beside() else {
      return Self.alone(
        .notice, "No moyeod beside this program checks the settings: name one by --daemon.")
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments =
      ["--check-configuration", "--findings", "--data-directory", dataDirectory]
      + (file.map { ["--config", $0] } ?? [])
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    do {
      try process.run()
    } catch {
      return Self.alone(.notice, "\(program) cannot be started: name a moyeod by --daemon.")
    }
    // What it complains of is short; the report may be longer than a pipe holds.
    let said = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let name = file ?? "the environment"
    guard process.terminationStatus == 0 else {
      let text = String(decoding: complaint, as: UTF8.self).trimmingCharacters(
        in: .whitespacesAndNewlines)
      return Self.alone(.wrong, "The settings of \(name) cannot be used: \(text)")
    }
    guard var report = try? JSONDecoder().decode(SettingsReport.self, from: said) else {
      return Self.alone(.notice, "\(program) is of another version: name this one's by --daemon.")
    }
    report.findings.insert(
      .init(.fine, "settings", "moyeod takes the settings of \(name)."), at: 0)
    return report
  }

  private static func beside() -> String? {
    guard let own = Bundle.main.executableURL else { return nil }
    let path = own.deletingLastPathComponent().appendingPathComponent("moyeod").path
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }
}
