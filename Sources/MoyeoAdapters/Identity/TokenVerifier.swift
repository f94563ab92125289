package import ObjectModel

/// What a token says of who calls.
package enum TokenVerdict: Hashable, Sendable {
  /// The token holds, and this is whose it is.
  case user(id: String)
  /// It held once; the app gets a new one by its refresh token and asks again.
  case expired
  /// So did the refresh token that goes with it: the person signs in again.
  case refreshExpired
  /// It never was a token of this service.
  case invalid
}

/// Tells whose a token is. A port: open mode stands here, keys come with the identity of a tenant.
package protocol TokenVerifier: Sendable {
  /// Judges a token before anything else of a request has an effect.
  ///
  /// - Parameters:
  ///   - token: As the app sends it, without `Bearer `; not empty.
  ///   - now: When it arrived.
  /// - Returns: Whose it is, or why it is nobody's.
  func verify(_ token: String, now: Instant) async -> TokenVerdict
}

/// Open mode: on loopback the token is the user's id.
package struct OpenTokenVerifier: TokenVerifier {
  /// UTF-8 bytes of an id.
  private let maximumBytes: Int

  package init(maximumBytes: Int = 128) { self.maximumBytes = maximumBytes }

  package func verify(_ token: String, now: Instant) async -> TokenVerdict {
    token.utf8.count <= maximumBytes ? .user(id: token) : .invalid
  }
}

/// Tokens that expire, for the tests of an app on the developer's own machine: `ann~1795183800000` is
/// ann's until that Unix time in milliseconds, `ann~0` is expired, `ann~refresh` has no refresh token
/// that holds, and what lacks the mark is no token. They are not signed, so whoever composes a daemon
/// allows them on loopback only.
package struct DevelopmentTokenVerifier: TokenVerifier {
  private let open: OpenTokenVerifier

  package init(maximumBytes: Int = 128) { open = OpenTokenVerifier(maximumBytes: maximumBytes) }

  package func verify(_ token: String, now: Instant) async -> TokenVerdict {
    guard let mark = token.lastIndex(of: "~"), mark > token.startIndex else { return .invalid }
    let end = token[token.index(after: mark)...]
    if end == "refresh" { return .refreshExpired }
    guard let milliseconds = Int64(end) else { return .invalid }
    guard milliseconds > now.milliseconds else { return .expired }
    return await open.verify(String(token[..<mark]), now: now)
  }
}
