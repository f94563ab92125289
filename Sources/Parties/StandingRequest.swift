package import ObjectModel
package import RideMatching
import Threading
import DurableCommands

/// A rider's request that is kept until its window ends and reports through the event feed.
package struct StandingRequest: Hashable, Sendable {
  package var id: String
  package var version: UInt64
  package var createdAt: Instant
  package var query: MatchQuery
  /// All of them; normalised.
  package var tags: [String]
  /// Parties that were reported already.
  package var found: [String]
  /// Set once it is over: by its rider, or by the clock.
  package var endedAt: Instant?

  package var isOver: Bool { endedAt != nil }

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
  private let state = StateLock<[String: StandingRequest]>([:])

  var count: Int { state.withLock { $0.count } }
  var all: [StandingRequest] { state.withLock { Array($0.values) } }

  func request(_ id: String) -> StandingRequest? { state.withLock { $0[id] } }

  func put(_ requests: [StandingRequest]) {
    state.withLock { state in
      for request in requests { state[request.id] = request.isOver ? nil : request }
    }
  }

  func replaceAll(_ requests: [StandingRequest]) {
    let fresh = Dictionary(
      requests.filter { !$0.isOver }.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    state.withLock { $0 = fresh }
  }
}
