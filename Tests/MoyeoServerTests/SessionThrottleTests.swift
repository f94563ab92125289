import Foundation
import GRPCCore
import Identity
import MoyeoAPI
import Testing

@testable import MoyeoServer
import Threading
import QueryCoalescing

/// `X-Moyeo-Session`: the last viewport always gets its answer, the others hear at once.
@Suite(.timeLimit(.minutes(10))) struct SessionThrottleTests {
  private let clock = ManualMonotonicClock()

  private func context(_ throttle: SessionThrottle, _ session: String?, _ sequence: String? = nil)
    -> CallContext
  {
    var context = CallContext(caller: .open)
    context.throttle = throttle
    context.session = session
    context.sequence = sequence
    return context
  }

  @Test func theNewestRunsAndTheOthersAreSuperseded() async throws {
    let clock = clock
    let throttle = SessionThrottle(settings: SessionSettings(), clock: clock)
    try await context(throttle, "s", "1").admit("Nearby", scope: "users")
    let second = Task { [self] in
      try await context(throttle, "s", "2").admit("Nearby", scope: "users")
    }
    while throttle.statistics.requests < 2 { await Task.yield() }
    let third = Task { [self] in
      try await context(throttle, "s", "3").admit("Nearby", scope: "users")
    }
    let refusal = await #expect(throws: APIError.self) { try await second.value }
    #expect(refusal?.reason == .superseded)
    #expect(refusal?.retryAfterMilliseconds == 800)
    // Late, by its number.
    let late = await #expect(throws: APIError.self) {
      try await context(throttle, "s", "1").admit("Nearby", scope: "users")
    }
    #expect(late?.reason == .superseded)
    // Others are not in its way.
    try await context(throttle, "t", "1").admit("Nearby", scope: "users")
    try await context(throttle, "s", "4").admit("Within", scope: "users")
    try await context(throttle, "s", "4").admit("Nearby", scope: "taxis")
    try await context(throttle, nil).admit("Nearby", scope: "users")
    while clock.sleeperCount == 0 { await Task.yield() }
    clock.advance(by: 800_000_000)
    try await third.value
  }

  @Test func badSessionsAreRefused() async throws {
    let throttle = SessionThrottle(settings: SessionSettings(), clock: clock)
    for sequence in ["-1", "+1", "x", "1.5", ""] {
      let error = await #expect(throws: APIError.self) {
        try await context(throttle, "s", sequence).admit("Nearby", scope: "users")
      }
      #expect(error?.reason == .badValue && error?.fields.first?.field == "X-Moyeo-Sequence")
    }
    let error = await #expect(throws: APIError.self) {
      try await context(throttle, String(repeating: "s", count: 129))
        .admit("Nearby", scope: "users")
    }
    #expect(error?.reason == .badID)
  }

  /// Over both wires, the fast path before one of them.
  @Test func overTheWire() async throws {
    var settings = Daemon.Configuration()
    // Long enough for two requests to come within it on a busy machine.
    settings.sessions.intervalSeconds = 10
    try await RunningDaemon.run(settings: settings) { daemon in
      _ = try await daemon.report([#"{"id":"a","latitude":37.5,"longitude":127}"#])
      let paths = [
        "/v1/layers/users/nearby?latitude=37.5&longitude=127",
        "/v1/layers/users/within?west=126&south=37&east=128&north=38",
        "/v1/layers/users/clusters?west=126&south=37&east=128&north=38&zoom=3",
      ]
      for (index, path) in paths.enumerated() {
        func ask(_ sequence: Int) async throws -> HTTPAnswer {
          try await daemon.request(
            "GET", path,
            headers: [("x-moyeo-session", "map"), ("x-moyeo-sequence", "\(sequence)")])
        }
        #expect(try await ask(1).status == 200)
        guard index == 0 else { continue }
        // The higher number wins, whichever comes first.
        async let third = ask(3)
        async let second = ask(2)
        let (newest, replaced) = try await (third, second)
        #expect(newest.status == 200 && newest.ids == ["a"], "\(newest.text)")
        #expect(replaced.status == 409 && replaced.reason == "superseded", "\(replaced.text)")
        #expect(replaced.error["code"] as? String == "ABORTED")
        #expect((replaced.error["retryAfterMilliseconds"] as? Int ?? 0) > 0)
      }
      var request = Moyeo_V1_NearbyRequest()
      request.layer = "users"
      (request.latitude, request.longitude) = (37.5, 127)
      let metadata: Metadata = ["x-moyeo-session": "phone", "x-moyeo-sequence": "5"]
      let first = try await daemon.positions.nearby(request, metadata: metadata)
      #expect(first.hits.map(\.id) == ["a"])
      let late: Metadata = ["x-moyeo-session": "phone", "x-moyeo-sequence": "4"]
      let asked = request
      let refusal = try await GRPCRefusal.of {
        _ = try await daemon.positions.nearby(asked, metadata: late)
      }
      #expect(refusal.code == .aborted && refusal.reason == "superseded")
      // Without a session nothing is throttled.
      for _ in 0..<3 { _ = try await daemon.positions.nearby(request) }
    }
  }
}
