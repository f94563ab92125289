import MoyeoAPI
import LiveLayers
import ObjectModel
import SpatialIndexing
import SwiftProtobuf
import Testing

@testable import MoyeoServer

/// The readers that go without the generated types, against those that do not.
@Suite struct FastReaderTests {
  private static func operations() throws -> PositionOperations {
    let layers = LayerRegistry(clock: ManualClock(RunningDaemon.start), epoch: 0xA0B1)
    let operations = PositionOperations(services: RequestServices(layers: layers))
    var data = OracleData(seed: 3, now: RunningDaemon.start.milliseconds)
    var request = Moyeo_V1_ReportRequest()
    request.layer = "users"
    request.positions = try data.objects(400).map { try Moyeo_V1_Position(jsonString: $0.json) }
    _ = try operations.report(request)
    return operations
  }

  /// An answer, or a refusal in words.
  private static func outcome(_ answer: () throws(APIError) -> [UInt8]) -> [UInt8] {
    do throws(APIError) { return try answer() } catch { return error.httpBody() }
  }

  private static func decoded<Request: Message>(
    _ bytes: [UInt8], _ answer: (Request) throws(APIError) -> [UInt8]
  ) -> [UInt8] {
    outcome { () throws(APIError) in
      try answer(try RequestDecoding.message(Request.self, encoded: bytes))
    }
  }

  private static func onEventLoop(
    _ bytes: [UInt8], _ answer: (UnsafeRawBufferPointer) throws(APIError) -> [UInt8]
  ) -> [UInt8] {
    bytes.withUnsafeBytes { raw in outcome { () throws(APIError) in try answer(raw) } }
  }

  /// Fields that are taken, fields that are not, values in range and out of it.
  private static func query(_ g: inout SplitMix64) -> Moyeo_V1_NearbyRequest {
    func chance(_ share: Double) -> Bool { g.unit() < share }
    var query = Moyeo_V1_NearbyRequest()
    if chance(0.95) { query.latitude = 37 + g.unit() }
    if chance(0.95) { query.longitude = 126.5 + g.unit() }
    if chance(0.03) { query.latitude = [91, .nan, -.infinity][Int(g.next() % 3)] }
    if chance(0.6) { query.limit = Int32(truncatingIfNeeded: g.next() % 40) }
    if chance(0.02) { query.limit = -5 }
    if chance(0.3) { query.radiusMeters = 50_000 * g.unit() }
    if chance(0.03) { query.radiusMeters = [-1, .nan, .infinity][Int(g.next() % 3)] }
    let tags = ["swift", "#Go", "한글", " Study  Mate ", "", "x", String(repeating: "y", count: 70)]
    if chance(0.3) { query.tags = [tags[Int(g.next() % 4)]] }
    if chance(0.05) { query.tags += [tags[Int(g.next() % 7)], tags[0], tags[0]] }
    if chance(0.1) { query.notTags = [tags[Int(g.next() % 6)]] }
    if chance(0.1) { query.tagMatch = ["any", "all", "some", ""][Int(g.next() % 4)] }
    if chance(0.1) { query.excludeIds = ["1", "사람", ""] }
    if chance(0.1) { query.maxAgeSeconds = [30, 0, -1, .nan][Int(g.next() % 4)] }
    if chance(0.05) { query.cursor = "AAAA" }
    // Not above 0, where the second to ask is given what the first was.
    if chance(0.04) { query.maxStalenessSeconds = [0, -1, .nan][Int(g.next() % 3)] }
    if chance(0.04) { query.minVersion = ["a0b1-0", "zz", "a0b1-ffff"][Int(g.next() % 3)] }
    if chance(0.04) { query.within = .with { $0.points = [.init(), .init(), .init()] } }
    if chance(0.04) { query.where = [.with { $0.attribute = "level" }] }
    return query
  }

