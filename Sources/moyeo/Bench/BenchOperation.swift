import MoyeoAPI
import MoyeoClient
import ObjectModel

/// What a load test asks for.
enum BenchMode: String, CaseIterable, Sendable {
  case nearby
  case nearbyBatch = "nearby-batch"
  case report
  case streamReports = "stream-reports"
  case mixed
}

/// One request after another, each by its number alone, over several connections.
struct BenchOperation: Sendable {
  enum Kind: Int, CaseIterable, Sendable {
    case read
    case write
  }

  struct Done: Sendable {
    var kind: Kind
    /// Queries answered or positions reported.
    var items: Int
    /// Hits that came back.
    var hits: Int
  }

  let mode: BenchMode
  let clients: [MoyeoClient]
  let streams: [HandleStream]
  let workload: BenchWorkload
  let layer: String
  let limit: Int32
  let radiusMeters: Double?
  let tags: [String]
  let batchSize: Int
  let stepMeters: Double
  let writeShare: Double
  let seed: UInt64

  func callAsFunction(_ number: Int) async throws -> Done {
    switch mode {
    case .nearby: return try await nearby(number)
    case .nearbyBatch: return try await nearbyBatch(number)
    case .report: return try await report(number)
    case .streamReports:
      let stream = streams[number % streams.count]
      return Done(
        kind: .write, items: try await stream.report(number, workload, batchSize, stepMeters),
        hits: 0)
    case .mixed:
      var draws = SplitMix64(seed: seed ^ UInt64(number) &* 0xD6E8_FEB8_6659_FD93)
      return draws.unit() < writeShare ? try await report(number) : try await nearby(number)
    }
  }

  private func client(_ number: Int) -> MoyeoClient { clients[number % clients.count] }

  private func request(_ number: Int) -> Moyeo_V1_NearbyRequest {
    let query = workload.queries[number % workload.queries.count]
    var request = Moyeo_V1_NearbyRequest()
    request.latitude = query.latitude
    request.longitude = query.longitude
    request.limit = query.limit ?? limit
    if let radius = query.radiusMeters ?? radiusMeters { request.radiusMeters = radius }
    request.tags = query.tags.isEmpty ? tags : query.tags
    return request
  }

  private func nearby(_ number: Int) async throws -> Done {
    var request = request(number)
    request.layer = layer
    let answer = try await client(number).nearby(request)
    return Done(kind: .read, items: 1, hits: answer.hits.count)
  }

  private func nearbyBatch(_ number: Int) async throws -> Done {
    var batch = Moyeo_V1_NearbyBatchRequest()
    batch.layer = layer
    let first = number &* batchSize
    batch.requests = (0..<batchSize).map { request((first &+ $0) & .max) }
    let answer = try await client(number).nearbyBatch(batch)
    if let failed = answer.responses.first(where: { $0.status != 200 }) {
      throw MoyeoError.refused(
        Refusal(
          code: failed.error.code, reason: failed.error.reason, message: failed.error.message))
    }
    return Done(
      kind: .read, items: batchSize, hits: answer.responses.reduce(0) { $0 + $1.body.hits.count })
  }

  private func report(_ number: Int) async throws -> Done {
    var request = Moyeo_V1_ReportRequest()
    request.layer = layer
    request.positions = BenchOperation.indices(number, batchSize, workload.points.count).map {
      position($0, round: UInt64(number))
    }
    let answer = try await client(number).report(request)
    if let rejection = answer.rejections.first {
      throw MoyeoError.refused(
        Refusal(
          code: "INVALID_ARGUMENT", reason: rejection.reason, message: rejection.message))
    }
    return Done(kind: .write, items: Int(answer.accepted), hits: 0)
  }

  func position(_ index: Int, round: UInt64) -> Moyeo_V1_Position {
    let point = workload.points[index]
    var position = Moyeo_V1_Position()
    position.id = point.id
    (position.latitude, position.longitude) = workload.moved(
      index, round: round, stepMeters: stepMeters)
    position.tags = point.tags
    position.ttlSeconds = 0
    return position
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
