import Foundation
import Identity
import Logging
import RouteProviders
import RoutePlanning
import ServiceLifecycle
import Threading

/// Has the authenticator take in keys that changed: API keys within 0.1 s, signing keys of a file
/// within a second, those of a URL by their interval.
struct IdentityReloading: Service {
  let authenticator: Authenticator
  let logger: Logger

  private static let interval = Duration.milliseconds(100)
  private let fetching = KeySetFetching()
  private let troubles = StateLock<[String: String]>([:])

  init(authenticator: Authenticator, logger: Logger) {
    self.authenticator = authenticator
    self.logger = logger
  }

  func run() async throws {
    await withTaskGroup { tasks in
      // A server of keys that is slow to answer must not hold up the end of an API key.
      tasks.addTask { await repeatedly(every: Self.interval) { takeAPIKeys() } }
      tasks.addTask { await repeatedly(every: Self.interval * 10) { await takeSigningKeys() } }
    }
  }

  private func repeatedly(
    every interval: Duration, _ step: @Sendable @escaping () async -> Void
  ) async {
    try? await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        try await Task.sleep(for: interval)
        await step()
      }
    }
  }

  private func takeAPIKeys() {
    do throws(KeyFileError) {
      try authenticator.reloadKeys()
      note("keys", nil)
    } catch {
      note("keys", error.description)
    }
  }

  private func takeSigningKeys() async {
    do throws(KeySetFailure) {
      Self.tell(try await authenticator.reloadKeySet(), logger)
      guard let leftOut = try await authenticator.refreshKeySet(fetching.document) else {
        // Nothing was fetched: what was wrong with the last answer still is.
        if case .file = authenticator.settings.keySet { note("auth.jwks", nil) }
        return
      }
      Self.tell(leftOut, logger)
      note("auth.jwks", nil)
    } catch {
      // The daemon is ending.
      guard !Task.isCancelled else { return }
      note("auth.jwks", error.description)
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
}

/// Fetches a key set, with the transport of the routes: one deadline for connecting and the last byte,
/// a bound on the answer, and no redirect, since only the address in the settings is trusted.
struct KeySetFetching: Sendable {
  private static let timeoutMilliseconds: Int64 = 5_000
  private static let maximumBytes = 1 << 20
  private let transport = HTTPClientTransport()

  /// - Parameter url: Where the set stands.
  /// - Returns: The document there.
  /// - Throws: ``FetchFailure`` for an answer that is not 200, and what the transport throws.
  @Sendable
  func document(_ url: String) async throws -> Data {
    let reply = try await transport.send(
      RouteExchange(url: url), timeoutMilliseconds: Self.timeoutMilliseconds,
      maximumBytes: Self.maximumBytes)
    guard reply.status == 200 else { throw FetchFailure(status: reply.status) }
    return Data(reply.body)
  }
}

private struct FetchFailure: Error, CustomStringConvertible {
  let status: Int
  var description: String { "the answer is \(status)" }
}
