import DurableCommands
import Foundation
import GRPCCore
import Identity
import LiveLayers
import MoyeoAPI
import ObjectModel
import Testing
import TestSupport
import Threading

@testable import MoyeoServer

/// How much callers may ask: on every wire, for people and tenants apart.
@Suite("Rates", .timeLimit(.minutes(10))) struct CallRatesTests {
  private static let nearby = "/v1/layers/users/nearby?latitude=37.5&longitude=127"
  private static let second: Nanoseconds = 1_000_000_000

  /// Two calls of each kind at once, and two a second then.
  private static func rates(
    _ clock: ManualMonotonicClock, tenant: Double = 0, caller: Double = 0
  ) -> CallRates {
    CallRates(clock: clock) { _ in
      var out = RateSettings()
      out.tenant = .init(reads: tenant, reports: tenant, commands: tenant)
      out.caller = .init(reads: caller, reports: caller, commands: caller)
      out.burstSeconds = 1
      return out
    }
  }

  private static func run(
    _ rates: CallRates, usesFastPath: Bool = true,
    _ body: @Sendable (RunningDaemon) async throws -> Void
  ) async throws {
    var settings = Daemon.Configuration()
    settings.rates = rates
    try await RunningDaemon.run(
      settings: settings, usesFastPath: usesFastPath, parties: MemoryStore(),
      verifier: NamedCallers(), body)
  }

  private static func spend(_ rates: CallRates, tenant: String = Caller.defaultTenant) throws {
    let own = try #require(rates.tenant(tenant))
    for kind in CallKind.allCases {
      #expect(throws: RateRefusal.self) {
        for _ in 0..<1000 { try own.take(kind, of: nil) }
      }
    }
  }

  @Test("Every call of every wire asks, and none has an effect", arguments: [true, false])
  func everyCall(usesFastPath: Bool) async throws {
    let clock = ManualMonotonicClock()
    let rates = Self.rates(clock, tenant: 2)
    try await Self.run(rates, usesFastPath: usesFastPath) { daemon in
      _ = try await daemon.reason("/moyeo.v1.FareService/ListTariffs", [], as: "server")
      try Self.spend(rates)
      for operation in daemon.room.operations {
        let path = String(operation.grpcPath.dropFirst())
        #expect(
          try await daemon.reason(path, [], as: "server") == "rate_limited", "\(path)")
      }
      for stream in daemon.room.streamOperations {
        #expect(
          try await daemon.streamReason("\(stream.service)/\(stream.rpc)", [], as: "server")
            == "rate_limited", "\(stream.name)")
      }
      let tile = "/v1/layers/users/tiles/12/3493/1587"
      for path in [
        Self.nearby, tile + ".mvt", tile + ".json", tile, "/v1/events",
        "/v1/layers/users/watch?latitude=37.5&longitude=127&radiusMeters=500",
      ] {
        let answer = try await daemon.send(
          "GET", path, as: "server", headers: [("accept", "text/event-stream")])
        #expect(answer.reason == "rate_limited" || answer.status == 404, "\(path): \(answer.text)")
      }
      let batch = try await daemon.send(
        "POST", "/v1/batch", #"{"requests":[]}"#, as: "server")
      #expect(batch.status == 429)
      let report = try await daemon.send(
        "POST", "/v1/layers/fresh/positions",
        #"{"positions":[{"id":"x","latitude":37.5,"longitude":127,"ttlSeconds":0}]}"#,
        as: "server")
      #expect(report.status == 429)
      #expect(!daemon.layers.all.contains { $0.name == "fresh" })
      // Health, readiness and metrics know no rate.
      for page in ["/healthz", "/readyz"] { #expect(try await daemon.get(page).status == 200) }
      let metrics = try await daemon.send("GET", "/metrics", as: "server")
      #expect(metrics.text.contains(#"moyeo_rate_limited_total{limit="tenant",kind="reads"}"#))
      // Another tenant has its own.
      #expect(
        try await daemon.send("GET", Self.nearby, as: "north-server").reason == "unknown_layer")
    }
  }

  @Test("A refusal says when to come again, and then the call is answered")
  func refusal() async throws {
    let clock = ManualMonotonicClock()
    try await Self.run(Self.rates(clock, caller: 2)) { daemon in
      for _ in 0..<2 {
        #expect(try await daemon.send("GET", Self.nearby, as: "ann").reason == "unknown_layer")
      }
      // Asked twice, a refusal costs nothing and says the same.
      for _ in 0..<2 {
        let answer = try await daemon.send("GET", Self.nearby, as: "ann")
        #expect(answer.status == 429)
        #expect(answer.reason == "rate_limited")
        #expect(answer.header("retry-after") == "1")
        #expect(answer.header("ratelimit-policy") == #""caller-reads";q=2;w=1"#)
        #expect(answer.header("ratelimit") == #""caller-reads";r=0;t=1"#)
        #expect(answer.error["retryAfterMilliseconds"] as? Int == 500)
      }
      // Another token of the same person has no other allowance; others have their own, and so has
      // the person for calls of another kind.
      #expect(try await daemon.send("GET", Self.nearby, as: "reader").reason == "rate_limited")
      for other in ["ben", "north-ann", "server", "key"] {
        #expect(
          try await daemon.send("GET", Self.nearby, as: other).reason == "unknown_layer", "\(other)"
        )
      }
      let cancel = try await daemon.send("POST", "/v1/parties/none/cancel", "{}", as: "ann")
      #expect(cancel.reason == "unknown_party")
      clock.advance(by: Self.second / 2)
      #expect(try await daemon.send("GET", Self.nearby, as: "ann").reason == "unknown_layer")
      #expect(try await daemon.send("GET", Self.nearby, as: "ann").reason == "rate_limited")
    }
  }

  @Test("Each read of a batch counts")
  func batch() async throws {
    try await Self.run(Self.rates(ManualMonotonicClock(), caller: 3)) { daemon in
      let item = #"{"method":"GET","path":"\#(Self.nearby)"}"#
      let answer = try await daemon.send(
        "POST", "/v1/batch", #"{"requests":[\#(item),\#(item),\#(item)]}"#, as: "ann")
      #expect(answer.status == 200)
      let statuses = (answer.object["responses"] as? [[String: Any]] ?? []).map {
        $0["status"] as? Int
      }
      #expect(statuses == [404, 404, 429])
    }
  }

  @Test(
    "Each message of a stream of reports counts, and the stream says why it ends",
    arguments: [true, false])
  func reports(usesFastPath: Bool) async throws {
    try await Self.run(
      Self.rates(ManualMonotonicClock(), caller: 3), usesFastPath: usesFastPath
    ) { daemon in
      var request = Moyeo_V1_StreamReportsRequest()
      request.layer = "users"
      var position = Moyeo_V1_Position()
      position.id = "ann"
      position.latitude = 37.5
      position.longitude = 127
      request.positions = [position]
      let message = request
      let answered = StateLock(0)
      let refusal = try await GRPCRefusal.of {
        try await daemon.positions.streamReports(
          request: StreamingClientRequest(metadata: ["authorization": "Bearer ann"]) { writer in
            for _ in 0..<10 { try await writer.write(message) }
          }
        ) { response in
          for try await _ in response.messages { answered.withLock { $0 += 1 } }
        }
      }
      #expect(refusal.reason == "rate_limited")
      #expect(refusal.code == .resourceExhausted)
      #expect(answered.withLock { $0 } == 3)
    }
  }

  /// A tenant floods, another asks now and then: the second is answered as if it were alone.
  @Test("No tenant and no person takes what another has", arguments: [1, 2, 3, 4])
  func apart(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let clock = ManualMonotonicClock()
    let rates = Self.rates(clock, tenant: 20, caller: 5)
    let alone = Self.rates(clock, tenant: 20, caller: 5)
    let (north, south) = (try #require(rates.tenant("north")), try #require(rates.tenant("south")))
    let same = try #require(alone.tenant("south"))
    var refusals = 0
    for _ in 0..<5000 {
      for _ in 0..<random.below(20) {
        try? north.take(.reads, of: random.below(2) == 0 ? nil : "user-\(random.below(1_000_000))")
      }
      let person = random.below(2) == 0 ? "ann" : nil
      let kind = CallKind.allCases[random.below(3)]
      let got = Result { () throws(RateRefusal) in try south.take(kind, of: person) }
      let expected = Result { () throws(RateRefusal) in try same.take(kind, of: person) }
      switch (got, expected) {
      case (.success, .success): break
      case (.failure(let got), .failure(let expected)):
        #expect(got == expected)
        refusals += 1
      default: Issue.record("answered otherwise than alone")
      }
      clock.advance(by: Nanoseconds(random.below(80_000_000)))
    }
    #expect(refusals > 20)
    #expect(rates.refusals.contains { $0.limit == .tenant && $0.kind == .reads && $0.count > 1000 })
  }

  @Test("What the tenant lacks costs its people nothing")
  func givenBack() throws {
    let clock = ManualMonotonicClock()
    let rates = CallRates(clock: clock) { _ in
      var out = RateSettings()
      out.tenant.reads = 1
      out.caller.reads = 2
      out.burstSeconds = 1
      return out
    }
    let own = try #require(rates.tenant("north"))
    try own.take(.reads, of: nil)
    for _ in 0..<5 {
      #expect { try own.take(.reads, of: "ann") } throws: {
        ($0 as? RateRefusal)?.limit == .tenant
      }
    }
    clock.advance(by: Self.second)
    try own.take(.reads, of: "ann")
    // No limit: nothing is counted.
    for _ in 0..<100 { try own.take(.commands, of: "ann") }
    #expect(CallRates().tenant("north") == nil)
  }

  @Test("One call has a rate of its own beside its kind's", arguments: [true, false])
  func oneCall(usesFastPath: Bool) async throws {
    let clock = ManualMonotonicClock()
    let rates = CallRates(clock: clock) { _ in
      var out = RateSettings()
      out.calls["Nearby"] = .init(caller: 2)
      out.calls["GetTileMVT"] = .init(tenant: 1)
      out.burstSeconds = 1
      return out
    }
    let tile = "/v1/layers/users/tiles/3/1/1.mvt"
    try await Self.run(rates, usesFastPath: usesFastPath) { daemon in
      _ = try await daemon.send(
        "POST", "/v1/layers/users/positions",
        #"{"positions":[{"id":"ann","latitude":37.5,"longitude":127}]}"#, as: "ann")
      for _ in 0..<2 {
        #expect(try await daemon.send("GET", Self.nearby, as: "ann").status == 200)
      }
      let refused = try await daemon.send("GET", Self.nearby, as: "ann")
      #expect(refused.status == 429 && refused.text.contains("allowance of Nearby is spent"))
      #expect(refused.text.contains(#""call":"Nearby""#), "\(refused.text)")
      // Others, and other calls, are not concerned; servers act for many.
      #expect(try await daemon.send("GET", Self.nearby, as: "ben").status == 200)
      for _ in 0..<4 {
        #expect(try await daemon.send("GET", Self.nearby, as: "server").status == 200)
      }
      #expect(try await daemon.send("GET", tile, as: "ann").status != 429)
      #expect(try await daemon.send("GET", tile, as: "ben").status == 429)
      clock.advance(by: Self.second)
      #expect(try await daemon.send("GET", Self.nearby, as: "ann").status == 200)
    }
  }

  @Test("What one call lacks costs its kind nothing")
  func oneCallGivesBack() throws {
    let rates = CallRates(clock: ManualMonotonicClock()) { _ in
      var out = RateSettings()
      out.tenant.reads = 3
      out.caller.reads = 3
      out.calls["Nearby"] = .init(tenant: 1)
      out.burstSeconds = 1
      return out
    }
    let own = try #require(rates.tenant("north"))
    try own.take(.reads, call: "Nearby", of: "ann")
    for _ in 0..<5 {
      #expect {
        try own.take(.reads, call: "Nearby", of: "ann")
      } throws: {
        let refusal = $0 as? RateRefusal
        return refusal?.call == "Nearby" && refusal?.limit == .tenant
      }
    }
    for _ in 0..<2 { try own.take(.reads, call: "Within", of: "ann") }
    #expect(throws: RateRefusal.self) { try own.take(.reads, call: "Within", of: "ann") }
  }

  @Test("The names of calls with rates of their own are one a call, and none of the admin port's")
  func namesOfCalls() {
    let names = CallRates.callNames
    #expect(Set(names).count == names.count)
    #expect(names.contains("PartyMatch") && names.contains("StreamReports"))
    #expect(!names.contains { $0.hasPrefix("Admin") })
  }

  @Test("A tenant and a person have so many streams at once, and get them back")
  func streams() async throws {
    var settings = StreamSettings()
    settings.maximumOpen = 6
    settings.maximumPerTenant = 4
    settings.maximumPerCaller = 2
    settings.maximumOfTenant = { $0 == "small" ? 1 : nil }
    let shutdown = ShutdownSignal()
    let pump = StreamPump(settings: settings, shutdown: shutdown)
    let (ann, ben) = (
      Caller(tenant: "north", subject: "ann", scopes: [.read]),
      Caller(tenant: "north", subject: "ben", scopes: [.read])
    )
    let small = Caller(tenant: "small", subject: nil, scopes: [.read, .service])
    func open(_ caller: Caller, _ gone: ShutdownSignal) async -> Task<Void, any Error> {
      let before = pump.openCount
      let task = Task { try await pump.run(QuietSource(), of: caller, gone: gone) { _ in } }
      while pump.openCount == before { await Task.yield() }
      return task
    }
    func expectNone(_ caller: Caller) async {
      await #expect {
        try await pump.run(QuietSource(), of: caller) { _ in }
      } throws: {
        ($0 as? APIError)?.reason == .quotaExceeded
      }
    }
    for _ in 0..<3 {
      let gone = ShutdownSignal()
      var tasks: [Task<Void, any Error>] = []
      for caller in [ann, ann] { tasks.append(await open(caller, gone)) }
      await expectNone(ann)
      for caller in [ben, ben] { tasks.append(await open(caller, gone)) }
      await expectNone(Caller(tenant: "north", subject: "cho", scopes: [.read]))
      tasks.append(await open(small, gone))
      await expectNone(small)
      tasks.append(await open(.open, gone))
      await expectNone(.open)
      gone.begin()
      for task in tasks { _ = await task.result }
      #expect(pump.openCount == 0)
    }
    shutdown.begin()
  }
}

/// Has nothing to say.
private struct QuietSource: EventSource {
  mutating func next(_ room: StreamRoom, patience: Duration) async throws -> [StreamEvent] {
    try await Task.sleep(for: .seconds(3600))
    return []
  }
}
