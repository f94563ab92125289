import Foundation
import ObjectModel

/// The plots of a replay: file name to chart.
enum ReplayPlots {
  static func charts(_ outcomes: [ReplayOutcome]) -> [(name: String, chart: SVGChart)] {
    [
      ("matched-by-time.svg", matchedByTime(outcomes)),
      (
        "wait.svg",
        cumulative("Wait until departure", xLabel: "seconds", outcomes: outcomes) { $0.waits }
      ),
      (
        "detour.svg",
        cumulative("Detour of shared rides", xLabel: "% of the direct way", outcomes: outcomes) {
          $0.detours.map { $0 * 100 }
        }
      ),
      ("group-sizes.svg", groupSizes(outcomes)),
    ]
  }

  static func write(_ outcomes: [ReplayOutcome], to folder: String) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      for (name, chart) in charts(outcomes) {
        try Data(chart.svg.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
      }
    } catch {
      throw CommandFailure(message: "cannot write plots to \(folder): \(error)")
    }
  }

  /// 24 equal parts of the time replayed.
  private static func matchedByTime(_ outcomes: [ReplayOutcome]) -> SVGChart {
    let times = outcomes.flatMap { $0.rides.map(\.requestedAt) }
    let first = times.min() ?? Instant(milliseconds: 0)
    let span = max(1, (times.max() ?? first).milliseconds(since: first))
    let parts = 24
    let series = outcomes.map { outcome in
      var all = Array(repeating: 0.0, count: parts)
      var matched = all
      for ride in outcome.rides {
        let at = ride.requestedAt.milliseconds(since: first)
        let part = min(parts - 1, Int(Double(at) / Double(span) * Double(parts)))
        all[part] += 1
        if ride.groupSize > 1 { matched[part] += 1 }
      }
      return SVGChart.Series(
        name: outcome.name,
        points: (0..<parts).map { part in
          let minutes = (Double(part) + 0.5) / Double(parts) * Double(span) / 60_000
          return (minutes, all[part] > 0 ? matched[part] / all[part] * 100 : 0)
        })
    }
    return SVGChart(
      title: "Requests that found company", xLabel: "minutes since the first request",
      yLabel: "%", style: .lines, series: series)
  }

  private static func cumulative(
    _ title: String, xLabel: String, outcomes: [ReplayOutcome],
    _ values: (ReplayOutcome) -> [Double]
  ) -> SVGChart {
    let series = outcomes.map { outcome in
      let sorted = values(outcome)
      let points =
        sorted.isEmpty
        ? [] : (0...100).map { (ReplayOutcome.quantile(sorted, Double($0) / 100), Double($0)) }
      return SVGChart.Series(name: outcome.name, points: points)
    }
    return SVGChart(
      title: title, xLabel: xLabel, yLabel: "% at most so much", style: .lines, series: series)
  }

  private static func groupSizes(_ outcomes: [ReplayOutcome]) -> SVGChart {
    SVGChart(
      title: "Riders by how many share the taxi", xLabel: "riders in the taxi", yLabel: "riders",
      style: .bars,
      series: outcomes.map { outcome in
        SVGChart.Series(
          name: outcome.name,
          points: outcome.bySize.enumerated().map { (Double($0 + 1), Double($1)) })
      },
      xMarks: (1...4).map { (Double($0), String($0)) })
  }
}
