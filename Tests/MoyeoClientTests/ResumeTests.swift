import MoyeoAPI
import NIOConcurrencyHelpers
import SwiftProtobuf
import Testing

@testable import MoyeoClient

/// Streams go on by themselves.
@Suite struct ResumeTests {
  private typealias Reply = FakeHTTPService.Reply

  /// What a stream handed out.
  private final class Seen: Sendable {
    private let box = NIOLockedValueBox<[Int64]>([])
    var all: [Int64] { box.withLockedValue { $0 } }
    func append(_ one: Int64) { box.withLockedValue { $0.append(one) } }
  }

  @Test func durableEventsComeOnceAndInOrderOverCutsAndRefusals() async throws {
    let seen = Seen()
    let time = PretendedTime()
    let requests = try await scripted(
      [
        .events(
          Reply.event(1), Reply.event(2),
          Reply.errorEvent("too_slow_consumer", retryAfterMilliseconds: 1000)),
        // As at least once allows.
        .events(Reply.event(2), Reply.event(3)),
        .refusal(503, "overloaded", retryAfterMilliseconds: 4000),
        .events(Reply.event(4), Reply.errorEvent("resume_token_expired")),
      ], .init(), time
    ) { client in
      let error = await #expect(throws: MoyeoError.self) {
        try await client.watchEvents(Moyeo_V1_WatchEventsRequest()) { seen.append($0.sequence) }
      }
      #expect(error?.reason == "resume_token_expired")
    }
    #expect(seen.all == [1, 2, 3, 4])
    #expect(time.waits == [1100, 100, 4200].map { .milliseconds($0) })
    #expect(
      requests.map(\.uri) == [
        "/v1/events", "/v1/events?resumeToken=2", "/v1/events?resumeToken=3",
        "/v1/events?resumeToken=3",
      ])
  }

  @Test func whatTheCallerThrowsComesBackAsItIs() async throws {
    struct Mine: Error, Equatable {}
    let requests = try await scripted([.events(Reply.event(1))]) { client in
      await #expect(throws: Mine()) {
        try await client.watchEvents(Moyeo_V1_WatchEventsRequest()) { _ in throw Mine() }
      }
      // An error of another call is the caller's own, too, and no reason to open the stream again.
      await #expect(throws: MoyeoError.timedOut(endpoint: "other")) {
        try await client.watchEvents(Moyeo_V1_WatchEventsRequest()) { _ in
          throw MoyeoError.timedOut(endpoint: "other")
        }
      }
    }
    #expect(requests.count == 2)
  }

  @Test func aPartyIsHeardFromItsVersionOn() async throws {
    let requests = try await scripted([
      Reply(body: #"{"party":{"id":"p","version":"7"}}"#), .events(),
      .events(Reply.errorEvent("unknown_party")),
    ]) { client in
      var request = Moyeo_V1_WatchPartyRequest()
      request.id = "p"
      let watched = request
      await #expect(throws: MoyeoError.self) { try await client.watchParty(watched) { _ in } }
    }
    #expect(
      requests.map(\.uri) == [
        "/v1/parties/p", "/v1/parties/p/events?afterVersion=7",
        "/v1/parties/p/events?afterVersion=7",
      ])
  }

  @Test func softStreamsGoOnByTokenAndHandResetsOut() async throws {
    func event(_ kind: String, _ token: String) -> String {
      "event: \(kind)\ndata: {\"kind\":\"\(kind)\",\"resumeToken\":\"\(token)\"}\n\n"
    }
    let kinds = NIOLockedValueBox<[String]>([])
    let requests = try await scripted([
      .events(event("reset", "a"), event("enter", "b")), .events(event("reset", "c")),
      .refusal(403, "forbidden"),
    ]) { client in
      var request = Moyeo_V1_WatchPositionsRequest()
      request.layer = "users"
      let watched = request
      await #expect(throws: MoyeoError.self) {
        try await client.watchPositions(watched) { event in
          kinds.withLockedValue { $0.append(event.kind) }
        }
      }
    }
    #expect(kinds.withLockedValue { $0 } == ["reset", "enter", "reset"])
    #expect(
      requests.map(\.body) == ["{}", #"{"resumeToken":"b"}"#, #"{"resumeToken":"c"}"#])
    #expect(requests.allSatisfy { $0.method == "POST" && $0.uri == "/v1/layers/users/watch" })
  }

  @Test func matchesEndWithTheRidersWindow() async throws {
    var request = Moyeo_V1_WatchMatchesRequest()
    // An hour before the pretended present, and half a window.
    request.departureTime.seconds = 1_800_000_000 - 3600
    request.departureWindowSeconds = 1800
    request.store = true
    let watched = request
    let over = try await scripted([.events()]) { client in
      try await client.watchMatches(watched) { _ in }
    }
    #expect(over.count == 1)
    request.departureTime.seconds = 1_800_000_000
    let open = request
    let again = try await scripted([.events(), .refusal(404, "unknown_policy")]) { client in
      await #expect(throws: MoyeoError.self) { try await client.watchMatches(open) { _ in } }
    }
    // Stored once, however often it is opened.
    #expect(again.count == 2 && Set(again.map { $0.headers["idempotency-key"] }).count == 1)
  }

  @Test func aFirstOpeningGivesUpLikeACallAndALaterOneByPatience() async throws {
    let time = PretendedTime()
    try await scripted([.refusal(503, "unavailable")], .init(), time) { client in
      await #expect(throws: MoyeoError.self) {
        try await client.watchEvents(Moyeo_V1_WatchEventsRequest()) { _ in }
      }
    }
    #expect(time.waits == [100, 200, 400, 800].map { .milliseconds($0) })
    let patient = PretendedTime()
    try await scripted(
      [.events(), .refusal(503, "unavailable", retryAfterMilliseconds: 4000)],
      .init(retries: RetryPolicy(streamPatience: .seconds(20))), patient
    ) { client in
      await #expect(throws: MoyeoError.self) {
        try await client.watchEvents(Moyeo_V1_WatchEventsRequest()) { _ in }
      }
    }
    let waited = patient.waits.reduce(.zero, +)
    #expect(patient.waits.count > 3 && waited > .seconds(20) && waited < .seconds(40))
  }

  @Test func aStreamGoesOnWithTheNextToken() async throws {
    let count = NIOLockedValueBox(0)
    let source = TokenSource.provider {
      "t\(count.withLockedValue { $0 += 1; return $0 })"
    }
    let seen = Seen()
    let requests = try await scripted(
      [
        .events(Reply.event(1), Reply.errorEvent("token_expired")), .events(Reply.event(2)),
        .refusal(401, "token_expired"), .refusal(401, "token_expired"),
      ], .init(token: source)
    ) { client in
      let error = await #expect(throws: MoyeoError.self) {
        try await client.watchEvents(Moyeo_V1_WatchEventsRequest()) { seen.append($0.sequence) }
      }
      #expect(error?.reason == "token_expired")
    }
    #expect(seen.all == [1, 2])
    #expect(
      requests.map { $0.headers["authorization"] } == [
        "Bearer t1", "Bearer t2", "Bearer t2", "Bearer t3",
      ])
  }

  @Test func aCancelledTaskEndsItsStream() async throws {
    try await scripted([.events(Reply.event(1)), .refusal(503, "unavailable")]) { client in
      let (first, hasComeIn) = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        try await client.watchEvents(Moyeo_V1_WatchEventsRequest()) { _ in
          hasComeIn.yield()
          try await Task.sleep(for: .seconds(3600))
        }
      }
      for await _ in first { break }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }
}

