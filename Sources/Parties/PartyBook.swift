import DequeModule
import DurableCommands
import ObjectModel
import RideMatching
import Threading

/// A party that readers share without copying it.
final class PartyEntry: Sendable {
  let party: Party
  /// When its riders are busy; nil once it is over.
  let interval: PartyInterval?

  init(_ party: Party) {
    self.party = party
    switch party.state {
    case .open, .full, .departed: interval = party.interval
    case .cancelled, .ended: interval = nil
    }
  }
}

/// What memory keeps of a party that is over and stands in the record alone.
struct EndedParty: Sendable {
  let summary: EndedAggregates.Summary
  let people: [EndedAggregates.Person]

  init(_ party: Party) {
    summary = EndedAggregates.Summary(
      id: party.id, createdAt: party.createdAt, endedAt: party.stateSince)
    people = [Self.host(party.hostID)] + party.riders.map { Self.rider($0.id) }
  }

  static func host(_ id: String) -> EndedAggregates.Person { .init(id, role: 0) }
  static func rider(_ id: String) -> EndedAggregates.Person { .init(id, role: 1) }
}

/// All parties under way and the last that ended, by id, by who is aboard and by host; of others that
/// are over, who was in them.
///
/// Written by the commit thread alone, read by any; the lock is held for a few lookups at a time.
final class PartyBook: Sendable {
  /// Where a party is.
  enum Place {
    case memory(PartyEntry)
    /// It is over, and ended a while ago.
    case record
    case nowhere
  }

  private struct State {
    var entries: [String: PartyEntry] = [:]
    var byRider: [String: Set<String>] = [:]
    var byHost: [String: Set<String>] = [:]
    /// By who waits for the host's word.
    var byRequester: [String: Set<String>] = [:]
    /// Ids of ``entries`` that are over, in the order of their ending.
    var justEnded: Deque<String> = []
    var ended = EndedAggregates()

    /// At most so many parties that are over stay in memory as `limit` says.
    mutating func put(_ entry: PartyEntry, limit: Int) {
      let party = entry.party
      let old = entries.updateValue(entry, forKey: party.id)
      ended.remove(party.id)
      let oldRiders = old?.party.riders.map(\.id) ?? []
      let newRiders = party.riders.map(\.id)
      if oldRiders != newRiders {
        for id in oldRiders where !newRiders.contains(id) { unlink(id, party.id, \.byRider) }
        for id in newRiders where !oldRiders.contains(id) {
          byRider[id, default: []].insert(party.id)
        }
      }
      if old?.party.hostID != party.hostID {
        if let host = old?.party.hostID { unlink(host, party.id, \.byHost) }
        byHost[party.hostID, default: []].insert(party.id)
      }
      relinkRequests(of: party, old?.party)
      guard entry.interval == nil, old == nil || old?.interval != nil else { return }
      justEnded.append(party.id)
      while justEnded.count > limit, let id = justEnded.popFirst() { leaveToRecord(id) }
    }

    private mutating func relinkRequests(of party: Party, _ old: Party?) {
      let before = old?.pendingRequests.map(\.riderID) ?? []
      let now = party.pendingRequests.map(\.riderID)
      guard before != now else { return }
      for id in before where !now.contains(id) { unlink(id, party.id, \.byRequester) }
      for id in now { byRequester[id, default: []].insert(party.id) }
    }

    private mutating func leaveToRecord(_ id: String) {
      guard let entry = entries[id], entry.interval == nil else { return }
      let over = EndedParty(entry.party)
      remove(id)
      ended.insert(over.summary, concerning: over.people)
    }

    mutating func remove(_ id: String) {
      guard let party = entries.removeValue(forKey: id)?.party else { return }
      for rider in party.riders { unlink(rider.id, id, \.byRider) }
      unlink(party.hostID, id, \.byHost)
      for request in party.pendingRequests { unlink(request.riderID, id, \.byRequester) }
    }

    private mutating func unlink(
      _ person: String, _ party: String, _ table: WritableKeyPath<State, [String: Set<String>]>
    ) {
      self[keyPath: table][person]?.remove(party)
      if self[keyPath: table][person]?.isEmpty == true { self[keyPath: table][person] = nil }
    }
  }

