import DurableCommands
import GeoMath
import ObjectModel
import Threading

/// The smallest state that a commit pipeline is worth testing with: guests join a dinner until its
/// seats are taken.
struct Dinner: Hashable, Sendable {
  var id: String
  var seats: Int
  var guests: [String]
  var version: UInt64 = 1

  /// Is `seats version guest guest …`.
  var bytes: [UInt8] {
    Array("\(seats) \(version) \(guests.joined(separator: " "))".utf8)
  }

  init(id: String, seats: Int, guests: [String], version: UInt64 = 1) {
    self.id = id
    self.seats = seats
    self.guests = guests
    self.version = version
  }

  init(_ stored: StoredAggregate) throws {
    let words = String(decoding: stored.bytes, as: UTF8.self).split(separator: " ").map(String.init)
    guard words.count >= 2, let seats = Int(words[0]), let version = UInt64(words[1]) else {
      throw StoreFailure("\(stored.key.id) is no dinner", isDamage: true)
    }
    self.init(id: stored.key.id, seats: seats, guests: Array(words[2...]), version: version)
  }

  /// The dinner as a store keeps it.
  func stored(_ kind: AggregateKind) -> StoredAggregate {
    let nowhere = Coordinate(uncheckedLatitude: 0, longitude: 0)
    return StoredAggregate(
      key: AggregateKey(tenant: DinnerModel.tenant, kind: kind, id: id), version: version,
      bytes: bytes,
      summary: AggregateSummary(
        state: "open", ownerID: guests[0], origin: nowhere, startsAt: DinnerFixture.start,
        endsAt: DinnerFixture.start))
  }
}

enum DinnerCommand: Hashable, Sendable {
  case announce(id: String, seats: Int, host: String)
  case join(id: String, guest: String)
}

enum DinnerFailure: Error, Hashable, Sendable {
  case full
  case unknown
  case exists
  case commit(CommitFailure)
}

struct DinnerEffect: CommitEffect {
  var dinner: Dinner
  var event: StoredEvent

  mutating func giveSequences(from next: inout UInt64) {
    event.sequence = next
    next += 1
  }
}

/// Dinners of one kind under a pipeline.
final class DinnerModel: CommitModel {
  static let tenant = "default"

  private let kind: AggregateKind
  private let feed: EventFeed
  private let committed = StateLock<[String: Dinner]>([:])
  private let shown = StateLock<[String: Dinner]>([:])

  init(kind: AggregateKind, feed: EventFeed) {
    self.kind = kind
    self.feed = feed
  }

  /// What readers see.
  subscript(id: String) -> Dinner? { shown.withLock { $0[id] } }
  var count: Int { shown.withLock { $0.count } }

  func makeOverlay(now: Instant) -> [String: Dinner] { [:] }

  func decide(
    _ command: DinnerCommand, in overlay: inout [String: Dinner], now: Instant
  ) -> CommitDecision<Dinner, DinnerFailure, DinnerEffect> {
    let changed: Dinner
    switch command {
    case .announce(let id, let seats, let host):
      guard newest(id, overlay) == nil else { return CommitDecision(result: .failure(.exists)) }
      changed = Dinner(id: id, seats: seats, guests: [host])
    case .join(let id, let guest):
      guard var dinner = newest(id, overlay) else {
        return CommitDecision(result: .failure(.unknown))
      }
      guard dinner.guests.count < dinner.seats else {
        return CommitDecision(result: .failure(.full))
      }
      dinner.guests.append(guest)
      dinner.version += 1
      changed = dinner
    }
    overlay[changed.id] = changed
    let event = StoredEvent(
      tenant: Self.tenant, kind: "\(kind.rawValue).changed", at: now,
      aggregateID: changed.id, userIDs: changed.guests, version: changed.version, body: [])
    let group = ChangeGroup(
      changes: [
        ChangeGroup.Change(expectedVersion: changed.version - 1, aggregate: changed.stored(kind))
      ], events: [event])
    return CommitDecision(
      change: (group, DinnerEffect(dinner: changed, event: event)), result: .success(changed))
  }

  func expectations(
    of command: DinnerCommand, in overlay: [String: Dinner], now: Instant
  ) -> [StateExpectation] {
    let id =
      switch command {
      case .announce(let id, _, _), .join(let id, _): id
      }
    return [
      StateExpectation(
        key: AggregateKey(tenant: Self.tenant, kind: kind, id: id),
        version: newest(id, overlay)?.version ?? 0)
    ]
  }

  private func newest(_ id: String, _ overlay: [String: Dinner]) -> Dinner? {
    overlay[id] ?? committed.withLock { $0[id] }
  }

  func apply(_ effects: [DinnerEffect]) {
    for effect in effects { committed.withLock { $0[effect.dinner.id] = effect.dinner } }
  }

  func publish(_ effects: [DinnerEffect], now: Instant) {
    for effect in effects { shown.withLock { $0[effect.dinner.id] = effect.dinner } }
    feed.append(effects.map(\.event))
  }

  func answer(
    to reply: StoredReply, of command: DinnerCommand
  ) -> Result<Dinner, DinnerFailure> {
    // What is committed may not be shown yet.
    let newest = committed.withLock { $0[reply.aggregateID] }
    guard let dinner = newest, dinner.version >= reply.version else {
      return .failure(.commit(.unavailable(reason: "the dinner is not in memory")))
    }
    return .success(dinner)
  }

  func take(_ newest: [StoredAggregate], now: Instant) {
    for stored in newest where stored.key.kind == kind {
      guard let dinner = try? Dinner(stored) else { continue }
      committed.withLock { $0[dinner.id] = dinner }
      shown.withLock { $0[dinner.id] = dinner }
    }
  }

  func reload(from store: any AggregateStore, now: Instant) throws(StoreFailure) {
    var all: [String: Dinner] = [:]
    try store.loadAggregates(kind: kind) { all[$0.key.id] = try Dinner($0) }
    let read = all
    committed.withLock { $0 = read }
    shown.withLock { $0 = read }
  }

  func forget(endedBefore moment: Instant) {}
  func failure(_ failure: CommitFailure) -> DinnerFailure { .commit(failure) }
}
