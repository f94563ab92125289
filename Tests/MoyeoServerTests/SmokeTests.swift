import MoyeoAPI
import SwiftProtobuf
import Testing

@Suite struct SmokeTests {
  @Test func reportsAndFindsOverBothWires() async throws {
    try await RunningDaemon.run { daemon in
      let report = try await daemon.report([
        ##"{"id":"mina","latitude":37.5663,"longitude":126.9779,"tags":["#Swift"]}"##
      ])
      #expect(report.status == 200, "\(report.text)")
      let near = try await daemon.get(
        "/v1/layers/users/nearby?latitude=37.5663&longitude=126.978&tags=swift")
      #expect(near.ids == ["mina"], "\(near.text)")
      let hits = try await daemon.positions.nearby(
        .with {
          $0.layer = "users"
          $0.latitude = 37.5663
          $0.longitude = 126.978
        }
      ).hits
      #expect(hits.map(\.id) == ["mina"])
      #expect(hits.first?.tags == ["swift"])
    }
  }
}
