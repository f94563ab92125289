import ArgumentParser
import Foundation

import TaxiFares
import FareEstimation

/// `moyeo fit-slow-time --file trips.csv --rows even`: the table behind fares from totals.
struct FitSlowTimeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fit-slow-time",
    abstract: "Fit a slow-time model on recorded trips and print it as JSON.",
    discussion: """
      Takes the metered rows that evaluate-fares would use. Put the output into \
      data/tariffs/slow-time/ and name it in the tariff's slowTimeModel.
      """)

  @OptionGroup var options: FareFileOptions

  @Option(help: "Name of the model.")
  var name = "new-york-2013"
  @Flag(help: "The model is JSON with and without it.")
  var json = false

  func run() throws {
    try failing {
      let library = try options.library()
      let versions = try options.versions(library)
      let undated = try options.undatedTariff(versions, needsCoordinates: false)
      let evaluation = FareEvaluation(
        versions: versions, undated: undated, fromCoordinates: false, areas: library.areas)
      var trips = try options.open(versions[0], needsCoordinates: false)
      var observations: [SlowTimeFit.Observation] = []
      var row = 0
      var progress = ProgressLine(after: .seconds(1))
      defer { progress.clear() }
      while let trip = try trips.next() {
        defer { row += 1 }
        progress.update { "\(NumberText.grouped(row)) rows" }
        guard options.rows.holds(row), let tariff = evaluation.tariff(for: trip),
          case .metered = TripCleaning.verdict(trip, tariff.content, needsPlaces: false)
        else { continue }
        guard let meters = trip.distanceMeters else { continue }
        observations.append(observation(trip, meters, tariff.content))
      }
      let model = try SlowTimeFit().model(name: name, observations)
      print(text(model, trips: observations.count))
    }
  }

  private func observation(
    _ trip: TripRecord, _ meters: Double, _ tariff: TariffContent
  ) -> SlowTimeFit.Observation {
    // On entry, the step that reaching the base distance starts is the last one of the base.
    let charged = Double((trip.fare - tariff.baseAmount) / tariff.stepAmount)
    let base = tariff.baseDistanceMeters / tariff.stepDistanceMeters
    let steps = tariff.chargeOn == .entry ? charged + base - 1 : charged + base
    return SlowTimeFit.Observation(
      speedRatio: meters / trip.durationSeconds / tariff.threshold,
      durationSeconds: trip.durationSeconds,
      stepTimes: trip.durationSeconds / tariff.stepSeconds, steps: steps)
  }

  private func text(_ model: SlowTimeModel, trips: Int) -> String {
    let effect = model.durationEffect
    let rows = model.rows.map { row in
      """
          {"speedRatio": \(row.speedRatio), "low": \(row.low), "expected": \(row.expected), \
      "high": \(row.high)}
      """
    }
    return """
      {
        "name": "\(model.name)",
        "slowSpeedRatio": \(model.slowSpeedRatio),
        "durationEffect": {"slope": \(effect.slope), \
      "referenceSeconds": \(effect.referenceSeconds), "minimum": \(effect.minimum), \
      "maximum": \(effect.maximum)},
        "notes": ["fitted on \(trips) metered trips by moyeo fit-slow-time"],
        "rows": [
      \(rows.joined(separator: ",\n"))
        ]
      }
      """
  }
}
