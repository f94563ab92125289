import Foundation
import ObjectModel
import RideMatching
import RoutePlanning

// MatchingBenchmarks table DIRECTORY [MS ...]   quality by time over the instances of a directory
// MatchingBenchmarks generate DIRECTORY         writes the instances, without their optimum
// MatchingBenchmarks groups FILE OUT [all]      candidate groups for another solver; all: uncut
// MatchingBenchmarks best FILE SECONDS          best known value, where no solver proves one
// MatchingBenchmarks rounds DIRECTORY           quality by rounds, for the gate in the tests
// MatchingBenchmarks unseen SEEDS SECONDS       the same table over other instances of 1,000, against
//                                               the best of runs of so many seconds
// MatchingBenchmarks boarding DIRECTORY KIND COUNT FIRST LAST
//                                               every ride of small instances (road or city) of these
//                                               seeds, of which some get in on the way, for optimum.py
// MatchingBenchmarks boarded DIRECTORY [MS [SEEDS]]
//                                               quality there by time, against NAME.optimum, what
//                                               optimum.py printed of NAME.txt
// MatchingBenchmarks saved KIND COUNT SEEDS MS ...
//                                               what such instances of any size save by time

let pricing = RidePricing.linear(
  base: 4800, baseMeters: 1600, perMeter: 0.763, perSecond: 0.4, walkCostPerMeter: 1.5)

func options(iterations: Int) -> BatchOptions {
  var options = BatchOptions(iterations: iterations, pricing: pricing, profile: .seoul)
  // Time and rounds end the runs here.
  options.workLimit = .max
  return options
}

func threadSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

func read(_ path: String) throws -> (facts: [String: String], requests: [RideRequest]) {
  try BatchRequestText.parse(String(contentsOfFile: path, encoding: .utf8))
}

func instances(_ directory: String) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: directory)
    .filter { $0.hasSuffix(".csv") }.sorted()
}

func percent(_ share: Double) -> String { String(format: "%.2f", share * 100) }

func table(_ directory: String, _ budgets: [Int]) throws {
  printHeading(budgets)
  for name in try instances(directory) {
    let (facts, requests) = try read(directory + "/" + name)
    let best = facts["optimum"].flatMap(Double.init) ?? facts["best"].flatMap(Double.init) ?? 0
    printLine(name, requests, best: best, budgets)
  }
  print("% of the optimum (or best known); processor time of the thread, groups included")
}

func unseen(seeds: ClosedRange<UInt64>, seconds: Double) {
  let budgets = [50, 500]
  printHeading(budgets)
  for seed in seeds {
    for shape in InstanceGenerator.unseen(seed) {
      let requests = InstanceGenerator.requests(shape)
      let best = best(requests, seconds: seconds).map(\.objective).max() ?? 0
      printLine(shape.name, requests, best: best, budgets)
    }
  }
  print("% of the best of long runs; processor time of the thread, groups included")
}

func printHeading(_ budgets: [Int]) {
  print(
    "instance            requests groups  groups ms  0 rounds"
      + budgets.map { String(format: "%8d ms", $0) }.joined())
}

/// Median of five runs, groups made anew in each: the budget covers everything.
func printLine(_ name: String, _ requests: [RideRequest], best: Double, _ budgets: [Int]) {
  var making: [Double] = []
  var groups = 0
  for _ in 0..<5 {
    let begin = threadSeconds()
    groups =
      BatchMatching.candidateGroups(requests: requests, options: options(iterations: 0))
      .count
    making.append(threadSeconds() - begin)
  }
  let start = BatchMatching.solve(requests: requests, options: options(iterations: 0))
  var line =
    name.padding(toLength: 20, withPad: " ", startingAt: 0)
    + String(
      format: "%7d %7d %9.1f %9.2f", requests.count, groups, making.sorted()[2] * 1e3,
      start.objective / best * 100)
  for milliseconds in budgets {
    let budget = Double(milliseconds) / 1000
    var values: [Double] = []
    for seed in 1...(budget > 1 ? 1 : 5) {
      var options = options(iterations: .max)
      options.seed = UInt64(seed)
      let result = solve(requests, options, seconds: budget)
      let problems = BatchVerification.problems(
        of: result, requests: requests, options: options)
      if !problems.isEmpty { print("\(name): \(problems)") }
      values.append(result.objective)
    }
    line += String(format: "%11.2f", values.sorted()[values.count / 2] / best * 100)
  }
  print(line)
}

