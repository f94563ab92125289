import DurableCommands
import GeoMath
import ObjectModel
import PeerMatching
import PointClustering
import LiveLayers
import Threading

/// A committed change of tickets.
struct TicketServiceEffect: CommitEffect {
  var tickets: [Ticket]
  var events: [StoredEvent]

  mutating func giveSequences(from next: inout UInt64) { events.giveSequences(from: &next) }
}

/// The newest tickets with the changes of a batch that is not committed yet. Lives for one batch,
/// on the commit thread.
final class TicketOverlay {
  var changed: [String: Ticket] = [:]
}

/// Tickets under a shared pipeline: rules on one side, what readers see on the other.
final class TicketCommitModel: CommitModel {
  typealias Command = TicketServiceCommand
  typealias Answer = Ticket
  typealias Failure = TicketServiceError
  typealias Overlay = TicketOverlay
  typealias Effect = TicketServiceEffect
  typealias Decision = CommitDecision<Ticket, TicketServiceError, TicketServiceEffect>

  let tenant: String
  let rules: TicketRules
  let book: TicketBook
  let layer: TicketLayer
  let feed: EventFeed
  let times = DueTimes<String>()
  private let gap = RecordGap()
  private let makeIndex: @Sendable () -> TicketIndex

  init(
    tenant: String, rules: TicketRules, layer: TicketLayer, feed: EventFeed,
    makeIndex: @escaping @Sendable () -> TicketIndex
  ) {
    self.tenant = tenant
    self.rules = rules
    self.layer = layer
    self.feed = feed
    self.makeIndex = makeIndex
    book = TicketBook(index: makeIndex())
  }

  func makeOverlay(now: Instant) -> TicketOverlay { TicketOverlay() }

  // MARK: - Deciding

  func decide(
    _ given: TicketServiceCommand, in overlay: inout TicketOverlay, now: Instant
  ) -> Decision {
    let command = given.command
    let known = overlay
    let change: TicketChange
    do throws(TicketError) {
      change = try rules.apply(
        command, now: now, people: { [book] in known.changed[$0] ?? book.ticket($0) },
        crowd: book.crowd(in:))
    } catch {
      return Decision(result: .failure(.rule(error)))
    }
    func newest(_ id: String) -> Ticket {
      change.tickets.first { $0.userID == id } ?? overlay.changed[id] ?? book.ticket(id)
        ?? Ticket(userID: id)
    }
    let answer = newest(command.userID)
    guard !change.isUnchanged else { return Decision(result: .success(answer)) }
    var group = ChangeGroup(
      changes: change.tickets.map { ticket in
        ChangeGroup.Change(
          expectedVersion: ticket.version - 1,
          aggregate: StoredAggregate(
            key: AggregateKey(tenant: tenant, kind: .ticket, id: ticket.userID),
            version: ticket.version, bytes: TicketRecord.encode(ticket),
            summary: summary(ticket)))
      }, claimsMustNotOverlap: false)
    group.events = change.events.map { event in
      TicketEventBody.stored(
        event, newest(event.userID), tenant: tenant)
    }
    if let note = given.note {
      group.events.append(
        note.event(
          of: AggregateKey(tenant: tenant, kind: .ticket, id: command.userID),
          version: answer.version, now: now, body: given.body(note)))
    }
    for ticket in change.tickets { overlay.changed[ticket.userID] = ticket }
    return Decision(
      change: (group, TicketServiceEffect(tickets: change.tickets, events: group.events)),
      result: .success(answer))
  }

  /// The tickets that the rule looked at.
  func expectations(
    of given: TicketServiceCommand, in overlay: TicketOverlay, now: Instant
  ) -> [StateExpectation] {
    var versions: [String: UInt64] = [:]
    _ = try? rules.apply(
      given.command, now: now,
      people: { [book] id in
        let ticket = overlay.changed[id] ?? book.ticket(id)
        versions[id] = ticket?.version ?? 0
        return ticket
      }, crowd: book.crowd(in:))
    return versions.sorted { $0.key < $1.key }.map {
      StateExpectation(
        key: AggregateKey(tenant: tenant, kind: .ticket, id: $0.key), version: $0.value)
    }
  }

  /// For people with GIS, who see no more than other users do.
  private func summary(_ ticket: Ticket) -> AggregateSummary {
    AggregateSummary(
      state: ticket.state.rawValue, ownerID: ticket.userID,
      origin: book.withIndex { $0.shownPosition(of: ticket) }
        ?? Coordinate(uncheckedLatitude: 0, longitude: 0),
      startsAt: ticket.stateSince, endsAt: ticket.expiresAt, endedAt: ticket.forgettableSince)
  }

  // MARK: - Publishing

