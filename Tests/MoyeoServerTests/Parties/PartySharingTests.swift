import Foundation
import Testing

@testable import MoyeoServer

/// Search and Match answer from what is kept only those who allow it.
@Suite struct PartySharingTests {
  private static let place = #""latitude":37.5547,"longitude":126.9707"#
  private static let search = #"{\#(place),"radiusMeters":2000"#
  private static let match =
    #"{"riderId":"jun","origin":{\#(place)},"departureTime":"\#(PartyWireTests.departure)","#
    + #""destination":{"latitude":37.4979,"longitude":127.0276}"#

  @Test(arguments: [("search", search, "parties"), ("match", match, "candidates")])
  func staleOnlyForThoseWhoAllowIt(path: String, body: String, list: String) async throws {
    try await PartyWireTests.run { daemon in
      func ask(_ more: String) async throws -> (count: Int, isCoalesced: Bool?) {
        let answer = try await daemon.post("/v1/parties/\(path)", body + more + "}")
        #expect(answer.status == 200, "\(answer.text)")
        return (
          (answer.object[list] as? [Any])?.count ?? -1, answer.object["coalesced"] as? Bool
        )
      }
      _ = try await PartyWireTests.create(daemon, host: "mina")
      let allowed = #","maxStalenessSeconds":30"#
      #expect(try await ask(allowed) == (1, false))
      _ = try await PartyWireTests.create(daemon, host: "sora")
      #expect(try await ask(allowed) == (1, true))
      #expect(try await ask("") == (2, false))
      #expect(try await ask(#","maxStalenessSeconds":0"#) == (2, false))
      // Another question is not answered by this one.
      #expect(try await ask(allowed + #","limit":7"#) == (2, false))
    }
  }

  @Test func explainedMatchesAreWorkedOutOnThePool() async throws {
    try await PartyWireTests.run { daemon in
      _ = try await PartyWireTests.create(daemon, host: "mina")
      let answer = try await daemon.post("/v1/parties/match", Self.match + #","explain":true}"#)
      #expect(answer.status == 200, "\(answer.text)")
      let explanation = answer.object["explanation"] as? [String: Any]
      #expect(explanation?["considered"] as? Int == 1)
      let refused = try await daemon.post(
        "/v1/parties/match", Self.match + #","maxStalenessSeconds":-1}"#)
      #expect(refused.status == 400)
    }
  }
}
