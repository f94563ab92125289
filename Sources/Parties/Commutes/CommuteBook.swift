import DurableCommands
import ObjectModel
import RideMatching
import Threading

extension AggregateKind {
  static let commute = AggregateKind(rawValue: "commute")
}

/// All commutes under way, by id and by who has a part in them. Written by the commit thread alone.
final class CommuteBook: Sendable {
  private struct State {
    var byID: [String: Commute] = [:]
    /// Owners and riders of the series; people with none are not listed.
    var idsOfPerson: [String: Set<String>] = [:]

    mutating func put(_ commute: Commute) {
      remove(commute.id)
      guard commute.isActive else { return }
      byID[commute.id] = commute
      for person in commute.people { idsOfPerson[person, default: []].insert(commute.id) }
    }

    mutating func remove(_ id: String) {
      guard let known = byID.removeValue(forKey: id) else { return }
      for person in known.people {
        idsOfPerson[person]?.remove(id)
        if idsOfPerson[person]?.isEmpty == true { idsOfPerson[person] = nil }
      }
    }
  }

  private let state = StateLock(State())

  var count: Int { state.withLock { $0.byID.count } }

  func commute(_ id: String) -> Commute? { state.withLock { $0.byID[id] } }

  /// Those that somebody owns or rides with each day, oldest first.
  func commutes(of person: String) -> [Commute] {
    state.withLock { state in (state.idsOfPerson[person] ?? []).compactMap { state.byID[$0] } }
      .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
  }

  /// How many somebody owns, those aside that `isPassedOver` names.
  func count(owner: String, passingOver isPassedOver: (String) -> Bool) -> Int {
    state.withLock { state in
      (state.idsOfPerson[owner] ?? []).count {
        !isPassedOver($0) && state.byID[$0]?.ownerID == owner
      }
    }
  }

  func put(_ commutes: [Commute]) {
    state.withLock { state in for commute in commutes { state.put(commute) } }
  }

  func remove(_ ids: [String]) {
    state.withLock { state in for id in ids { state.remove(id) } }
  }

  func replaceAll(_ commutes: [Commute]) {
    var fresh = State()
    for commute in commutes { fresh.put(commute) }
    let ready = fresh
    state.withLock { $0 = ready }
  }
}

extension Commute {
  fileprivate var people: Set<String> { Set([ownerID] + riders.map(\.join.riderID)) }
}

/// What a ``PartyCommitModel`` has of commutes.
struct CommuteKeeping: Sendable {
  let rules: CommuteRules
  let book = CommuteBook()
  let perPerson: Int
  let maximum: Int
  private let tenant: String
  private let store: any AggregateStore

  init(
    _ configuration: CommuteServiceConfiguration, tenant: String, store: any AggregateStore
  ) {
    rules = CommuteRules(
      configuration: configuration.rules,
      calendars: CommuteCalendars(
        offsets: { TimeZoneTables.shared.offsets($0) }, configuration.calendars))
    perPerson = configuration.perPerson
    maximum = configuration.maximum
    self.tenant = tenant
    self.store = store
  }

  func overlay() -> CommuteOverlay { CommuteOverlay(self) }

  /// One in memory, or one that is over, from the record. Blocks where it is not in memory.
  func commute(_ id: String) throws(StoreFailure) -> Commute? {
    if let known = book.commute(id) { return known }
    guard
      let stored = try store.aggregates(kind: .commute, tenant: tenant, ids: [id]).first
    else { return nil }
    do {
      return try CommuteRecord.decode(stored.bytes)
    } catch {
      throw StoreFailure("commute \(id) cannot be read: \(error)", isDamage: true)
    }
  }
}

/// Commutes with the changes of a batch that is not committed yet; see ``PartyOverlay``.
final class CommuteOverlay {
  private let keeping: CommuteKeeping
  private var changed: [String: Commute] = [:]

  init(_ keeping: CommuteKeeping) { self.keeping = keeping }

  /// - Throws: `unreadable` for one that may be over, where the record does not tell.
  func commute(_ id: String) throws(PartyServiceError) -> Commute? {
    if let known = changed[id] { return known }
    do throws(StoreFailure) {
      return try keeping.commute(id)
    } catch {
      throw .commit(.unreadable(reason: error.reason))
    }
  }

  /// One that is under way.
  func active(_ id: String) -> Commute? {
    let known = changed[id] ?? keeping.book.commute(id)
    return known?.isActive == true ? known : nil
  }

  /// How many are under way.
  var count: Int {
    changed.values.reduce(keeping.book.count) { count, commute in
      count + (commute.isActive ? 1 : 0) - (keeping.book.commute(commute.id) == nil ? 0 : 1)
    }
  }

  /// How many of them somebody owns.
  func count(owner: String) -> Int {
    let stored = keeping.book.count(owner: owner, passingOver: { changed[$0] != nil })
    return changed.values.reduce(stored) {
      $0 + ($1.isActive && $1.ownerID == owner ? 1 : 0)
    }
  }

  func put(_ commute: Commute) { changed[commute.id] = commute }
}
