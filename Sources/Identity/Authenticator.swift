package import Foundation
import JWTKit
import LockedFiles
package import ObjectModel
import Threading

/// Where the keys that sign tokens come from.
package enum KeySetSource: Hashable, Sendable {
  case file(String)
  case url(String)
}

/// How callers are told apart (`auth.*`).
package struct AuthenticatorSettings: Sendable, Hashable {
  /// Nil: API keys alone are taken.
  package var keySet: KeySetSource?
  package var demands = TokenDemands()
  /// Whether HS256 is taken.
  package var allowsDevelopmentAlgorithms = false
  /// Verified tokens that are remembered.
  package var cachedTokens = 100_000
  /// How often the keys of a URL are fetched, in seconds.
  package var refreshSeconds = 300.0

  package init() {}
}

/// Whose a token is: JSON Web Tokens and API keys.
///
/// What it verifies against is a snapshot that ``reloadKeys(now:)`` and ``takeKeySet(_:)`` replace; a
/// verification itself does no input or output. A token that was seen before costs a hash and a
/// lookup.
package final class Authenticator: TokenVerifier {
  private struct KnownKey {
    let record: KeyRecord
    let scopes: Scopes
    let credential: Credential
  }

  private struct State {
    var signing = SigningKeys()
    var keys: [String: KnownKey] = [:]
    var keyStamp: FileStamp?
    var setStamp: FileStamp?
    var lastFetch: ContinuousClock.Instant?
  }

  package let settings: AuthenticatorSettings
  private let keyFile: KeyFile?
  private let state = StateLock(State())
  private let cache: TokenCache
  /// Set where a token names a key that is not known: perhaps it is newer than the last fetch.
  private let wantsKeySet = StateLock(false)

  /// - Parameters:
  ///   - settings: What is demanded of tokens.
  ///   - keyFile: The API keys; nil: none are taken.
  package init(settings: AuthenticatorSettings, keyFile: KeyFile?) {
    self.settings = settings
    self.keyFile = keyFile
    cache = TokenCache(capacity: settings.cachedTokens)
  }

  package func verify(_ token: String, now: Instant) -> TokenVerdict {
    let key = cache.key(of: token)
    if let known = cache.caller(key) {
      if known.refusal(now: now) == nil { return .caller(known) }
      // What vouched for it may have been renewed: it is judged anew.
      cache.remove(key)
    }
    do throws(IdentityError) {
      let caller =
        token.hasPrefix(KeyText.prefix)
        ? try keyCaller(token, now: now) : try tokenCaller(token, now: now)
      cache.insert(caller, key)
      return .caller(caller)
    } catch {
      return Self.verdict(error)
    }
  }

  private static func verdict(_ error: IdentityError) -> TokenVerdict {
    switch error {
    case .tokenExpired: .expired
    case .unauthenticated(let why): .invalid(why)
    }
  }

  private func keyCaller(_ text: String, now: Instant) throws(IdentityError) -> Caller {
    let unknown = IdentityError.unauthenticated("the API key is not known here")
    guard let key = KeyText(text), let known = state.withLock({ $0.keys[key.id] }),
      key.matches(known.record.hash)
    else { throw unknown }
    let caller = Caller(
      tenant: known.record.tenant, subject: nil, scopes: known.scopes,
      expiresAt: known.record.expiresMilliseconds.map(Instant.init(milliseconds:))
        ?? .distantFuture, keyID: key.id, credential: known.credential)
    if let refusal = caller.refusal(now: now) { throw refusal }
    return caller
  }

  private func tokenCaller(_ text: String, now: Instant) throws(IdentityError) -> Caller {
    let token = try SignedToken(text)
    guard let key = state.withLock({ $0.signing.key(id: token.keyID) }) else {
      wantsKeySet.withLock { $0 = true }
      throw .unauthenticated("the token's key is not known here")
    }
    // The key says which algorithm it is for, never the token: so "none", or a public key taken for
    // a shared secret, is nobody's signature.
    guard token.algorithm == key.algorithm else {
      throw .unauthenticated("the token's algorithm is not that of its key")
    }
    let isGood = (try? key.verifier.verify(token.signature, signs: token.signed)) ?? false
    guard isGood else { throw .unauthenticated("the token's signature is not good") }
    return try token.caller(settings.demands, credential: key.credential, now: now)
  }

  // MARK: - What it verifies against

  /// Reads the API keys if their file has changed.
  ///
  /// - Throws: ``KeyFileError``; the keys stay as they were then.
  package func reloadKeys() throws(KeyFileError) {
    guard let keyFile else { return }
    let stamp = FileStamp(keyFile.path)
    guard stamp != state.withLock({ $0.keyStamp }) else { return }
    let records = try keyFile.keys()
    state.withLock { state in
      var next: [String: KnownKey] = [:]
      for record in records where record.revokedMilliseconds == nil {
        // A key whose end was moved vouches anew, so that callers seen before hear of it.
        if let known = state.keys[record.id], known.record == record {
          next[record.id] = known
        } else {
          next[record.id] = KnownKey(
            record: record, scopes: Scopes(words: record.scopes), credential: Credential())
        }
      }
      for (id, known) in state.keys where next[id]?.credential !== known.credential {
        known.credential.revoke()
      }
      state.keys = next
      state.keyStamp = stamp
    }
  }

  /// How many keys there are that sign tokens.
  package var signingKeyCount: Int { state.withLock { $0.signing.keys.count } }

  /// The API keys that are not revoked.
  package var keyRecords: [KeyRecord] { state.withLock { $0.keys.values.map(\.record) } }

  /// Reads the file of signing keys if it has changed.
  ///
  /// - Returns: What was left out of it, if it was read.
  /// - Throws: ``KeySetFailure``; the keys stay as they were then.
  package func reloadKeySet() async throws(KeySetFailure) -> [String]? {
    guard case .file(let path) = settings.keySet else { return nil }
    guard let stamp = FileStamp(path) else {
      throw KeySetFailure(source: path, reason: "there is no such file")
    }
    guard stamp != state.withLock({ $0.setStamp }) else { return nil }
    let document: Data
    do { document = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      throw KeySetFailure(source: path, reason: error.localizedDescription)
    }
    let leftOut = try await take(document, from: path)
    state.withLock { $0.setStamp = stamp }
    return leftOut
  }

  /// Fetches the signing keys from their URL when it is time, or when a token named an unknown one.
  ///
  /// - Parameters:
  ///   - now: The time, on a clock that nobody sets.
  ///   - fetch: Answers the document at a URL.
  /// - Returns: What was left out of it, if it was fetched.
  /// - Throws: ``KeySetFailure``; the keys stay as they were then.
  package func refreshKeySet(
    now: ContinuousClock.Instant = .now, _ fetch: @Sendable (_ url: String) async throws -> Data
  ) async throws(KeySetFailure) -> [String]? {
    guard case .url(let url) = settings.keySet else { return nil }
    let isWanted = wantsKeySet.withLock { wanted in
      defer { wanted = false }
      return wanted
    }
    let isTime = state.withLock { state in
      let age = state.lastFetch.map { now - $0 }
      // A flood of unknown keys is one fetch in ten seconds.
      let least = Duration.seconds(
        isWanted || state.signing.keys.isEmpty ? 10 : settings.refreshSeconds)
      guard age.map({ $0 >= least }) ?? true else { return false }
      state.lastFetch = now
      return true
    }
    guard isTime else {
      if isWanted { wantsKeySet.withLock { $0 = true } }
      return nil
    }
    let document: Data
    do { document = try await fetch(url) } catch {
      throw KeySetFailure(source: url, reason: "\(error)")
    }
    return try await take(document, from: url)
  }

  private func take(_ document: Data, from source: String) async throws(KeySetFailure) -> [String] {
    let earlier = state.withLock { $0.signing }
    let next: SigningKeys
    do throws(KeySetError) {
      next = try await SigningKeys(
        document: document, allowsDevelopmentAlgorithms: settings.allowsDevelopmentAlgorithms,
        earlier: earlier)
    } catch {
      throw KeySetFailure(source: source, reason: error.description)
    }
    state.withLock { state in
      for (id, key) in state.signing.keys where next.keys[id]?.credential !== key.credential {
        key.credential.revoke()
      }
      state.signing = next
    }
    return next.leftOut
  }

  /// Takes the signing keys of a document, wherever it comes from.
  ///
  /// - Returns: What was left out of it.
  /// - Throws: ``KeySetFailure``; the keys stay as they were then.
  @discardableResult
  package func takeKeySet(_ document: Data) async throws(KeySetFailure) -> [String] {
    try await take(document, from: "the document")
  }
}

/// Why the keys that sign tokens could not be had.
package struct KeySetFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let source: String
  package let reason: String

  package var description: String { "\(source): \(reason)" }
}
