import GRPCServerTransport
import Identity
import Logging
import LiveLayers
import MoyeoServer
import NIOPosix
import ObjectModel
import RESPServer
import ServiceLifecycle

/// Settings of the door for clients of Redis.
enum RedisDoorSettings {
  /// - Returns: Nil without `resp.port`: nothing listens then.
  /// - Throws: ``SettingError`` with the key and what is wrong.
  static func read(
    _ values: Values, daemon: Daemon.Configuration
  ) async throws -> RedisDoor.Configuration? {
    guard let port = try await values.int("resp.port", in: 0...65535) else { return nil }
    for (key, other) in [
      ("http.port", daemon.httpPort), ("grpc.port", daemon.grpcPort),
      ("admin.port", daemon.admin?.port ?? 0),
    ] where port == other && port != 0 {
      throw SettingError(
        key: "resp.port", problem: "is \(port), as \(key) is: each needs its own")
    }
    var out = RedisDoor.Configuration()
    out.host = daemon.host == "localhost" ? "127.0.0.1" : daemon.host
    out.port = port
    if let words = try await values.int("resp.arguments", in: 16...1_000_000) {
      out.limits.arguments = words
    }
    if let bytes = try await values.int("resp.commandBytes", in: 1024...(1 << 29)) {
      out.limits.commandBytes = bytes
    }
    if let bytes = try await values.int("resp.unreadBytes", in: 1024...(1 << 30)) {
      out.unreadBytes = bytes
    }
    if let bytes = try await values.int("resp.replyBytes", in: 65_536...(1 << 32)) {
      out.replyBytes = bytes
    }
    if let seconds = try await values.number("resp.idleSeconds", in: 0.1...31_536_000) {
      out.idleSeconds = seconds
    }
    out.handshakeSeconds = daemon.httpTimeLimits.headSeconds
    let count = try await values.int("resp.connections", in: 1...1_000_000) ?? 1000
    let perPeer = daemon.connections.maximumPerPeer ?? max(1, count * 3 / 4)
    out.connections = ConnectionLimits(maximum: count, maximumPerPeer: min(perPeer, count))
    return out
  }
}

extension RedisDoorSettings {
  /// Commands count as the default tenant's: those that write as reports. Nil: nothing is counted.
  static func charge(_ rates: CallRates) -> (@Sendable (_ isWrite: Bool) -> Int64?)? {
    guard let rates = rates.tenant(Caller.defaultTenant) else { return nil }
    return { isWrite in
      do throws(RateRefusal) {
        try rates.take(isWrite ? .reports : .reads, of: nil)
        return nil
      } catch {
        return error.waitMilliseconds
      }
    }
  }

  /// AUTH with an API key or a token. The door knows neither people nor tenants: it lets in servers of
  /// the default tenant, whose layers it serves.
  static func authentication(
    _ verifier: some TokenVerifier, clock: any WallClock
  ) -> @Sendable (_ password: String) -> DoorAccess? {
    { password in
      guard !password.isEmpty,
        case .caller(let caller) = verifier.verify(password, now: clock.now()),
        caller.role == .service, caller.tenant == Caller.defaultTenant
      else { return nil }
      return DoorAccess(
        mayRead: caller.scopes.contains(.read), mayReport: caller.scopes.contains(.report),
        holds: { caller.refusal(now: clock.now()) == nil })
    }
  }
}

/// Runs the door for clients of Redis.
struct RedisDoorService: Service {
  let door: RedisDoor
  let logger: Logger
  let onListening: @Sendable () -> Void

  func run() async throws {
    let port = try await door.start()
    logger.info("serving clients of Redis", metadata: ["respPort": "\(port)"])
    onListening()
    await withGracefulShutdownHandler {
      await withTaskCancellationHandler {
        await door.waitUntilClosed()
      } onCancel: {
        door.close()
      }
    } onGracefulShutdown: {
      door.beginShutdown()
    }
  }
}
