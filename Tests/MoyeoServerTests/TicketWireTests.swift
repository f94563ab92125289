import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2
import LiveLayers
import MoyeoAPI
import DurableCommands
import ObjectModel
import SwiftProtobuf
import Testing

@testable import MoyeoServer
import TestSupport

/// TicketService over both transports, from the same ticketService.
@Suite struct TicketWireTests {
  typealias Client = Moyeo_V1_TicketService.Client<HTTP2ClientTransport.Posix>

  static func run(_ body: @Sendable (RunningDaemon, Client) async throws -> Void) async throws {
    try await RunningDaemon.run(parties: MemoryStore()) { daemon in
      try await body(daemon, Client(wrapping: daemon.grpc))
    }
  }

  static func open(_ user: String) -> Moyeo_V1_OpenTicketRequest {
    var request = Moyeo_V1_OpenTicketRequest()
    request.userID = user
    request.here.latitude = 37.4979
    request.here.longitude = 127.0276
    request.tags = ["Swift"]
    return request
  }

  static func other(_ user: String, _ other: String) -> Moyeo_V1_OtherUserRequest {
    var request = Moyeo_V1_OtherUserRequest()
    request.userID = user
    request.otherID = other
    return request
  }

  @Test func bothTransportsAgree() async throws {
    try await Self.run { daemon, client in
      _ = try await client.open(Self.open("ann"))
      _ = try await daemon.post(
        "/v1/tickets", #"{"userId":"ben","here":{"latitude":37.4979,"longitude":127.0276}}"#)
      let asked = try await daemon.post("/v1/tickets/ann/propose", #"{"otherId":"ben"}"#)
      #expect(asked.status == 200, "\(asked.text)")
      let met = try await client.accept(Self.other("ben", "ann"))
      #expect(met.ticket.matchedWith == "ann")
      var get = Moyeo_V1_GetTicketRequest()
      get.userID = "ben"
      let bytes: [UInt8] = try await client.get(get).serializedBytes()
      let shown = try await daemon.get("/v1/tickets/ben")
      let json = try JSONTranscoder(Moyeo_V1_TicketResponse.self).json(bytes)
      #expect(shown.text == String(decoding: json, as: UTF8.self))
    }
  }

  @Test func refusalsHaveOneReasonOverBoth() async throws {
    try await Self.run { daemon, client in
      _ = try await client.open(Self.open("ann"))
      for (other, reason, status) in [
        ("ann", "oneself", 400), ("nobody", "other_gone", 409), ("", "bad_id", 400),
      ] {
        let http = try await daemon.post(
          "/v1/tickets/ann/accept", #"{"otherId":"\#(other)"}"#)
        #expect(http.status == status)
        #expect(http.reason == reason)
        let grpc = try await GRPCRefusal.of {
          _ = try await client.accept(Self.other("ann", other))
        }
        #expect(grpc.reason == reason)
      }
    }
  }

  @Test func aWatchTellsAndResumes() async throws {
    try await Self.run { daemon, client in
      _ = try await client.open(Self.open("ann"))
      _ = try await client.open(Self.open("ben"))
      _ = try await client.propose(
        .with {
          $0.userID = "ben"; $0.otherID = "ann"
        })
      var request = Moyeo_V1_WatchTicketRequest()
      request.userID = "ann"
      request.afterVersion = "0"
      let kinds = try await client.watch(request) { stream in
        var kinds: [String] = []
        for try await event in stream.messages {
          kinds.append(event.kind)
          if kinds.count == 2 { break }
        }
        return kinds
      }
      #expect(kinds == ["opened", "proposed"])
    }
  }

  /// Short here; `Tests/torture` runs it long.
  @Test func thirtyTwoRaceForTenOverBothTransports() async throws {
    try await Self.run { daemon, client in
      let wanted = (0..<10).map { "w\($0)" }
      let people = wanted + (0..<32).map { "c\($0)" }
      for round in 0..<5 {
        for user in people { _ = try await client.open(Self.open(user)) }
        await withTaskGroup(of: Void.self) { group in
          for number in 0..<32 {
            group.addTask {
              var random = SplitMix64(seed: UInt64(round * 32 + number))
              for _ in 0..<3 {
                let other = wanted[random.below(10)]
                if random.below(2) == 0 {
                  _ = try? await client.propose(
                    .with {
                      $0.userID = "c\(number)"; $0.otherID = other
                    })
                  _ = try? await client.accept(Self.other(other, "c\(number)"))
                } else {
                  _ = try? await daemon.post(
                    "/v1/tickets/c\(number)/propose", #"{"otherId":"\#(other)"}"#)
                  _ = try? await daemon.post(
                    "/v1/tickets/\(other)/accept", #"{"otherId":"c\#(number)"}"#)
                }
              }
            }
          }
        }
        var partners: [String: String] = [:]
        for user in people {
          let ticket = try await client.get(.with { $0.userID = user }).ticket
          if ticket.hasMatchedWith { partners[user] = ticket.matchedWith }
        }
        #expect(partners.count > 8)
        for (one, other) in partners { #expect(partners[other] == one) }
        for user in people { _ = try await client.close(.with { $0.userID = user }) }
      }
    }
  }

  /// The budget of the request's limits holds, on the event loop and on the pool.
  @Test(arguments: [(50, true), (100_000, false)])
  func aSearchOfTooManyStepsSaysSoOverBoth(steps: Int, isTooMuch: Bool) async throws {
    var configuration = LayerRegistryConfiguration()
    configuration.limits.workPerRequest = steps
    try await RunningDaemon.run(configuration: configuration, parties: MemoryStore()) { daemon in
      let client = Client(wrapping: daemon.grpc)
      for i in 0..<60 { _ = try await client.open(Self.open("u\(i)")) }
      let body = #"{"userId":"u0","radiusMeters":50000}"#
      let found = try await daemon.post("/v1/tickets/search", body)
      #expect(found.status == (isTooMuch ? 422 : 200), "\(found.text)")
      #expect(found.text.contains("too_much_work") == isTooMuch)
      var request = Moyeo_V1_SearchTicketsRequest()
      request.userID = "u0"
      request.radiusMeters = 50_000
      do {
        let hits = try await client.search(request).around.count
        #expect(!isTooMuch && hits == 20)
      } catch let error as RPCError {
        #expect(isTooMuch, "\(error)")
        #expect(error.message.contains("steps"))
      }
    }
  }
}
