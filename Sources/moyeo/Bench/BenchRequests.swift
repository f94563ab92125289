import MoyeoAPI
import MoyeoClient
import NIOCore
import ObjectModel
import SwiftProtobuf

/// What a load test asks for.
enum BenchMode: String, CaseIterable, Sendable {
  case nearby
  case nearbyBatch = "nearby-batch"
  case report
  case streamReports = "stream-reports"
  case mixed
}

/// The requests of a load test, encoded before the clock runs so that a sender only sends: each by
/// its number, around a ring.
struct BenchRequests: Sendable {
  enum Kind: Int, CaseIterable, Sendable {
    case read
    case write
  }

  enum Method: Sendable {
    case nearby
    case nearbyBatch
    case report
    case streamReports

    var kind: Kind {
      switch self {
      case .nearby, .nearbyBatch: .read
      case .report, .streamReports: .write
      }
    }

    /// gRPC's path.
    var path: String {
      switch self {
      case .nearby: "/moyeo.v1.PositionService/Nearby"
      case .nearbyBatch: "/moyeo.v1.PositionService/NearbyBatch"
      case .report: "/moyeo.v1.PositionService/Report"
      case .streamReports: "/moyeo.v1.PositionService/StreamReports"
      }
    }

    /// HTTP's, below `/v1/layers/{layer}/`.
    var resource: String {
      switch self {
      case .nearby: "nearby"
      case .nearbyBatch: "nearby/batch"
      case .report, .streamReports: "positions"
      }
    }
  }

  /// A request as it goes over the wire.
  struct Prepared: Sendable {
    var method: Method
    /// The length-prefixed message over gRPC, JSON over HTTP.
    var bytes: ByteBuffer
    /// Queries asked or positions reported.
    var items: Int
  }

  enum Wire: Sendable {
    case grpc
    case http
  }

  let mode: BenchMode
  let workload: BenchWorkload
  let layer: String
  let limit: Int32
  let radiusMeters: Double?
  let tags: [String]
  let batchSize: Int
  let stepMeters: Double
  let writeShare: Double
  let seed: UInt64
  let wire: Wire

  /// Positions that a ring's reports hold at most: 400,000 of 60-70 bytes.
  private static let ringPositions = 400_000
  private static let largestRing = 65_536

  /// The ring of all modes but `streamReports`. Reports go round twice, the second time moving each
  /// point to another place.
  func prepared() throws -> [Prepared] {
    let queries = min(workload.queries.count, Self.largestRing)
    switch mode {
    case .nearby: return try (0..<queries).map(nearby)
    case .nearbyBatch:
      return try (0..<max(1, queries / batchSize)).map(nearbyBatch)
    case .report, .streamReports:
      return try (0..<2).flatMap { round in
        try (0..<ringLength(of: workload.points.count)).map { try report($0, round: round) }
      }
    case .mixed:
      let length = ringLength(of: workload.points.count)
      return try (0..<2 * length).map { number in
        var draws = SplitMix64(seed: seed ^ UInt64(number) &* 0xD6E8_FEB8_6659_FD93)
        return draws.unit() < writeShare
          ? try report(number % length, round: number / length) : try nearby(number)
      }
    }
  }

  /// Reports after which each point was moved, or as many as a ring holds.
  private func ringLength(of points: Int) -> Int {
    let all = max(1, points / min(batchSize, points))
    return max(1, min(all, Self.ringPositions / batchSize, Self.largestRing))
  }

  private func query(_ number: Int) -> Moyeo_V1_NearbyRequest {
    let query = workload.queries[number % workload.queries.count]
    var request = Moyeo_V1_NearbyRequest()
    request.latitude = query.latitude
    request.longitude = query.longitude
    request.limit = query.limit ?? limit
    if let radius = query.radiusMeters ?? radiusMeters { request.radiusMeters = radius }
    request.tags = query.tags.isEmpty ? tags : query.tags
    return request
  }

  private func nearby(_ number: Int) throws -> Prepared {
    var request = query(number)
    if case .grpc = wire { request.layer = layer }
    return try encoded(.nearby, request, items: 1)
  }

  private func nearbyBatch(_ number: Int) throws -> Prepared {
    var batch = Moyeo_V1_NearbyBatchRequest()
    if case .grpc = wire { batch.layer = layer }
    batch.requests = (0..<batchSize).map { query(number * batchSize + $0) }
    return try encoded(.nearbyBatch, batch, items: batchSize)
  }

