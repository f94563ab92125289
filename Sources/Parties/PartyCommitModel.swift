import ObjectModel
import RideMatching
import Threading
import DurableCommands

/// Parties under a ``CommitPipeline``: rules on one side, what readers see on the other.
///
final class PartyCommitModel: CommitModel {
  typealias Command = PartyServiceCommand
  typealias Answer = PartyServiceReply
  typealias Failure = PartyServiceError
  typealias Overlay = PartyOverlay
  typealias Effect = PartyServiceEffect
  typealias Decision = CommitDecision<PartyServiceReply, PartyServiceError, PartyServiceEffect>

  let tenant: String
  let rules: PartyRules
  let book: PartyBook
  let requests: RequestBook
  let layer: PartyLayer
  let feed: EventFeed
  let watchers: MatchWatchers
  let activePartiesPerHost: Int
  let meetings: PartyMeetings
  let timers = PartyTimers()
  /// A value: readers copy it and look at their leisure.
  let index: StateLock<PartyIndex>
  private let sequence: EventSequence

  init(
    tenant: String, rules: PartyRules, book: PartyBook, requests: RequestBook, layer: PartyLayer,
    feed: EventFeed, sequence: EventSequence, watchers: MatchWatchers, activePartiesPerHost: Int,
    meetings: PartyMeetings
  ) {
    self.tenant = tenant
    self.rules = rules
    self.book = book
    self.requests = requests
    self.layer = layer
    self.feed = feed
    self.watchers = watchers
    self.activePartiesPerHost = activePartiesPerHost
    self.meetings = meetings
    index = StateLock(PartyIndex(pricing: rules.pricing))
    self.sequence = sequence
  }

  func makeOverlay(now: Instant) -> PartyOverlay {
    PartyOverlay(book: book, requests: requests, sequence: sequence)
  }

  // MARK: - Publishing

  func apply(_ effects: [PartyServiceEffect]) {
    var entries: [PartyEntry] = []
    var kept: [StandingRequest] = []
    for effect in effects {
      let last: StoredEvent?
      switch effect {
      case .party(let entry, let told, _):
        entries.append(entry)
        last = told.last
      case .request(let request, let told):
        kept.append(request)
        last = told.last
      }
      if let last { sequence.commit(through: last.sequence) }
    }
    book.put(entries)
    requests.put(kept)
  }

  func publish(_ effects: [PartyServiceEffect], now: Instant) {
    var parties: [Party] = []
    var events: [StoredEvent] = []
    for effect in effects {
      switch effect {
      case .party(let entry, let told, let noShows):
        parties.append(entry.party)
        events += told
        for rider in noShows { meetings.noteNoShow(rider, now) }
      case .request(let request, let told):
        timers.set(request)
        events += told
      }
    }
    show(parties, now: now)
    feed.append(events)
    watchers.tell(parties.map(\.id))
  }

  /// Index, layer, timers.
  private func show(_ parties: [Party], now: Instant) {
    guard !parties.isEmpty else { return }
    index.withLock { index in
      for party in parties {
        // One that cannot be priced (its tariff is gone) is found by id and in lists only.
        try? index.update(party)
      }
    }
    layer.show(parties, now: now)
    for party in parties { timers.set(party, rules) }
  }

  func answer(
    to reply: StoredReply, of command: PartyServiceCommand
  ) -> Result<PartyServiceReply, PartyServiceError> {
    if let party = book.party(reply.aggregateID) { return .success(.party(party)) }
    if requests.request(reply.aggregateID) != nil {
      return .success(.request(id: reply.aggregateID))
    }
    return .failure(.unknownParty(reply.aggregateID))
  }

  func failure(_ failure: CommitFailure) -> PartyServiceError { .commit(failure) }

  func forget(endedBefore moment: Instant) {
    book.remove(
      book.all.filter { entry in
        guard entry.interval == nil else { return false }
        return entry.party.stateSince < moment
      }.map(\.party.id))
  }

  // MARK: - Reading the record

  func take(_ newest: [StoredAggregate], now: Instant) {
    var entries: [PartyEntry] = []
    for stored in newest where stored.key.tenant == tenant {
      switch stored.key.kind {
      case .party:
        if let party = try? PartyRecord.decode(stored.bytes) { entries.append(PartyEntry(party)) }
      case .rideRequest:
        if let request = try? StandingRequest(record: stored.bytes) { requests.put([request]) }
      default: break
      }
    }
    book.put(entries)
    show(entries.map(\.party), now: now)
    try? feed.refresh()
    sequence.commit(through: feed.newest)
    watchers.tell(entries.map(\.party.id))
  }

  func reload(from store: any AggregateStore, now: Instant) throws(StoreFailure) {
    var rows: [StoredAggregate] = []
    var kept: [StandingRequest] = []
    try store.loadAggregates(kind: .party) { stored in
      if stored.key.tenant == tenant { rows.append(stored) }
    }
    try store.loadAggregates(kind: .rideRequest) { stored in
      guard stored.key.tenant == tenant else { return }
      kept.append(try Self.readable(stored) { try StandingRequest(record: $0) })
    }
    let read = try concurrentlyMap(rows, threadCount: 2) { stored throws(StoreFailure) in
      let party = try Self.readable(stored) { try PartyRecord.decode($0) }
      return (
        entry: PartyEntry(party), object: party.isActive ? PartyLayer.object(party) : nil
      )
    }
    let entries = read.map(\.entry)
    let before = Set(book.all.map(\.party.id))
    let gone = before.isEmpty ? [] : before.subtracting(entries.map(\.party.id))
    let closed = before.isEmpty ? [] : entries.filter { !$0.party.isActive }.map(\.party.id)
    requests.replaceAll(kept)
    // Index and layer take the longest, and do not know of each other.
    let requested = kept
    concurrently([
      { [self] in
        var fresh = PartyIndex(pricing: rules.pricing)
        for entry in entries { try? fresh.update(entry.party) }
        let ready = fresh
        index.withLock { $0 = ready }
      },
      { [self] in
        book.replaceAll(entries)
        layer.replaceAll(read.compactMap(\.object), gone: Array(gone) + closed, now: now)
        timers.replaceAll(entries.map(\.party), requested, rules)
      },
    ])
    try feed.refresh()
    sequence.restart(after: feed.newest)
    watchers.tellAll()
  }

  private static func readable<T>(
    _ stored: StoredAggregate, _ decode: ([UInt8]) throws -> T
  ) throws(StoreFailure) -> T {
    do {
      return try decode(stored.bytes)
    } catch {
      throw StoreFailure("\(stored.key.kind.rawValue) \(stored.key.id) cannot be read: \(error)")
    }
  }
}
