import GeoMath
import LiveLayers
import ObjectModel
import Places
import TestSupport
import Testing

/// What a search costs, in counted steps: the same on every machine.
@Suite struct PlaceWorkTests {
  private static let now = Instant(milliseconds: 1_795_183_800_000)
  private static let count = 12_000
  private static let middle = Coordinate(uncheckedLatitude: 37.55, longitude: 126.98)

  /// Every third is a café, so that thousands fit its name; every other name is one of its own.
  private static func service() throws -> PlaceService {
    var random = SplitMix64(seed: 14)
    let layers = LayerRegistry(clock: ManualClock(now), epoch: 1)
    let layer = try layers.layerForReports("places")
    let syllables = Array("가나다라마바사아자차카타파하거너더러머버서어저처커터퍼허")
    for start in stride(from: 0, to: count, by: 1000) {
      _ = layer.report(
        (start..<start + 1000).map { i in
          let own = String((0..<3).map { _ in random.pick(syllables) })
          return PositionReport(
            id: "p\(i)", latitude: random.real(37.45...37.65),
            longitude: random.real(126.85...127.1),
            attributes: AttributeEncoding.encode([
              ("name", .string(i % 3 == 0 ? "카페 \(own)" : "\(own)집"))
            ]), ttlMilliseconds: 0)
        }, now: now, limits: layers.limits)
    }
    let table = PlaceTable(layers: layers, layerNames: ["places"])
    table.follow()
    return PlaceService(table: table)
  }

  @Test func searchesStayWithinTheirSteps() throws {
    let service = try Self.service()
    for (text, steps) in [
      // Thousands fit: the nearest places are looked through, and few of them.
      ("카페", 5_000), ("ㅋ", 6_000), ("ㅋㅍ", 12_000),
      // Some fit.
      ("카페 가나다", 5_000), ("가나다집", 3_000), ("ㄱㄴㄷㅈ", 4_000), ("가나다짚", 3_000),
      // None does.
      ("뷁뷁뷁뷁", 100),
    ] {
      let search = PlaceSearch(text: text, near: Self.middle, limit: 10)
      #expect(throws: Never.self, "\(text) takes more than \(steps) steps") {
        try service.ownPlaces(matching: search, budget: WorkBudget(steps: steps))
      }
    }
    // A gate that nothing passes is none.
    #expect(throws: PlaceError.tooMuchWork(limit: 100, field: "q")) {
      try service.ownPlaces(
        matching: PlaceSearch(text: "카페", near: Self.middle), budget: WorkBudget(steps: 100))
    }
    let reverse = ReversePlaceSearch(position: Self.middle, limit: 1)
    #expect(throws: Never.self) {
      try service.ownPlaces(at: reverse, budget: WorkBudget(steps: 400))
    }
  }
}