  private func report(_ number: Int, round: Int) throws -> Prepared {
    var request = Moyeo_V1_ReportRequest()
    if case .grpc = wire { request.layer = layer }
    request.positions = Self.indices(number, batchSize, workload.points.count).map {
      position($0, round: round)
    }
    return try encoded(.report, request, items: request.positions.count)
  }

  private func position(_ index: Int, round: Int) -> Moyeo_V1_Position {
    let point = workload.points[index]
    var position = Moyeo_V1_Position()
    position.id = point.id
    (position.latitude, position.longitude) = moved(index, round)
    position.tags = point.tags
    position.ttlSeconds = 0
    return position
  }

  private func moved(_ index: Int, _ round: Int) -> (Double, Double) {
    workload.moved(index, round: seed &+ UInt64(round), stepMeters: stepMeters)
  }

  /// The ring of one report stream: packed columns for the handles of its points.
  func packed(_ points: [(index: Int, handle: UInt64)]) throws -> [Prepared] {
    let length = ringLength(of: points.count)
    return try (0..<2 * length).map { number in
      var message = Moyeo_V1_StreamReportsRequest()
      for at in Self.indices(number % length, batchSize, points.count) {
        let (latitude, longitude) = moved(points[at].index, number / length)
        message.packed.handles.append(points[at].handle)
        message.packed.latitudeE7.append(Int32((latitude * 1e7).rounded()))
        message.packed.longitudeE7.append(Int32((longitude * 1e7).rounded()))
      }
      message.packed.ttlSeconds = 0
      return try encoded(.streamReports, message, items: message.packed.handles.count)
    }
  }

  private func encoded(_ method: Method, _ message: some Message, items: Int) throws -> Prepared {
    switch wire {
    case .grpc:
      return Prepared(method: method, bytes: try Self.framed(message), items: items)
    case .http:
      return Prepared(
        method: method, bytes: ByteBuffer(bytes: try HTTPRoute.json(message)), items: items)
    }
  }

  /// gRPC's Length-Prefixed-Message (PROTOCOL-HTTP2.md), not compressed.
  static func framed(_ message: some Message) throws -> ByteBuffer {
    let encoded: [UInt8] = try message.serializedBytes()
    var bytes = ByteBuffer()
    bytes.reserveCapacity(5 + encoded.count)
    bytes.writeInteger(UInt8(0))
    bytes.writeInteger(UInt32(encoded.count))
    bytes.writeBytes(encoded)
    return bytes
  }

  /// What an answer says: hits, or why it is none.
  func read(_ answer: ByteBuffer, to method: Method) -> Result<Int, LoadFailure> {
    do {
      switch method {
      case .nearby: return .success(try decoded(answer, Moyeo_V1_NearbyResponse.self).hits.count)
      case .nearbyBatch:
        let items = try decoded(answer, Moyeo_V1_NearbyBatchResponse.self).responses
        if let failed = items.first(where: { $0.status != 200 }) {
          return .failure(LoadFailure(failed.error.reason))
        }
        return .success(items.reduce(0) { $0 + $1.body.hits.count })
      case .report:
        let rejections = try decoded(answer, Moyeo_V1_ReportResponse.self).rejections
        return rejections.first.map { .failure(LoadFailure($0.reason)) } ?? .success(0)
      case .streamReports:
        let rejections = try decoded(answer, Moyeo_V1_StreamReportsResponse.self).rejections
        return rejections.first.map { .failure(LoadFailure($0.reason)) } ?? .success(0)
      }
    } catch {
      return .failure(.unexpectedAnswer)
    }
  }

  private func decoded<Answer: Message>(_ bytes: ByteBuffer, _: Answer.Type) throws -> Answer {
    switch wire {
    case .grpc: return try Answer(serializedBytes: Array(bytes.readableBytesView))
    case .http:
      var options = JSONDecodingOptions()
      options.ignoreUnknownFields = true
      return try Answer(jsonUTF8Bytes: Array(bytes.readableBytesView), options: options)
    }
  }

  /// The points of a request: no point twice, the next request takes others. The stride spreads
  /// them over the map and is coprime to any count it does not divide.
  static func indices(_ number: Int, _ size: Int, _ count: Int) -> [Int] {
    let size = min(size, count)
    let stride = count % 7919 == 0 ? 1 : 7919
    let first = Int((UInt64(number) &* UInt64(size)) % UInt64(count))
    return (0..<size).map { (first + $0) % count * stride % count }
  }
}
