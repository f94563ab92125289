import TestSupport
import Foundation
import ObjectModel
import TaxiFares
import Testing

/// Recorded fares of New York: odd rows, which the shipped slow-time model was not fitted on.
/// `moyeo evaluate-fares --rows odd` says the same with the whole cleaning rule.
@Suite struct NewYorkFareTests {
  @Test(.enabled(if: FareFixtures.sharedData != nil, "shared data is absent"))
  func recordedFares2013() throws {
    let path = try #require(FareFixtures.sharedData) + "/nyc-taxi-fares-2013.csv"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let departure = FareFixtures.instant("2013-06-05T12:00:00-04:00")
    let tariff = try FareFixtures.tariff("us-nyc-yellow", at: "2013-06-05T12:00:00-04:00")
    var used = 0
    var oneStep = 0
    var tenPercent = 0
    var inRange = 0
    var errorSum: Int64 = 0
    // One odd row in three: the test stays short.
    for (row, line) in text.split(separator: "\n").dropFirst().enumerated() where row % 6 == 1 {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      guard fields[1] == "1", let seconds = Double(fields[3]), let miles = Double(fields[4]),
        let dollars = Double(fields[6]), seconds >= 60, seconds <= 10_800, miles >= 0.1,
        (1...70).contains(miles / seconds * 3600)
      else { continue }
      let trip = Trip(
        .totals(distanceMeters: miles * 1609.344, durationSeconds: seconds), departure: departure)
      let fare = try tariff.fare(for: trip)
      let recorded = Int64((dollars * 100).rounded())
      let error = abs(fare.expected.metered - recorded)
      used += 1
      errorSum += error
      if error <= 50 { oneStep += 1 }
      if error * 10 <= recorded { tenPercent += 1 }
      if fare.low <= recorded && recorded <= fare.high { inRange += 1 }
    }
    #expect(used > 15_000)
    #expect(Double(oneStep) / Double(used) >= 0.92)
    #expect(Double(tenPercent) / Double(used) >= 0.95)
    #expect(Double(inRange) / Double(used) >= 0.9)
    #expect(Double(errorSum) / Double(used) <= 40)
  }
}
