import DequeModule
package import ObjectModel
package import RideMatching
import Threading
import DurableCommands

/// A rider's request that is kept until its window ends and reports through the event feed.
package struct StandingRequest: Hashable, Sendable {
  package var id: String
  /// The commute of which it is a day; nil: it stands for itself.
  package var commuteID: String?
  package var version: UInt64
  package var createdAt: Instant
  package var query: MatchQuery
  /// All of them; normalised.
  package var tags: [String]
  /// Parties that were reported already.
  package var found: [String]
  /// The last one it was told of together with others, open or ended; nil: none yet.
  package var offer: RideOffer?
  /// Offers that its rider declined or let pass.
  package var refusedOffers = 0
  /// Requests with which its rider did not want to share.
  package var avoids: [String] = []
  /// Set once it is over: by its rider, or by the clock.
  package var endedAt: Instant?

  package var isOver: Bool { endedAt != nil }
  package var hasOpenOffer: Bool { !isOver && offer?.isOpen == true }

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
  private struct State {
    var byID: [String: StandingRequest] = [:]
    /// Of the last that others ended, their versions; and in which order they came.
    var endedVersions: [String: UInt64] = [:]
    var endedOrder: Deque<String> = []
    /// Riders with none are not listed.
    var idsOfRider: [String: Set<String>] = [:]
    var offers = OfferTable()

    mutating func put(_ request: StandingRequest) {
      offers.take(request)
      let rider = request.query.riderID
      guard request.isOver else {
        byID[request.id] = request
        idsOfRider[rider, default: []].insert(request.id)
        return
      }
      byID[request.id] = nil
      idsOfRider[rider]?.remove(request.id)
      if idsOfRider[rider]?.isEmpty == true { idsOfRider[rider] = nil }
    }
  }

  private static let endedLimit = 4096
  private let state = StateLock(State())

  var count: Int { state.withLock { $0.byID.count } }
  var all: [StandingRequest] { state.withLock { Array($0.byID.values) } }

  func count(rider: String) -> Int { state.withLock { $0.idsOfRider[rider]?.count ?? 0 } }

  /// Oldest first.
  func requests(rider: String) -> [StandingRequest] {
    state.withLock { state in (state.idsOfRider[rider] ?? []).compactMap { state.byID[$0] } }
      .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
  }

  func request(_ id: String) -> StandingRequest? { state.withLock { $0.byID[id] } }

  func offer(_ id: String) -> OfferEntry? { state.withLock { $0.offers.entry(id) } }

  /// Open ones and the last that ended, newest first.
  func offers(rider: String) -> [OfferEntry] { state.withLock { $0.offers.entries(rider: rider) } }

  var openOffers: Int { state.withLock { $0.offers.openCount } }

  func put(_ requests: [StandingRequest]) {
    state.withLock { state in
      for request in requests { state.put(request) }
    }
  }

  /// Takes over what the record has. What is refused since a request is over rests on the version with
  /// which it ended, so that some of these are remembered.
  func take(_ requests: [StandingRequest]) {
    state.withLock { state in
      for request in requests {
        state.put(request)
        guard request.isOver,
          state.endedVersions.updateValue(request.version, forKey: request.id) == nil
        else { continue }
        state.endedOrder.append(request.id)
        guard state.endedOrder.count > Self.endedLimit, let oldest = state.endedOrder.popFirst()
        else { continue }
        state.endedVersions[oldest] = nil
      }
    }
  }

  func endedVersion(_ id: String) -> UInt64? { state.withLock { $0.endedVersions[id] } }

  func remove(_ ids: [String]) {
    state.withLock { state in
      for id in ids {
        state.offers.forget(request: id)
        guard var request = state.byID[id] else { continue }
        request.offer = nil
        request.endedAt = request.endedAt ?? request.createdAt
        state.put(request)
        state.endedVersions[id] = nil
      }
    }
  }

  func replaceAll(_ requests: [StandingRequest]) {
    var fresh = State()
    // Of what is over the offers are remembered, the last ones.
    let over = requests.filter { $0.isOver && $0.offer != nil }
      .sorted { ($0.endedAt ?? $0.createdAt) < ($1.endedAt ?? $1.createdAt) }
    for request in over.suffix(OfferTable.endedLimit) { fresh.offers.take(request) }
    for request in requests where !request.isOver { fresh.put(request) }
    state.withLock { $0 = fresh }
  }
}
