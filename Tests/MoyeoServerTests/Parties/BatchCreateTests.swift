import Foundation
import GRPCCore
import MoyeoAPI
import ObjectModel
import SwiftProtobuf
import Testing

@testable import MoyeoServer

/// Create takes what MatchBatch answered: each rider's limits included, at the same price, over
/// both wires, whatever the order of the requests.
@Suite struct BatchCreateTests {
  /// Around Seoul Station and Midtown, towards two ends each, with limits of all kinds.
  private static func requests(seed: UInt64) -> [Moyeo_V1_BatchRequest] {
    var random = SplitMix64(seed: seed)
    func pick(_ range: Range<Double>) -> Double {
      range.lowerBound + (range.upperBound - range.lowerBound)
        * Double(random.next() >> 11) / Double(1 << 53)
    }
    let cities = [
      (from: (37.5547, 126.9707), to: [(37.4979, 127.0276), (37.47, 126.62)]),
      (from: (40.7549, -73.984), to: [(40.6413, -73.7781), (40.8075, -73.9626)]),
    ]
    return (0..<36).map { i in
      let city = cities[i % 2]
      let end = city.to[Int(random.next() % 2)]
      return .with { request in
        request.riderID = "r\(i)"
        request.origin.latitude = city.from.0 + pick(-0.002..<0.002)
        request.origin.longitude = city.from.1 + pick(-0.002..<0.002)
        request.destination.latitude = end.0 + pick(-0.01..<0.01)
        request.destination.longitude = end.1 + pick(-0.01..<0.01)
        request.departureTime = .init(
          RunningDaemon.start.advanced(milliseconds: 3_600_000 + Int64(pick(0..<300_000))))
        request.departureWindowSeconds = pick(300..<1200).rounded()
        request.maxWalkMeters = pick(150..<900)
        request.maxDetourRatio = pick(0.1..<0.6)
        if i % 3 == 0 { request.minSharedRatio = pick(0.1..<0.6) }
        if i % 7 == 0 { request.seats = 2 }
      }
    }
  }

  /// What a backend sends: the group as it came, and each member's own request.
  private static func command(
    _ group: Moyeo_V1_BatchGroup, _ requests: [Moyeo_V1_BatchRequest]
  ) throws -> Moyeo_V1_CreatePartyRequest {
    let members = try group.riderIds.map { id in
      try #require(requests.first { $0.riderID == id })
    }
    let host = members[0]
    return .with { create in
      create.hostID = host.riderID
      create.origin = group.pickUp
      create.destination = host.destination
      create.departureTime = group.departureTime
      create.departureWindowSeconds = group.departureWindowSeconds
      create.tariffID = group.tariffID
      create.hostSeats = host.hasSeats ? host.seats : 1
      create.maxWalkMeters = host.maxWalkMeters
      create.maxDetourRatio = host.maxDetourRatio
      if host.hasMinSharedRatio { create.minSharedRatio = host.minSharedRatio }
      create.riders = members.dropFirst().map { member in
        .with { rider in
          rider.riderID = member.riderID
          rider.origin = member.origin
          rider.dropOff = member.destination
          if member.hasSeats { rider.seats = member.seats }
          rider.maxWalkMeters = member.maxWalkMeters
          rider.maxDetourRatio = member.maxDetourRatio
          if member.hasMinSharedRatio { rider.minSharedRatio = member.minSharedRatio }
          rider.maxShare = group.shares.first { $0.riderID == member.riderID }?.amount ?? 0
        }
      }
    }
  }