  func apply(_ effects: [TicketServiceEffect]) {
    for effect in effects {
      book.put(effect.tickets)
    }
  }

  func publish(_ effects: [TicketServiceEffect], now: Instant) {
    show(effects.flatMap(\.tickets), now: now)
    feed.append(effects.flatMap(\.events))
  }

  /// Index, layer, timers: the last state of each.
  private func show(_ tickets: [Ticket], now: Instant) {
    guard !tickets.isEmpty else { return }
    var last: [String: Int] = [:]
    for (i, ticket) in tickets.enumerated() { last[ticket.userID] = i }
    let newest = tickets.enumerated().filter { last[$1.userID] == $0 }.map(\.element)
    book.show(newest)
    layer.show(
      book.withIndex { index in newest.map { ($0, index.shownPosition(of: $0)) } }, now: now)
    for ticket in newest { times.set(ticket.userID, ticket.nextTick) }
  }

  func answer(
    to reply: StoredReply, of given: TicketServiceCommand
  ) -> Result<Ticket, TicketServiceError> {
    if book.ticket(reply.aggregateID) == nil,
      reply.aggregateID.hasPrefix(OperatorNote.pseudonymPrefix)
    {
      return .failure(.rule(.unknown(userID: given.command.userID)))
    }
    // Told of a state without the effect, the caller would take it for refused.
    guard let changed = book.ticket(reply.aggregateID), changed.version >= reply.version else {
      return .failure(.commit(.unavailable(reason: "the record is being read again")))
    }
    return .success(book.ticket(given.command.userID) ?? Ticket(userID: given.command.userID))
  }

  /// What is said of a ticket that is not in memory.
  func unknownTicket(_ id: String) -> TicketServiceError {
    gap.refusal.map { .commit($0) } ?? .rule(.unknown(userID: id))
  }

  func failure(_ failure: CommitFailure) -> TicketServiceError { .commit(failure) }

  func remove(_ keys: [AggregateKey], now: Instant) {
    let ids = keys.filter { $0.tenant == tenant && $0.kind == .ticket }.map(\.id)
    guard !ids.isEmpty else { return }
    book.remove(ids)
    layer.remove(ids, now: now)
    for id in ids { times.set(id, nil) }
  }

  func forget(endedBefore moment: Instant) { book.forget(endedBefore: moment) }

  // MARK: - Reading the record

  func take(_ newest: [StoredAggregate], now: Instant) {
    let tickets = newest.compactMap { stored in
      stored.key.tenant == tenant && stored.key.kind == .ticket
        ? try? TicketRecord.decode(stored.bytes) : nil
    }
    book.put(tickets)
    show(tickets, now: now)
  }

  func reload(from store: any AggregateStore, now: Instant) throws(StoreFailure) {
    let read = read(store)
    if let failure = read.failure { throw failure }
    replaceAll(read.values, now: now)
    gap.set(nil)
  }

  /// Loads what can be read of a record that cannot be read in whole.
  /// - Returns: Why not all of it could be; nil when it could.
  func loadWhatCanBeRead(from store: any AggregateStore, now: Instant) -> StoreFailure? {
    let read = read(store)
    replaceAll(read.values, now: now)
    gap.set(read.failure)
    return read.failure
  }

  private func read(_ store: any AggregateStore) -> RecordReading<KeptTicket> {
    store.read(.ticket, tenant: tenant) { KeptTicket(try TicketRecord.decode($0)) }
  }

  /// Memory holds these tickets and no others.
  private func replaceAll(_ tickets: [KeptTicket], now: Instant) {
    let known = book.ids
    let isFirst = known.isEmpty
    let gone = isFirst ? [] : Set(known).subtracting(tickets.lazy.map(\.ticket.userID))
    // The index takes as long as all the rest, and they do not know of each other.
    concurrently([
      { [self] in
        var index = makeIndex()
        index.reserve(tickets.count)
        for kept in tickets {
          // At a start nobody was heard of yet.
          let seen = isFirst ? kept.ticket.stateSince : book.lastSeen(kept.ticket)
          index.update(kept.ticket, seenAt: seen)
        }
        book.replaceIndex(index)
      },
      { [self] in
        let index = makeIndex()
        var shown: [ContributingObject] = []
        shown.reserveCapacity(tickets.count)
        var hidden = Array(gone)
        for kept in tickets {
          if let position = index.shownPosition(of: kept.ticket), kept.ticket.isWaiting(at: now) {
            shown.append(TicketLayer.object(kept.ticket, at: position))
          } else {
            hidden.append(kept.ticket.userID)
          }
        }
        layer.replaceAll(shown, gone: hidden, now: now)
        book.replaceAll(tickets)
        times.replaceAll(tickets.map { ($0.ticket.userID, $0.ticket.nextTick) })
      },
    ])
  }
}
