import GeoMath
import ObjectModel
import PeerMatching
import PositionProtection
import Threading

/// A ticket where it is kept: 400 bytes that a dictionary need not move, nor leave room for.
final class KeptTicket: Sendable {
  let ticket: Ticket

  init(_ ticket: Ticket) { self.ticket = ticket }
}

/// All tickets in memory, and those who wait by where others see them.
///
/// Tickets are written by the commit thread alone; signs of life by anyone. A search holds
/// `waitingLock` for reading while it looks.
///
/// `@unchecked`: `waitingLock` guards `waiting`.
final class TicketBook: @unchecked Sendable {
  private struct State {
    var tickets: [String: KeptTicket] = [:]
    /// Of people who do not wait; soft.
    var seen: [String: Instant] = [:]
  }

  private let state = StateLock(State())
  private let waitingLock = ReadersWriterLock()
  private var waiting: TicketIndex

  init(index: TicketIndex) { waiting = index }

  var count: Int { state.withLock { $0.tickets.count } }

  func ticket(_ id: String) -> Ticket? { state.withLock { $0.tickets[id]?.ticket } }

  func tickets(_ ids: some Sequence<String>) -> [Ticket] {
    state.withLock { state in ids.compactMap { state.tickets[$0]?.ticket } }
  }

  func withIndex<T, Failure: Error>(
    _ body: (TicketIndex) throws(Failure) -> T
  ) throws(Failure) -> T {
    try waitingLock.withReadLock { Result { () throws(Failure) in try body(waiting) } }.get()
  }

  func crowd(in cell: ProtectedCell) -> Int { withIndex { $0.crowd(in: cell) } }

  /// When a person was heard of last, as far as is known.
  func lastSeen(_ ticket: Ticket) -> Instant {
    if let seen = withIndex({ $0.lastSeen(ticket.userID) }) { return seen }
    return state.withLock { $0.seen[ticket.userID] } ?? ticket.stateSince
  }

  /// A sign of life.
  func touch(_ userID: String, at now: Instant) {
    let waits = waitingLock.withWriteLock { waiting.touch(userID, at: now) }
    guard !waits else { return }
    state.withLock { state in
      if state.tickets[userID] != nil { state.seen[userID] = now }
    }
  }

  // MARK: Commit thread

  /// Takes over newest states; whoever acted is heard of.
  func put(_ tickets: [Ticket]) {
    state.withLock { state in
      for ticket in tickets { state.tickets[ticket.userID] = KeptTicket(ticket) }
    }
  }

  /// Shows them to searches.
  func show(_ tickets: [Ticket]) {
    waitingLock.withWriteLock { for ticket in tickets { waiting.update(ticket) } }
  }

  /// These tickets and no others; searches see the index they had until ``replaceIndex(_:)``.
  func replaceAll(_ tickets: [KeptTicket]) {
    var fresh = State()
    fresh.tickets.reserveCapacity(tickets.count)
    for kept in tickets { fresh.tickets[kept.ticket.userID] = kept }
    let ready = fresh
    state.withLock { state in
      let seen = state.seen
      state = ready
      state.seen = seen
    }
  }

  func replaceIndex(_ index: TicketIndex) { waitingLock.withWriteLock { waiting = index } }

  /// Drops those of whom nothing need be kept since before a moment.
  func forget(endedBefore moment: Instant) {
    state.withLock { state in
      let gone = state.tickets.filter { _, kept in
        kept.ticket.forgettableSince.map { $0 < moment } ?? false
      }
      for id in gone.keys {
        state.tickets[id] = nil
        state.seen[id] = nil
      }
    }
  }

  /// Drops them, whatever they are, from searches as well.
  func remove(_ ids: [String]) {
    state.withLock { state in
      for id in ids {
        state.tickets[id] = nil
        state.seen[id] = nil
      }
    }
    waitingLock.withWriteLock { for id in ids { waiting.remove(id) } }
  }

  var ids: [String] { state.withLock { Array($0.tickets.keys) } }
}
