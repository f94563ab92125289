import Crypto
import Foundation
package import ObjectModel

/// The key of a webhook's signatures: `whsec_` and base64, as the Standard Webhooks specification
/// writes it, of 24 to 64 bytes.
package struct WebhookSecret: Hashable, Sendable {
  private static let prefix = "whsec_"
  private static let byteCounts = 24...64
  private let bytes: [UInt8]

  package var text: String { Self.prefix + Data(bytes).base64EncodedString() }

  /// A new one, of 32 bytes.
  package init(using random: inout some RandomNumberGenerator) {
    bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  /// Nil for what is no secret.
  package init?(_ text: String) {
    guard text.hasPrefix(Self.prefix),
      let data = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))),
      Self.byteCounts.contains(data.count)
    else { return nil }
    bytes = Array(data)
  }

  fileprivate func signature(_ content: Data) -> String {
    let code = HMAC<SHA256>.authenticationCode(
      for: content, using: SymmetricKey(data: Data(bytes)))
    return "v1," + Data(code).base64EncodedString()
  }
}

/// The headers by which a receiver knows a delivery again and trusts it (Standard Webhooks 1.0: the
/// signature is HMAC-SHA256 over `id.timestamp.body`).
package enum WebhookSignature {
  /// Signs an attempt.
  ///
  /// - Parameters:
  ///   - id: The same for every attempt of one event, so that a receiver can leave out repetitions.
  ///   - secrets: One signature is made with each.
  ///   - now: When the attempt is made; receivers refuse what is old.
  ///   - body: The bytes that are sent.
  /// - Returns: Names and values.
  package static func headers(
    id: String, secrets: [WebhookSecret], now: Instant, body: [UInt8]
  ) -> [(name: String, value: String)] {
    let seconds = "\(now.milliseconds / 1000)"
    let content = Data("\(id).\(seconds).".utf8) + Data(body)
    return [
      ("webhook-id", id), ("webhook-timestamp", seconds),
      ("webhook-signature", secrets.map { $0.signature(content) }.joined(separator: " ")),
    ]
  }
}
