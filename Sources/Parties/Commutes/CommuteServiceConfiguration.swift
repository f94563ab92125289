package import RideMatching

/// How commutes are kept. Every figure can be configured.
package struct CommuteServiceConfiguration: Sendable {
  /// The rules' own figures.
  package var rules = CommuteConfiguration()
  /// Calendars of holidays that commutes may name.
  package var calendars: [HolidayCalendar] = []
  /// Commutes under way of one host, or of one rider.
  package var perPerson = 20
  /// Commutes under way of all.
  package var maximum = 100_000

  package init() {}
}
