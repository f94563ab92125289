import Glibc
import SeoulWorkload
import SpatialIndexing

// IndexSuite [smoke|quick|table|sweep|mix|full] [output.json] [--cpu]
let mode = CommandLine.arguments.dropFirst().first ?? "quick"
let report = Report()
let loadBefore = Suite.load()
Suite(report, points: mode == "smoke" ? 20_000 : 1_000_000).run(mode: mode)
if let path = CommandLine.arguments.dropFirst(2).first {
  let file = fopen(path, "w")
  let command = ["IndexSuite"] + CommandLine.arguments.dropFirst()
  fputs(
    report.json(
      machine: Suite.machine(), command: command.joined(separator: " "),
      load: "\(loadBefore) before, \(Suite.load()) after"), file)
  fclose(file)
}
