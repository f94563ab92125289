import CitySimulation
import MoyeoAPI
import MoyeoClient
import ObjectModel
import SwiftProtobuf

/// Offers the city's taxi parties, where the daemon has parties.
struct PartyOffers {
  let client: MoyeoClient
  let simulation: CitySimulation

  /// Creates `count` parties that depart from `moment` on. A daemon without parties is told of, and
  /// is no failure.
  func offer(_ count: Int, from moment: Instant, isStopped: () -> Bool) async throws {
    var created = 0
    var refusals: [String: Int] = [:]
    for plan in simulation.parties(count, from: moment) where !isStopped() {
      let body = CityReports.party(plan, of: simulation)
      do {
        // A key an offer: the same offer sent again is the same party.
        _ = try await client.createParty(
          try Moyeo_V1_CreatePartyRequest(jsonUTF8Bytes: try body.jsonUTF8Bytes() as [UInt8]),
          idempotencyKey: "\(plan.key)-\(plan.departure.milliseconds)")
        created += 1
      } catch let error as MoyeoError {
        guard let refusal = error.refusal else { throw error }
        if refusal.isUnknownCall {
          Terminal.note(
            "this daemon has no parties (\(refusal.reason) for POST /v1/parties); "
              + "going on with people only")
          return
        }
        refusals[refusal.reason, default: 0] += 1
      }
    }
    var text = "\(NumberText.grouped(created)) parties offered"
    if !refusals.isEmpty {
      text += ", refused: "
      text += refusals.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        .joined(separator: ", ")
    }
    Terminal.note(text)
  }
}
