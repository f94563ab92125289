import GeoMath
import LiveLayers
import ObjectModel
import Testing
import Threading

@testable import Places

@Suite struct PlaceTableTests {
  @Test func aPlaceIsFoundOnceReportedAndUntilItLeaves() throws {
    let fixture = PlaceFixture()
    #expect(try fixture.ids("서울역") == [])
    try fixture.report("a", "서울역")
    #expect(try fixture.ids("서울역") == ["a"])
    try fixture.report("a", "용산역")
    #expect(try fixture.ids("서울역") == [])
    #expect(try fixture.ids("ㅇㅅㅇ") == ["a"])
    try fixture.report("a", nil)
    #expect(try fixture.ids("용산역") == [])
    #expect(fixture.table.count == 0)
    try fixture.report("a", "용산역")
    #expect(try fixture.layers.layer("places").remove(id: "a", now: fixture.clock.now()))
    #expect(try fixture.ids("용산역") == [])
    #expect(fixture.table.count == 0)
  }

  @Test func aPlaceEndsWithItsTime() throws {
    let fixture = PlaceFixture()
    try fixture.report("brief", "서울역", ttlMilliseconds: 5000)
    try fixture.report("lasting", "서울역")
    #expect(try fixture.ids("서울역") == ["brief", "lasting"])
    fixture.clock.advance(milliseconds: 5001)
    // Not reclaimed yet, and not told any more.
    #expect(try fixture.ids("서울역") == ["lasting"])
    fixture.layers.reclaimExpired()
    #expect(try fixture.ids("서울역") == ["lasting"])
    #expect(fixture.table.count == 1)
  }

  @Test func whatWasThereBeforeTheTableIsFound() throws {
    let fixture = PlaceFixture()
    for i in 0..<300 { try fixture.report("p\(i)", "장소 \(i)") }
    let later = PlaceTable(layers: fixture.layers, layerNames: ["places"])
    later.follow()
    #expect(later.count == 300)
    var budget = WorkBudget.unlimited
    let found = try later.search(PlaceSearch(text: "장소 299", limit: 1), budget: &budget)
    #expect(found.map(\.id) == ["p299"])
  }

  @Test func aLayerThatBeginsAnewHasNoneOfTheOldPlaces() throws {
    let fixture = PlaceFixture()
    try fixture.report("a", "서울역")
    try fixture.report("b", "용산역")
    fixture.table.follow()
    try fixture.layers.deleteLayer("places")
    #expect(try fixture.ids("서울역") == [])
    // The new layer's handles are those that the old one gave out.
    try fixture.report("c", "시청역")
    #expect(try fixture.ids("시청역") == ["c"])
    #expect(try fixture.ids("용산역") == [])
    #expect(fixture.table.count == 1)
  }

  @Test func severalLayersAnswerTogether() throws {
    let fixture = PlaceFixture(layerNames: ["places", "shops"])
    try fixture.report("b", "서울역", at: shifted(PlaceFixture.cityHall, metersNorth: 30))
    try fixture.report("a", "서울역점", at: PlaceFixture.cityHall, layer: "shops")
    try fixture.report("x", "서울역", at: PlaceFixture.cityHall, layer: "users")
    #expect(try fixture.ids("서울") == ["a", "b"])
    #expect(try fixture.ids("서울역") == ["b", "a"])
    let nearest = try fixture.service.ownPlaces(
      at: ReversePlaceSearch(position: PlaceFixture.cityHall, limit: 2))
    #expect(nearest.map(\.id) == ["a", "b"])
    #expect(nearest[0].distanceMeters == 0 && nearest[0].category == "station")
    #expect(
      try fixture.service.ownPlaces(
        at: ReversePlaceSearch(position: PlaceFixture.cityHall)
      ).map(\.id) == ["a"])
  }

  @Test func nearerPlacesComeFirstAmongEqualMatches() throws {
    let fixture = PlaceFixture()
    let here = PlaceFixture.cityHall
    try fixture.report("far", "카페 하나", at: shifted(here, metersNorth: 900))
    try fixture.report("near", "카페 둘", at: shifted(here, metersNorth: 100))
    try fixture.report("exact", "카페", at: shifted(here, metersNorth: 5000))
    #expect(try fixture.ids("카페", near: here) == ["exact", "near", "far"])
    #expect(try fixture.ids("카페") == ["exact", "far", "near"])
    #expect(try fixture.ids("카페", near: here, radiusMeters: 950) == ["near", "far"])
    #expect(try fixture.ids("카페", near: here, limit: 1) == ["exact"])
  }

  @Test func otherNamesAndAddressesFindToo() throws {
    let fixture = PlaceFixture()
    try fixture.report("a", "강남역", address: "서울 강남구 강남대로 396", otherName: "Gangnam Station")
    #expect(try fixture.ids("gangnam stat") == ["a"])
    #expect(try fixture.ids("강남대로 396") == ["a"])
    #expect(try fixture.ids("강남구 강남역") == ["a"])
    #expect(try fixture.ids("396 강남대로 서울") == ["a"])
  }

  /// More places fit than are looked at one by one: the nearest are found all the same.
  @Test func aQueryThatFitsThousandsFindsTheNearest() throws {
    let fixture = PlaceFixture()
    let count = 3 * PlaceTable.candidateLimit
    for i in 0..<count {
      let name = i % 5 == 4 ? "서점 \(i)" : "카페 \(i)"
      try fixture.report(
        "p\(i)", name, at: shifted(PlaceFixture.cityHall, metersNorth: Double(i)))
    }
    fixture.table.follow()
    let position = shifted(PlaceFixture.cityHall, metersNorth: 1500.2)
    let found = try fixture.service.ownPlaces(
      matching: PlaceSearch(text: "카페", near: position, limit: 9))
    let nearest = [1500, 1501, 1502, 1498, 1503, 1497, 1496, 1505, 1495]
    #expect(found.map(\.id) == nearest.map { "p\($0)" })
    let distances = found.compactMap(\.distanceMeters)
    #expect(distances == distances.sorted())
    #expect(try fixture.ids("카페", limit: 3).count == 3)
    // None of those that are looked through may be told twice or lost.
    #expect(try Set(fixture.ids("카", near: position, limit: 1000)).count == 1000)
  }

  @Test func aSearchEndsWithItsBudget() throws {
    let fixture = PlaceFixture()
    for i in 0..<(2 * PlaceTable.candidateLimit) { try fixture.report("p\(i)", "카페 \(i)") }
    fixture.table.follow()
    let search = PlaceSearch(text: "카페", near: PlaceFixture.cityHall, limit: 5)
    #expect(throws: PlaceError.tooMuchWork(limit: 100, field: "q")) {
      try fixture.service.ownPlaces(matching: search, budget: WorkBudget(steps: 100))
    }
    #expect(throws: PlaceError.abandoned) {
      try fixture.service.ownPlaces(
        matching: search, budget: WorkBudget(steps: 1 << 20, isCancelled: { true }))
    }
  }
}
