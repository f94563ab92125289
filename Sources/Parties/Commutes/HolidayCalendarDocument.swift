package import Foundation
import ObjectModel
package import RideMatching
package import FareEstimation

/// Reads a calendar of holidays (the fields are listed in `data/README.md`).
package enum HolidayCalendarDocument {
  /// A century of them.
  private static let maximumHolidays = 10_000

  /// Reads one calendar.
  ///
  /// - Parameters:
  ///   - data: The document, JSON.
  ///   - file: The file's name, for messages.
  /// - Returns: The calendar.
  /// - Throws: ``FileProblem`` with file, JSON path and what is wrong.
  package static func read(_ data: Data, file: String) throws(FileProblem) -> HolidayCalendar {
    var reader = try JSONObjectReader(try JSONTree.parse(data, file: file), file: file)
    let name = try reader.string("name")
    guard isName(name) else {
      throw reader.problem("name", "has 1-64 of a-z, 0-9 and -, a letter or digit first")
    }
    _ = try reader.string("title")
    let source = try reader.string("source")
    if source.isEmpty { throw reader.problem("source", "must say where the dates come from") }
    if try reader.string("licence").isEmpty {
      throw reader.problem("licence", "must say under which terms the file may be used")
    }
    let from = try date(&reader, "from")
    let through = try date(&reader, "through")
    guard from <= through else { throw reader.problem("through", "is before from") }
    var dates: Set<CivilDate> = []
    var days = try reader.objects("holidays")
    guard days.count <= maximumHolidays else {
      throw reader.problem("holidays", "has more than \(maximumHolidays) days")
    }
    for index in days.indices {
      let day = try date(&days[index], "date")
      _ = try days[index].string("name")
      try days[index].finish()
      guard from <= day, day <= through else {
        throw days[index].problem("date", "lies outside from and through")
      }
      guard dates.insert(day).inserted else {
        throw days[index].problem("date", "stands twice")
      }
    }
    try reader.finish()
    return HolidayCalendar(
      name: name, from: from, through: through, source: source, dates: dates)
  }

  private static func isName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard (1...64).contains(bytes.count), bytes[0] != UInt8(ascii: "-") else { return false }
    return bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"):
        true
      default: false
      }
    }
  }

  private static func date(
    _ reader: inout JSONObjectReader, _ name: String
  ) throws(FileProblem) -> CivilDate {
    let text = try reader.string(name)
    guard let date = CivilDate(iso: text) else {
      throw reader.problem(name, "is no date such as 2026-12-25: \"\(text)\"")
    }
    return date
  }

  /// Reads every `.json` file of the directories, in the order of their names; subdirectories are not
  /// entered.
  ///
  /// - Parameter directories: Each must exist; a later one's calendar replaces an earlier one's of the
  ///   same name, in one directory a name stands once.
  /// - Returns: The calendars, each name once.
  /// - Throws: ``PolicyLoadError`` with every problem of every file.
  package static func load(
    directories: [String]
  ) throws(PolicyLoadError) -> [HolidayCalendar] {
    try NamedDocuments.load(directories: directories, name: \.name) {
      data, file throws(FileProblem) in try read(data, file: file)
    }
  }
}
