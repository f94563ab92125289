public import ObjectModel

/// What a tenant allows of commutes; operators may change it.
public struct CommuteConfiguration: Hashable, Sendable {
  /// How long before its departure a day's party or request appears.
  public var aheadMilliseconds: Int64 = 48 * 3_600_000
  /// Days from the first date to the last, both counted, and from today to the first.
  public var maximumDays = 366
  /// Added dates, and as many removed ones.
  public var maximumDates = 100
  /// Riders who join each day.
  public var maximumRiders = 16

  /// Makes the standard configuration: days appear two days ahead, for a year.
  public init() {}
}

/// What commutes know of the world: clocks and holidays by name.
public struct CommuteCalendars: Sendable {
  /// The offsets of a zone by its IANA name; nil: there is none. Asked often: answers from memory.
  public var offsets: @Sendable (_ timeZone: String) -> UTCOffsets?
  /// A calendar of holidays by its name; nil: there is none.
  public var holidays: @Sendable (_ name: String) -> HolidayCalendar?

  /// Takes both as functions.
  public init(
    offsets: @escaping @Sendable (_ timeZone: String) -> UTCOffsets?,
    holidays: @escaping @Sendable (_ name: String) -> HolidayCalendar? = { _ in nil }
  ) {
    self.offsets = offsets
    self.holidays = holidays
  }

  /// Knows these calendars.
  public init(
    offsets: @escaping @Sendable (_ timeZone: String) -> UTCOffsets?, _ all: [HolidayCalendar]
  ) {
    let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
    self.init(offsets: offsets) { byName[$0] }
  }
}
