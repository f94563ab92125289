import Foundation
import MoyeoAPI
import MoyeoClient
import SwiftProtobuf

/// The feed of what happened.
@Sendable func events(_ moyeo: MoyeoClient) async throws {
  let start = try await moyeo.listEvents(.init()).next
  let host = "host-\(UUID())"
  let offer = Moyeo_V1_CreatePartyRequest.with {
    ($0.hostID, $0.origin, $0.destination) = (host, seoulStation, gangnam)
    $0.departureTime = Google_Protobuf_Timestamp(date: Date(timeIntervalSinceNow: 1800))
  }
  let party = try await moyeo.createParty(offer).party
  _ = try await moyeo.cancelParty(.with { ($0.id, $0.riderID) = (party.id, host) })

  // Keep the sequence with your own data: a restart of either side then loses nothing.
  do {
    try await moyeo.watchEvents(.with { $0.after = start }) { event in
      guard event.partyID == party.id else { return }
      print(event.kind)
      if event.kind == "party.cancelled" { throw Enough() }
    }
  } catch is Enough {}
}

// It prints:
//   party.created
//   party.cancelled
