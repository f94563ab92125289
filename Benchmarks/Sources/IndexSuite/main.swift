import Glibc
import SeoulWorkload
import SpatialIndexing

// IndexSuite [quick|full|sweep|mix] [output.json] [--cpu]
let mode = CommandLine.arguments.dropFirst().first ?? "quick"
let report = Report()
Suite(report).run(mode: mode)
if let path = CommandLine.arguments.dropFirst(2).first {
  let file = fopen(path, "w")
  fputs(report.json(machine: Suite.machine()), file)
  fclose(file)
}
