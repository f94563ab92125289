import GRPCCore
import HTTPTypes
package import Identity
import Logging
import MoyeoAPI
import ObjectModel
import ServiceLifecycle
import Threading

/// How callers are told apart, where they are.
package struct IdentitySettings: Sendable {
  package var verifier: any TokenVerifier
  /// Tenants served at once, the default one included.
  package var maximumTenants = 64
  /// Opens what is kept of a tenant; it may take long, and runs away from the event loops.
  package var openTenant: @Sendable (_ tenant: String) throws -> TenantParts
  /// Tenants opened before anything listens, because something of theirs goes by the clock.
  package var tenantsAtStart: [String] = []
  /// The API keys that are taken now, which operators may list.
  package var keys: @Sendable () -> [KeyRecord] = { [] }

  package init(
    verifier: any TokenVerifier,
    openTenant: @escaping @Sendable (_ tenant: String) throws -> TenantParts
  ) {
    self.verifier = verifier
    self.openTenant = openTenant
  }
}

/// The tenants that are served, and who of them calls. All wires come by here first: a call is carried
/// out in its caller's room, so that another tenant's party, ticket or layer is as unknown as none.
final class TenantRooms: Sendable {
  private enum Place {
    case ready(TenantRoom)
    case opening(Task<TenantRoom, any Error>)
  }

  /// Nil: open mode.
  let identity: IdentitySettings?
  /// The room of the default tenant.
  let standard: TenantRoom
  private let clock: any WallClock
  private let pool: BoundedThreadPool
  private let make: @Sendable (TenantParts) -> TenantRoom
  private let logger: Logger
  private let places: StateLock<[String: Place]>
  private let opened: AsyncStream<TenantRoom>
  private let opens: AsyncStream<TenantRoom>.Continuation

  init(
    standard: TenantRoom, identity: IdentitySettings?, clock: any WallClock,
    pool: BoundedThreadPool, logger: Logger,
    make: @escaping @Sendable (TenantParts) -> TenantRoom
  ) {
    self.standard = standard
    self.identity = identity
    self.clock = clock
    self.pool = pool
    self.logger = logger
    self.make = make
    places = StateLock([Caller.defaultTenant: .ready(standard)])
    (opened, opens) = AsyncStream.makeStream(of: TenantRoom.self)
  }

  // MARK: - Who calls

  /// The caller by the header `authorization`.
  ///
  /// - Throws: `unauthenticated`, `token_expired`.
  func caller(authorization: String?) throws(APIError) -> Caller {
    guard let identity else { return .open }
    guard let authorization else {
      throw APIError(.unauthenticated, "send the header Authorization: Bearer and a token")
    }
    guard let token = Self.bearer(authorization) else {
      throw APIError(.unauthenticated, "the header Authorization is not Bearer and a token")
    }
    return try caller(token, identity)
  }

  private func caller(
    _ token: String, _ identity: IdentitySettings
  ) throws(APIError) -> Caller {
    do {
      return try identity.verifier.verify(token, now: clock.now()).caller()
    } catch {
      throw APIError(error)
    }
  }

  /// The token of `Bearer TOKEN`, the scheme in any case (RFC 9110, section 11.1).
  private static func bearer(_ header: String) -> String? {
    let scheme = header.utf8.prefix(7)
    let expected = "bearer ".utf8
    guard scheme.count == 7, zip(scheme, expected).allSatisfy({ $0 | 0x20 == $1 || $0 == $1 })
    else {
      return nil
    }
    let token = header.utf8.dropFirst(7).drop { $0 == UInt8(ascii: " ") }
    return token.isEmpty ? nil : String(Substring(token))
  }

  func caller(_ metadata: Metadata) throws(APIError) -> Caller {
    if identity == nil { return .open }
    return try caller(
      authorization: metadata[stringValues: "authorization"].first { _ in true })
  }

  func caller(_ headers: HTTPFields) throws(APIError) -> Caller {
    if identity == nil { return .open }
    return try caller(authorization: headers[.authorization])
  }