func solve(
  _ requests: [RideRequest], _ options: BatchOptions, seconds: Double
) -> BatchResult {
  let begin = threadSeconds()
  return BatchMatching.solve(requests: requests, options: options) {
    threadSeconds() - begin > seconds
  }
}

func rounds(_ directory: String) throws {
  for name in try instances(directory) {
    let (facts, requests) = try read(directory + "/" + name)
    let best = facts["optimum"].flatMap(Double.init) ?? facts["best"].flatMap(Double.init) ?? 0
    var line = name
    for count in [0, 500, 1000, 2000, 5000, 10_000, 20_000] {
      let result = BatchMatching.solve(requests: requests, options: options(iterations: count))
      line += " \(count): \(percent(result.objective / best))"
    }
    print(line)
  }
}

/// Long runs from differently rich sets of groups.
func best(_ requests: [RideRequest], seconds: Double) -> [BatchResult] {
  [nil, 100, 250].map { limit in
    var options = options(iterations: .max)
    options.maxCandidatesPerPickUp = limit
    if limit != nil { options.maxGroupsPerRequest = 256 }
    return solve(requests, options, seconds: seconds)
  }
}

func generate(_ directory: String) throws {
  for shape in InstanceGenerator.shapes {
    let text = BatchRequestText.format(
      facts: [("name", shape.name), ("seed", String(shape.seed))],
      requests: InstanceGenerator.requests(shape))
    try text.write(toFile: "\(directory)/\(shape.name).csv", atomically: true, encoding: .utf8)
  }
}

/// The number of requests, then a line a group: saving and members.
func groups(_ file: String, _ out: String, isUncut: Bool) throws {
  let requests = try read(file).requests
  var options = options(iterations: 0)
  if isUncut {
    options.maxGroupsPerRequest = .max
    options.maxCandidatesPerPickUp = 10_000_000
  }
  let groups = BatchMatching.candidateGroups(requests: requests, options: options)
  var text = "\(requests.count)\n"
  for group in groups {
    text += "\(group.saving) \(group.members.map(String.init).joined(separator: " "))\n"
  }
  try text.write(toFile: out, atomically: true, encoding: .utf8)
  print("\(groups.count) groups")
}

func kind(_ name: String) throws -> BoardingInstance.Kind {
  struct UnknownKind: Error { var name: String }
  guard let kind = BoardingInstance.Kind(rawValue: name) else { throw UnknownKind(name: name) }
  return kind
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch (arguments.first, arguments.count) {
case ("table", 2...):
  let budgets = arguments.dropFirst(2).compactMap { Int($0) }
  try table(arguments[1], budgets.isEmpty ? [50, 500, 5000] : budgets)
case ("rounds", 2): try rounds(arguments[1])
case ("best", 3):
  for result in best(try read(arguments[1]).requests, seconds: Double(arguments[2]) ?? 10) {
    print("groups \(result.candidateGroups) value \(result.objective)")
  }
case ("unseen", 3):
  unseen(seeds: 1...max(1, UInt64(arguments[1]) ?? 1), seconds: Double(arguments[2]) ?? 10)
case ("generate", 2): try generate(arguments[1])
case ("groups", 3): try groups(arguments[1], arguments[2], isUncut: false)
case ("groups", 4) where arguments[3] == "all":
  try groups(arguments[1], arguments[2], isUncut: true)
case ("boarded", 2...4):
  try BoardingQuality.table(
    arguments[1], milliseconds: arguments.count > 2 ? Int(arguments[2]) ?? 500 : 500,
    seeds: arguments.count > 3 ? max(1, UInt64(arguments[3]) ?? 1) : 1)
case ("saved", 5...):
  try BoardingQuality.saved(
    try kind(arguments[1]), count: Int(arguments[2]) ?? 40,
    seeds: max(1, UInt64(arguments[3]) ?? 1),
    milliseconds: arguments[4...].compactMap { Int($0) })
case ("boarding", 6):
  let first = UInt64(arguments[4]) ?? 1
  try BoardingQuality.write(
    arguments[1], try kind(arguments[2]), count: min(64, Int(arguments[3]) ?? 16),
    seeds: first...max(first, UInt64(arguments[5]) ?? first))
default:
  print(
    "table DIR [MS ...] | rounds DIR | unseen SEEDS SECONDS | best FILE SECONDS | generate DIR | groups FILE OUT [all] | boarding DIR KIND COUNT FIRST LAST | boarded DIR [MS [SEEDS]] | saved KIND COUNT SEEDS MS ..."
  )
  exit(2)
}
