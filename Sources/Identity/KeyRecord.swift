import Crypto
import Foundation
package import ObjectModel

/// An API key as the data directory's record has it: of the key itself only a hash.
package struct KeyRecord: Codable, Hashable, Sendable {
  package var id: String
  package var tenant: String
  package var scopes: [String]
  /// For people who read the list.
  package var name: String?
  /// SHA-256 of the secret, in hexadecimal digits. A secret has 256 random bits, so that a slow hash
  /// would add nothing.
  package var hash: String
  package var createdMilliseconds: Int64
  /// Nil: it does not end by itself.
  package var expiresMilliseconds: Int64?
  package var revokedMilliseconds: Int64?

  /// Whether it lets anybody in at a moment.
  package func holds(at now: Instant) -> Bool {
    revokedMilliseconds == nil && (expiresMilliseconds.map { now.milliseconds < $0 } ?? true)
  }
}

/// The text of an API key: `moyeo_<id>_<secret>`.
package struct KeyText: Hashable, Sendable {
  package static let prefix = "moyeo_"
  private static let idDigits = 16
  private static let secretDigits = 64

  package let id: String
  let secret: String

  package var text: String { Self.prefix + id + "_" + secret }

  /// A new key.
  package init(using random: inout some RandomNumberGenerator) {
    func digits(_ words: Int) -> String {
      (0..<words).map { _ in
        let text = String(random.next(), radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
      }.joined()
    }
    id = digits(Self.idDigits / 16)
    secret = digits(Self.secretDigits / 16)
  }

  /// Nil for what is no key.
  package init?(_ text: String) {
    guard text.hasPrefix(Self.prefix) else { return nil }
    let parts = text.dropFirst(Self.prefix.count).split(
      separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == Self.idDigits,
      parts[1].utf8.count == Self.secretDigits,
      parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) } })
    else { return nil }
    id = String(parts[0])
    secret = String(parts[1])
  }

  /// What the record keeps of it.
  package var hash: String {
    SHA256.hash(data: Data(secret.utf8)).map { byte in
      let text = String(byte, radix: 16)
      return byte < 16 ? "0" + text : text
    }.joined()
  }

  /// Compares without telling by its time how far two hashes agree.
  func matches(_ hash: String) -> Bool {
    let (own, other) = (Array(self.hash.utf8), Array(hash.utf8))
    guard own.count == other.count else { return false }
    return zip(own, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
