import GeoMath
import ObjectModel
import TaxiFares

/// A recorded trip: one row.
struct TripRecord {
  /// Local clock of the tariff; nil in files without dates.
  var departure: Instant?
  /// Nil in files without it.
  var distanceMeters: Double?
  var durationSeconds: Double
  /// Minor units, without extras.
  var fare: Int64
  var rateCode: String?
  var vendor: String?
  var isUpfrontPriced: Bool
  var origin: Coordinate?
  var destination: Coordinate?
}

/// The rows that an evaluation (and the fit) uses, and why the others are left out.
///
/// The rule, in this order:
/// 1. Numbers are there; a fare is above 0. Trips priced upfront (payment type 0) did not run on
///    the meter.
/// 2. The rate code is one that the tariff prices: its metered one (1, or no column), or that of a
///    flat trip.
/// 3. 60 s to 3 h; 160 m (0.1 mile) to 100 km; 1 to 70 mph on average. Where trips are priced from
///    their places: places are there (not 0, 0), 100 m to 100 km apart, and not further than the
///    recorded distance and 500 m, nor than 70 mph take.
/// 4. Metered trips of tariffs whose meter shows base + whole steps: the fare is such a sum, and
///    the number of steps one that the meter can count over this distance and duration, whatever
///    the traffic: between max(d, t) and d + t, with d = distance / step distance and t = duration
///    / step seconds, 2 steps to either side for rounding in the records.
struct TripCleaning {
  enum Verdict: Hashable {
    case metered
    case flat(String)
    case dropped(Reason)
  }

  enum Reason: String, CaseIterable {
    case incomplete
    case upfront
    case rateCode
    case duration
    case distance
    case speed
    case places
    case offMeter
  }

  /// Whether the meter shows base + whole steps only.
  private static func showsWholeSteps(_ content: TariffContent) -> Bool {
    content.longDistance.isEmpty && content.outOfArea == nil
      && content.chargeOn != .proportional
      && content.surcharges.allSatisfy {
        if case .amount = $0.price { true } else { false }
      }
  }

  static func verdict(
    _ trip: TripRecord, _ content: TariffContent, needsPlaces: Bool
  ) -> Verdict {
    if trip.fare <= 0 { return .dropped(.incomplete) }
    if trip.isUpfrontPriced { return .dropped(.upfront) }
    var flat: String?
    if let code = trip.rateCode, code != "1" {
      guard let id = content.flatTrips.first(where: { $0.rateCode == code })?.id else {
        return .dropped(.rateCode)
      }
      flat = id
    }
    let seconds = trip.durationSeconds
    guard seconds >= 60 && seconds <= 10_800 else { return .dropped(.duration) }
    if let meters = trip.distanceMeters {
      guard meters >= 160 && meters <= 100_000 else { return .dropped(.distance) }
      let milesPerHour = meters / seconds * 3600 / 1609.344
      guard milesPerHour >= 1 && milesPerHour <= 70 else { return .dropped(.speed) }
    }
    if needsPlaces && !hasPlausiblePlaces(trip) { return .dropped(.places) }
    if let flat { return .flat(flat) }
    guard showsWholeSteps(content) else { return .metered }
    let above = trip.fare - content.baseAmount
    guard above >= 0, above % content.stepAmount == 0 else { return .dropped(.offMeter) }
    if let meters = trip.distanceMeters {
      let steps = Double(above / content.stepAmount)
      let d = meters / content.stepDistanceMeters
      let t = trip.durationSeconds / content.stepSeconds
      // Steps within the base are not above it.
      let base = content.baseDistanceMeters / content.stepDistanceMeters - 1
      guard steps >= max(d, t).rounded(.down) - base - 2, steps <= d + t - base + 2 else {
        return .dropped(.offMeter)
      }
    }
    return .metered
  }

  private static func hasPlausiblePlaces(_ trip: TripRecord) -> Bool {
    guard let origin = trip.origin, let destination = trip.destination else { return false }
    let apart = origin.distanceMeters(to: destination)
    let most = min(trip.distanceMeters.map { $0 + 500 } ?? .infinity, 100_000)
    return apart >= 100 && apart <= most && apart <= trip.durationSeconds * 31.3
  }
}
