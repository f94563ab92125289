import ArgumentParser
import Foundation

import TaxiFares
import FareEstimation

/// `moyeo evaluate-fares --tariff us-nyc-yellow --file trips.csv [--from-coordinates] [--json]`
struct EvaluateFaresCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate-fares",
    abstract: "Compare the fares of a tariff with recorded ones.",
    discussion: """
      Rows are cleaned by a fixed rule: metered (rate code 1, or no such column) or flat trips \
      (rate code 2, JFK) with a fare above 0, 60 s to 3 h, 0.1 mile to 100 km, 1 to 70 mph; trips \
      priced upfront (payment_type 0) are left out; a metered fare must be one that the tariff's \
      meter can show over that distance and duration, 2 steps to either side. From coordinates, \
      the places must be there, and apart as far as distance and duration allow.

      Shares are fractions of the rows used, errors are in units of the currency.
      """)

  @OptionGroup var options: FareFileOptions

  @Flag(help: "Price from the two points and the departure time alone.")
  var fromCoordinates = false

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    try failing {
      let library = try options.library()
      let versions = try options.versions(library)
      let undated = try options.undatedTariff(versions, needsCoordinates: fromCoordinates)
      var evaluation = FareEvaluation(
        versions: versions, undated: undated, fromCoordinates: fromCoordinates,
        areas: library.areas)
      var trips = try options.open(versions[0], needsCoordinates: fromCoordinates)
      var row = 0
      var progress = ProgressLine(after: .seconds(1))
      while let trip = try trips.next() {
        progress.update { "\(NumberText.grouped(row)) rows" }
        if options.rows.holds(row) { evaluation.add(trip) }
        row += 1
      }
      progress.clear()
      let report = FareReport(
        evaluation, tariff: options.tariff, digits: versions[0].content.minorUnitDigits)
      print(json ? report.json : report.text)
      // An answer all the same: whoever reads it sees that nothing was used.
      if evaluation.overall.used == 0 { throw EvaluationError.noRows }
    }
  }
}

/// An evaluation as JSON or as a table.
struct FareReport {
  private let evaluation: FareEvaluation
  private let tariff: String
  private let digits: Int

  init(_ evaluation: FareEvaluation, tariff: String, digits: Int) {
    self.evaluation = evaluation
    self.tariff = tariff
    self.digits = digits
  }

  var json: String {
    var members = [
      "\"tariff\": \(JSONPieces.string(tariff))", "\"currency\": \(JSONPieces.string(currency))",
    ]
    members += numbers(evaluation.overall)
    for (name, scores) in groups where !scores.isEmpty {
      let items = sorted(scores).map {
        "\(JSONPieces.string($0.key)): {\(numbers($0.value).joined(separator: ", "))}"
      }
      members.append("\"\(name)\": {\n    \(items.joined(separator: ",\n    "))\n  }")
    }
    let dropped = evaluation.dropped.sorted { $0.key < $1.key }.map {
      "\(JSONPieces.string($0.key)): \($0.value)"
    }
    members.append("\"dropped\": {\(dropped.joined(separator: ", "))}")
    return "{\n  \(members.joined(separator: ",\n  "))\n}"
  }

  var text: String {
    let header = [
      "", "rows", "used", "exact", "1 step", "10 %", "mean", "median", "range", "width",
    ]
    var lines = [row(header)]
    lines.append(row(["all"] + cells(evaluation.overall)))
    let titles = ["byRateCode": "rate code", "byVendor": "vendor", "byTariff": "tariff"]
    for (name, scores) in groups {
      for (key, score) in sorted(scores) {
        lines.append(row(["\(titles[name] ?? name) \(key)"] + cells(score)))
      }
    }
    let dropped = evaluation.dropped.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    lines.append("left out: " + (dropped.isEmpty ? "none" : dropped.joined(separator: ", ")))
    lines.append("shares of the rows used; errors and width in \(currency)")
    return lines.joined(separator: "\n")
  }

  private var currency: String { evaluation.versions[0].currency }

  private var groups: [(String, [String: FareScore])] {
    [
      ("byRateCode", evaluation.byRateCode), ("byVendor", evaluation.byVendor),
      ("byTariff", evaluation.byTariff),
    ]
  }

  private func sorted(_ scores: [String: FareScore]) -> [(key: String, value: FareScore)] {
    scores.sorted { $0.key < $1.key }
  }

  private func numbers(_ score: FareScore) -> [String] {
    score.fields(minorUnitDigits: digits).map { field in
      "\"\(field.name)\": " + (field.isCount ? "\(Int(field.value))" : decimal(field.value, 6))
    }
  }

  private func cells(_ score: FareScore) -> [String] {
    score.fields(minorUnitDigits: digits).map { field in
      field.isCount ? "\(Int(field.value))" : decimal(field.value, 4)
    }
  }

  private func decimal(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
  }

  private func row(_ cells: [String]) -> String {
    cells.enumerated().map { i, cell in
      let width = i == 0 ? 36 : 9
      let padding = String(repeating: " ", count: max(0, width - cell.count))
      return i == 0 ? cell + padding : padding + cell
    }.joined(separator: " ")
  }
}
