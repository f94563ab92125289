import Foundation
import MoyeoAPI

import ObjectModel
import SwiftProtobuf
import Testing
import LiveLayers

/// What expired is in no answer, from the millisecond on at which it expires.
@Suite struct ExpiryTests {
  @Test(arguments: [true, false])
  func expiredPositionsAreInNoAnswer(reclaims: Bool) async throws {
    try await RunningDaemon.run { daemon in
      let items = (1...40).map {
        #"{"id":"t\#($0)","latitude":37.5,"longitude":127,"ttlSeconds":\#($0),"tags":["tag","t\#($0)"],"attributes":{"level":1}}"#
      }
      _ = try await daemon.report(items)
      for second in 1...41 {
        daemon.clock.advance(milliseconds: 999)
        try await expect(daemon, live: Array(second...41).dropLast().map { "t\($0)" })
        daemon.clock.advance(milliseconds: 1)
        if reclaims { daemon.layers.reclaimExpired() }
        try await expect(
          daemon, live: (second + 1 > 40 ? [] : Array(second + 1...40)).map { "t\($0)" })
      }
      // It may come back.
      _ = try await daemon.report([items[0]])
      try await expect(daemon, live: ["t1"])
    }
  }

  private func expect(_ daemon: RunningDaemon, live: [String]) async throws {
    let wanted = Set(live)
    let layer = "/v1/layers/users"
    let calls = [
      "/nearby?latitude=37.5&longitude=127&limit=100",
      "/nearby?latitude=37.5&longitude=127&limit=100&tags=tag&where=%7B%22attribute%22%3A%22level%22%2C%22min%22%3A0%7D",
      "/within?west=126&south=37&east=128&north=38&limit=100",
    ]
    for call in calls {
      let answer = try await daemon.get(layer + call)
      #expect(Set(answer.ids) == wanted, "\(call)")
      #expect(answer.status == 200)
    }
    for area in [
      "", "?west=126&south=37&east=128&north=38", "?latitude=37.5&longitude=127&radiusMeters=10",
    ] {
      let histogram = try await daemon.get(layer + "/tags" + area)
      #expect(histogram.status == 200, "\(histogram.text)")
      let counts = histogram.object["tags"] as? [[String: Any]] ?? []
      let count = counts.first { $0["tag"] as? String == "tag" }?["count"] as? Int
      #expect(count ?? 0 == live.count, "\(area): \(histogram.text.prefix(200))")
    }
    let probe = live.first ?? "t1"
    #expect(
      try await daemon.get(layer + "/positions/\(probe)").status == (live.isEmpty ? 404 : 200))
    let grpc = try await daemon.positions.nearby(
      .with {
        $0.layer = "users"
        $0.latitude = 37.5
        $0.longitude = 127
        $0.limit = 100
      })
    #expect(Set(grpc.hits.map(\.id)) == wanted)
  }
}
