import Foundation
import Identity
import Logging
import MoyeoServer

/// How callers are told apart.
struct AuthSettings: Sendable {
  enum Mode: String, Sendable {
    /// They are not: on loopback only.
    case open
    case tokens
  }

  var mode = Mode.open
  var authenticator = AuthenticatorSettings()
  var maximumTenants = 64

  /// - Throws: ``SettingError``: above all for open mode where others than this machine may call.
  static func read(_ values: Values, host: String) async throws -> AuthSettings {
    var out = AuthSettings()
    out.mode = try await values.word("auth.mode", Mode.init(rawValue:)) ?? .open
    func text(_ key: String) async throws -> String? {
      try await values.string(key).flatMap { $0.isEmpty ? nil : $0 }
    }
    if let source = try await text("auth.jwks") {
      let isURL = source.hasPrefix("https://") || source.hasPrefix("http://")
      out.authenticator.keySet = isURL ? .url(source) : .file(source)
      if isURL { try checkURL(source) }
    }
    out.authenticator.demands.issuer = try await text("auth.issuer")
    out.authenticator.demands.audience = try await text("auth.audience")
    out.authenticator.allowsDevelopmentAlgorithms =
      try await values.bool("auth.developmentAlgorithms") ?? false
    if let seconds = try await values.number("auth.clockSkewSeconds", in: 0...300) {
      out.authenticator.demands.skewMilliseconds = Int64(seconds * 1000)
    }
    if let seconds = try await values.number("auth.jwksRefreshSeconds", in: 10...86_400) {
      out.authenticator.refreshSeconds = seconds
    }
    if let count = try await values.int("auth.cachedTokens", in: 32...10_000_000) {
      out.authenticator.cachedTokens = count
    }
    if let count = try await values.int("auth.maximumTenants", in: 1...1000) {
      out.maximumTenants = count
    }
    try out.check(host: host)
    return out
  }

  /// Whoever changes the set on its way could sign for anybody.
  private static func checkURL(_ source: String) throws(SettingError) {
    guard let url = URLComponents(string: source), let host = url.host, !host.isEmpty else {
      throw SettingError(key: "auth.jwks", problem: "is no URL that names a host")
    }
    let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    guard url.scheme == "https" || LoopbackHost.contains(name) else {
      throw SettingError(
        key: "auth.jwks",
        problem: "is fetched from \(host) in the clear, so that whoever is on the way could sign "
          + "for anybody: use https, or a host of loopback")
    }
  }

  private func check(host: String) throws(SettingError) {
    switch mode {
    case .open:
      guard LoopbackHost.contains(host) else {
        throw SettingError(
          key: "auth.mode",
          problem: "is open, so that everybody who reaches \(host) could do everything: "
            + "set it to tokens, or host to one of loopback")
      }
    case .tokens:
      guard authenticator.keySet != nil else { return }
      for (key, value) in [
        ("auth.issuer", authenticator.demands.issuer),
        ("auth.audience", authenticator.demands.audience),
      ] where value == nil {
        throw SettingError(
          key: key, problem: "is needed with auth.jwks: a token for another service would pass")
      }
    }
  }

  /// Reads the file of signing keys, if one is named.
  ///
  /// - Throws: ``StartFailure/usage(_:)``.
  func checkKeySet() async throws {
    guard mode == .tokens else { return }
    let trial = Authenticator(settings: authenticator, keyFile: nil)
    do throws(KeySetFailure) { _ = try await trial.reloadKeySet() } catch {
      throw StartFailure.usage("auth.jwks: \(error)")
    }
  }

  /// What verifies tokens, with all keys loaded; nil in open mode.
  ///
  /// - Throws: ``StartFailure`` for keys that cannot be used. Those of a URL may come later.
  func makeAuthenticator(dataDirectory: String, logger: Logger) async throws -> Authenticator? {
    guard mode == .tokens else {
      logger.warning(
        "open mode: everybody on this machine may do everything (auth.mode)", metadata: [:])
      return nil
    }
    let out = Authenticator(
      settings: authenticator, keyFile: KeyFile(directory: dataDirectory))
    do throws(KeyFileError) { try out.reloadKeys() } catch {
      throw StartFailure.failed(error.description)
    }
    do throws(KeySetFailure) {
      IdentityReloading.tell(try await out.reloadKeySet(), logger)
    } catch {
      throw StartFailure.usage("auth.jwks: \(error)")
    }
    do throws(KeySetFailure) {
      IdentityReloading.tell(
        try await out.refreshKeySet(KeySetFetching().document), logger)
    } catch {
      logger.warning(
        "the keys that sign tokens cannot be fetched yet; they are tried again",
        metadata: ["url": "\(error.source)", "reason": "\(error.reason)"])
    }
    return out
  }
}
