/// The rule for names of layers: `[a-z0-9][a-z0-9_-]{0,62}`.
package enum LayerName {
  /// Parties by where they start.
  package static let parties = "parties"
  /// People who wait for study mates, as others see them.
  package static let tickets = "tickets"
  /// The layers that the service itself fills.
  package static let reserved: Set<String> = [parties, tickets]

  /// Whether a name is one of ``reserved``, without hashing it.
  package static func isReserved(_ name: String) -> Bool { name == parties || name == tickets }

  package static func isValid(_ name: String) -> Bool {
    let bytes = name.utf8
    guard (1...63).contains(bytes.count), let first = bytes.first else { return false }
    guard isLetterOrDigit(first) else { return false }
    return bytes.allSatisfy {
      isLetterOrDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
    }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
