import Foundation
import MoyeoAPI
import NIOConcurrencyHelpers
import Testing

@testable import MoyeoClient

/// When the client asks again: never twice an effect, never earlier than it was told.
@Suite struct RetryTests {
  private static func join(_ client: MoyeoClient) async throws(MoyeoError) {
    var request = Moyeo_V1_JoinPartyRequest()
    request.id = "p"
    request.riderID = "ann"
    _ = try await client.joinParty(request)
  }

  private static func reason(_ body: () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch { return (error as? MoyeoError)?.reason ?? "\(error)" }
  }

  @Test(arguments: [
    ("overloaded", 503), ("rate_limited", 429), ("quota_exceeded", 429), ("unavailable", 503),
  ])
  func theTimeGivenIsWaitedForAndJitterComesOnTop(reason: String, status: Int) async throws {
    let time = PretendedTime()
    let requests = try await scripted(
      [
        .refusal(status, reason, retryAfterMilliseconds: 2000),
        .refusal(status, reason, retryAfterMilliseconds: 700), .fine,
      ], .init(), time
    ) { try await Self.join($0) }
    #expect(time.waits == [.milliseconds(2100), .milliseconds(900)])
    // One key for the command, over all its attempts.
    let keys = requests.map { $0.headers["idempotency-key"] ?? "" }
    #expect(keys.count == 3 && Set(keys).count == 1)
    #expect(UUID(uuidString: keys[0]) != nil)
  }

  @Test func proxiesSayItByHeaderAlone() async throws {
    for (reply, waits) in [
      (
        FakeHTTPService.Reply(status: 503, body: "down", headers: ["Retry-After": "3"]),
        [Duration.milliseconds(3100)]
      ),
      (.init(status: 429, body: "", headers: ["Retry-After": "soon"]), [.milliseconds(100)]),
      (.init(status: 502, body: "<html>"), [.milliseconds(100)]),
    ] {
      let time = PretendedTime()
      try await scripted([reply, .fine], .init(), time) { _ = try await $0.listLayers() }
      #expect(time.waits == waits)
    }
    let date = "Wed, 21 Oct 2015 07:28:08 GMT"
    #expect(MoyeoError.wait(retryAfter: date, secondsSince1970: 1_445_412_480) == .seconds(8))
    #expect(MoyeoError.wait(retryAfter: date, secondsSince1970: 1_445_412_999) == .zero)
    #expect(MoyeoError.wait(retryAfter: "-1", secondsSince1970: 0) == nil)
  }

  @Test(arguments: [
    (409, "superseded", 250), (409, "party_full", nil), (429, "quota_exceeded", nil),
    (500, "internal", nil), (404, "unknown_party", nil), (401, "token_expired", nil),
    (410, "resume_token_expired", nil), (422, "too_much_work", 100),
  ])
  func whatWaitingDoesNotMendIsNotRepeated(status: Int, reason: String, wait: Int?) async throws {
    let time = PretendedTime()
    let requests = try await scripted(
      [.refusal(status, reason, retryAfterMilliseconds: wait), .fine], .init(), time
    ) { client in
      #expect(await Self.reason { try await Self.join(client) } == reason)
    }
    #expect(requests.count == 1 && time.waits.isEmpty)
  }

  @Test func aWaitBeyondTheDeadlineIsNotBegun() async throws {
    for (wait, configuration, waits) in [
      (20_000, MoyeoClient.Configuration(), []),
      (2000, .init(timeout: .milliseconds(6500)), [2100, 2200]),
      (nil, .init(retries: RetryPolicy(attempts: 3)), [100, 200]),
      (nil, .init(retries: .never), []),
    ] as [(Int?, MoyeoClient.Configuration, [Int])] {
      let time = PretendedTime()
      try await scripted(
        [.refusal(503, "overloaded", retryAfterMilliseconds: wait)], configuration, time
      ) { client in
        #expect(await Self.reason { try await Self.join(client) } == "overloaded")
      }
      #expect(time.waits == waits.map { .milliseconds($0) })
    }
  }

