import LiveLayers
import ObjectModel
import RideMatching
import Threading
import DurableCommands

/// Parties under a ``CommitPipeline``: rules on one side, what readers see on the other.
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
  let commutes: CommuteKeeping
  let recorded: RecordedParties
  let layer: PartyLayer
  let feed: EventFeed
  let watchers: MatchWatchers
  let quotas: PartyQuotas
  let meetings: PartyMeetings
  let timers = PartyTimers()
  /// A value: readers copy it and look at their leisure.
  let index: StateLock<PartyIndex>
  let gap = RecordGap()

  init(
    tenant: String, rules: PartyRules, book: PartyBook, requests: RequestBook,
    commutes: CommuteKeeping, recorded: RecordedParties, layer: PartyLayer, feed: EventFeed,
    watchers: MatchWatchers,
    quotas: PartyQuotas, meetings: PartyMeetings
  ) {
    self.tenant = tenant
    self.rules = rules
    self.book = book
    self.requests = requests
    self.commutes = commutes
    self.recorded = recorded
    self.layer = layer
    self.feed = feed
    self.watchers = watchers
    self.quotas = quotas
    self.meetings = meetings
    index = StateLock(PartyIndex(pricing: rules.pricing))
  }

  func makeOverlay(now: Instant) -> PartyOverlay {
    PartyOverlay(
      book: book, requests: requests, commutes: commutes.overlay(), recorded: recorded)
  }

  // MARK: - Publishing

  func apply(_ effects: [PartyServiceEffect]) {
    var entries: [PartyEntry] = []
    var kept: [StandingRequest] = []
    for effect in effects {
      switch effect {
      case .parties(let changed, _): entries += changed
      case .request(let request, _): kept.append(request)
      case .commute(let effect):
        entries += effect.parties
        kept += effect.requests
        commutes.book.put([effect.commute])
      case .offer(let effect):
        entries += effect.parties
        kept += effect.requests
      case .told: break
      }
    }
    book.put(entries)
    requests.put(kept)
  }

  func publish(_ effects: [PartyServiceEffect], now: Instant) {
    var parties: [Party] = []
    var events: [StoredEvent] = []
    // A new day's request looks for its parties when the follower next looks at anything.
    var newRequests: [String] = []
    var changedOffers: [String] = []
    for effect in effects {
      switch effect {
      case .parties(let changed, let told):
        parties += changed.map(\.party)
        events += told
      case .request(let request, let told):
        timers.set(request)
        events += told
      case .commute(let effect):
        parties += effect.parties.map(\.party)
        for request in effect.requests { timers.set(request) }
        newRequests += effect.requests.filter { !$0.isOver }.map(\.id)
        timers.set(effect.commute, commutes.rules)
        events += effect.events
      case .offer(let effect):
        parties += effect.parties.map(\.party)
        for request in effect.requests { timers.set(request) }
        events += effect.events
        changedOffers.append(effect.offer.id)
      case .told(let told): events += told
      }
    }
    show(parties, now: now)
    feed.append(events)
    watchers.tell(parties.map(\.id) + newRequests + changedOffers)
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
    if case .commute = command { return commuteAnswer(to: reply) }
    if case .answerOffer(let id, _, _, _) = command { return offerAnswer(id, to: reply) }
    let known: Party?
    switch book.place(of: reply.aggregateID) {
    case .memory(let entry): known = entry.party
    case .nowhere: known = nil
    case .record:
      do throws(StoreFailure) {
        known = try recorded.parties([reply.aggregateID])[reply.aggregateID]
      } catch {
        return .failure(.commit(.unreadable(reason: error.reason)))
      }
    }
    if let party = known {
      // Told of a state without the effect, the caller would take it for refused.
      guard party.version >= reply.version else {
        return .failure(.commit(.unavailable(reason: "the record is being read again")))
      }
      return .success(.party(party))
    }
    // What was withdrawn is in memory no longer.
    if case .withdrawRequest = command { return .success(.request(id: reply.aggregateID)) }
    if requests.request(reply.aggregateID) != nil {
      return .success(.request(id: reply.aggregateID))
    }
    return .failure(unknownParty(reply.aggregateID))
  }

  /// What is said of a party that is not in memory.
  func unknownParty(_ id: String) -> PartyServiceError {
    gap.refusal.map { .commit($0) } ?? .unknownParty(id)
  }

  func failure(_ failure: CommitFailure) -> PartyServiceError { .commit(failure) }

  func remove(_ keys: [AggregateKey], now: Instant) {
    let own = keys.filter { $0.tenant == tenant }
    let requestIDs = own.filter { $0.kind == .rideRequest }.map(\.id)
    requests.remove(requestIDs)
    for id in requestIDs { timers.removeRequest(id) }
    removeCommutes(own.filter { $0.kind == .commute }.map(\.id))
    let partyIDs = own.filter { $0.kind == .party }.map(\.id)
    guard !partyIDs.isEmpty else { return }
    book.remove(partyIDs)
    index.withLock { index in for id in partyIDs { index.remove(id: id) } }
    layer.remove(partyIDs, now: now)
    for id in partyIDs { timers.removeParty(id) }
    watchers.tell(partyIDs)
  }

  func forget(endedBefore moment: Instant) {
    book.removeAll(endedBefore: moment)
  }

  // MARK: - Reading the record

  func take(_ newest: [StoredAggregate], now: Instant) {
    var entries: [PartyEntry] = []
    var kept: [StandingRequest] = []
    for stored in newest where stored.key.tenant == tenant {
      switch stored.key.kind {
      case .party:
        if let party = try? PartyRecord.decode(stored.bytes) { entries.append(PartyEntry(party)) }
      case .rideRequest:
        if let request = try? StandingRequest(record: stored.bytes) { kept.append(request) }
      case .commute:
        if let commute = try? CommuteRecord.decode(stored.bytes) { takeCommute(commute) }
      default: break
      }
    }
    book.put(entries)
    requests.take(kept)
    for request in kept { timers.set(request) }
    show(entries.map(\.party), now: now)
    // Who follows kept requests looks at those that are new.
    watchers.tell(
      entries.map(\.party.id) + kept.filter { !$0.isOver }.map(\.id)
        + Set(kept.compactMap(\.offer?.id)))
  }

  func reload(from store: any AggregateStore, now: Instant) throws(StoreFailure) {
    let read = read(store)
    if let failure = read.failure { throw failure }
    show(read, now: now)
    gap.set(nil)
    watchers.tellAll()
  }

  /// Loads what can be read of a record that cannot be read in whole.
  /// - Returns: Why not all of it could be; nil when it could.
  func loadWhatCanBeRead(from store: any AggregateStore, now: Instant) -> StoreFailure? {
    let read = read(store)
    show(read, now: now)
    gap.set(read.failure)
    return read.failure
  }

  private enum LoadedParty: Sendable {
    case underWay(PartyEntry, ContributingObject?)
    case over(EndedParty)
  }

  private struct Loaded: Sendable {
    var parties: [LoadedParty]
    var requests: [StandingRequest]
    var commutes: [Commute]
    /// The first thing that could not be read.
    var failure: StoreFailure?
  }

  private func read(_ store: any AggregateStore) -> Loaded {
    let parties = store.read(.party, tenant: tenant) { bytes -> LoadedParty in
      let party = try PartyRecord.decode(bytes)
      let entry = PartyEntry(party)
      guard entry.interval != nil else { return .over(EndedParty(party)) }
      return .underWay(entry, party.isActive ? PartyLayer.object(party) : nil)
    }
    let requests = store.read(.rideRequest, tenant: tenant) { try StandingRequest(record: $0) }
    let commutes = store.read(.commute, tenant: tenant) { try CommuteRecord.decode($0) }
    return Loaded(
      parties: parties.values, requests: requests.values, commutes: commutes.values,
      failure: parties.failure ?? requests.failure ?? commutes.failure)
  }

  /// Memory holds these parties and requests and no others.
  private func show(_ read: Loaded, now: Instant) {
    let requested = read.requests
    var entries: [PartyEntry] = []
    var objects: [ContributingObject] = []
    var over: [EndedParty] = []
    for party in read.parties {
      switch party {
      case .underWay(let entry, let object):
        entries.append(entry)
        if let object { objects.append(object) }
      case .over(let party): over.append(party)
      }
    }
    // Shown until now, maybe.
    let hidden = Set(book.all.map(\.party.id)).subtracting(
      entries.lazy.filter(\.party.isActive).map(\.party.id))
    let (loaded, shown, ended) = (entries, objects, over)
    let repeated = read.commutes
    requests.replaceAll(requested)
    commutes.book.replaceAll(read.commutes)
    // Index and layer take the longest, and do not know of each other.
    concurrently([
      { [self] in
        var fresh = PartyIndex(pricing: rules.pricing)
        for entry in loaded { try? fresh.update(entry.party) }
        let ready = fresh
        index.withLock { $0 = ready }
      },
      { [self] in
        book.replaceAll(loaded, ended: ended)
        layer.replaceAll(shown, gone: Array(hidden), now: now)
        timers.replaceAll(loaded.map(\.party), requested, rules)
        for commute in repeated { timers.set(commute, commutes.rules) }
      },
    ])
  }
}
