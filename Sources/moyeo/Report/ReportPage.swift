import Foundation

/// Measured runs as one HTML page: tables and plots, nothing from elsewhere.
struct ReportPage {
  let title: String
  private var sections: [String] = []

  init(title: String, runs: [(name: String, run: MeasuredRun)]) {
    self.title = title
    let loads = runs.compactMap { name, run in
      if case .load(let object) = run { (name, object) } else { nil }
    }
    if !loads.isEmpty { sections.append(Self.load(loads)) }
    for (name, run) in runs {
      switch run {
      case .load: break
      case .replay(let object): sections.append(Self.replay(name, object))
      case .fares(let object): sections.append(Self.fares(name, object))
      }
    }
  }

  var html: String {
    let name = SVGChart.escaped(title)
    return """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(name)</title>
      <style>
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
      table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
      th, td { border-bottom: 1px solid #ccc; padding: .25rem .75rem; text-align: right; }
      th:first-child, td:first-child { text-align: left; }
      svg { max-width: 100%; height: auto; }
      </style>
      <h1>\(name)</h1>
      \(sections.joined(separator: "\n"))
      </html>

      """
  }

  // MARK: - Load

  private static let percentiles = ["p50", "p90", "p99", "p99.9", "max"]

  private static func load(_ runs: [(name: String, object: [String: Any])]) -> String {
    var rows: [[String]] = []
    var series: [SVGChart.Series] = []
    var rates: [(x: Double, y: Double)] = []
    for (i, run) in runs.enumerated() {
      let object = run.object
      rates.append((Double(i + 1), number(object["requestsPerSecond"])))
      for (kind, value) in members(object["latencyMicroseconds"]) {
        let latencies = value as? [String: Any] ?? [:]
        let name = "\(i + 1) \(object["mode"] as? String ?? "") \(kind)"
        series.append(
          SVGChart.Series(
            name: name,
            points: percentiles.enumerated().map {
              (Double($0 + 1), number(latencies[$1]) / 1000)
            }))
        let failures = members(object["failures"]).map { Int(number($0.1)) }.reduce(0, +)
        rows.append(
          [name, pace(object), NumberText.grouped(Int(number(object["requestsPerSecond"])))]
            + percentiles.map { ReplayReport.fixed(number(latencies[$0]) / 1000, 2) }
            + [String(failures), (object["void"] as? [String] ?? []).joined(separator: "; ")])
      }
    }
    let latencies = SVGChart(
      title: "Latency", xLabel: "", yLabel: "milliseconds", style: .lines, series: series,
      xMarks: percentiles.enumerated().map { (Double($0 + 1), $1) }, yDigits: 1)
    let throughput = SVGChart(
      title: "Requests a second", xLabel: "run", yLabel: "requests/s", style: .bars,
      series: [SVGChart.Series(name: "answered", points: rates)],
      xMarks: rates.map { ($0.x, String(Int($0.x))) })
    return "<h2>Load</h2>\n"
      + table(
        ["run", "loop", "requests/s"] + percentiles.map { $0 + " ms" } + ["failed", "void"], rows)
      + latencies.svg + throughput.svg
  }

  private static func pace(_ object: [String: Any]) -> String {
    if let callers = object["callers"] as? NSNumber { return "\(callers) callers" }
    return "\(NumberText.grouped(Int(number(object["intendedPerSecond"]))))/s intended"
  }

  // MARK: - Replay