  @Test func whatMayHaveRunIsRepeatedOnlyWhereThatHasOneEffect() async throws {
    let unclear = FakeHTTPService.Reply.refusal(504, "deadline_exceeded")
    let joined = try await scripted([unclear, .fine]) { try await Self.join($0) }
    #expect(Set(joined.map { $0.headers["idempotency-key"] }).count == 1 && joined.count == 2)
    let reported = try await scripted([unclear, .fine]) {
      _ = try await $0.report(Moyeo_V1_ReportRequest())
    }
    #expect(reported.count == 2)
    let deleted = try await scripted([unclear, .fine]) { client in
      #expect(
        await Self.reason { _ = try await client.deleteLayer("l") } == "deadline_exceeded")
    }
    #expect(deleted.count == 1)
    // Of those that certainly did not run, a deletion is repeated, too.
    let refused = try await scripted([.refusal(503, "overloaded"), .fine]) {
      _ = try await $0.deleteLayer("l")
    }
    #expect(refused.count == 2)
    #expect(!MoyeoError.unreachable(endpoint: "e", cause: "c").allowsRetry(of: .once))
    #expect(
      MoyeoError.unreachable(endpoint: "e", cause: "c", mayHaveRun: false)
        .allowsRetry(of: .once))
    #expect(!MoyeoError.timedOut(endpoint: "e").allowsRetry(of: .once))
    #expect(MoyeoError.timedOut(endpoint: "e").allowsRetry(of: .keyed))
  }

  @Test func aKeyThatIsGivenIsTheOneThatIsSent() async throws {
    let requests = try await scripted([.fine]) {
      var request = Moyeo_V1_JoinPartyRequest()
      request.id = "p"
      _ = try await $0.joinParty(request, idempotencyKey: "mine")
    }
    #expect(requests.map { $0.headers["idempotency-key"] } == ["mine"])
    let read = try await scripted([.fine]) { _ = try await $0.listLayers() }
    #expect(read.map { $0.headers["idempotency-key"] } == [nil])
  }

  @Test func nobodyThereIsAskedAgainAndSaidToBeNobody() async throws {
    let port = try await unusedPort()
    for endpoint in [
      Endpoint.http("http://127.0.0.1:\(port)"), .grpc(host: "127.0.0.1", port: port),
    ] {
      let time = PretendedTime()
      var configuration = MoyeoClient.Configuration()
      configuration.time = time.time
      await #expect {
        try await MoyeoClient.with(endpoint, configuration: configuration) {
          try await $0.deleteLayer("l")
        }
      } throws: { error in
        guard case .unreachable(_, _, let mayHaveRun)? = error as? MoyeoError else { return false }
        return !mayHaveRun
      }
      #expect(time.waits == [100, 200, 400, 800].map { .milliseconds($0) })
    }
  }

  @Test func attemptsHaveTheTimeThatIsLeft() throws {
    var read = CallAttempts(policy: RetryPolicy(), effect: .read, deadline: .seconds(15))
    #expect(read.timeout(at: .zero) == .seconds(7))
    #expect(read.timeout(at: .seconds(12)) == .seconds(3))
    for _ in 1..<5 {
      _ = try read.wait(after: .timedOut(endpoint: "e"), at: .zero, dice: 0)
    }
    // Nothing may follow it.
    #expect(read.timeout(at: .zero) == .seconds(15))
    let once = CallAttempts(policy: RetryPolicy(), effect: .once, deadline: .seconds(15))
    #expect(once.timeout(at: .zero) == .seconds(15))
    let poll = CallAttempts(
      policy: RetryPolicy(), effect: .read, deadline: .seconds(45), patience: .seconds(30))
    #expect(poll.timeout(at: .zero) == .seconds(37))
    let policy = RetryPolicy()
    #expect(policy.backoff(failures: 200, dice: 1) == .seconds(5))
    #expect(policy.backoff(failures: 3, dice: 0.5) == .milliseconds(200))
  }
}

/// The token that a client sends, and its renewal.
@Suite struct TokenTests {
  /// Hands out tokens one after another.
  private final class Source: Sendable {
    private let count = NIOLockedValueBox(0)
    var asked: Int { count.withLockedValue { $0 } }

    var provider: TokenSource {
      .provider { [self] in "t\(count.withLockedValue { $0 += 1; return $0 })" }
    }
  }

  private static let expired = FakeHTTPService.Reply.refusal(401, "token_expired")

  @Test func anExpiredTokenIsRenewedOnceAndKept() async throws {
    let source = Source()
    let time = PretendedTime()
    let requests = try await scripted(
      [Self.expired, .fine], .init(token: source.provider), time
    ) {
      _ = try await $0.listLayers()
      _ = try await $0.listLayers()
    }
    #expect(
      requests.map { $0.headers["authorization"] } == ["Bearer t1", "Bearer t2", "Bearer t2"])
    #expect(source.asked == 2 && time.waits.isEmpty)
  }

  @Test func oneThatIsRefusedAgainIsTheEnd() async throws {
    for (token, asked) in [(Source().provider, 2), (.fixed("k"), 1)] {
      let requests = try await scripted([Self.expired], .init(token: token)) { client in
        let error = await #expect(throws: MoyeoError.self) { try await client.listLayers() }
        #expect(error?.reason == "token_expired")
      }
      #expect(requests.count == asked)
    }
  }

  @Test func manyCallsShareOneRenewal() async throws {
    let source = Source()
    let keeper = TokenKeeper(source.provider)
    let first = try await keeper.current()
    let all = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<50 { group.addTask { try await keeper.current(refused: first) } }
      return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
    }
    #expect(all == ["t2"] && source.asked == 2)
  }

  @Test func aProviderThatFailsIsToldAsThatAndAskedAgain() async throws {
    struct Locked: Error {}
    let fails = NIOLockedValueBox(true)
    let keeper = TokenKeeper(
      .provider {
        if fails.withLockedValue({ $0 }) { throw Locked() }
        return "t"
      })
    let error = await #expect(throws: MoyeoError.self) { try await keeper.current() }
    #expect(error == .noToken(cause: "Locked()"))
    fails.withLockedValue { $0 = false }
    #expect(try await keeper.current() == "t")
  }
}
