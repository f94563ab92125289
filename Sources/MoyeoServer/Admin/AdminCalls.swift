import Foundation
import HTTPTypes
import HummingbirdCore
import Identity
import LiveLayers
import Logging
import MoyeoAPI
import Parties
import SpatialIndexing
import Synchronization
import Threading
import Tickets
import WireFormat

/// What the operator's calls do.
///
/// An operator of the default tenant (or anybody, in open mode, which is on loopback only) runs the
/// daemon and looks at all tenants; one of another tenant looks at their own.
final class AdminCalls: Sendable {
  let rooms: TenantRooms
  let serving: ServingFigures
  let readiness: Readiness
  let logLevel: LogLevelControl
  let pool: BoundedThreadPool
  let logger: Logger
  /// Rounds of writing wait for each other: a second one at once would only hold a thread.
  private let isWriting = Atomic(false)

  init(
    rooms: TenantRooms, serving: ServingFigures, readiness: Readiness, logLevel: LogLevelControl,
    pool: BoundedThreadPool, logger: Logger
  ) {
    self.rooms = rooms
    self.serving = serving
    self.readiness = readiness
    self.logLevel = logLevel
    self.pool = pool
    self.logger = logger
  }

  var routes: [RawRoute] {
    AdminCall.allCases.map { call in
      RawRoute(
        call.rawValue, call.route.method, template: call.route.template, request: nil,
        answers: "application/json"
      ) { [self] parameters, request, caller, _ in
        .longer { try await self.respond(call, parameters, request, to: caller) }
      }
    }
  }

