import Foundation
import MoyeoAPI
import ObjectModel
import Testing

@Suite struct PagingTests {
  /// Objects come, go and move between pages; those that stay are seen exactly once.
  @Test(arguments: [UInt64(1), 2, 3], ["nearby", "within"])
  func pagingNeitherRepeatsNorSkipsWhatStays(seed: UInt64, call: String) async throws {
    try await RunningDaemon.run { daemon in
      var generator = SplitMix64(seed: seed)
      func item(_ id: String) -> String {
        // Many at one place, so that ids break ties.
        let spread =
          Bool.random(using: &generator) ? 0 : Double.random(in: 0...0.01, using: &generator)
        return #"{"id":"\#(id)","latitude":\#(37.5 + spread),"longitude":127}"#
      }
      _ = try await daemon.report((0..<300).map { item("stay-\($0)") })
      _ = try await daemon.report((0..<200).map { item("roam-\($0)") })
      let area =
        call == "nearby"
        ? "latitude=37.5&longitude=127&radiusMeters=5000"
        : "west=126&south=37&east=128&north=38"
      var seen: [String] = []
      var cursor: String?
      var roamer = 0
      repeat {
        let next = cursor.map { "&cursor=\($0)" } ?? ""
        let page = try await daemon.get("/v1/layers/users/\(call)?\(area)&limit=23\(next)")
        #expect(page.status == 200, "\(page.text)")
        seen += page.ids
        cursor = page.cursor
        _ = try await daemon.report((0..<10).map { item("new-\(roamer + $0)") })
        _ = try await daemon.report((0..<10).map { item("roam-\(roamer + $0)") })
        for i in 0..<5 {
          _ = try await daemon.request(
            "DELETE", "/v1/layers/users/positions/roam-\(190 - roamer / 2 - i)")
        }
        roamer += 10
      } while cursor != nil && roamer < 1000
      let stayed = seen.filter { $0.hasPrefix("stay-") }
      #expect(stayed.count == 300)
      #expect(Set(stayed).count == 300)
    }
  }

  @Test func aCursorBelongsToItsQuery() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report(
        (0..<30).map { #"{"id":"\#($0)","latitude":37.5,"longitude":127,"tags":["a"]}"# })
      _ = try await daemon.report([#"{"id":"x","latitude":37.5,"longitude":127}"#], layer: "other")
      let query = "latitude=37.5&longitude=127&tags=a&radiusMeters=100"
      let first = try await daemon.get("/v1/layers/users/nearby?\(query)&limit=10")
      let cursor = try #require(first.cursor)
      // Another page size is the same query.
      let second = try await daemon.get(
        "/v1/layers/users/nearby?\(query)&limit=20&cursor=\(cursor)")
      #expect(second.ids.count == 20 && second.cursor == nil)
      #expect(Set(first.ids + second.ids).count == 30)
      for other in [
        "/v1/layers/users/nearby?latitude=37.5&longitude=127&tags=a&radiusMeters=101",
        "/v1/layers/users/nearby?latitude=37.6&longitude=127&tags=a&radiusMeters=100",
        "/v1/layers/users/nearby?latitude=37.5&longitude=127&tags=b&radiusMeters=100",
        "/v1/layers/users/nearby?\(query)&notTags=z",
        "/v1/layers/users/nearby?\(query)&excludeIds=z",
        "/v1/layers/users/nearby?\(query)&maxAgeSeconds=5",
        "/v1/layers/users/nearby?\(query)&tagMatch=any",
        "/v1/layers/other/nearby?\(query)",
        "/v1/layers/users/within?west=126&south=37&east=128&north=38",
      ] {
        let answer = try await daemon.get(other + "&cursor=\(cursor)")
        #expect(answer.status == 400 && answer.reason == "bad_cursor", "\(other): \(answer.text)")
      }
      for forged in [
        "A", "AAAA", cursor + "!", String(cursor.dropLast(cursor.count - 20)),
        String(repeating: "A", count: 4000),
      ] {
        let answer = try await daemon.get("/v1/layers/users/nearby?\(query)&cursor=\(forged)")
        #expect(answer.reason == "bad_cursor", "\(forged.prefix(40)): \(answer.text)")
      }
    }
  }
}