  private static func replay(_ name: String, _ object: [String: Any]) -> String {
    let modes = object["modes"] as? [[String: Any]] ?? []
    let names = modes.map { $0["mode"] as? String ?? "" }
    let currency = object["currency"] as? String ?? ""
    let lines: [(String, String, Double, Int)] = [
      ("matched, %", "matchedShare", 100, 1), ("taxis", "taxis", 1, 0),
      ("saving, \(currency)", "saving", 1, 2), ("saving of solo fares, %", "savingShare", 100, 1),
      ("wait, mean, s", "waitMeanSeconds", 1, 0), ("wait, 9 of 10, s", "waitP90Seconds", 1, 0),
      ("walk, mean, m", "walkMeanMeters", 1, 0), ("detour, mean, %", "detourMean", 100, 1),
      ("detour, 9 of 10, %", "detourP90", 100, 1),
    ]
    let rows = lines.map { title, key, factor, digits in
      [title] + modes.map { ReplayReport.fixed(number($0[key]) * factor, digits) }
    }
    let shares = SVGChart(
      title: "Found company, saved, went further", xLabel: "", yLabel: "%", style: .bars,
      series: modes.enumerated().map { i, mode in
        SVGChart.Series(
          name: names[i],
          points: ["matchedShare", "savingShare", "detourMean"].enumerated().map {
            (Double($0 + 1), number(mode[$1]) * 100)
          })
      }, xMarks: [(1, "matched"), (2, "saving"), (3, "detour")])
    let sizes = SVGChart(
      title: "Riders by how many share the taxi", xLabel: "riders in the taxi", yLabel: "riders",
      style: .bars,
      series: modes.enumerated().map { i, mode in
        SVGChart.Series(
          name: names[i],
          points: (mode["ridersByGroupSize"] as? [NSNumber] ?? []).enumerated().map {
            (Double($0 + 1), $1.doubleValue)
          })
      }, xMarks: (1...4).map { (Double($0), String($0)) })
    let requests = NumberText.grouped(Int(number(object["requests"])))
    return "<h2>Replay: \(SVGChart.escaped(name))</h2>\n<p>\(requests) requests.</p>\n"
      + table([""] + names, rows) + shares.svg + sizes.svg
  }

  // MARK: - Fares

  private static func fares(_ name: String, _ object: [String: Any]) -> String {
    var scores: [(String, [String: Any])] = [("all", object)]
    for (key, word) in [
      ("byTariff", "tariff of"), ("byRateCode", "rate code"), ("byVendor", "vendor"),
    ] {
      scores += members(object[key]).map { ("\(word) \($0.0)", $0.1 as? [String: Any] ?? [:]) }
    }
    let currency = object["currency"] as? String ?? ""
    let shares = ["exact", "withinOneStep", "withinTenPercent", "withinRange"]
    let titles = ["exact", "within a step", "within 10 %", "within the range"]
    let rows = scores.map { title, score in
      [title, NumberText.grouped(Int(number(score["used"])))]
        + shares.map { ReplayReport.fixed(number(score[$0]) * 100, 1) }
        + [ReplayReport.fixed(number(score["meanAbsoluteError"]), 2)]
    }
    let chart = SVGChart(
      title: "Trips whose fare was met", xLabel: "", yLabel: "% of the trips used", style: .bars,
      series: scores.filter { number($0.1["used"]) > 0 }.prefix(4).map { title, score in
        SVGChart.Series(
          name: title,
          points: shares.enumerated().map { (Double($0 + 1), number(score[$1]) * 100) })
      }, xMarks: titles.enumerated().map { (Double($0 + 1), $1) })
    let tariff = SVGChart.escaped(object["tariff"] as? String ?? "")
    return "<h2>Fares: \(SVGChart.escaped(name))</h2>\n<p>Tariff \(tariff).</p>\n"
      + table(
        ["trips", "used"] + titles.map { $0 + ", %" } + ["mean error, \(currency)"], rows)
      + chart.svg
  }

  // MARK: - Pieces

  private static func number(_ value: Any?) -> Double { (value as? NSNumber)?.doubleValue ?? 0 }

  private static func members(_ value: Any?) -> [(String, Any)] {
    (value as? [String: Any] ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private static func table(_ headings: [String], _ rows: [[String]]) -> String {
    func row(_ cells: [String], _ tag: String) -> String {
      "<tr>" + cells.map { "<\(tag)>\(SVGChart.escaped($0))</\(tag)>" }.joined() + "</tr>\n"
    }
    return "<table>\n" + row(headings, "th") + rows.map { row($0, "td") }.joined() + "</table>\n"
  }
}
