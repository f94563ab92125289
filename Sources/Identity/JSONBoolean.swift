import Foundation

/// `true` and `false` among what JSONSerialization gives, to which they are numbers, too.
package enum JSONBoolean {
  /// Whether JSON had `true` or `false`, and not 1 or 0.
  package static func isOne(_ value: Any) -> Bool {
    guard let number = value as? NSNumber else { return false }
    return String(cString: number.objCType) == "c" && (number == 0 || number == 1)
  }
}
