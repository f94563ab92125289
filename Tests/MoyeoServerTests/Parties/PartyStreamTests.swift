import GRPCCore
import MoyeoAPI

import ObjectModel
import SwiftProtobuf
import Threading
import Testing

@testable import MoyeoServer

/// Watch, WatchMatches and the tenant's feed over gRPC, with tokens that hold across connections.
@Suite struct PartyStreamTests {
  @Test func aPartyIsWatchedAndTakenUpAgain() async throws {
    try await PartyWireTests.run { daemon in
      let client = Moyeo_V1_PartyService.Client(wrapping: daemon.grpc)
      let id = try await PartyWireTests.create(daemon, host: "mina")
      _ = try await daemon.post("/v1/parties/\(id)/join", #"{"riderId":"jun"}"#)
      _ = try await daemon.post("/v1/parties/\(id)/leave", #"{"riderId":"jun"}"#)
      var request = Moyeo_V1_WatchPartyRequest()
      request.id = id
      request.afterVersion = "0"
      let first = try await Self.take(3) { each in
        try await client.watch(request) { response in
          for try await event in response.messages where try each(event) { return }
        }
      }
      #expect(first.map(\.kind) == ["created", "joined", "shares_changed"])
      request.clearAfterVersion()
      request.resumeToken = first[1].resumeToken
      let rest = request
      let second = try await Self.take(2) { each in
        try await client.watch(rest) { response in
          for try await event in response.messages where try each(event) { return }
        }
      }
      #expect(second.map(\.kind) == ["shares_changed", "left"])
    }
  }

  @Test func theFeedIsDenseAndLaterTokensAreRefused() async throws {
    try await PartyWireTests.run { daemon in
      let events = Moyeo_V1_EventService.Client(wrapping: daemon.grpc)
      for i in 0..<5 { _ = try await PartyWireTests.create(daemon, host: "host-\(i)") }
      let got = try await Self.take(5) { each in
        try await events.watch(.init()) { response in
          for try await event in response.messages where try each(event) { return }
        }
      }
      #expect(got.map(\.sequence) == [1, 2, 3, 4, 5])
      let page = try await events.list(.with { $0.after = 3 })
      #expect(page.events.map(\.sequence) == [4, 5] && page.next == 5)
      let refusal = try await GRPCRefusal.of {
        try await events.watch(.with { $0.resumeToken = "6" }) { response in
          for try await _ in response.messages {}
        }
      }
      #expect(refusal.reason == "resume_token_expired" && refusal.code == .outOfRange)
      let nonsense = try await GRPCRefusal.of {
        try await events.watch(.with { $0.resumeToken = "-1" }) { response in
          for try await _ in response.messages {}
        }
      }
      #expect(nonsense.reason == "bad_value")
    }
  }

  @Test func matchesAreToldAsTheyComeAndGo() async throws {
    try await PartyWireTests.run { daemon in
      let client = Moyeo_V1_PartyService.Client(wrapping: daemon.grpc)
      var request = Moyeo_V1_WatchMatchesRequest()
      request.riderID = "jun"
      request.origin.latitude = 37.5549
      request.origin.longitude = 126.9707
      request.destination.latitude = 37.4979
      request.destination.longitude = 127.0276
      request.departureTime.seconds = RunningDaemon.start.milliseconds / 1000 + 3600
      let asked = request
      try await client.watchMatches(asked) { response in
        var party: String?
        for try await event in response.messages {
          switch event.kind {
          case "candidates":
            #expect(event.candidates.isEmpty)
            party = try await PartyWireTests.create(daemon, host: "mina")
          case "candidate":
            #expect(event.candidates.first?.party.id == party)
            _ = try await daemon.post("/v1/parties/\(party ?? "")/cancel", "{}")
          case "gone":
            #expect(event.partyID == party)
            return
          default: break
          }
        }
      }
    }
  }

  /// The first `count` events of a stream.
  private static func take(
    _ count: Int,
    _ watch: (@escaping @Sendable (Moyeo_V1_Event) throws -> Bool) async throws -> Void
  ) async throws -> [Moyeo_V1_Event] {
    let box = EventBox()
    try await watch { event in box.add(event) >= count }
    return box.events
  }
}

private final class EventBox: Sendable {
  private let stored = StateLock<[Moyeo_V1_Event]>([])

  var events: [Moyeo_V1_Event] { stored.withLock { $0 } }

  func add(_ event: Moyeo_V1_Event) -> Int {
    stored.withLock { events in
      events.append(event)
      return events.count
    }
  }
}
