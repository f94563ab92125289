public import ObjectModel
import QueryCoalescing
public import RideMatching

/// A rider's request that is kept until its window ends and reports through the event feed.
public struct KeptRequest: Hashable, Sendable {
  public var id: String
  public var version: UInt64
  public var createdAt: Instant
  public var query: MatchQuery
  /// All of them; normalised.
  public var tags: [String]
  /// Parties that were reported already.
  public var found: [String]
  /// Set once it is over: by its rider, or by the clock.
  public var endedAt: Instant?

  public var isOver: Bool { endedAt != nil }

  init(
    id: String, version: UInt64 = 1, createdAt: Instant, query: MatchQuery, tags: [String] = [],
    found: [String] = [], endedAt: Instant? = nil
  ) {
    self.id = id
    self.version = version
    self.createdAt = createdAt
    self.query = query
    self.tags = tags
    self.found = found
    self.endedAt = endedAt
  }
}

extension AggregateKind {
  static let rideRequest = AggregateKind(rawValue: "ride_request")
}

/// All requests that are kept. Written by the commit thread alone.
final class RequestBook: Sendable {
  private let state = StateLock<[String: KeptRequest]>([:])

  var count: Int { state.withLock { $0.count } }
  var all: [KeptRequest] { state.withLock { Array($0.values) } }

  func request(_ id: String) -> KeptRequest? { state.withLock { $0[id] } }

  func put(_ requests: [KeptRequest]) {
    state.withLock { state in
      for request in requests { state[request.id] = request.isOver ? nil : request }
    }
  }

  func replaceAll(_ requests: [KeptRequest]) {
    let fresh = Dictionary(
      requests.filter { !$0.isOver }.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    state.withLock { $0 = fresh }
  }
}