  private let state = StateLock(State())
  private let endedInMemory: Int

  /// - Parameter endedInMemory: Parties that are over and stay in memory, those that ended last.
  init(endedInMemory: Int) { self.endedInMemory = max(0, endedInMemory) }

  /// All, in memory or not.
  var count: Int { state.withLock { $0.entries.count + $0.ended.count } }

  func party(_ id: String) -> Party? { entry(id)?.party }

  func entry(_ id: String) -> PartyEntry? { state.withLock { $0.entries[id] } }

  func place(of id: String) -> Place {
    state.withLock { state in
      if let entry = state.entries[id] { return .memory(entry) }
      return state.ended.contains(id) ? .record : .nowhere
    }
  }

  func entries(_ ids: some Sequence<String>) -> [PartyEntry] {
    state.withLock { state in ids.compactMap { state.entries[$0] } }
  }

  /// Those in memory.
  func entries(rider: String) -> [PartyEntry] { parties(rider: rider).entries }

  /// Those in memory.
  func entries(host: String) -> [PartyEntry] { parties(host: host).entries }

  /// Those in memory, and what may be theirs in the record.
  func parties(rider: String) -> (entries: [PartyEntry], ended: [EndedAggregates.Summary]) {
    state.withLock { state in
      (
        (state.byRider[rider] ?? []).compactMap { state.entries[$0] },
        state.ended.summaries(of: EndedParty.rider(rider))
      )
    }
  }

  /// Those in memory, and what may be theirs in the record.
  func parties(host: String) -> (entries: [PartyEntry], ended: [EndedAggregates.Summary]) {
    state.withLock { state in
      (
        (state.byHost[host] ?? []).compactMap { state.entries[$0] },
        state.ended.summaries(of: EndedParty.host(host))
      )
    }
  }

  /// The ids of parties in which a request of a person's is pending.
  func partyIDs(requester: String) -> [String] {
    state.withLock { state in Array(state.byRequester[requester] ?? []) }
  }

  /// How many parties under way a person hosts, those aside that `isPassedOver` names.
  /// - Complexity: O(parties of the host).
  func activeParties(hostedBy host: String, passingOver isPassedOver: (String) -> Bool) -> Int {
    state.withLock { state in
      (state.byHost[host] ?? []).count {
        !isPassedOver($0) && state.entries[$0]?.interval != nil
      }
    }
  }

  /// When a person is busy, by the parties they are in.
  func claims(of rider: String) -> [PartyInterval] {
    state.withLock { state in
      guard let ids = state.byRider[rider] else { return [] }
      return ids.compactMap { state.entries[$0]?.interval }
    }
  }

  /// Those in memory.
  var all: [PartyEntry] { state.withLock { Array($0.entries.values) } }

  // MARK: Commit thread

  func put(_ entries: [PartyEntry]) {
    state.withLock { state in for entry in entries { state.put(entry, limit: endedInMemory) } }
  }

  func replaceAll(_ entries: [PartyEntry], ended: [EndedParty]) {
    var fresh = State()
    fresh.entries.reserveCapacity(entries.count)
    for entry in entries { fresh.put(entry, limit: endedInMemory) }
    for over in ended { fresh.ended.insert(over.summary, concerning: over.people) }
    let ready = fresh
    state.withLock { $0 = ready }
  }

  /// Drops them, whatever they are: the record has them no longer.
  func remove(_ ids: [String]) {
    state.withLock { state in
      for id in ids {
        state.remove(id)
        state.ended.remove(id)
      }
    }
  }

  /// Drops those that were over before a moment: the record has them no longer.
  /// - Complexity: O(all); the lock is held for what is dropped of memory.
  func removeAll(endedBefore moment: Instant) {
    var (gone, ended) = state.withLock { state in
      (
        state.entries.values.filter { $0.interval == nil && $0.party.stateSince < moment },
        state.ended
      )
    }
    // Readers go on with the one before meanwhile.
    ended.removeAll(endedBefore: moment)
    state.withLock { state in
      for entry in gone { state.remove(entry.party.id) }
      state.ended = ended
    }
  }
}
