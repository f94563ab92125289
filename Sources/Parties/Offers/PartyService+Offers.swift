package import DurableCommands
import ObjectModel
package import RideMatching

/// An offer as one of its riders sees it.
package struct PartyRideOffer: Hashable, Sendable {
  package var offer: RideOffer
  package var riderID: String
  /// The rider's.
  package var requestID: String
  /// The rider's terms.
  package var own: RideOffer.Member

  /// Nil for who is not a member.
  init?(_ entry: OfferEntry, riderID: String) {
    guard let id = entry.requestID(of: riderID), let own = entry.offer.member(id) else {
      return nil
    }
    offer = entry.offer
    self.riderID = riderID
    requestID = id
    self.own = own
  }
}

extension PartyService {
  /// The offers of a rider: open ones and the last that ended, newest first.
  package func rideOffers(of riderID: String) -> [PartyRideOffer] {
    model.requests.offers(rider: riderID).compactMap { PartyRideOffer($0, riderID: riderID) }
  }

  /// An offer as one of its riders sees it.
  /// - Throws: `unknownOffer`, also where it was made to others.
  package func rideOffer(
    _ id: String, riderID: String
  ) throws(PartyServiceError) -> PartyRideOffer {
    guard let entry = model.requests.offer(id), let mine = PartyRideOffer(entry, riderID: riderID)
    else { throw .unknownOffer(id) }
    return mine
  }

  /// A rider's word on an offer. The last one accepting makes the party; the same word again changes
  /// nothing.
  ///
  /// - Parameters:
  ///   - id: The offer.
  ///   - riderID: Who answers.
  ///   - accepts: Whether they say yes.
  ///   - context: Who asks, and their idempotency key.
  /// - Returns: The offer after that: `confirmed` with its party, or `withdrawn` where the party could not
  ///   be made as it was told.
  /// - Throws: `unknownOffer`; `offerOver` for one that ended otherwise.
  package func answerOffer(
    _ id: String, riderID: String, accepts: Bool, _ context: CommandContext
  ) async throws(PartyServiceError) -> PartyRideOffer {
    let reply = try await submit(
      .answerOffer(id: id, riderID: riderID, accepts: accepts, partyID: makeID()), context)
    guard case .offer(let entry) = reply, let mine = PartyRideOffer(entry, riderID: riderID) else {
      throw .unknownOffer(id)
    }
    return mine
  }

  /// Offers that somebody has still to answer.
  package var openOffers: Int { model.requests.openOffers }
}