  /// How long a token that stands in an address may live.
  private static let longestInAddress: Int64 = 3_600_000

  /// The caller by a token in the address, which may read and nothing else.
  ///
  /// - Throws: `unauthenticated`, `token_expired`; `forbidden` for one that lives longer than an
  ///   hour, because addresses are written down where headers are not.
  func caller(inAddress token: String) throws(APIError) -> Caller {
    guard let identity else { return .open }
    guard !token.isEmpty else { throw APIError(.unauthenticated, "access_token is empty") }
    let caller = try caller(token, identity)
    let begin = caller.issuedAt ?? clock.now()
    // The skew of clocks is part of the end.
    let end = begin.advanced(milliseconds: Self.longestInAddress + 60_000)
    guard caller.expiresAt <= end else {
      throw APIError(
        .forbidden, "a token in an address lives at most an hour, from iat to exp")
    }
    return caller.narrowed(to: .read)
  }

  // MARK: - Whose room

  /// The rooms that are open now.
  var served: [(name: String, room: TenantRoom)] {
    places.withLock { places in
      places.compactMap { name, place in
        guard case .ready(let room) = place else { return nil }
        return (name, room)
      }
    }
  }

  /// The room of a tenant that is open already.
  func ready(_ tenant: String) -> TenantRoom? {
    guard identity != nil else { return standard }
    guard case .ready(let room) = places.withLock({ $0[tenant] }) else { return nil }
    return room
  }

  /// The room of a caller; the tenant's first call opens it.
  ///
  /// - Throws: `quota_exceeded`, `unavailable`.
  func room(of caller: Caller) async throws -> TenantRoom {
    if let room = ready(caller.tenant) { return room }
    return try await open(caller.tenant)
  }

  private func open(_ tenant: String) async throws -> TenantRoom {
    guard let identity else { return standard }
    let place = places.withLock { places -> Place? in
      if let known = places[tenant] { return known }
      guard places.count < identity.maximumTenants else { return nil }
      let task = Task { try await self.begin(tenant, identity) }
      places[tenant] = .opening(task)
      return .opening(task)
    }
    switch place {
    case .ready(let room): return room
    case .opening(let task):
      do {
        return try await task.value
      } catch {
        logger.error("a tenant cannot be opened", metadata: ["error": "\(error)"])
        throw APIError(
          .unavailable, "this tenant cannot be served now", retryAfterMilliseconds: 1000)
      }
    case nil:
      throw APIError(
        .quotaExceeded, "\(identity.maximumTenants) tenants are served already",
        retryAfterMilliseconds: 60_000)
    }
  }

  private func begin(_ tenant: String, _ identity: IdentitySettings) async throws -> TenantRoom {
    do {
      var parts = try await pool.run(mayBeShed: false) { _ in try identity.openTenant(tenant) }
      parts.tenant = tenant
      let room = make(parts)
      places.withLock { $0[tenant] = .ready(room) }
      opens.yield(room)
      logger.info("a tenant is served", metadata: ["tenant": "\(tenant)"])
      return room
    } catch {
      places.withLock { $0[tenant] = nil }
      throw error
    }
  }

  /// Runs what the rooms of other tenants need, from when they open; stops once all calls have ended.
  func run() async throws {
    for tenant in identity?.tenantsAtStart ?? [] where tenant != Caller.defaultTenant {
      _ = try? await open(tenant)
    }
    try await withThrowingDiscardingTaskGroup { tasks in
      for await room in opened.cancelOnGracefulShutdown() {
        for service in room.services { tasks.addTask { try await service.run() } }
      }
      // What runs hears of the shutdown by itself.
    }
  }
}

/// See ``TenantRooms/run()``.
struct TenantLifecycle: Service {
  let rooms: TenantRooms

  func run() async throws { try await rooms.run() }
}

extension APIError {
  init(_ error: IdentityError) {
    switch error {
    case .tokenExpired: self.init(.tokenExpired, "the token has expired: get a new one")
    case .unauthenticated(let why): self.init(.unauthenticated, why)
    }
  }
}