  /// Every third with a byte changed, put in or taken out.
  private static func mutated(_ bytes: [UInt8], _ g: inout SplitMix64) -> [UInt8] {
    guard g.unit() < 0.33, !bytes.isEmpty else { return bytes }
    var bytes = bytes
    let at = Int(g.next() % UInt64(bytes.count))
    switch g.next() % 3 {
    case 0: bytes[at] ^= UInt8(1 << (g.next() % 8))
    case 1: bytes.insert(UInt8(truncatingIfNeeded: g.next()), at: at)
    default: bytes.remove(at: at)
    }
    return bytes
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func nearbyIsAnsweredTheSameOnBothRoads(seed: UInt64) throws {
    let operations = try Self.operations()
    var g = SplitMix64(seed: seed)
    var taken = 0
    for _ in 0..<1500 {
      var request = Self.query(&g)
      if g.unit() < 0.97 {
        request.layer = ["users", "users", "users", "none", ""][Int(g.next() % 5)]
      }
      let bytes = Self.mutated(try request.serializedBytes(), &g)
      let quick = Self.onEventLoop(bytes, operations.nearbyOnEventLoop)
      let decoded = Self.decoded(bytes) { (request: Moyeo_V1_NearbyRequest) throws(APIError) in
        try operations.nearby(request, .eventLoop)
      }
      #expect(quick == decoded, "seed \(seed): \(bytes)")
      taken += bytes.withUnsafeBytes { operations.nearbyReader.question(in: $0) == nil ? 0 : 1 }
    }
    #expect((600...1300).contains(taken))
  }

  /// Of a field that stands twice the later counts, but the earlier has to be text as well, and the parts of
  /// a time are joined.
  @Test func fieldsThatStandTwiceAreReadTheSameOnBothRoads() throws {
    let operations = try Self.operations()
    let texts: [[UInt8]] = [Array("users".utf8), [0x61, 0xFF], Array("none".utf8)]
    func text(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
      [number << 3 | 2, UInt8(bytes.count)] + bytes
    }
    let position =
      try Moyeo_V1_Position.with {
        $0.latitude = 37.5
        $0.longitude = 127
      }.serializedBytes() as [UInt8]
    let query =
      try Moyeo_V1_NearbyRequest.with {
        $0.latitude = 37.5
        $0.longitude = 127
        $0.limit = 3
      }.serializedBytes() as [UInt8]
    for first in texts {
      for second in texts {
        let nearby = text(1, first) + query + text(1, second)
        #expect(
          Self.onEventLoop(nearby, operations.nearbyOnEventLoop)
            == Self.decoded(nearby) { (request: Moyeo_V1_NearbyRequest) throws(APIError) in
              try operations.nearby(request, .eventLoop)
            }, "\(first) \(second)")
        for batch in [
          text(1, first) + text(2, query) + text(1, second), text(1, second) + text(2, nearby),
        ] {
          #expect(
            Self.onEventLoop(batch) { raw throws(APIError) in
              try operations.nearbyBatch(raw, .eventLoop)
            }
              == Self.decoded(batch) { (request: Moyeo_V1_NearbyBatchRequest) throws(APIError) in
                try operations.nearbyBatch(request, .eventLoop)
              }, "\(first) \(second)")
        }
        let report = text(1, texts[0]) + text(2, text(1, first) + position + text(1, second))
        #expect(
          Self.answer(report, operations.reportOnEventLoop)
            == Self.answer(report) { raw throws(APIError) in
              try operations.report(
                try RequestDecoding.message(Moyeo_V1_ReportRequest.self, encoded: Array(raw)))
            }, "\(first) \(second)")
      }
    }
    // Two halves of one time: seconds, nanoseconds.
    let halves = text(7, [1 << 3, 5]) + text(7, [2 << 3, 0xC0, 0x84, 0x3D])
    let report = text(1, texts[0]) + text(2, text(1, texts[0]) + position + halves)
    var batch = ReportBatch()
    let isTaken = report.withUnsafeBytes {
      operations.reportReader.read($0, settings: LayerSettings(), into: &batch)
    }
    #expect(!isTaken)
  }

  /// What became of a report, but for its version, which the first to ask changes.
  private static func answer(
    _ bytes: [UInt8], _ call: (UnsafeRawBufferPointer) throws(APIError) -> [UInt8]
  ) -> [UInt8] {
    let answer = onEventLoop(bytes, call)
    guard var read = try? Moyeo_V1_ReportResponse(serializedBytes: answer) else { return answer }
    read.clearVersion()
    return (try? read.serializedBytes()) ?? []
  }

  @Test(arguments: [UInt64(4), 5])
  func batchesAreAnsweredTheSameOnBothRoads(seed: UInt64) throws {
    let operations = try Self.operations()
    var g = SplitMix64(seed: seed)
    var taken = 0
    for _ in 0..<400 {
      var batch = Moyeo_V1_NearbyBatchRequest()
      if g.unit() < 0.97 { batch.layer = g.unit() < 0.95 ? "users" : "none" }
      batch.requests = (0..<g.next() % 4).map { _ in
        var query = Self.query(&g)
        if g.unit() < 0.2 { query.layer = g.unit() < 0.8 ? "users" : "other" }
        return query
      }
      if g.unit() < 0.02 { batch.requests = Array(repeating: .init(), count: 101) }
      let bytes = Self.mutated(try batch.serializedBytes(), &g)
      // An event loop leaves long batches to the pool before it looks at anything else of them.
      let quick = Self.onEventLoop(bytes) { raw throws(APIError) in
        try operations.nearbyBatch(raw, .pool(WorkCaller()))
      }
      let decoded = Self.decoded(bytes) { (request: Moyeo_V1_NearbyBatchRequest) throws(APIError) in
        try operations.nearbyBatch(request, .pool(WorkCaller()))
      }
      #expect(quick == decoded, "seed \(seed): \(bytes)")
      taken += bytes.withUnsafeBytes { operations.nearbyReader.batch(in: $0) == nil ? 0 : 1 }
    }
    #expect((80...350).contains(taken))
  }

  @Test func longBatchesLeaveTheEventLoopUnread() throws {
    let operations = try Self.operations()
    for (count, isForPool) in [(16, false), (17, true), (100, true), (101, false)] {
      // Of damaged queries: only their number is looked at.
      var bytes: [UInt8] = []
      for _ in 0..<count { bytes += [2 << 3 | 2, 1, 0xFF] }
      let refusal = bytes.withUnsafeBytes { raw -> APIError? in
        do throws(APIError) {
          _ = try operations.nearbyBatch(raw, .eventLoop)
          return nil
        } catch {
          return error
        }
      }
      #expect(refusal?.isForPool == isForPool, "\(count)")
    }
  }

  /// Two streams over two engines that began alike: one is given messages, the other their bytes.
  @Test(arguments: [UInt64(6), 7, 8])
  func packedReportsAreTakenTheSameOnBothRoads(seed: UInt64) throws {
    typealias Request = Moyeo_V1_StreamReportsRequest
    let operations = [try Self.operations(), try Self.operations()]
    var streams = operations.map { ReportStream(positions: $0) }
    var data = OracleData(seed: 3, now: RunningDaemon.start.milliseconds)
    let ids = data.objects(400).map(\.id)
    var first = Request()
    first.layer = "users"
    first.register.ids = ids
    let registered = try streams[0].answer(first)
    #expect(try streams[1].answer(first) == registered)
    let handles = registered.handles
    var g = SplitMix64(seed: seed)
    var quick = 0
    for round in 0..<600 {
      var message = Request()
      let count = Int(g.next() % 6)
      for _ in 0..<count {
        let isWrong = g.unit() < 0.03
        message.packed.handles.append(
          isWrong ? g.next() % 3 << 40 : handles[Int(g.next() % UInt64(handles.count))])
        message.packed.latitudeE7.append(
          g.unit() < 0.03
            ? [900_000_001, .min, 0][round % 3] : Int32(370_000_000 + g.next() % 9999))
        message.packed.longitudeE7.append(
          g.unit() < 0.03
            ? [-1_800_000_001, .max, 0][round % 3] : Int32(1_270_000_000 + g.next() % 99))
      }
      if g.unit() < 0.05 { message.packed.handles.append(handles[0]) }
      if g.unit() < 0.3 { message.packed.ttlSeconds = [0, 60, 0.5, -1, .nan][Int(g.next() % 5)] }
      if g.unit() < 0.3 {
        let late = Int64(bitPattern: g.next() % 100_000) - 50_000
        message.packed.observedAtMilliseconds = RunningDaemon.start.milliseconds + late
      }
      if g.unit() < 0.5 { message.sequence = Int64(truncatingIfNeeded: g.next()) }
      if g.unit() < 0.05 { message.layer = g.unit() < 0.5 ? "users" : "others" }
      if g.unit() < 0.05 { message.positions = [.with { $0.id = ids[round % ids.count] }] }
      let bytes = Self.mutated(try message.serializedBytes(), &g)
      let slow = Self.decoded(bytes) { (message: Request) throws(APIError) in
        try encoded(try streams[0].answer(message))
      }
      let fast = Self.onEventLoop(bytes) { (raw) throws(APIError) in
        try streams[1].answer(encoded: raw)
      }
      #expect(fast == slow, "seed \(seed), round \(round): \(bytes)")
      quick += bytes.withUnsafeBytes { PackedColumns($0) == nil ? 0 : 1 }
    }
    #expect((250...550).contains(quick))
    #expect(Self.objects(operations[0]) == Self.objects(operations[1]))
  }

  private static func objects(_ operations: PositionOperations) -> [String: [Double]] {
    var out: [String: [Double]] = [:]
    guard let layer = try? operations.layers.layer("users") else { return out }
    layer.index.forEachObject(now: RunningDaemon.start) {
      out[$0.idString] = [
        $0.latitude, $0.longitude, Double($0.observedAt.milliseconds),
        Double($0.expiresAt.milliseconds),
      ]
    }
    return out
  }
}
