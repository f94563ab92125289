import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2
import MoyeoAPI
import FareEstimation
import Identity
import DurableCommands
import ObjectModel
import SwiftProtobuf
import Testing

@testable import MoyeoServer
import TestSupport

/// PartyService over both transports, from the same partyService.
@Suite struct PartyWireTests {
  static func run(
    verifier: (any TokenVerifier)? = nil, _ body: @Sendable (RunningDaemon) async throws -> Void
  ) async throws {
    let root = try #require(ResourceDirectory.nearest(to: [#filePath]))
    let library = try TariffLibrary.load(
      tariffDirectories: [root + "/data/tariffs"], areaDirectories: [root + "/data/areas"])
    try await RunningDaemon.run(
      fares: FareEstimator(library: library), parties: MemoryStore(),
      verifier: verifier, body)
  }

  /// An hour after the start of the clock.
  static let departure = "2026-11-20T15:10:00Z"

  static func body(host: String, more: String = "") -> String {
    #"{"hostId":"\#(host)","origin":{"name":"Seoul Station, exit 1","latitude":37.5547,"#
      + #""longitude":126.9707},"destination":{"name":"Gangnam","latitude":37.4979,"#
      + #""longitude":127.0276},"departureTime":"\#(departure)"\#(more)}"#
  }

  static func create(
    _ daemon: RunningDaemon, host: String, more: String = ""
  ) async throws -> String {
    let answer = try await daemon.post("/v1/parties", body(host: host, more: more))
    #expect(answer.status == 200, "\(answer.text)")
    return try #require((answer.object["party"] as? [String: Any])?["id"] as? String)
  }

  /// JSON of a message, as HTTP answers it, without what differs from call to call.
  private static func json(_ message: some Message) throws -> String {
    let bytes: [UInt8] = try message.serializedBytes()
    return String(
      decoding: try JSONTranscoder(type(of: message)).json(bytes), as: UTF8.self)
  }

