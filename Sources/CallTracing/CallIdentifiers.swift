import Synchronization

/// Makes the identifiers of requests, traces and spans: numbers that do not repeat within a process and
/// that nobody can be expected to meet in another.
///
/// They tell calls apart and are no secrets: who sees some can work out the next.
package final class CallIdentifiers: Sendable {
  private let state: Atomic<UInt64>

  /// - Parameter seed: Where the sequence begins; random outside of tests.
  package init(seed: UInt64 = .random(in: .min ... .max)) { state = Atomic(seed) }

  /// The next number, any but 0 (SplitMix64: Steele, Lea and Flood, 2014).
  package func next() -> UInt64 {
    var mixed = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    return mixed == 0 ? 1 : mixed
  }

  /// An identifier for a request whose caller gave none: 13 digits and lower-case letters, which a
  /// `String` holds without memory of its own.
  package func requestID() -> String {
    var rest = next()
    return String(unsafeUninitializedCapacity: 13) { bytes in
      for index in 0..<13 {
        bytes[index] = Self.digits[Int(rest & 31)]
        rest >>= 5
      }
      return 13
    }
  }

  /// Without the letters that are taken for digits.
  private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
}

/// The rule for an identifier of a request that its caller gives: 1-64 visible characters of ASCII.
package enum RequestID {
  package static let maximumBytes = 64

  package static func isValid(_ text: String) -> Bool {
    let bytes = text.utf8
    return (1...maximumBytes).contains(bytes.count)
      && bytes.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
