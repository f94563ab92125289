public import ObjectModel

/// Days on which a commute that names the calendar does not run, over the years that it covers.
public struct HolidayCalendar: Hashable, Sendable {
  /// By which commutes name it, such as `kr-public`.
  public let name: String
  /// The first day that it knows of.
  public let from: CivilDate
  /// The last day that it knows of, included.
  public let through: CivilDate
  /// Where the dates are from.
  public let source: String
  private let dates: Set<CivilDate>

  /// Makes a calendar of its holidays; those outside its years are never asked for.
  public init(
    name: String, from: CivilDate, through: CivilDate, source: String, dates: Set<CivilDate>
  ) {
    self.name = name
    self.from = from
    self.through = through
    self.source = source
    self.dates = dates
  }

  /// Whether a day is one of its holidays.
  public func contains(_ date: CivilDate) -> Bool { dates.contains(date) }

  /// How many holidays it has.
  public var count: Int { dates.count }
}
