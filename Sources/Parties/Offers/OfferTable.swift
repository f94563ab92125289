import DequeModule
import RideMatching

/// An offer with whose its requests are.
struct OfferEntry: Hashable, Sendable {
  var offer: RideOffer
  /// By request.
  var riders: [String: String] = [:]
  /// Of the requests' records.
  var versions: [String: UInt64] = [:]

  /// The request by which somebody is a member.
  func requestID(of riderID: String) -> String? {
    offer.members.lazy.map(\.requestID).first { riders[$0] == riderID }
  }
}

/// Offers that are open, and the last that ended, by id and by rider. Each stands in the records of its
/// requests; this is where they are found.
struct OfferTable: Sendable {
  private var entries: [String: OfferEntry] = [:]
  private var idsOfRider: [String: Set<String>] = [:]
  private var offerOfRequest: [String: String] = [:]
  private var ended: Deque<String> = []
  static let endedLimit = 4096

  func entry(_ id: String) -> OfferEntry? { entries[id] }

  /// Newest first.
  func entries(rider: String) -> [OfferEntry] {
    (idsOfRider[rider] ?? []).compactMap { entries[$0] }
      .sorted { ($1.offer.createdAt, $1.offer.id) < ($0.offer.createdAt, $0.offer.id) }
  }

  var openCount: Int { entries.count - ended.count }

  /// Takes over what a request's record says of its offer.
  mutating func take(_ request: StandingRequest) {
    guard let offer = request.offer else { return }
    var entry = entries[offer.id] ?? OfferEntry(offer: offer)
    let wasOpen = entries[offer.id]?.offer.isOpen ?? true
    if offer.version >= entry.offer.version { entry.offer = offer }
    entry.riders[request.id] = request.query.riderID
    entry.versions[request.id] = request.version
    entries[offer.id] = entry
    idsOfRider[request.query.riderID, default: []].insert(offer.id)
    offerOfRequest[request.id] = offer.id
    guard wasOpen, !entry.offer.isOpen else { return }
    ended.append(offer.id)
    while ended.count > Self.endedLimit, let oldest = ended.popFirst() { remove(oldest) }
  }

  /// The record has the request no longer.
  mutating func forget(request id: String) {
    guard let offer = offerOfRequest.removeValue(forKey: id),
      let rider = entries[offer]?.riders.removeValue(forKey: id)
    else { return }
    unlink(rider, offer)
  }

  private mutating func remove(_ id: String) {
    guard let entry = entries.removeValue(forKey: id) else { return }
    for (request, rider) in entry.riders {
      unlink(rider, id)
      if offerOfRequest[request] == id { offerOfRequest[request] = nil }
    }
  }

  private mutating func unlink(_ rider: String, _ offer: String) {
    idsOfRider[rider]?.remove(offer)
    if idsOfRider[rider]?.isEmpty == true { idsOfRider[rider] = nil }
  }
}
