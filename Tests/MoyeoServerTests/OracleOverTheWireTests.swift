import Foundation
import GeoMath
import MoyeoAPI
import LiveLayers
import ObjectModel
import SwiftProtobuf
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

func sine(_ angle: Double) -> Double { sin(angle) }

/// 1,000 random queries through HTTP and gRPC against looking at every object.
@Suite struct OracleOverTheWireTests {
  static let objectCount = 3000
  static let configuration = LayerRegistryConfiguration(layerSettings: { _ in
    var settings = LayerSettings()
    settings.columns = ["level"]
    return settings
  })

  /// A page as either wire answers it.
  struct Page: Equatable {
    var ids: [String] = []
    var distancesMeters: [Double?] = []
    var places: [[Double]] = []
    var agesSeconds: [Double] = []
    var next: String?
  }

  @Test(arguments: [UInt64(20_261_120)])
  func everyAnswerEqualsBruteForce(seed: UInt64) async throws {
    try await RunningDaemon.run(configuration: Self.configuration) { daemon in
      var data = OracleData(seed: seed, now: daemon.clock.now().milliseconds)
      let objects = data.objects(Self.objectCount)
      for start in stride(from: 0, to: objects.count, by: 1000) {
        let answer = try await daemon.report(objects[start..<start + 1000].map(\.json))
        #expect(answer.object["accepted"] as? Int == 1000, "\(answer.text.prefix(300))")
      }
      // Some expire before anyone asks.
      daemon.clock.advance(milliseconds: 40_000)
      let now = daemon.clock.now().milliseconds
      let live = objects.filter { $0.isLive(at: now) }
      #expect(live.count < objects.count - 300 && live.count > 1500)
      let byID = Dictionary(uniqueKeysWithValues: objects.map { ($0.id, $0) })
      var queries = (0..<1000).map { data.query(objects, index: $0) }
      // Both ends of what a limit may be.
      queries[0].limit = 1000
      var nonEmpty = 0
      var pagesFollowed = 0
      for (i, query) in queries.enumerated() {
        let expected = query.answer(live, now: now)
        if !expected.isEmpty { nonEmpty += 1 }
        var seen = 0
        var cursor: String?
        // Three pages at most.
        for pageNumber in 0..<3 {
          let pages = try await pages(daemon, query, cursor: cursor, i)
          let page = pages[0]
          let wanted = expected.dropFirst(seen).prefix(query.limit)
          let comment: Comment =
            "seed \(seed), query \(i), page \(pageNumber): \(query.body(cursor: cursor))"
          for other in pages.dropFirst() { #expect(other == page, comment) }
          #expect(page.ids == wanted.map(\.id), comment)
          #expect(
            page.distancesMeters == wanted.map { $0.millimeters.map { Double($0) / 1000 } }, comment
          )
          for (k, id) in page.ids.enumerated() {
            let object = try #require(byID[id], comment)
            #expect(
              page.places[k] == [object.coordinate.latitude, object.coordinate.longitude], comment)
            #expect(page.agesSeconds[k] == Double(now - object.observedAt) / 1000, comment)
          }
          seen += wanted.count
          #expect((page.next != nil) == (seen < expected.count), comment)
          guard let next = page.next else { break }
          cursor = next
          if pageNumber > 0 { pagesFollowed += 1 }
        }
      }
      // The queries are worth asking.
      #expect(nonEmpty > 400, "\(nonEmpty) of 1000 queries have an answer")
      #expect(pagesFollowed > 100, "\(pagesFollowed) further pages")
    }
  }

  private func pages(_ daemon: RunningDaemon, _ query: OracleQuery, cursor: String?, _ i: Int)
    async throws -> [Page]
  {
    let path = "/v1/layers/users/\(query.call)"
    let http: Page
    // By GET every other time.
    if i % 2 == 0 {
      http = try page(await daemon.get(path + "?" + query.queryString(cursor: cursor)))
    } else {
      http = try page(await daemon.post(path, query.body(cursor: cursor)))
    }
    return [http, try await grpcPage(daemon, query, cursor: cursor)]
  }

  /// Parsed by SwiftProtobuf, whose numbers are exact; Foundation's lose the last bit of some.
  private func page(_ answer: HTTPAnswer) throws -> Page {
    #expect(answer.status == 200, "\(answer.text)")
    let response = try Moyeo_V1_NearbyResponse(jsonUTF8Bytes: answer.body)
    return Page(response.hits, next: response.hasNextCursor ? response.nextCursor : nil)
  }

  private func grpcPage(_ daemon: RunningDaemon, _ query: OracleQuery, cursor: String?) async throws
    -> Page
  {
    let body = query.body(cursor: cursor)
    if query.call == "nearby" {
      var request = try Moyeo_V1_NearbyRequest(jsonString: body)
      request.layer = "users"
      let response = try await daemon.positions.nearby(request)
      return Page(response.hits, next: response.hasNextCursor ? response.nextCursor : nil)
    }
    var request = try Moyeo_V1_WithinRequest(jsonString: body)
    request.layer = "users"
    let response = try await daemon.positions.within(request)
    return Page(response.hits, next: response.hasNextCursor ? response.nextCursor : nil)
  }
}

extension OracleOverTheWireTests.Page {
  init(_ hits: [Moyeo_V1_Hit], next: String?) {
    self.next = next
    for hit in hits {
      ids.append(hit.id)
      distancesMeters.append(hit.hasDistanceMeters ? hit.distanceMeters : nil)
      places.append([hit.latitude, hit.longitude])
      agesSeconds.append(hit.ageSeconds)
    }
  }
}
