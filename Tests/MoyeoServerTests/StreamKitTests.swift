import GRPCCore
import MoyeoAPI
import Threading
import ServiceLifecycle
import Testing

@testable import MoyeoServer

/// A log in memory, with its signal.
private final class EventLog: Sendable {
  let signal = ChangeSignal()
  private let kinds = StateLock<[String]>([])

  func append(_ kind: String) {
    let count = kinds.withLock { kinds in
      kinds.append(kind)
      return kinds.count
    }
    signal.advance(to: UInt64(count))
  }

  func source(after: UInt64, only: String? = nil) -> EventLogSource {
    EventLogSource(after: after, signal: signal) { after, room in
      let all = self.kinds.withLock { $0 }
      let page = all.enumerated().dropFirst(Int(after)).prefix(room.events)
      return .init(
        events: page.filter { only == nil || $0.element == only }.map {
          StreamEvent(kind: $0.element, resumeToken: "\($0.offset + 1)", message: [])
        }, reached: after + UInt64(page.count))
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct EventLogSourceTests {
  private static let room = StreamRoom(events: 3, bytes: 1 << 20)

  /// Dropped after any number of events and taken up again: no gap, no duplicate.
  @Test(arguments: 0...11)
  func resumesWithoutGapOrDuplicate(dropAfter: Int) async throws {
    let log = EventLog()
    for number in 1...7 { log.append("k\(number)") }
    var heard: [String] = []
    var token: UInt64 = 0
    var source = log.source(after: 0)
    reading: while true {
      let events = try await source.next(Self.room, patience: .zero)
      if events.isEmpty { break }
      for event in events {
        if heard.count == dropAfter { break reading }
        heard.append(event.kind)
        token = try #require(event.resumeToken.flatMap { UInt64($0) })
      }
    }
    for number in 8...11 { log.append("k\(number)") }
    source = log.source(after: token)
    while true {
      let events = try await source.next(Self.room, patience: .zero)
      if events.isEmpty { break }
      heard += events.map(\.kind)
    }
    #expect(heard == (1...11).map { "k\($0)" })
  }

  /// Events left out by a filter move the position; a reader is not answered with nothing.
  @Test func waitsPastEventsThatAreLeftOut() async throws {
    let log = EventLog()
    for _ in 0..<10 { log.append("other") }
    var source = log.source(after: 0, only: "wanted")
    let reader = Task {
      try await source.next(Self.room, patience: .seconds(3600)).map(\.resumeToken)
    }
    while log.signal.waiterCount == 0 { await Task.yield() }
    log.append("other")
    log.append("wanted")
    #expect(try await reader.value == ["12"])
  }

  @Test func aPollAnswersNothingWhenNothingComes() async throws {
    let log = EventLog()
    var source = log.source(after: 0)
    let shutdown = ShutdownSignal()
    #expect(
      try await source.poll(Self.room, wait: .milliseconds(5), shutdown: shutdown).isEmpty)
    log.append("a")
    #expect(try await source.poll(Self.room, wait: .seconds(60), shutdown: shutdown).count == 1)
  }
}

/// Answers what it is given, then waits for ever.
private struct ListSource: EventSource {
  var events: [StreamEvent]
  let signal = ChangeSignal()

  init(_ kinds: [String]) {
    events = kinds.map { StreamEvent(kind: $0, resumeToken: $0, message: []) }
  }

  mutating func next(_ room: StreamRoom, patience: Duration) async throws -> [StreamEvent] {
    guard events.isEmpty else { return [events.removeFirst()] }
    await signal.wait(past: 0, atMost: patience)
    try Task.checkCancellation()
    return []
  }
}

@Suite(.timeLimit(.minutes(10))) struct StreamPumpTests {
  private func pump(
    heartbeat: Double = 3600, stall: Double = 3600, drop: Double = 3600
  ) -> StreamPump {
    var settings = StreamSettings()
    settings.heartbeatSeconds = heartbeat
    settings.stallSeconds = stall
    settings.dropSeconds = drop
    return StreamPump(settings: settings, shutdown: ShutdownSignal())
  }

  @Test func quietStreamsBeatWithTheNewestToken() async throws {
    let pump = pump(heartbeat: 0.01)
    let sent = StateLock<[String]>([])
    try await pump.run(ListSource(["a", "b"])) { chunk in
      let count = sent.withLock { sent in
        switch chunk {
        case .events(let events): sent += events.map(\.kind)
        case .heartbeat(let token): sent.append("beat " + (token ?? "none"))
        }
        return sent.count
      }
      if count == 4 { pump.shutdown.begin() }
    }
    #expect(sent.withLock { $0.prefix(4) } == ["a", "b", "beat b", "beat b"])
    #expect(pump.openCount == 0)
  }

  @Test func aReaderTooSlowIsTold() async throws {
    let pump = pump(stall: 0.001)
    let error = await #expect(throws: APIError.self) {
      try await pump.run(ListSource(["a", "b"])) { _ in
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    #expect(error?.reason == .tooSlowConsumer)
  }

  @Test func aReaderThatTakesNothingIsDropped() async throws {
    let pump = pump(drop: 0.01)
    await #expect(throws: CancellationError.self) {
      try await pump.run(ListSource(["a"])) { _ in
        try await Task.sleep(for: .seconds(3600))
      }
    }
    #expect(pump.openCount == 0)
  }

  @Test func aShutdownEndsAStreamThatWaits() async throws {
    let pump = pump()
    let source = ListSource([])
    let signal = source.signal
    let stream = Task { try await pump.run(source) { _ in } }
    while signal.waiterCount == 0 { await Task.yield() }
    pump.shutdown.begin()
    try await stream.value
  }

  @Test func aReaderThatLeavesEndsItsStream() async throws {
    let pump = pump()
    let gone = ShutdownSignal()
    let source = ListSource([])
    let signal = source.signal
    let stream = Task { try await pump.run(source, gone: gone) { _ in } }
    while signal.waiterCount == 0 { await Task.yield() }
    gone.begin()
    await #expect(throws: CancellationError.self) { try await stream.value }
    #expect(pump.openCount == 0)
  }

  @Test func onlySoManyAreOpen() async throws {
    var settings = StreamSettings()
    settings.maximumOpen = 1
    let pump = StreamPump(settings: settings, shutdown: ShutdownSignal())
    let source = ListSource([])
    let signal = source.signal
    let first = Task { try await pump.run(source) { _ in } }
    while signal.waiterCount == 0 { await Task.yield() }
    let error = await #expect(throws: APIError.self) {
      try await pump.run(ListSource([])) { _ in }
    }
    #expect(error?.reason == .quotaExceeded)
    pump.shutdown.begin()
    try await first.value
  }
}

/// WatchTiles in both forms: the kit over the wire.
@Suite(.timeLimit(.minutes(10))) struct TileWatchTests {
  private static let path =
    "/v1/layers/users/tiles/watch?west=126&south=37&east=128&north=38&zoom=8&intervalMilliseconds=50"

  private static func report(_ daemon: RunningDaemon, _ id: String) async throws {
    _ = try await daemon.report([#"{"id":"\#(id)","latitude":37.5,"longitude":127}"#])
  }

  @Test func tokensResumeWithoutReset() async throws {
    try await RunningDaemon.run { daemon in
      try await Self.report(daemon, "a")
      var reader = try await ServerSentEventReader(daemon.url + Self.path)
      #expect(reader.status == 200)
      #expect(reader.contentType == "text/event-stream; charset=utf-8")
      let first = try await reader.next()
      #expect(first?.kind == "reset")
      try await Self.report(daemon, "b")
      let second = try await reader.next()
      #expect(second?.kind == "changed")
      let token = try #require(second?.id)
      #expect(second?.json["resumeToken"] as? String == token)
      try await Self.report(daemon, "c")
      for lastEventID in [token, nil] {
        let url = daemon.url + Self.path + (lastEventID == nil ? "&resumeToken=\(token)" : "")
        var again = try await ServerSentEventReader(url, lastEventID: lastEventID)
        let event = try await again.next()
        #expect(event?.kind == "changed", "\(String(describing: event))")
      }
      for stale in ["1-5", "abcd-ffffffffffffff", "nonsense"] {
        var again = try await ServerSentEventReader(daemon.url + Self.path, lastEventID: stale)
        #expect(try await again.next()?.kind == "reset", "\(stale)")
      }
    }
  }

  @Test func streamsEndWithTheDaemon() async throws {
    try await RunningDaemon.run { daemon in
      try await Self.report(daemon, "a")
      var reader = try await ServerSentEventReader(daemon.url + Self.path)
      #expect(try await reader.next()?.kind == "reset")
      let client = Moyeo_V1_ClusterService.Client(wrapping: daemon.grpc)
      var request = Moyeo_V1_WatchTilesRequest()
      request.layer = "users"
      (request.west, request.south, request.east, request.north) = (126, 37, 128, 38)
      request.zoom = 8
      let ended = await #expect(throws: RPCError.self) {
        try await client.watchTiles(request) { response in
          for try await event in response.messages {
            #expect(event.kind == "reset")
            await daemon.group.triggerGracefulShutdown()
          }
        }
      }
      #expect(ended?.code == .unavailable)
      // What clusters caught up with before; then the end.
      while let event = try await reader.next() { #expect(event.kind == "changed") }
    }
  }
}
