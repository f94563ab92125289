import ObjectModel
import RideMatching
import DurableCommands

/// The newest parties with the changes of a batch that is not committed yet. Lives for one batch, on
/// the commit thread; a class, so that rules may ask it while it is passed on.
final class PartyOverlay {
  let book: PartyBook
  let requests: RequestBook
  let commutes: CommuteOverlay
  private let recorded: RecordedParties
  /// What a command of the batch wanted of the record: no party, where there is none.
  private var fromRecord: [String: Result<Party?, StoreFailure>] = [:]
  private(set) var changed: [String: PartyEntry] = [:]
  /// By rider: changed parties in which they are, or were within this batch.
  private var partiesOfRiders: [String: [String]] = [:]
  private(set) var changedRequests: [String: StandingRequest] = [:]

  init(
    book: PartyBook, requests: RequestBook, commutes: CommuteOverlay, recorded: RecordedParties
  ) {
    self.book = book
    self.requests = requests
    self.commutes = commutes
    self.recorded = recorded
  }

  /// One that is over is read from the record, which blocks.
  func party(_ id: String) -> Party? {
    if let known = changed[id] { return known.party }
    switch book.place(of: id) {
    case .memory(let entry): return entry.party
    case .nowhere: return nil
    case .record:
      if fromRecord[id] == nil {
        fromRecord[id] = Result { () throws(StoreFailure) in try recorded.parties([id])[id] }
      }
      return try? fromRecord[id]?.get()
    }
  }

  /// Why ``party(_:)`` could not tell; nil where it could.
  func unread(_ id: String) -> StoreFailure? {
    guard case .failure(let failure) = fromRecord[id] else { return nil }
    return failure
  }

  func request(_ id: String) -> StandingRequest? { changedRequests[id] ?? requests.request(id) }

  /// Of several records of one offer the newest.
  func offer(_ id: String) -> OfferEntry? {
    var entry = requests.offer(id)
    for request in changedRequests.values {
      guard let offer = request.offer, offer.id == id else { continue }
      if entry == nil || offer.version >= entry?.offer.version ?? 0 {
        entry = OfferEntry(
          offer: offer, riders: entry?.riders ?? [:], versions: entry?.versions ?? [:])
      }
      entry?.riders[request.id] = request.query.riderID
      entry?.versions[request.id] = request.version
    }
    return entry
  }

  func hasOpenOffer(rider: String) -> Bool {
    requests.requests(rider: rider).contains { changedRequests[$0.id] == nil && $0.hasOpenOffer }
      || changedRequests.values.contains { $0.query.riderID == rider && $0.hasOpenOffer }
  }

  /// The version with which a request ended that memory has no longer, as far as that is known: if it
  /// is not, who expects that there is none is told.
  func endedVersion(ofRequest id: String) -> UInt64? { requests.endedVersion(id) }

  /// When a person is busy.
  func claims(of rider: String) -> [PartyInterval] {
    var claims = book.claims(of: rider)
    guard !changed.isEmpty else { return claims }
    claims.removeAll { changed[$0.partyID] != nil }
    for id in partiesOfRiders[rider] ?? [] {
      guard let entry = changed[id], let interval = entry.interval,
        entry.party.riders.contains(where: { $0.id == rider })
      else { continue }
      claims.append(interval)
    }
    return claims
  }

  /// How many parties under way a person hosts.
  func activeParties(hostedBy host: String) -> Int {
    let stored = book.activeParties(hostedBy: host, passingOver: { changed[$0] != nil })
    return changed.values.reduce(stored) {
      $0 + ($1.party.hostID == host && $1.interval != nil ? 1 : 0)
    }
  }

  /// The ids of parties under way that a person hosts.
  func partiesUnderWay(hostedBy host: String) -> [String] {
    let stored = book.entries(host: host).filter { changed[$0.party.id] == nil }
    return (stored + changed.values.filter { $0.party.hostID == host })
      .filter { $0.interval != nil }.map(\.party.id)
  }

  /// The ids of parties in which a request of a person's is pending, in their order.
  func partiesRequested(by rider: String) -> [String] {
    let stored = book.partyIDs(requester: rider).filter { changed[$0] == nil }
    let fresh = changed.values.filter { entry in
      entry.party.joinRequests.contains { $0.isPending && $0.riderID == rider }
    }
    return (stored + fresh.map(\.party.id)).sorted()
  }

  func put(_ entry: PartyEntry) {
    let id = entry.party.id
    changed[id] = entry
    for rider in entry.party.riders where partiesOfRiders[rider.id]?.contains(id) != true {
      partiesOfRiders[rider.id, default: []].append(id)
    }
  }

  func put(_ request: StandingRequest) { changedRequests[request.id] = request }

  /// How many requests are kept: all, or those of one rider.
  func keptRequests(of rider: String? = nil) -> Int {
    let stored = rider.map(requests.count(rider:)) ?? requests.count
    return changedRequests.values.reduce(stored) { count, request in
      guard rider == nil || request.query.riderID == rider else { return count }
      let wasKept = requests.request(request.id) != nil
      return count + (request.isOver ? 0 : 1) - (wasKept ? 1 : 0)
    }
  }
}
