import Foundation
import MoyeoAPI
import MoyeoClient
import SwiftProtobuf

/// Requests that wait for each other.
@Sendable func rideRequests(_ moyeo: MoyeoClient) async throws {
  let (bora, seol) = ("bora-\(UUID())", "seol-\(UUID())")
  let leave = Google_Protobuf_Timestamp(date: Date(timeIntervalSinceNow: 720))
  for rider in [seol, bora] {
    let wanted = Moyeo_V1_WatchMatchesRequest.with {
      ($0.riderID, $0.origin, $0.destination) = (rider, seoulStation, gangnam)
      ($0.departureTime, $0.store) = (leave, true)
    }
    do {
      try await moyeo.watchMatches(wanted) { event in
        // Stored, a request waits on when its stream has ended.
        if rider == seol { throw Enough() }
        // First come the parties that match already, later each that does from then on.
        if event.kind == "candidates" { print("candidates come first") }
        // Those that wait are matched with one another, once a minute (parties.batchSeconds).
        guard event.kind == "offer" else { return }
        let offer = event.offer
        let saves = offer.share < offer.soloFare
        print("\(offer.riders) riders, \(offer.accepted) accepted, cheaper than alone: \(saves)")
        throw Enough()
      }
    } catch is Enough {}
  }
  for rider in [bora, seol] {
    let offers = try await moyeo.rideOffers(.with { $0.riderID = rider }).offers
    guard let offer = offers.first else { return print("no offer to \(rider)") }
    let answered = try await moyeo.acceptRideOffer(
      .with { ($0.id, $0.riderID) = (offer.id, rider) }
    ).offer
    print("the offer is \(answered.state), \(answered.accepted) accepted")
  }
}

// It prints:
//   candidates come first
//   2 riders, 0 accepted, cheaper than alone: true
//   the offer is open, 1 accepted
//   the offer is confirmed, 2 accepted
