import Foundation
import Threading

/// The text of `Date` (RFC 9110, section 5.6.7), written once a second.
enum HTTPDate {
  private static let known = StateLock((second: time_t(-1), text: ""))

  static var now: String {
    let second = time(nil)
    return known.withLock { known in
      if known.second != second { known = (second, text(second)) }
      return known.text
    }
  }

  private static func text(_ second: time_t) -> String {
    var second = second
    var parts = tm()
    gmtime_r(&second, &parts)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
      + "\(1900 + parts.tm_year) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
  }
}