  private func respond(
    _ call: AdminCall, _ parameters: [(name: String, value: String)], _ request: Request,
    to caller: Caller
  ) async throws -> Response {
    guard !call.isOfDaemon || Self.isOfDaemon(caller) else {
      throw APIError(
        .forbidden, "this concerns all tenants: an operator of the default one may do it")
    }
    let bytes = try await HTTPFrontend.body(
      of: request, maximumBytes: AdminRequest.maximumBodyBytes)
    if call.bodyNames.isEmpty, !bytes.isEmpty, bytes != Data("{}".utf8) {
      throw APIError(.malformedRequest, "this call takes no body")
    }
    let asked = AdminRequest(
      path: Dictionary(parameters.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }),
      query: try AdminRequest.query(request.uri.query, names: call.queryNames),
      body: try AdminRequest.body(bytes, names: call.bodyNames, flags: call.flagNames),
      idempotencyKey: HTTPField.Name("idempotency-key").flatMap { request.headers[$0] })
    var response = HTTPFrontend.json(try await answer(call, asked, caller))
    response.headers[.cacheControl] = "no-store"
    return response
  }

  private static func isOfDaemon(_ caller: Caller) -> Bool {
    caller.role == .open || caller.tenant == Caller.defaultTenant
  }

  private func answer(
    _ call: AdminCall, _ asked: AdminRequest, _ caller: Caller
  ) async throws -> [UInt8] {
    switch call {
    case .statistics:
      return AdminStatistics(
        room: try room(asked, caller), serving: serving,
        readiness: Self.isOfDaemon(caller) ? readiness : nil
      ).json()
    case .getLogLevel: return level()
    case .setLogLevel: return try setLevel(asked, caller)
    case .drain: return drain(true, caller)
    case .undrain, .endDrain: return drain(false, caller)
    case .snapshot: return try await snapshot(caller)
    case .tenants: return tenants()
    case .keys: return try keys(asked, caller)
    case .user:
      return try await AdminPerson(
        id: asked.path["id"] ?? "", after: try Self.sequence(asked),
        room: try room(asked, caller)
      ).json()
    case .ban, .unban, .clearPenalty, .cancelParty, .closeTicket, .closeCommute, .erase:
      return try await AdminCommand(
        call: call, asked: asked, caller: caller, room: try room(asked, caller)
      ).carryOut()
    }
  }

  /// The room of the tenant that is asked about. Only one that is served: a name alone opens none, and
  /// those with parties or tickets are opened at the start.
  ///
  /// - Throws: `forbidden`, `unknown_tenant`.
  private func room(_ asked: AdminRequest, _ caller: Caller) throws(APIError) -> TenantRoom {
    let name = try Self.tenant(asked, caller) ?? caller.tenant
    guard let room = rooms.served.first(where: { $0.name == name })?.room else {
      throw APIError(.unknownTenant, field: "tenant", "no tenant \(quoted(name)) is served")
    }
    return room
  }

  /// The tenant that is named, if the caller may look at it.
  private static func tenant(
    _ asked: AdminRequest, _ caller: Caller
  ) throws(APIError) -> String? {
    let name = asked.query["tenant"]
    guard name == nil || name == caller.tenant || isOfDaemon(caller) else {
      throw APIError(.forbidden, field: "tenant", "this is another tenant's operator to see")
    }
    return name
  }

  /// API keys, which may be of tenants that are not served yet.
  private func keys(_ asked: AdminRequest, _ caller: Caller) throws(APIError) -> [UInt8] {
    let named = try Self.tenant(asked, caller)
    return AdminKeys(
      records: rooms.identity?.keys() ?? [],
      tenant: named ?? (Self.isOfDaemon(caller) ? nil : caller.tenant)
    ).json()
  }

  private static func sequence(_ asked: AdminRequest) throws(APIError) -> UInt64? {
    guard let text = asked.query["after"] else { return nil }
    guard let number = UInt64(text) else {
      throw APIError(.badValue, field: "after", "after is the sequence of an event")
    }
    return number
  }

  // MARK: - The daemon

  private func level() -> [UInt8] {
    JSONWriter.object { $0.string("level", logLevel.level.rawValue) }
  }

  private func setLevel(_ asked: AdminRequest, _ caller: Caller) throws(APIError) -> [UInt8] {
    guard let word = asked.body["level"] else {
      throw APIError(.missingField, field: "level", "level is missing")
    }
    guard let wanted = Logger.Level(rawValue: word) else {
      throw APIError(
        .badValue, field: "level",
        "level is one of \(LogLevelControl.words.joined(separator: ", "))")
    }
    let before = logLevel.level
    logLevel.set(wanted)
    if before != wanted {
      logger.notice(
        "the log level is another one",
        metadata: ["from": "\(before)", "to": "\(wanted)", "operator": "\(quoted(caller.name))"])
    }
    return level()
  }

  private func drain(_ isDraining: Bool, _ caller: Caller) -> [UInt8] {
    if readiness.setDraining(isDraining) != isDraining {
      logger.notice(
        isDraining ? "draining: /readyz says no" : "no longer draining",
        metadata: ["operator": "\(quoted(caller.name))"])
    }
    return JSONWriter.object { $0.bool("draining", isDraining) }
  }

  /// Writes the positions that are not written yet, of all tenants.
  ///
  /// - Throws: `overloaded` while another one does, `unavailable` when a file cannot be written.
  private func snapshot(_ caller: Caller) async throws -> [UInt8] {
    guard !isWriting.exchange(true, ordering: .acquiringAndReleasing) else {
      throw APIError(.overloaded, "a snapshot is being written", retryAfterMilliseconds: 1000)
    }
    defer { isWriting.store(false, ordering: .releasing) }
    let writers = rooms.served.compactMap(\.room.parts.writePositions)
    guard !writers.isEmpty else {
      throw APIError(.unavailable, "positions are not kept (positions.keep)")
    }
    let count = try await pool.work { () throws(APIError) in
      var count = 0
      for write in writers {
        do { count += try write() } catch {
          throw APIError(.unavailable, "the positions cannot be written: \(error)")
        }
      }
      return count
    }
    logger.info("positions written", metadata: ["operator": "\(quoted(caller.name))"])
    return JSONWriter.object {
      $0.integer("tenants", Int64(writers.count))
      $0.integer("written", Int64(count))
    }
  }

  private func tenants() -> [UInt8] {
    JSONWriter.object { json in
      json.objects("tenants", rooms.served.sorted { $0.name < $1.name }) { served, json in
        let parts = served.room.parts
        let all = parts.layers.all
        json.string("name", served.name)
        json.integer("layers", Int64(all.count))
        json.integer("objects", all.reduce(0) { $0 + Int64($1.index.statistics().objectCount) })
        json.integer("parties", Int64(parts.parties?.partyCount ?? 0))
        json.integer("tickets", Int64(parts.tickets?.ticketCount ?? 0))
      }
    }
  }
}
