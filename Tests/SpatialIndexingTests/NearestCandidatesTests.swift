import GeoMath
import ObjectModel
import Testing

@testable import SpatialIndexing

/// Whoever measures in another way finds the nearest by that among the candidates.
@Suite struct NearestCandidatesTests {
  private static let now = Instant(milliseconds: 1_760_000_000_000)

  private struct Point {
    let id: String
    let latitude: Double
    let longitude: Double
    let isTagged: Bool
  }

  /// Distances that are as far from the index's as a slack allows, drawn anew for each question.
  @Test(arguments: [UInt64(91), 92, 93])
  func theNearestByAnotherDistanceAreAmongThem(seed: UInt64) throws {
    var g = SplitMix64(seed: seed)
    var points: [Point] = []
    let index = SharedLiveIndex()
    var batch = UpdateBatch()
    for i in 0..<6_000 {
      // A third stands in a few places, many of them at one.
      let spread = [0.2, 0.002, 0.00001][i % 3]
      let point = Point(
        id: "\(i)", latitude: 37.5 + .random(in: -spread...spread, using: &g),
        longitude: 127 + .random(in: -spread...spread, using: &g), isTagged: i % 5 == 0)
      points.append(point)
      batch.append(
        id: point.id, latitude: point.latitude, longitude: point.longitude,
        tags: point.isTagged ? ["odd"] : [], observedAt: Self.now,
        expiresAt: i % 7 == 0 ? Self.now : Self.now.advanced(milliseconds: 60_000))
    }
    var outcomes: [UpdateOutcome] = []
    index.apply(batch, now: Self.now, outcomes: &outcomes)
    var answered = 0
    for round in 0..<300 {
      let slack = DistanceSlack(
        ratio: [1, 1.006, 1.1][round % 3], meters: [0, 0.7, 20][(round / 3) % 3])
      let wantsTag = round % 4 == 3
      let limit = [1, 5, 20, 60][round % 4]
      let reach = [0.15, 0.001][round % 2]
      let origin = DistanceOrigin(
        latitude: 37.5 + .random(in: -reach...reach, using: &g),
        longitude: 127 + .random(in: -reach...reach, using: &g))
      let radius: Int64? = round % 5 == 0 ? .random(in: 100...5_000_000, using: &g) : nil
      let query = NearestQuery(
        latitude: origin.latitude, longitude: origin.longitude, limit: limit,
        maximumDistanceMillimeters: radius,
        filter: SearchFilter(tags: wantsTag ? ["odd"] : []))
      var found: Set<String> = []
      var work = SearchWork()
      let count = index.nearestCandidates(query, slack: slack, now: Self.now, work: &work) {
        found.insert($0.idString)
        #expect($0.distanceMillimeters == 0)
      }
      guard let count else {
        #expect(found.isEmpty)
        continue
      }
      answered += 1
      #expect(found.count == count)
      var all: [(distance: Double, id: String)] = []
      for (i, point) in points.enumerated() where i % 7 != 0 && (point.isTagged || !wantsTag) {
        let own = origin.millimeters(latitude: point.latitude, longitude: point.longitude)
        guard own <= radius ?? .max else { continue }
        let meters = Double(own) / 1000
        let least = max(0, (meters - slack.meters) / slack.ratio)
        all.append(
          (.random(in: least...(meters * slack.ratio + slack.meters), using: &g), point.id))
      }
      all.sort { $0.distance < $1.distance }
      for (_, id) in all.prefix(limit) { #expect(found.contains(id), "round \(round)") }
      #expect(found.count <= 4 * limit + 1024)
      #expect(work.exactTests >= count)
    }
    #expect(answered > 200, "\(answered)")
  }
}
