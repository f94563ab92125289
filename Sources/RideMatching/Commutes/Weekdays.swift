/// A set of days of the week.
public struct Weekdays: OptionSet, Hashable, Sendable {
  /// Bit 0 is Monday, bit 6 Sunday.
  public let rawValue: UInt8

  /// Makes a set of its bits; those above Sunday are dropped.
  public init(rawValue: UInt8) { self.rawValue = rawValue & 0x7F }

  /// Monday to Friday.
  public static let workdays = Weekdays(rawValue: 0x1F)
  /// All seven days of the week.
  public static let all = Weekdays(rawValue: 0x7F)

  /// The words of the wire, Monday first; those of the French standard for ride sharing
  /// (fabmob/standard-covoiturage).
  public static let words = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]

  /// One day by its word; nil for any other text.
  public init?(word: String) {
    guard let day = Self.words.firstIndex(of: word) else { return nil }
    self.init(rawValue: 1 << UInt8(day))
  }

  /// The days of the set, Monday first.
  public var words: [String] {
    Self.words.enumerated().filter { rawValue & 1 << UInt8($0.offset) != 0 }.map(\.element)
  }

  /// Whether a day is in the set, 1 for Monday to 7 for Sunday.
  public func contains(isoWeekday day: Int) -> Bool {
    (1...7).contains(day) && rawValue & 1 << UInt8(day - 1) != 0
  }
}
