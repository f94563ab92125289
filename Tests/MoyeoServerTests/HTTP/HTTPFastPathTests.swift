import Foundation
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
import Threading

@testable import MoyeoServer

/// Short calls that are answered in front of the HTTP framework, against the framework's own answers.
@Suite struct HTTPFastPathTests {
  private struct Asked: Sendable {
    var method = "GET"
    var path: String
    var body: String?
    var headers: [(String, String)] = []
  }

  /// A header that the fast path does not know, so that the framework answers.
  private static let unknown = ("x-other", "1")

  private static let layer = "/v1/layers/users"
  private static let gets: [String] = [
    "/nearby?latitude=37.01&longitude=127", "/nearby?latitude=37.01&longitude=127&limit=40",
    "/nearby?longitude=127&latitude=3.701e1&limit=2&tags=swift&tags=go&tagMatch=any",
    "/nearby?latitude=37.01&longitude=127&tags=%23%ED%95%9C%EA%B8%80&radiusMeters=2000",
    "/nearby?latitude=37.01&longitude=127&where=%5B%7B%22name%22%3A%22level%22%7D%5D",
    "/nearby?latitude=91&longitude=127", "/nearby?latitude=&longitude=127", "/nearby",
    "/nearby?latitude=0x10&longitude=127", "/nearby?latitude=nan&longitude=127",
    "/nearby?latitude=%201&longitude=127", "/nearby?latitude=1&latitude=2&longitude=127",
    "/nearby?latitude=37&longitude=127&limit=-1", "/nearby?latitude=37&longitude=127&limit=1e3",
    "/nearby?latitude=37&longitude=127&limit=99999999999", "/nearby?latitude=37&longitude=127&no=1",
    "/nearby?latitude=37&longitude=127&layer=users", "/nearby?latitude=37&longitude=127&tags=%zz",
    "/nearby?latitude=37&longitude=127&cursor=AAAA", "/nearby?latitude=1&longitude=2&&",
    "/nearby?latitude=37&longitude=127&minVersion=x", "/nearby?latitude=37&longitude=127&tags=",
    // More hits than are written on an event loop.
    "/nearby?latitude=37.01&longitude=127&limit=1000",
    "/nearby?latitude=37.01&longitude=127&limit=1000&tags=swift&where=%5B%7B%22name%22%3A%22no%22%7D%5D",
    "/nearby?latitude=37.01&longitude=127&limit=1000&cursor=AAAA",
    "/positions/%EC%82%AC%EB%9E%8C-7", "/positions/nobody", "/positions/a%00b", "/positions/",
  ]
  private static let posts: [String] = [
    #"{"latitude":37.01,"longitude":127,"limit":3}"#, #"{"latitude":"37.01","longitude":127}"#,
    #"{"latitude":37.01,"longitude":127,"tags":["swift"],"where":[{"name":"level","atLeast":3}]}"#,
    #"{"latitude":37.01,"latitude":37.02,"longitude":127}"#, "{", "[]", "{}", #"{"no":1}"#,
    #"{"layer":"others","latitude":37,"longitude":127}"#, "\u{1F}", " {} ",
    #"{"latitude":37,"longitude":127,"limit":0}"#, #"{"latitude":-0,"longitude":-0.0}"#,
    #"{"latitude":37.0000000000000001,"longitude":127,"radiusMeters":0}"#, #"{"latitude":1e1}"#,
    #"{"latitude":37,"longitude":127,"tagMatch":""}"#, #"{"latitude":37,"longitude":null}"#,
    #"{ "latitude" : 37.01 ,"longitude":127,"tags":[ ],"excludeIds":["사람-10","\u0041"]}"#,
    #"{"latitude":37.01,"longitude":127,"tags":["한글"],"excludeIds":["사람-10"],"limit":4}"#,
    #"{"latitude":01,"longitude":127}"#, #"{"latitude":37.,"longitude":127}"#,
    #"{"latitude":37,"longitude":127}x"#, #"{"latitude":37,"longitude":127,}"#,
    #"{"latitude":37,"longitude":127,"limit":4294967296}"#, #"{"limit":2.0}"#,
    #"{"latitude":37.01,"longitude":127,"within":{"points":[\#(ring(3))]}}"#,
    #"{"latitude":37.01,"longitude":127,"within":{"points":[\#(ring(100))]},"limit":3}"#,
    #"{"latitude":37.01,"longitude":127,"within":{"points":[\#(ring(900))]},"limit":3}"#,
    #"{"latitude":37.01,"longitude":127,"within":{"points":[\#(ring(900)),{}]}}"#,
    #"{"latitude":37.01,"longitude":127,"within":{"points":[]}}"#,
    #"{"latitude":37.01,"longitude":127,"where":[{"attribute":"level","min":3,"min":4}]}"#,
    #"{"latitude":37.01,"longitude":127,"where":[{"attribute":"level","max":3,"no":4}]}"#,
    #"{"latitude":37.01,"longitude":127,"where":[{"attribute":"level","max":3}]}"#,
  ]

