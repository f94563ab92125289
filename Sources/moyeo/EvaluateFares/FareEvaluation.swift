import WireFormat
import FareEstimation
import ObjectModel
import RoutePlanning
import TaxiFares

/// Compares a tariff's fares with recorded ones, over the trips of a file.
struct FareEvaluation {
  /// Which rows take part, by their number from 0: the shipped model is fitted on even rows.
  enum RowChoice: String, CaseIterable {
    case all
    case even
    case odd

    func holds(_ row: Int) -> Bool {
      switch self {
      case .all: true
      case .even: row % 2 == 0
      case .odd: row % 2 == 1
      }
    }
  }

  /// All versions of the tariff, by effective moment.
  let versions: [Tariff]
  /// Price from places and departure alone; else from the recorded distance and duration.
  let fromCoordinates: Bool
  /// Finds flat trips from places.
  let areas: AreaMap
  let routes: EstimatedRouteProvider
  /// The version for files without dates.
  let undated: Tariff

  private(set) var overall = FareScore()
  private(set) var byRateCode: [String: FareScore] = [:]
  private(set) var byVendor: [String: FareScore] = [:]
  private(set) var byTariff: [String: FareScore] = [:]
  private(set) var dropped: [String: Int] = [:]

  init(
    versions: [Tariff], undated: Tariff, fromCoordinates: Bool, areas: AreaMap,
    routes: EstimatedRouteProvider = EstimatedRouteProvider()
  ) {
    self.versions = versions
    self.undated = undated
    self.areas = areas
    self.fromCoordinates = fromCoordinates
    self.routes = routes
  }

  /// The version in force at a trip's departure; nil before all of them.
  func tariff(for trip: TripRecord) -> Tariff? {
    guard let departure = trip.departure else { return undated }
    return versions.last { $0.isInForce(at: departure) }
  }

  mutating func add(_ trip: TripRecord) {
    overall.count()
    if let code = trip.rateCode { byRateCode[code, default: FareScore()].count() }
    if let vendor = trip.vendor { byVendor[vendor, default: FareScore()].count() }
    guard let tariff = tariff(for: trip) else {
      dropped["beforeTariffs", default: 0] += 1
      return
    }
    let key = RFC3339.local(tariff.effective, tariff.content.offsets)
    byTariff[key, default: FareScore()].count()
    let verdict = TripCleaning.verdict(trip, tariff.content, needsPlaces: fromCoordinates)
    if case .dropped(let reason) = verdict {
      dropped[reason.rawValue, default: 0] += 1
      return
    }
    guard let fare = fare(trip, tariff, verdict) else { return }
    func score(_ score: inout FareScore) {
      score.add(
        expected: fare.expected, low: fare.low, high: fare.high, recorded: trip.fare,
        step: tariff.content.stepAmount)
    }
    score(&overall)
    score(&byTariff[key, default: FareScore()])
    if let code = trip.rateCode { score(&byRateCode[code, default: FareScore()]) }
    if let vendor = trip.vendor { score(&byVendor[vendor, default: FareScore()]) }
  }

  /// What the meter would show: records keep extras in columns of their own.
  private func fare(
    _ record: TripRecord, _ tariff: Tariff, _ verdict: TripCleaning.Verdict
  ) -> (expected: Int64, low: Int64, high: Int64)? {
    let departure = record.departure ?? tariff.effective
    var flatTrip: String?
    if case .flat(let id) = verdict { flatTrip = id }
    var expected = FareTrip(record.distanceMeters ?? 0, record.durationSeconds)
    var low = expected
    var high = expected
    if fromCoordinates {
      guard let origin = record.origin, let destination = record.destination,
        let request = try? RouteRequest(
          origin: origin, destination: destination, departure: departure)
      else { return nil }
      flatTrip = areas.flatTrip(of: tariff, from: origin, to: destination)
      let route = routes.estimatedRoute(request)
      expected = FareTrip(route.distanceMeters, route.durationSeconds)
      if let range = route.range {
        low = FareTrip(range.low.distanceMeters, range.low.durationSeconds)
        high = FareTrip(range.high.distanceMeters, range.high.durationSeconds)
      }
    }
    func metered(_ way: FareTrip, _ traffic: SlowTimeModel.Traffic) -> Int64? {
      var trip = Trip(way.course, departure: departure)
      trip.flatTrip = flatTrip
      return try? tariff.breakdown(for: trip, traffic: traffic).metered
    }
    guard let middle = metered(expected, .expected), let least = metered(low, .freeFlow),
      let most = metered(high, .congested)
    else { return nil }
    return (middle, min(least, middle), max(most, middle))
  }

  private struct FareTrip {
    let meters: Double
    let seconds: Double

    init(_ meters: Double, _ seconds: Double) {
      self.meters = meters
      self.seconds = seconds
    }

    var course: TripCourse { .totals(distanceMeters: meters, durationSeconds: seconds) }
  }
}

/// Finds the version of a tariff behind a file that has no dates: the one whose meter can show the
/// most of its first fares; the older one among equals.
struct UndatedTariffChoice {
  static let sampledRows = 2000

  private let versions: [Tariff]
  private var hits: [Int]

  init(_ versions: [Tariff]) {
    self.versions = versions
    hits = versions.map { _ in 0 }
  }

  mutating func add(_ trip: TripRecord) {
    for (i, tariff) in versions.enumerated() {
      switch TripCleaning.verdict(trip, tariff.content, needsPlaces: false) {
      case .metered: hits[i] += 1
      case .flat(let id):
        if tariff.content.flatTrips.contains(where: { $0.id == id && $0.amount == trip.fare }) {
          hits[i] += 1
        }
      case .dropped: break
      }
    }
  }

  var best: Tariff? {
    guard let most = hits.max() else { return nil }
    return hits.firstIndex(of: most).map { versions[$0] }
  }
}
