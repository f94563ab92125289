package import ObjectModel

/// What a token says of who calls.
package enum TokenVerdict: Sendable {
  /// The token holds, and this is whose it is.
  case caller(Caller)
  /// It held once; the app gets a new one by its refresh token and asks again.
  case expired
  /// So did the refresh token that goes with it: the person signs in again.
  case refreshExpired
  /// It never was a token of this service; the sentence says why.
  case invalid(String)

  /// The caller, or why there is none.
  package func caller() throws(IdentityError) -> Caller {
    switch self {
    case .caller(let caller): return caller
    case .expired, .refreshExpired: throw .tokenExpired
    case .invalid(let why): throw .unauthenticated(why)
    }
  }
}

/// Tells whose a token is. A port: every door asks it before anything else of a request has an effect.
package protocol TokenVerifier: Sendable {
  /// Judges a token; on an event loop, so that it must be short and wait for nothing.
  ///
  /// - Parameters:
  ///   - token: As it was sent, without `Bearer `; not empty.
  ///   - now: When it arrived.
  /// - Returns: Whose it is, or why it is nobody's.
  func verify(_ token: String, now: Instant) -> TokenVerdict
}

/// Open mode of apps that send a token all the same: on loopback the token is the user's id.
package struct OpenTokenVerifier: TokenVerifier {
  /// UTF-8 bytes of an id.
  private let maximumBytes: Int

  package init(maximumBytes: Int = 128) { self.maximumBytes = maximumBytes }

  package func verify(_ token: String, now: Instant) -> TokenVerdict {
    guard token.utf8.count <= maximumBytes else {
      return .invalid("the token is no id of a person")
    }
    return .caller(Caller(subject: token, scopes: [.read, .report, .command]))
  }
}

/// Tokens that expire, for the tests of an app on the developer's own machine: `ann~1795183800000` is
/// ann's until that Unix time in milliseconds, `ann~0` is expired, `ann~refresh` has no refresh token
/// that holds, and what lacks the mark is no token. They are not signed, so whoever composes a daemon
/// allows them on loopback only.
package struct DevelopmentTokenVerifier: TokenVerifier {
  private let open: OpenTokenVerifier

  package init(maximumBytes: Int = 128) { open = OpenTokenVerifier(maximumBytes: maximumBytes) }

  package func verify(_ token: String, now: Instant) -> TokenVerdict {
    guard let mark = token.lastIndex(of: "~"), mark > token.startIndex else {
      return .invalid("the token lacks its time")
    }
    let end = token[token.index(after: mark)...]
    if end == "refresh" { return .refreshExpired }
    guard let milliseconds = Int64(end) else { return .invalid("the token's time is none") }
    guard milliseconds > now.milliseconds else { return .expired }
    return open.verify(String(token[..<mark]), now: now)
  }
}