  /// Corners of an area, as JSON.
  private static func ring(_ corners: Int) -> String {
    (0..<corners).map { i in
      let angle = Double(i) / Double(corners) * 2 * .pi
      return #"{"latitude":\#(37.01 + cos(angle) / 200),"longitude":\#(127 + sin(angle) / 200)}"#
    }.joined(separator: ",")
  }

  private static let asked: [Asked] =
    gets.map { Asked(path: layer + $0) }
    + (gets.prefix(2) + gets.filter { $0.hasSuffix("limit=1000") }).flatMap { path in
      ["gzip", "gzip;q=0", "identity, *;q=0.1"].map {
        Asked(path: layer + path, headers: [("accept-encoding", $0)])
      }
    }
    + posts.map { Asked(method: "POST", path: layer + "/nearby", body: $0) }
    + [
      Asked(path: "/healthz"), Asked(path: "/healthz", headers: [("accept-encoding", "gzip")]),
      Asked(path: "/healthz", headers: [("host", "rebind.evil.example")]),
      Asked(path: "/healthz?x=1"), Asked(method: "POST", path: "/healthz", body: "{}"),
      Asked(path: "/v1/layers/none/nearby?latitude=1&longitude=2"),
      Asked(path: "/v1/layers/Bad!/nearby?latitude=1&longitude=2"),
      Asked(method: "POST", path: layer + "/positions", body: #"{"positions":[{"id":""}]}"#),
      Asked(
        method: "POST", path: layer + "/positions",
        body: #"{"positions":[{"id":"z","latitude":37.5,"longitude":127}]}"#),
      Asked(
        method: "POST", path: layer + "/nearby/batch",
        body: #"{"requests":[{"latitude":37,"longitude":127,"limit":2},{"latitude":99}]}"#),
      Asked(
        method: "POST", path: layer + "/nearby/batch",
        body: #"{"requests":[\#(Array(repeating: "{}", count: 17).joined(separator: ","))]}"#),
      Asked(
        method: "POST", path: "/v1/fares/split",
        body: #"{"amount":10,"currency":"KRW","riders":[{"riderId":"a"},{"riderId":"b"}]}"#),
    ]

  /// All that a caller sees, but the time, the request's name and the number of the last change.
  private static func seen(_ answer: HTTPAnswer) -> String {
    let headers = answer.headers.map { ($0.name.lowercased(), $0.value) }
      .filter { !["date", "content-length", "x-request-id"].contains($0.0) }
      .map { "\($0): \($1)" }.sorted()
    let packed = headers.contains("content-encoding: gzip")
    let text =
      packed
      ? answer.body.base64EncodedString()
      : answer.text.replacing(#/"version":"[^"]*"/#, with: "")
    return "\(answer.status)\n\(headers.joined(separator: "\n"))\n\n\(text)"
  }

  private static func fill(_ daemon: RunningDaemon) async throws {
    let items = (0..<40).map { i in
      #"{"id":"사람-\#(i)","latitude":\#(37 + Double(i) / 1000),"longitude":127,"#
        + #""tags":["\#(i % 2 == 0 ? "#Swift" : "go")","한글"],"attributes":{"level":\#(i)}}"#
    }
    #expect(try await daemon.report(items).object["accepted"] as? Int == 40)
  }

  @Test("both paths give the same answers, refusals too")
  func parity() async throws {
    try await RunningDaemon.run { daemon in
      try await Self.fill(daemon)
      for asked in Self.asked {
        var given = asked.headers
        if asked.body != nil { given.append(("content-type", "application/json")) }
        let body = asked.body.map { Data($0.utf8) }
        let short = try await daemon.request(asked.method, asked.path, body: body, headers: given)
        let long = try await daemon.request(
          asked.method, asked.path, body: body, headers: given + [Self.unknown])
        #expect(Self.seen(short) == Self.seen(long), "\(asked)")
        #expect(short.header("date") != nil && long.header("date") != nil)
      }
    }
  }

  @Test("requests that come together are answered in their order, on whichever path")
  func pipelining() async throws {
    try await RunningDaemon.run { daemon in
      try await Self.fill(daemon)
      let count = 3 * HTTPRequestGate.maximumShortAnswersInARow
      let text = (0..<count).map { i in
        let path =
          i % 5 == 2
          ? "/nearby?latitude=\(37 + Double(i % 40) / 1000)&longitude=127&limit=201&radiusMeters=5"
          : "/positions/%EC%82%AC%EB%9E%8C-\(i % 40)"
        return "GET \(Self.layer)\(path) HTTP/1.1\r\nHost: localhost\r\n"
          + (i % 7 == 3 ? "X-Other: 1\r\n" : "") + "\r\n"
      }.joined()
      let answers = try await RawHTTPConnection.exchange(text, answers: count, with: daemon)
      #expect(answers.map(\.status) == Array(repeating: 200, count: count))
      for (i, answer) in answers.enumerated() {
        #expect(answer.body.contains(#""id":"사람-\#(i % 40)""#), "\(i): \(answer)")
      }
    }
  }

  @Test("what is not HTTP behind a head ends the request, and nothing of it is carried out")
  func brokenBody() async throws {
    try await RunningDaemon.run { daemon in
      try await Self.fill(daemon)
      let head =
        "POST \(Self.layer)/positions HTTP/1.1\r\nHost: localhost\r\n"
        + "Content-Type: application/json\r\n"
      let body = #"{"positions":[{"id":"half","latitude":37.5,"longitude":127}]}"#
      for text in [
        head + "Content-Length: \(body.utf8.count - 1)\r\n\r\n" + body,
        head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n" + body,
        head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + body,
      ] {
        _ = try await RawHTTPConnection.exchange(text, answers: nil, with: daemon)
      }
      #expect(try await daemon.get(Self.layer + "/positions/half").status == 404)
    }
  }

  @Test("a body that comes in pieces is one request")
  func pieces() async throws {
    try await RunningDaemon.run { daemon in
      try await Self.fill(daemon)
      let body = #"{"positions":[{"id":"slow","latitude":37.5,"longitude":127}]}"#
      let request =
        "POST \(Self.layer)/positions HTTP/1.1\r\nHost: localhost\r\n"
        + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body
      // Few enough that a busy machine sends them within the deadlines of a request.
      let letters = Array(request)
      let pieces = stride(from: 0, to: letters.count, by: 7).map {
        String(letters[$0..<min($0 + 7, letters.count)])
      }
      let answers = try await RawHTTPConnection.exchange(pieces: pieces, with: daemon)
      #expect(answers.map(\.status) == [200], "\(answers)")
      #expect(try await daemon.get(Self.layer + "/positions/slow").status == 200)
    }
  }

  /// A gate with the calls of a daemon behind it, and no connection.
  private static func gate(
    _ daemon: RunningDaemon, hasFastPath: Bool = true
  ) throws -> EmbeddedChannel {
    let (deadlines, gate) = daemon.gate(hasFastPath: hasFastPath)
    let channel = EmbeddedChannel(handlers: [deadlines, gate])
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    return channel
  }

  /// The states of the answers that the fast path has written.
  private static func answers(writtenTo channel: EmbeddedChannel) throws -> [Int] {
    var bytes: [UInt8] = []
    while let part = try channel.readOutbound(as: ByteBuffer.self) {
      bytes.append(contentsOf: part.readableBytesView)
    }
    return RawHTTPConnection.answers(in: bytes).map(\.status)
  }

  private static func heads(passedOnBy channel: EmbeddedChannel) throws -> Int {
    var count = 0
    while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
      if case .head = part { count += 1 }
    }
    return count
  }

  @Test("what is short does not reach the framework, and of what comes together a part does")
  func whatIsTaken() async throws {
    try await RunningDaemon.run { daemon in
      try await Self.fill(daemon)
      let channel = try Self.gate(daemon)
      let maximum = HTTPRequestGate.maximumShortAnswersInARow
      func send(_ path: String, _ headers: [(String, String)] = []) throws {
        let head = HTTPRequestHead(
          version: .http1_1, method: .GET, uri: Self.layer + path,
          headers: HTTPHeaders([("Host", "localhost")] + headers))
        channel.pipeline.fireChannelRead(HTTPServerRequestPart.head(head))
        channel.pipeline.fireChannelRead(HTTPServerRequestPart.end(nil))
      }
      for _ in 0..<maximum + 2 { try send("/nearby?latitude=37&longitude=127") }
      channel.pipeline.fireChannelReadComplete()
      #expect(
        try Self.answers(writtenTo: channel) == Array(repeating: 200, count: maximum))
      #expect(try Self.heads(passedOnBy: channel) == 2)
      let head = HTTPRequestHead(
        version: .http1_1, method: .GET, uri: Self.layer + "/nearby?latitude=99&longitude=127",
        headers: HTTPHeaders([("host", "localhost"), ("Accept", "*/*"), ("User-Agent", "curl")]))
      for (extra, isTaken) in [
        (nil, true), (("X-Moyeo-Session", "a"), false), (("Origin", "http://localhost"), false),
        (("Cache-Control", "max-age=5"), false), (("If-None-Match", "\"a\""), false),
        (("Connection", "close"), false), (("Expect", "100-continue"), false),
        (("Accept-Language", "ko"), true),
      ] as [((String, String)?, Bool)] {
        var asked = head
        if let extra { asked.headers.add(name: extra.0, value: extra.1) }
        // Of a connection that waits for nothing.
        let other = try Self.gate(daemon)
        other.pipeline.fireChannelRead(HTTPServerRequestPart.head(asked))
        other.pipeline.fireChannelRead(HTTPServerRequestPart.end(nil))
        let passedOn = try Self.heads(passedOnBy: other)
        if isTaken {
          other.pipeline.fireChannelReadComplete()
          #expect(try Self.answers(writtenTo: other) == [400], "\(asked.headers)")
        }
        #expect(passedOn == (isTaken ? 0 : 1), "\(asked.headers)")
      }
    }
  }

  @Test("that the daemon lives is said in front of the framework, on the operator's port too")
  func liveness() async throws {
    try await RunningDaemon.run { daemon in
      for (uri, headers, isTaken) in [
        ("/healthz", [("Host", "localhost")], true),
        ("/healthz", [("Host", "localhost"), ("User-Agent", "curl"), ("Accept", "*/*")], true),
        ("/healthz", [("Host", "localhost"), ("Origin", "http://localhost")], false),
        ("/healthz", [("Host", "localhost"), ("Connection", "close")], false),
        ("/healthz?x", [("Host", "localhost")], false), ("/readyz", [("Host", "localhost")], false),
      ] as [(String, [(String, String)], Bool)] {
        let channel = try Self.gate(daemon, hasFastPath: false)
        let head = HTTPRequestHead(
          version: .http1_1, method: .GET, uri: uri, headers: HTTPHeaders(headers))
        channel.pipeline.fireChannelRead(HTTPServerRequestPart.head(head))
        channel.pipeline.fireChannelRead(HTTPServerRequestPart.end(nil))
        channel.pipeline.fireChannelReadComplete()
        #expect(try Self.answers(writtenTo: channel) == (isTaken ? [200] : []), "\(uri) \(headers)")
        #expect(try Self.heads(passedOnBy: channel) == (isTaken ? 0 : 1), "\(uri) \(headers)")
      }
    }
  }

  @Test(
    "a request that is half there when the daemon ends goes to the framework, which waits for it")
  func quiescing() async throws {
    try await RunningDaemon.run { daemon in
      let channel = try Self.gate(daemon)
      let head = HTTPRequestHead(
        version: .http1_1, method: .POST, uri: Self.layer + "/positions",
        headers: HTTPHeaders([("Host", "localhost"), ("Content-Length", "9")]))
      channel.pipeline.fireChannelRead(HTTPServerRequestPart.head(head))
      #expect(try Self.heads(passedOnBy: channel) == 0)
      channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
      channel.pipeline.fireChannelRead(HTTPServerRequestPart.end(nil))
      #expect(try Self.heads(passedOnBy: channel) == 1)
      #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
    }
  }
}

extension RunningDaemon {
  /// What stands in front of the calls of a connection; the calls are those of ``room``.
  func gate(hasFastPath: Bool = true) -> (HTTPDeadlines, HTTPRequestGate) {
    let rooms = TenantRooms(
      standard: room, identity: nil, clock: clock, pool: pool, logger: Logger(label: "test")
    ) { [room] _ in room }
    let metrics = RequestMetrics()
    let recorders = Dictionary(
      uniqueKeysWithValues: room.operations.map {
        ($0.name, metrics.recorder(name: $0.name, transport: "http"))
      })
    let hosts = HostAllowList(bound: "127.0.0.1", names: [])
    let policy = RequestHeadPolicy(hosts: hosts, origins: CrossOrigin(origins: [])) { _, _ in nil }
    let deadlines = HTTPDeadlines(limits: HTTPTimeLimits())
    let fastPath = HTTPFastPath(
      rooms: rooms, recorders: recorders, doors: [], hosts: hosts,
      identifiers: metrics.identifiers)
    let gate = HTTPRequestGate(
      policy: policy, fastPath: hasFastPath ? fastPath : nil, deadlines: deadlines
    ) { _, _, _ in "refused" }
    return (deadlines, gate)
  }
}
