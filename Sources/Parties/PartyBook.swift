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

/// All parties in memory, by id, by who is aboard and by host.
///
/// Written by the commit thread alone, read by any; the lock is held for a few lookups at a time.
final class PartyBook: Sendable {
  private struct State {
    var entries: [String: PartyEntry] = [:]
    var byRider: [String: Set<String>] = [:]
    var byHost: [String: Set<String>] = [:]

    mutating func put(_ entry: PartyEntry) {
      let party = entry.party
      let old = entries.updateValue(entry, forKey: party.id)?.party
      let oldRiders = old?.riders.map(\.id) ?? []
      let newRiders = party.riders.map(\.id)
      if oldRiders != newRiders {
        for id in oldRiders where !newRiders.contains(id) { unlink(id, party.id, \.byRider) }
        for id in newRiders where !oldRiders.contains(id) {
          byRider[id, default: []].insert(party.id)
        }
      }
      if old?.hostID != party.hostID {
        if let host = old?.hostID { unlink(host, party.id, \.byHost) }
        byHost[party.hostID, default: []].insert(party.id)
      }
    }

    mutating func remove(_ id: String) {
      guard let party = entries.removeValue(forKey: id)?.party else { return }
      for rider in party.riders { unlink(rider.id, id, \.byRider) }
      unlink(party.hostID, id, \.byHost)
    }

    private mutating func unlink(
      _ person: String, _ party: String, _ table: WritableKeyPath<State, [String: Set<String>]>
    ) {
      self[keyPath: table][person]?.remove(party)
      if self[keyPath: table][person]?.isEmpty == true { self[keyPath: table][person] = nil }
    }
  }

  private let state = StateLock(State())

  var count: Int { state.withLock { $0.entries.count } }

  func party(_ id: String) -> Party? { entry(id)?.party }

  func entry(_ id: String) -> PartyEntry? { state.withLock { $0.entries[id] } }

  func entries(_ ids: some Sequence<String>) -> [PartyEntry] {
    state.withLock { state in ids.compactMap { state.entries[$0] } }
  }

  func entries(rider: String) -> [PartyEntry] {
    state.withLock { state in (state.byRider[rider] ?? []).compactMap { state.entries[$0] } }
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

  func entries(host: String) -> [PartyEntry] {
    state.withLock { state in (state.byHost[host] ?? []).compactMap { state.entries[$0] } }
  }

  /// When a person is busy, by the parties they are in.
  func claims(of rider: String) -> [PartyInterval] {
    state.withLock { state in
      guard let ids = state.byRider[rider] else { return [] }
      return ids.compactMap { state.entries[$0]?.interval }
    }
  }

  var all: [PartyEntry] { state.withLock { Array($0.entries.values) } }

  // MARK: Commit thread

  func put(_ entries: [PartyEntry]) {
    state.withLock { state in for entry in entries { state.put(entry) } }
  }

  func replaceAll(_ entries: [PartyEntry]) {
    var fresh = State()
    fresh.entries.reserveCapacity(entries.count)
    for entry in entries { fresh.put(entry) }
    let ready = fresh
    state.withLock { $0 = ready }
  }

  func remove(_ ids: [String]) {
    state.withLock { state in for id in ids { state.remove(id) } }
  }
}
