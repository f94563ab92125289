import Foundation
import MoyeoAPI
import MoyeoClient
import SwiftProtobuf

/// A taxi that two people share.
@Sendable func parties(_ moyeo: MoyeoClient) async throws {
  let (mina, jun) = ("mina-\(UUID())", "jun-\(UUID())")
  let leave = Google_Protobuf_Timestamp(date: Date(timeIntervalSinceNow: 1800))
  let offer = Moyeo_V1_CreatePartyRequest.with {
    ($0.hostID, $0.origin, $0.destination) = (mina, seoulStation, gangnam)
    ($0.departureTime, $0.seats) = (leave, 2)
  }
  let party = try await moyeo.createParty(offer).party
  print("the party is \(party.state)")

  let wanted = Moyeo_V1_MatchPartiesRequest.with {
    ($0.riderID, $0.origin, $0.destination) = (jun, seoulStation, gangnam)
    $0.departureTime = leave
  }
  let found = try await moyeo.matchParties(wanted).candidates
  print("found: \(found.contains { $0.party.id == party.id })")

  // Sent again after a cut connection it still has one effect: the client makes the key.
  let join = Moyeo_V1_JoinPartyRequest.with { ($0.id, $0.riderID) = (party.id, jun) }
  print("the party is \(try await moyeo.joinParty(join).party.state)")
  do {
    let late = Moyeo_V1_JoinPartyRequest.with { ($0.id, $0.riderID) = (party.id, "late-\(UUID())") }
    _ = try await moyeo.joinParty(late)
  } catch {
    guard case .refused(let refusal) = error else { throw error }
    print("too late: \(refusal.reason)")
  }
  let end = Moyeo_V1_CancelPartyRequest.with { ($0.id, $0.riderID) = (party.id, mina) }
  print("the party is \(try await moyeo.cancelParty(end).party.state)")
}

// It prints:
//   the party is open
//   found: true
//   the party is full
//   too late: party_full
//   the party is cancelled