  @Test func bothTransportsAgree() async throws {
    try await Self.run { daemon in
      let client = Moyeo_V1_PartyService.Client(wrapping: daemon.grpc)
      let id = try await Self.create(daemon, host: "mina")
      var join = Moyeo_V1_JoinPartyRequest()
      join.id = id
      join.riderID = "jun"
      let joined = try await client.join(join)
      let again = try await daemon.post("/v1/parties/\(id)/join", #"{"riderId":"jun"}"#)
      #expect(again.text == (try Self.json(joined)))
      var get = Moyeo_V1_GetPartyRequest()
      get.id = id
      let shown = try await daemon.get("/v1/parties/\(id)")
      #expect(shown.text == (try Self.json(try await client.get(get))))
      var list = Moyeo_V1_ListPartiesRequest()
      list.riderID = "jun"
      let listed = try await daemon.get("/v1/parties?riderId=jun")
      #expect(listed.text == (try Self.json(try await client.list(list))))
      var search = Moyeo_V1_SearchPartiesRequest()
      search.latitude = 37.5547
      search.longitude = 126.9707
      let found = try await daemon.post(
        "/v1/parties/search", #"{"latitude":37.5547,"longitude":126.9707}"#)
      #expect(found.text == (try Self.json(try await client.search(search))))
      #expect((found.object["parties"] as? [Any])?.count == 1)
    }
  }

  @Test func refusalsAgree() async throws {
    try await Self.run { daemon in
      let client = Moyeo_V1_PartyService.Client(wrapping: daemon.grpc)
      let id = try await Self.create(daemon, host: "mina", more: #","seats":2"#)
      _ = try await daemon.post("/v1/parties/\(id)/join", #"{"riderId":"jun"}"#)
      let overHTTP = try await daemon.post("/v1/parties/\(id)/join", #"{"riderId":"sora"}"#)
      #expect(overHTTP.status == 409)
      var join = Moyeo_V1_JoinPartyRequest()
      join.id = id
      join.riderID = "sora"
      let request = join
      let refusal = try await GRPCRefusal.of { _ = try await client.join(request) }
      #expect(refusal.code == .failedPrecondition)
      #expect(refusal.reason == overHTTP.reason && refusal.reason == "party_full")
      #expect(refusal.fields == overHTTP.fields)
      let noOrigin = try await GRPCRefusal.of {
        _ = try await client.create(.with { $0.hostID = "x" })
      }
      #expect(noOrigin.reason == "missing_field")
    }
  }

  @Test func aKeyHoldsAcrossTransports() async throws {
    try await Self.run { daemon in
      let client = Moyeo_V1_PartyService.Client(wrapping: daemon.grpc)
      let made = try await daemon.request(
        "POST", "/v1/parties", body: Data(Self.body(host: "mina").utf8),
        headers: [("idempotency-key", "k1")])
      let id = try #require((made.object["party"] as? [String: Any])?["id"] as? String)
      let same = try Moyeo_V1_CreatePartyRequest(
        jsonUTF8Bytes: Array(Self.body(host: "mina").utf8))
      let again = try await client.create(same, metadata: ["idempotency-key": "k1"])
      #expect(again.party.id == id)
      var other = same
      other.hostID = "jun"
      let changed = other
      let refusal = try await GRPCRefusal.of {
        _ = try await client.create(changed, metadata: ["idempotency-key": "k1"])
      }
      #expect(refusal.reason == "idempotency_mismatch")
    }
  }

  @Test func theClockMovesParties() async throws {
    try await Self.run { daemon in
      let id = try await Self.create(daemon, host: "mina")
      daemon.clock.advance(milliseconds: 3_600_000 + 600_001)
      let late = try await daemon.post("/v1/parties/\(id)/join", #"{"riderId":"jun"}"#)
      #expect(late.reason == "party_departed")
    }
  }

  /// 32 clients, every second one over gRPC and every fourth sending twice, for 10 parties of four.
  @Test(arguments: 0..<20) func seatsAreSoldOnce(round: Int) async throws {
    try await Self.run { daemon in
      let client = Moyeo_V1_PartyService.Client(wrapping: daemon.grpc)
      var parties: [String] = []
      for i in 0..<10 { parties.append(try await Self.create(daemon, host: "host-\(i)")) }
      let ids = parties
      let outcomes = try await withThrowingTaskGroup(of: (String, String?).self) { group in
        for i in 0..<32 {
          group.addTask {
            var random = SplitMix64(seed: UInt64(round * 100 + i))
            let rider = "rider-\(i)"
            for id in ids.shuffled(using: &random) {
              for _ in 0..<(i % 4 == 0 ? 2 : 1) {
                _ = try await Self.join(daemon, client, id, rider, overGRPC: i % 2 == 0)
              }
              if try await Self.join(daemon, client, id, rider, overGRPC: i % 2 == 1) {
                return (rider, id)
              }
            }
            return (rider, nil)
          }
        }
        return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
      #expect(outcomes.count == 30, "10 parties have 30 seats for guests")
      for (i, id) in ids.enumerated() {
        let party = try await client.get(.with { $0.id = id }).party
        let guests = Set(party.riders.map(\.riderID)).subtracting(["host-\(i)"])
        #expect(guests == Set(outcomes.filter { $0.value == id }.keys))
        #expect(party.riders.count == 4 && party.seatsFree == 0 && party.state == "full")
      }
    }
  }

  /// Whether the rider is aboard; a full party is no, anything else an error.
  private static func join(
    _ daemon: RunningDaemon,
    _ client: Moyeo_V1_PartyService.Client<HTTP2ClientTransport.Posix>, _ id: String,
    _ rider: String, overGRPC: Bool
  ) async throws -> Bool {
    let key = "\(rider)-\(id)"
    if overGRPC {
      var request = Moyeo_V1_JoinPartyRequest()
      request.id = id
      request.riderID = rider
      do {
        let party = try await client.join(request, metadata: ["idempotency-key": "\(key)"]).party
        return party.riders.contains { $0.riderID == rider }
      } catch let error as RPCError where error.code == .failedPrecondition {
        return false
      }
    }
    let answer = try await daemon.request(
      "POST", "/v1/parties/\(id)/join", body: Data(#"{"riderId":"\#(rider)"}"#.utf8),
      headers: [("idempotency-key", key)])
    guard answer.status != 200 else { return true }
    try #require(answer.reason == "party_full", "\(answer.text)")
    return false
  }
}
