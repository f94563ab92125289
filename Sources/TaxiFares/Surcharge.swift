/// More money at some hours of local time.
public struct Surcharge: Hashable, Sendable {
  /// Unlike that of any other surcharge of the tariff.
  public var id: String
  /// As people say it, such as "late night".
  public var name: String
  /// What it costs.
  public var price: Price
  /// Active when any of them is.
  public var bands: [LocalTimeBand]
  /// When it is decided whether it applies.
  public var chosen: Moment
  /// What a percentage is taken of.
  public var appliesToBase: Bool
  /// Whether steps of the meter are dearer while it applies.
  public var appliesToSteps: Bool

  /// What a surcharge costs.
  public enum Price: Hashable, Sendable {
    /// Hundredths of a percent of the plain base or step price.
    case hundredths(Int64)
    /// Once a trip, in minor units.
    case amount(Int64)
  }

  /// When it is decided whether a band is active.
  public enum Moment: String, Hashable, Sendable, CaseIterable {
    /// For each step by the local time at which it is charged; the base by the time of boarding.
    case along
    /// For the whole trip by the local time of boarding.
    case boarding
  }

  /// Makes a surcharge on base and steps, decided along the trip unless said otherwise.
  public init(
    id: String, name: String, price: Price, bands: [LocalTimeBand], chosen: Moment = .along,
    appliesToBase: Bool = true, appliesToSteps: Bool = true
  ) {
    self.id = id
    self.name = name
    self.price = price
    self.bands = bands
    self.chosen = chosen
    self.appliesToBase = appliesToBase
    self.appliesToSteps = appliesToSteps
  }
}

/// Hours of a local day, `from` inclusive, `to` exclusive.
///
/// `to` below or equal to `from` runs past midnight; it then belongs to the day it begins on.
public struct LocalTimeBand: Hashable, Sendable {
  /// Minutes after local midnight, 0..<1440.
  public var fromMinute: Int
  /// Minutes after local midnight, 0...1440.
  public var toMinute: Int
  /// Bit 0 is Monday, bit 6 Sunday.
  public var weekdays: UInt8

  /// Monday to Sunday.
  public static let everyDay: UInt8 = 0b111_1111

  /// Makes a band; one that ends before it begins goes over midnight.
  public init(fromMinute: Int, toMinute: Int, weekdays: UInt8 = LocalTimeBand.everyDay) {
    self.fromMinute = fromMinute
    self.toMinute = toMinute
    self.weekdays = weekdays
  }

  /// Tells whether a millisecond of the local day lies in the band; 0 is Monday, 6 Sunday.
  func contains(weekday: Int, millisecond: Int64) -> Bool {
    let from = Int64(fromMinute) * 60_000
    let to = Int64(toMinute) * 60_000
    let today = weekdays >> UInt8(weekday) & 1 == 1
    if from < to { return today && millisecond >= from && millisecond < to }
    let yesterday = weekdays >> UInt8((weekday + 6) % 7) & 1 == 1
    return (today && millisecond >= from) || (yesterday && millisecond < to)
  }
}

/// What happens when several percentages meet on one step.
public struct Stacking: Hashable, Sendable {
  /// What several surcharges at one time come to.
  public enum Rule: String, Hashable, Sendable, CaseIterable {
    /// Each is taken of the plain price and added; never multiplied.
    case add
    /// Only the highest counts.
    case highest
  }
  /// Whether they add up or the highest counts.
  public var rule: Rule
  /// The sum is at most this, in hundredths of a percent.
  public var maximumHundredths: Int64?

  /// Makes a rule for surcharges that meet.
  public init(rule: Rule, maximumHundredths: Int64? = nil) {
    self.rule = rule
    self.maximumHundredths = maximumHundredths
  }
}
