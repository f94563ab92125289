public import ObjectModel

/// Why a trip cannot be priced.
public enum FareError: Error, Hashable, Sendable {
  /// No tariff has this id.
  case unknownTariff(id: String)
  /// No tariff prices this area and vehicle class.
  case noTariff(area: String, vehicleClass: String?)
  /// The tariff exists, but every version of it begins after the departure.
  case departureBeforeTariffs(id: String, departure: Instant, firstEffective: Instant)
  /// The tariff's last version in force ended before the departure.
  case tariffEnded(id: String, departure: Instant, ended: Instant)
  /// Not in the years 1900-2500.
  case departureOutOfRange(Instant)
  /// Negative, not a number, or beyond ``FareLimits``; `field` names it.
  case distanceOutOfRange(field: String, meters: Double)
  /// Negative, not a number, or beyond ``FareLimits``; `field` names it.
  case durationOutOfRange(field: String, seconds: Double)
  /// Negative or beyond ``FareLimits/maximumAmount``; `field` names it.
  case amountOutOfRange(field: String, amount: Int64)
  /// More slow time than time.
  case slowTimeExceedsDuration(slowSeconds: Double, durationSeconds: Double)
  /// A route of no segments, or of more than ``FareLimits/maximumSegments``.
  case segmentCountOutOfRange(Int)
  /// The tariff has no flat trip of this id.
  case unknownFlatTrip(id: String)
}

extension FareLimits {
  /// 1900-01-01 to 2500-01-01 UTC.
  public static let departures =
    Instant(seconds: -2_208_988_800)...Instant(seconds: 16_725_225_600)

  static func check(meters: Double, _ field: @autoclosure () -> String) throws(FareError) {
    // NaN fails both comparisons.
    guard meters >= 0 && meters <= maximumDistanceMeters else {
      throw .distanceOutOfRange(field: field(), meters: meters)
    }
  }

  static func check(seconds: Double, _ field: @autoclosure () -> String) throws(FareError) {
    guard seconds >= 0 && seconds <= maximumDurationSeconds else {
      throw .durationOutOfRange(field: field(), seconds: seconds)
    }
  }

  static func check(amount: Int64, _ field: @autoclosure () -> String) throws(FareError) {
    guard amount >= 0 && amount <= maximumAmount else {
      throw .amountOutOfRange(field: field(), amount: amount)
    }
  }
}
