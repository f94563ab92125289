import ObjectModel
package import RideMatching
import DurableCommands

/// What the commit thread of parties carries out.
enum PartyServiceCommand: Sendable {
  case create(CreateParty, id: String, RefinedRoute?)
  /// Where the host decides, of a request by the id.
  case join(partyID: String, JoinParty, requestID: String, RefinedRoute?)
  case approveJoin(partyID: String, requestID: String, actorID: String?, RefinedRoute?)
  case declineJoin(partyID: String, requestID: String, actorID: String?)
  case withdrawJoin(partyID: String, requestID: String, riderID: String?)
  case leave(partyID: String, riderID: String)
  case update(partyID: String, actorID: String?, UpdateParty)
  case depart(partyID: String, actorID: String?)
  case remove(partyID: String, riderID: String, reason: RemovalReason, actorID: String?)
  case settle(partyID: String, actorID: String?, SettleParty)
  case cancel(partyID: String, actorID: String?, reason: String)
  /// An operator's.
  case cancelByOperator(partyID: String, OperatorNote)
  /// Notes what an operator did to somebody, beside the rules.
  case note(OperatorNote, of: String)
  /// The clock.
  case tick(partyID: String)
  case keepRequest(StandingRequest)
  /// A standing request has found a party.
  case found(requestID: String, MatchCandidate)
  case dropRequest(id: String)
  /// Its rider's own word; nil for a service.
  case withdrawRequest(id: String, riderID: String?)
  case commute(CommuteCommand)
  /// Standing requests were matched with one another.
  case makeOffer(RideOffer)
  /// A rider's word; the id is the party's, should it be the last one needed.
  case answerOffer(id: String, riderID: String, accepts: Bool, partyID: String)
  /// The clock.
  case expireOffer(id: String)
}

/// A provider's way along the stops of a party, and what it would cost.
struct RefinedRoute: Hashable, Sendable {
  /// As the estimate has it: origin, then drop-offs in order. The route is taken only for a party
  /// with these stops.
  var stops: [RideStop]
  var route: PartyRoute
  var expected: Int64
  var low: Int64
  var high: Int64
}

/// A place by its exact bits.
struct RideStop: Hashable, Sendable {
  var latitude: Double
  var longitude: Double
}

/// What a committed command shows.
enum PartyServiceEffect: CommitEffect {
  /// The party of the command first, then those that it changed as well.
  case parties([PartyEntry], [StoredEvent])
  case request(StandingRequest, [StoredEvent])
  case commute(CommuteEffect)
  case offer(OfferEffect)
  /// Of nothing that is kept.
  case told([StoredEvent])

  mutating func giveSequences(from next: inout UInt64) {
    switch self {
    case .parties(let entries, var events):
      events.giveSequences(from: &next)
      self = .parties(entries, events)
    case .request(let request, var events):
      events.giveSequences(from: &next)
      self = .request(request, events)
    case .commute(var effect):
      effect.events.giveSequences(from: &next)
      self = .commute(effect)
    case .offer(var effect):
      effect.events.giveSequences(from: &next)
      self = .offer(effect)
    case .told(var events):
      events.giveSequences(from: &next)
      self = .told(events)
    }
  }
}

/// What a command answers.
enum PartyServiceReply: Sendable {
  case party(Party)
  case request(id: String)
  case commute(Commute)
  case offer(OfferEntry)
  case nothing
}

/// A command's effect, or what is so already.
package struct PartyAnswer: Hashable, Sendable {
  /// The newest state; of a repeated command too: its effect is in it.
  package var party: Party
  /// Of the layer `parties`, for `minVersion` of reads.
  package var layerVersion: String

  package init(party: Party, layerVersion: String) {
    self.party = party
    self.layerVersion = layerVersion
  }
}