/// The clusters of a map that moves.
@Suite struct ClusterViewportTests {
  @Test func oneSessionAndRisingSequences() async throws {
    let requests = try await scripted([Reply.fine, .refusal(409, "superseded"), .fine]) { client in
      let viewport = ClusterViewport(client, query: .with { $0.layer = "users" })
      func show() async throws -> Bool {
        try await viewport.show(south: 37, west: 126, north: 38, east: 127, zoom: 9) != nil
      }
      // Of the second, a newer one has the answer.
      for isAnswered in [true, false, true] {
        let hasAnswer = try await show()
        #expect(hasAnswer == isAnswered)
      }
    }
    #expect(requests.map { $0.headers["x-moyeo-sequence"] } == ["1", "2", "3"])
    #expect(Set(requests.map { $0.headers["x-moyeo-session"] }).count == 1)
    #expect(
      requests[0].uri == "/v1/layers/users/clusters?east=127&north=38&south=37&west=126&zoom=9")
  }

  private typealias Reply = FakeHTTPService.Reply

  @Test func aLaterViewTakesTheEarlierOnesPlace() async throws {
    let (asked, hasAsked) = AsyncStream.makeStream(of: Void.self)
    let time = PretendedTime()
    // The first request waits for its next attempt until the second has come and gone.
    var configuration = MoyeoClient.Configuration()
    configuration.time = time.time
    configuration.time.sleep = { _ in
      hasAsked.yield()
      try await Task.sleep(for: .seconds(3600))
    }
    let script = Script([.refusal(503, "overloaded"), .fine])
    let service = try await FakeHTTPService { _ in script.next() }
    try await MoyeoClient.with(.http(service.url), configuration: configuration) { client in
      let viewport = ClusterViewport(client, query: .with { $0.layer = "users" })
      async let first = viewport.show(south: 1, west: 1, north: 2, east: 2, zoom: 9)
      for await _ in asked { break }
      let second = try await viewport.show(south: 3, west: 3, north: 4, east: 4, zoom: 9)
      #expect(second != nil)
      let outdated = try await first
      #expect(outdated == nil)
    }
    await service.close()
  }
}
