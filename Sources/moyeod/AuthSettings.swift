import AsyncHTTPClient
import Foundation
import Identity
import Logging
import MoyeoServer
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Threading

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
      IdentityReloading.tell(try await out.refreshKeySet(IdentityReloading.fetch), logger)
    } catch {
      logger.warning(
        "the keys that sign tokens cannot be fetched yet; they are tried again",
        metadata: ["url": "\(error.source)", "reason": "\(error.reason)"])
    }
    return out
  }
}

/// Has the authenticator take in keys that changed: API keys within 0.1 s, signing keys of a file
/// within a second.
struct IdentityReloading: Service {
  let authenticator: Authenticator
  let logger: Logger

  private static let interval = Duration.milliseconds(100)
  private let troubles = StateLock<[String: String]>([:])

  init(authenticator: Authenticator, logger: Logger) {
    self.authenticator = authenticator
    self.logger = logger
  }

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      var ticks = 0
      while !Task.isCancelled {
        try await Task.sleep(for: Self.interval)
        ticks += 1
        do throws(KeyFileError) {
          try authenticator.reloadKeys()
          note("keys", nil)
        } catch {
          note("keys", error.description)
        }
        guard ticks.isMultiple(of: 10) else { continue }
        do throws(KeySetFailure) {
          Self.tell(try await authenticator.reloadKeySet(), logger)
          Self.tell(try await authenticator.refreshKeySet(Self.fetch), logger)
          note("auth.jwks", nil)
        } catch {
          note("auth.jwks", error.description)
        }
      }
    }
  }

  /// Says once that something cannot be read, and goes on with what was read before.
  private func note(_ part: String, _ trouble: String?) {
    let isNew = troubles.withLock { troubles in
      defer { troubles[part] = trouble }
      return troubles[part] != trouble
    }
    guard isNew, let trouble else { return }
    logger.error(
      "keys cannot be read; those of before stay",
      metadata: ["part": "\(part)", "reason": "\(trouble)"]
    )
  }

  static func tell(_ leftOut: [String]?, _ logger: Logger) {
    guard let leftOut else { return }
    logger.info("the keys that sign tokens are read", metadata: ["leftOut": "\(leftOut.count)"])
    for line in leftOut { logger.warning("a key is left out", metadata: ["key": "\(line)"]) }
  }

  @Sendable
  static func fetch(_ url: String) async throws -> Data {
    let response = try await HTTPClient.shared.execute(
      HTTPClientRequest(url: url), timeout: .seconds(5))
    guard response.status == .ok else { throw FetchFailure(status: Int(response.status.code)) }
    return Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
  }
}

private struct FetchFailure: Error, CustomStringConvertible {
  let status: Int
  var description: String { "the answer is \(status)" }
}
