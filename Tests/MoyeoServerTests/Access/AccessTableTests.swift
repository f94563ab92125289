import GRPCServerTransport
import Identity
import LiveLayers
import Logging
import MoyeoAPI
import ObjectModel
import Testing
import Threading

@testable import MoyeoServer

/// The table of who may call what, against the calls that there are: a new call without a row, and a
/// row without a call, fail here.
@Suite("The table of access") struct AccessTableTests {
  private struct Call {
    let name: String
    let rule: AccessRule?
    let schema: MessageSchema
  }

  private static func calls(_ room: TenantRoom) -> [Call] {
    func key(_ service: String, _ rpc: String) -> String {
      "\(service.split(separator: ".").last ?? "").\(rpc)"
    }
    return room.operations.map {
      Call(name: key($0.service, $0.rpc), rule: $0.access, schema: $0.requestSchema)
    }
      + room.streamOperations.map {
        Call(name: key($0.service, $0.rpc), rule: $0.access, schema: $0.requestSchema)
      }
      + room.raw.map {
        Call(
          name: "Raw.\($0.name)", rule: $0.access,
          schema: $0.requestSchema ?? MessageSchema.of(Moyeo_V1_GetTileRequest.self))
      }
      + AdminCall.allCases.map {
        Call(
          name: "Raw.\($0.rawValue)", rule: AccessTable.rule(raw: $0.rawValue),
          schema: MessageSchema.of(Moyeo_V1_GetTileRequest.self))
      }
      + [
        Call(
          name: "PositionService.StreamReports",
          rule: AccessTable.rule("PositionService", "StreamReports"),
          schema: MessageSchema.of(Moyeo_V1_StreamReportsRequest.self))
      ]
  }

  @Test("Every call has a row, and every row a call")
  func complete() async throws {
    try await RunningDaemon.runWithTokens { daemon in
      // The client of gRPC does not like to be stopped before it began.
      _ = try await daemon.reason("/moyeo.v1.FareService/ListTariffs", [], as: "server")
      let calls = Self.calls(daemon.room)
      for call in calls { #expect(call.rule != nil, "\(call.name) has no row") }
      #expect(Set(calls.map(\.name)) == Set(AccessTable.rules.keys))
    }
  }

  @Test("A field that names a person says who acts, or stands here with the reason")
  func people() async throws {
    // Who is removed, and names in a sum of whoever is asked about.
    let others: Set = [
      "PartyService.RemoveRider.riderId", "FareService.Estimate.hostId", "FareService.Split.hostId",
    ]
    try await RunningDaemon.runWithTokens { daemon in
      // The client of gRPC does not like to be stopped before it began.
      _ = try await daemon.reason("/moyeo.v1.FareService/ListTariffs", [], as: "server")
      for call in Self.calls(daemon.room) {
        guard let rule = call.rule, !rule.scope.contains(.service) else { continue }
        for name in ["userId", "riderId", "hostId", "payerId", "requesterId"]
        where call.schema.field(jsonName: name) != nil {
          let isKnown = rule.own.contains(name) || others.contains("\(call.name).\(name)")
          #expect(isKnown, "\(call.name).\(name)")
        }
        if call.schema.field(jsonName: "attributes") != nil {
          #expect(rule.attributes != .none, "\(call.name).attributes")
        }
        if call.schema.field(jsonName: "riders") != nil, call.name.hasPrefix("PartyService") {
          #expect(rule.emptyForUsers == ["riders"], "\(call.name).riders")
        }
      }
    }
  }

  @Test("What a row names is a field of the call's request")
  func fields() async throws {
    try await RunningDaemon.runWithTokens { daemon in
      // The client of gRPC does not like to be stopped before it began.
      _ = try await daemon.reason("/moyeo.v1.FareService/ListTariffs", [], as: "server")
      for call in Self.calls(daemon.room) {
        guard let rule = call.rule else { continue }
        let names =
          rule.own + rule.emptyForUsers
          + [rule.commandFlag, rule.ownElements?.list].compactMap { $0 }
        for name in names {
          #expect(call.schema.field(jsonName: name) != nil, "\(call.name).\(name)")
        }
      }
    }
  }

  @Test("In open mode no call of the fast path asks anything; with tokens each asks who calls")
  func fastPath() async throws {
    try await RunningDaemon.runWithTokens { daemon in
      // The client of gRPC does not like to be stopped before it began.
      _ = try await daemon.reason("/moyeo.v1.FareService/ListTariffs", [], as: "server")
      let room = daemon.room
      for verifier in [nil, NamedCallers()] {
        let rooms = TenantRooms(
          standard: room,
          identity: verifier.map { verifier in
            IdentitySettings(verifier: verifier) { _ in TenantParts(layers: daemon.layers) }
          },
          clock: daemon.clock, pool: BoundedThreadPool(threadCount: 1),
          logger: Logger(label: "test")
        ) { _ in room }
        let methods = GRPCFrontend(
          rooms: rooms, pump: StreamPump(settings: StreamSettings(), shutdown: ShutdownSignal()),
          throttle: SessionThrottle(settings: SessionSettings()),
          requestMetrics: RequestMetrics(), shutdown: ShutdownSignal(),
          readiness: Readiness(waitingFor: []), threadPool: BoundedThreadPool(threadCount: 1)
        ).fastPathMethods()
        let short = room.operations.filter { $0.callOnEventLoop != nil }
        #expect(
          Set(methods.keys) == Set(short.map(\.grpcPath) + [GRPCFrontend.streamReportsPath]))
        for (path, method) in methods {
          #expect(method.asksWhoCalls == (verifier != nil), "\(path)")
        }
      }
    }
  }

  @Test("A call that no row knows is open mode's alone")
  func unknown() {
    let server = Caller(subject: nil, scopes: [.read, .report, .command, .service])
    #expect(throws: APIError.self) { try AccessTable.ruleOfUnknown.admit(server) }
    #expect(throws: Never.self) { try AccessTable.ruleOfUnknown.admit(.open) }
  }
}
