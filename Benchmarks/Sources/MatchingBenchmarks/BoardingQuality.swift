import Foundation
import RideMatching

/// How near ``BatchMatching/solveBoarding(requests:options:terms:shouldStop:isTimeToBoard:)`` comes to
/// the optima of instances whose rides are all known.
///
/// A directory holds the rides of each instance (`road-16-3.txt`) and what `optimum.py` printed of them
/// (`road-16-3.optimum`).
struct BoardingQuality {
  /// Instances of one kind and size.
  private struct Line {
    var rides: [Int] = []
    /// By instance, whether HiGHS proved the optimum; where its time ended, the bound stands for it.
    var isProven: [Bool] = []
    var shares: [Double] = []
    var told = 0.0
    var bound = 0.0
  }

  /// Writes the rides of some instances.
  static func write(
    _ directory: String, _ kind: BoardingInstance.Kind, count: Int, seeds: ClosedRange<UInt64>
  ) throws {
    for seed in seeds {
      let instance = try BoardingInstance(kind, count: count, seed: seed)
      let begin = threadSeconds()
      let rides = try BoardingRides(instance)
      try rides.text.write(
        toFile: "\(directory)/\(instance.name).txt", atomically: true, encoding: .utf8)
      print(
        instance.name, "rides", rides.savings.count,
        String(format: "%.1f s", threadSeconds() - begin))
    }
  }

  /// Solves the instances of a directory by the clock, as the service does, and prints a table.
  static func table(_ directory: String, milliseconds: Int, seeds: UInt64) throws {
    print("kind  requests instances        rides proven  median   least  all in all")
    var (told, bound) = (0.0, 0.0)
    for (kind, count, instances) in try sizes(directory) {
      var line = Line()
      for seed in instances {
        try solve(
          BoardingInstance(kind, count: count, seed: seed), directory, milliseconds, seeds, &line)
      }
      let shares = line.shares.sorted()
      let rides = "\(line.rides.min() ?? 0)-\(line.rides.max() ?? 0)"
      print(
        kind.rawValue.padding(toLength: 5, withPad: " ", startingAt: 0)
          + String(format: "%9d %9d ", count, instances.count)
          + String(repeating: " ", count: max(0, 12 - rides.count)) + rides
          + String(
            format: "%7d %7.2f %7.2f %11.2f", line.isProven.filter(\.self).count,
            shares[shares.count / 2] * 100, shares[0] * 100, line.told / line.bound * 100))
      told += line.told
      bound += line.bound
    }
    print(
      "% of the bound by HiGHS in \(milliseconds) ms, \(seeds) seeds of the search each; all:",
      percent(told / bound))
  }

  /// What an instance saves by the clock; for those too large for an optimum.
  static func saved(
    _ kind: BoardingInstance.Kind, count: Int, seeds: UInt64, milliseconds: [Int]
  ) throws {
    for seed in 1...seeds {
      let instance = try BoardingInstance(kind, count: count, seed: seed)
      var line = instance.name.padding(toLength: 16, withPad: " ", startingAt: 0)
      for budget in milliseconds {
        let begin = threadSeconds()
        let result = solve(instance, seed: 1, seconds: Double(budget) / 1000)
        line += String(
          format: "  %d ms: %.0f (%.0f ms)", budget, result.objective,
          (threadSeconds() - begin) * 1000)
      }
      print(line)
    }
  }

  /// The instances that have an optimum, by kind and size.
  private static func sizes(
    _ directory: String
  ) throws -> [(kind: BoardingInstance.Kind, count: Int, seeds: [UInt64])] {
    let names = try FileManager.default.contentsOfDirectory(atPath: directory)
      .filter { $0.hasSuffix(".optimum") }.map { $0.dropLast(8).split(separator: "-") }
    return BoardingInstance.Kind.allCases.flatMap { kind in
      let own = names.filter { $0.count == 3 && $0[0] == kind.rawValue }
      return Set(own.compactMap { Int($0[1]) }).sorted().map { count in
        (kind, count, own.filter { Int($0[1]) == count }.compactMap { UInt64($0[2]) }.sorted())
      }
    }
  }

  private static func solve(
    _ instance: BoardingInstance, _ directory: String, _ milliseconds: Int, _ seeds: UInt64,
    _ line: inout Line
  ) throws {
    let text = try String(
      contentsOfFile: "\(directory)/\(instance.name).optimum", encoding: .utf8)
    let words = text.split(whereSeparator: \.isWhitespace)
    func number(after word: String) -> Double {
      guard let i = words.firstIndex(of: word[...]), i + 1 < words.count else { return .nan }
      return Double(words[i + 1]) ?? .nan
    }
    let bound = number(after: "bound")
    line.rides.append(Int(number(after: "groups")))
    line.isProven.append(number(after: "value") >= bound * (1 - 1e-6))
    for seed in 1...seeds {
      let result = solve(instance, seed: seed, seconds: Double(milliseconds) / 1000)
      // A meter on foot may cost a little more or less: by the tariff of the group, or of the party.
      if result.objective > 1.001 * bound {
        print("\(instance.name): \(result.objective) is more than can be")
      }
      line.shares.append(result.objective / bound)
      line.told += result.objective
      line.bound += bound
    }
  }

  private static func solve(
    _ instance: BoardingInstance, seed: UInt64, seconds: Double
  ) -> BatchResult {
    var options = BatchOptions(seed: seed, iterations: 1_000_000, parties: instance.terms)
    options.workLimit = .max
    let begin = threadSeconds()
    return BatchMatching.solveBoarding(
      requests: instance.requests, options: options, terms: instance.terms,
      shouldStop: { threadSeconds() - begin >= seconds },
      isTimeToBoard: { threadSeconds() - begin >= seconds / 2 })
  }
}
