import NIOConcurrencyHelpers

/// Where a client has the access token from that it sends.
public enum TokenSource: Sendable {
  /// An API key, or an access token that outlives the client.
  case fixed(String)
  /// Gets a token: at the first call, and again when the service refuses the last one as expired.
  /// Calls that are refused together share one renewal.
  case provider(@Sendable () async throws -> String)
}

/// Keeps a client's token until the service refuses it.
final class TokenKeeper: Sendable {
  private struct State {
    var kept: String?
    var renewal: Task<String, any Error>?
  }

  private let source: TokenSource?
  private let state = NIOLockedValueBox(State())

  init(_ source: TokenSource?) { self.source = source }

  /// The token to send.
  ///
  /// - Parameter refused: What the service refused, which is then replaced.
  /// - Returns: nil when the client has none.
  /// - Throws: ``MoyeoError/noToken(cause:)`` when it could not be got.
  func current(refused: String? = nil) async throws(MoyeoError) -> String? {
    guard case .provider(let get)? = source else {
      if case .fixed(let token)? = source { return token }
      return nil
    }
    let (kept, renewal) = state.withLockedValue { state -> (String?, Task<String, any Error>?) in
      if let kept = state.kept, kept != refused { return (kept, nil) }
      if let renewal = state.renewal { return (nil, renewal) }
      // A caller that is cancelled does not take the token from the others.
      let renewal = Task { try await get() }
      state.renewal = renewal
      return (nil, renewal)
    }
    guard let renewal else { return kept }
    let result = await renewal.result
    state.withLockedValue { state in
      guard state.renewal == renewal else { return }
      state.renewal = nil
      state.kept = try? result.get()
    }
    do { return try result.get() } catch { throw .noToken(cause: "\(error)") }
  }

  /// Whether another token might help against this error.
  func mayRenew(after error: MoyeoError) -> Bool {
    guard case .provider? = source else { return false }
    return error.reason == "token_expired" || error.reason == "unauthenticated"
  }

  static func headers(_ token: String?) -> [(String, String)] {
    token.map { [("Authorization", "Bearer \($0)")] } ?? []
  }
}