  @Test(arguments: [UInt64(3), 4], [true, false])
  func createTakesWhatTheBatchPromised(seed: UInt64, overHTTP: Bool) async throws {
    try await PartyWireTests.run { daemon in
      let client = Moyeo_V1_PartyService.Client(wrapping: daemon.grpc)
      let requests = Self.requests(seed: seed)
      func batch(_ requests: [Moyeo_V1_BatchRequest]) async throws -> Moyeo_V1_MatchBatchResponse {
        let asked = Moyeo_V1_MatchBatchRequest.with {
          $0.requests = requests
          $0.seed = 7
          $0.iterations = 200
        }
        guard overHTTP else { return try await client.matchBatch(asked) }
        let answer = try await daemon.post(
          "/v1/parties/match-batch", try asked.jsonString())
        return try Moyeo_V1_MatchBatchResponse(jsonUTF8Bytes: answer.body)
      }
      let answer = try await batch(requests)
      #expect(answer.end == "finished")
      #expect(Set(answer.groups.map(\.currency)) == ["KRW", "USD"])
      let other = try await batch(requests.reversed())
      #expect(Set(other.groups) == Set(answer.groups))
      var limited = 0
      for group in answer.groups {
        #expect(group.soloFares == group.shares.reduce(0) { $0 + $1.soloFare })
        let command = try Self.command(group, requests)
        let party: Moyeo_V1_Party
        if overHTTP {
          let made = try await daemon.post("/v1/parties", try command.jsonString())
          #expect(made.status == 200, "\(made.text)")
          guard made.status == 200 else { continue }
          party = try Moyeo_V1_PartyResponse(jsonUTF8Bytes: made.body).party
        } else {
          party = try await client.create(command).party
        }
        #expect(party.fare.expected == group.fare)
        #expect(party.fare.currency == group.currency && party.fare.tariffID == group.tariffID)
        #expect(party.fare.shares == group.shares)
        #expect(party.route.stopOrder == group.stopOrder)
        #expect(party.route.distanceMeters == group.distanceMeters)
        #expect(party.departureTime == group.departureTime)
        #expect(party.departureWindowSeconds == group.departureWindowSeconds)
        // The limits bind: a rider who may not walk so far is refused.
        var far = command
        far.hostID += "-far"
        for i in far.riders.indices { far.riders[i].riderID += "-far" }
        if far.riders[0].origin != far.origin {
          far.riders[0].maxWalkMeters = 0.001
          let refused = far
          let refusal = try await GRPCRefusal.of { _ = try await client.create(refused) }
          #expect(refusal.reason == "walk_exceeded")
          limited += 1
        }
        far.riders[0].maxWalkMeters = command.riders[0].maxWalkMeters
        far.riders[0].maxShare = command.riders[0].maxShare - 1
        let cheaper = far
        let refusal = try await GRPCRefusal.of { _ = try await client.create(cheaper) }
        #expect(refusal.reason == "share_exceeded")
      }
      #expect(answer.groups.count > 3 && limited > 1)
    }
  }

  @Test func limitsOfRidersAreChecked() async throws {
    try await PartyWireTests.run { daemon in
      for (field, value) in [
        ("maxWalkMeters", "-1"), ("maxDetourRatio", "-0.5"), ("minSharedRatio", "1.5"),
        ("maxShare", "-1"),
      ] {
        let answer = try await daemon.post(
          "/v1/parties",
          PartyWireTests.body(
            host: "mina", more: #","riders":[{"riderId":"jun","\#(field)":\#(value)}]"#))
        #expect(answer.status == 400, "\(answer.text)")
        #expect(answer.fields == ["riders[0].\(field)"])
      }
      let batch = try await daemon.post(
        "/v1/parties/match-batch",
        #"{"requests":[{"riderId":"a","origin":{"latitude":37.55,"longitude":126.97},"#
          + #""destination":{"latitude":37.5,"longitude":127.03},"minSharedRatio":1.5}]}"#)
      #expect(batch.fields == ["requests[0].minSharedRatio"])
    }
  }

  /// A party that overlaps the rider's own is shown to those who ask for it.
  @Test func overlappingPartiesAreShownOnRequest() async throws {
    try await PartyWireTests.run { daemon in
      let theirs = try await PartyWireTests.create(daemon, host: "mina")
      _ = try await PartyWireTests.create(daemon, host: "jun")
      let body =
        #"{"riderId":"jun","origin":{"latitude":37.5547,"longitude":126.9707},"destination":"#
        + #"{"latitude":37.4979,"longitude":127.0276},"departureTime":"\#(PartyWireTests.departure)""#
      let usual = try await daemon.post("/v1/parties/match", body + "}")
      #expect((usual.object["candidates"] as? [Any])?.isEmpty == true)
      let all = try await daemon.post("/v1/parties/match", body + #","allowsOverlap":true}"#)
      let parties = (all.object["candidates"] as? [[String: Any]])?.compactMap {
        ($0["party"] as? [String: Any])?["id"] as? String
      }
      #expect(parties == [theirs])
      let client = Moyeo_V1_PartyService.Client(wrapping: daemon.grpc)
      let watched = try Moyeo_V1_WatchMatchesRequest(
        jsonUTF8Bytes: Array((body + #","allowsOverlap":true}"#).utf8))
      let first = try await client.watchMatches(watched) { response in
        for try await event in response.messages where event.kind == "candidates" {
          return event.candidates.map(\.party.id)
        }
        return []
      }
      #expect(first == [theirs])
    }
  }
}
