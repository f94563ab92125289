import ArgumentParser
import Foundation

/// `moyeo report`.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "An HTML page with plots of a load run, a replay or a fare evaluation.",
    discussion: """
      Reads what bench, replay and evaluate-fares print with --json; several files stand side by \
      side. The page needs nothing from elsewhere.
      Example: moyeo replay trips.csv --json > day.json && moyeo report day.json --to day.html
      """)

  @Argument(help: "Files with JSON; - for standard input.")
  var files: [String]

  @Option(help: ArgumentHelp("Where the page goes; standard output.", valueName: "file"))
  var to: String?

  @Option(help: "The page's heading.")
  var title = "Measured with Moyeo"

  private static let maximumBytes = 64 << 20

  func run() throws {
    var runs: [(name: String, run: MeasuredRun)] = []
    for file in files {
      var source = try ByteSource(path: file)
      let data = Data(try source.readAll(limit: Self.maximumBytes))
      let name = source.name
      runs += try MeasuredRun.read(data, name: name).map { (name, $0) }
    }
    let page = ReportPage(title: title, runs: runs).html
    guard let to else { return print(page, terminator: "") }
    do {
      try Data(page.utf8).write(to: URL(fileURLWithPath: to), options: .atomic)
    } catch {
      throw CommandFailure(
        message: "\(to) cannot be written: \(StandardOutput.reason(error))")
    }
  }
}
