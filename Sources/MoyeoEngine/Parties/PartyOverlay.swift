import ObjectModel
import RideMatching

/// The newest parties with the changes of a batch that is not committed yet.
struct PartyOverlay {
  let book: PartyBook
  let requests: RequestBook
  private(set) var changed: [String: PartyEntry] = [:]
  private(set) var changedRequests: [String: KeptRequest] = [:]
  /// Of the next event.
  var nextSequence: UInt64

  init(book: PartyBook, requests: RequestBook, nextSequence: UInt64) {
    self.book = book
    self.requests = requests
    self.nextSequence = nextSequence
  }

  func party(_ id: String) -> Party? { changed[id]?.party ?? book.party(id) }

  func request(_ id: String) -> KeptRequest? { changedRequests[id] ?? requests.request(id) }

  /// When a person is busy.
  func claims(of rider: String) -> [PartyInterval] {
    var claims = book.claims(of: rider)
    guard !changed.isEmpty else { return claims }
    claims.removeAll { changed[$0.partyID] != nil }
    for entry in changed.values {
      guard let interval = entry.interval, entry.party.riders.contains(where: { $0.id == rider })
      else { continue }
      claims.append(interval)
    }
    return claims
  }

  mutating func put(_ entry: PartyEntry) { changed[entry.party.id] = entry }

  mutating func put(_ request: KeptRequest) { changedRequests[request.id] = request }
}
