import GeoMath
import ObjectModel
import PeerMatching
import PositionProtection
import Threading

/// All tickets in memory, and those who wait by where others see them.
///
/// Tickets are written by the commit thread alone; signs of life by anyone. A search holds
/// `waitingLock` for reading while it looks.
///
/// `@unchecked`: `waitingLock` guards `waiting`.
final class TicketBook: @unchecked Sendable {
  private struct State {
    var tickets: [String: Ticket] = [:]
    /// Of people who do not wait; soft.
    var seen: [String: Instant] = [:]
  }

  private let state = StateLock(State())
  private let waitingLock = ReadersWriterLock()
  private var waiting: TicketIndex

  init(index: TicketIndex) { waiting = index }

  var count: Int { state.withLock { $0.tickets.count } }

  func ticket(_ id: String) -> Ticket? { state.withLock { $0.tickets[id] } }

  func tickets(_ ids: some Sequence<String>) -> [Ticket] {
    state.withLock { state in ids.compactMap { state.tickets[$0] } }
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
    state.withLock { state in for ticket in tickets { state.tickets[ticket.userID] = ticket } }
  }

  /// Shows them to searches.
  func show(_ tickets: [Ticket]) {
    waitingLock.withWriteLock { for ticket in tickets { waiting.update(ticket) } }
  }

  func replaceAll(_ tickets: [Ticket], index: TicketIndex) {
    var fresh = State()
    fresh.tickets.reserveCapacity(tickets.count)
    for ticket in tickets { fresh.tickets[ticket.userID] = ticket }
    let ready = fresh
    state.withLock { state in
      let seen = state.seen
      state = ready
      state.seen = seen
    }
    waitingLock.withWriteLock { waiting = index }
  }

  /// Drops those of whom nothing need be kept since before a moment.
  func forget(endedBefore moment: Instant) {
    state.withLock { state in
      let gone = state.tickets.values.filter { ticket in
        ticket.forgettableSince.map { $0 < moment } ?? false
      }
      for ticket in gone {
        state.tickets[ticket.userID] = nil
        state.seen[ticket.userID] = nil
      }
    }
  }

  var all: [Ticket] { state.withLock { Array($0.tickets.values) } }
}
