import GeoMath
import LiveLayers
import ObjectModel
import Places
import TestSupport
import Testing

/// The stations of Seoul's subways, found as people look for them.
@Suite(.enabled(if: SharedData.isPresent, "shared data is absent")) struct StationSearchTests {
  struct Station {
    let id: String
    let name: String
    let position: Coordinate
  }

  private static let now = Instant(milliseconds: 1_795_183_800_000)

  private static func stations() throws -> [Station] {
    try SharedData.lines("seoul-subway-stations.csv").dropFirst().map { line in
      let cells = line.split(separator: ",").map(String.init)
      return Station(
        id: cells[0], name: cells[1],
        position: try Coordinate(
          latitude: try #require(Double(cells[cells.count - 1])),
          longitude: try #require(Double(cells[cells.count - 2]))))
    }
  }

  private static func service(_ stations: [Station]) throws -> PlaceService {
    let layers = LayerRegistry(clock: ManualClock(now), epoch: 9)
    _ = try layers.layerForReports("places").report(
      stations.map {
        PositionReport(
          id: $0.id, latitude: $0.position.latitude, longitude: $0.position.longitude,
          attributes: AttributeEncoding.encode([("name", .string($0.name))]), ttlMilliseconds: 0)
      }, now: now, limits: layers.limits)
    let table = PlaceTable(layers: layers, layerNames: ["places"])
    table.follow()
    return PlaceService(table: table)
  }

  private static let initials = Array("ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ")

  /// The initial consonants of syllables, and whatever else is a letter or digit.
  private static func initials(of name: String) -> String {
    String(
      name.unicodeScalars.compactMap { scalar -> Character? in
        if (0xAC00...0xD7A3).contains(scalar.value) {
          return initials[Int(scalar.value - 0xAC00) / 588]
        }
        return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          ? Character(scalar) : nil
      })
  }

  /// A name stands for several stations, a beginning and initials for many: the asker stands at the
  /// one that is meant.
  @Test func eachStationIsAmongTheFirstFive() throws {
    let stations = try Self.stations()
    #expect(stations.count == 786)
    let service = try Self.service(stations)
    var missed: [String] = []
    for station in stations {
      let queries = [station.name, String(station.name.prefix(2)), Self.initials(of: station.name)]
      for query in queries {
        let found = try service.ownPlaces(
          matching: PlaceSearch(text: query, near: station.position, limit: 5))
        if !found.contains(where: { $0.id == station.id }) {
          missed.append("\(station.name) (\(station.id)) by \(query)")
        }
      }
      // Wherever the asker is, the full name finds a station of that name first.
      let named = try service.ownPlaces(matching: PlaceSearch(text: station.name, limit: 5))
      if named.first?.name != station.name { missed.append("\(station.name) by name alone") }
    }
    #expect(missed.isEmpty, "\(missed.count): \(missed.prefix(20))")
  }

  /// One letter or syllable wrong, at every place of every name of four syllables and more.
  @Test func eachStationIsFoundWithOneError() throws {
    let stations = try Self.stations()
    let service = try Self.service(stations)
    var missed: [String] = []
    var asked = 0
    for station in stations where station.name.count >= 4 && station.name.allSatisfy(\.isLetter) {
      let name = Array(station.name)
      var random = SplitMix64(seed: StableHash.hash64(station.name))
      for _ in 0..<3 {
        var wrong = name
        let i = random.below(name.count)
        switch random.below(4) {
        case 0: wrong.remove(at: i)
        case 1: wrong.insert("뷁", at: i)
        case 2: wrong[i] = "뷁"
        default: if i + 1 < name.count { wrong.swapAt(i, i + 1) }
        }
        guard wrong.count >= 4 else { continue }
        asked += 1
        let found = try service.ownPlaces(
          matching: PlaceSearch(text: String(wrong), near: station.position, limit: 5))
        if !found.contains(where: { $0.name == station.name }) {
          missed.append("\(station.name) by \(String(wrong))")
        }
      }
    }
    #expect(asked > 200)
    #expect(missed.isEmpty, "\(missed.count): \(missed.prefix(20))")
  }

  /// People say 역 whether or not the name has it: each station is found by its name and 역, and by the
  /// initials of both, unless a second name stands in brackets: many whole names have those initials.
  @Test func eachStationIsFoundWithStationAtItsEnd() throws {
    let stations = try Self.stations()
    let service = try Self.service(stations)
    var missed: [String] = []
    for station in stations where !station.name.hasSuffix("역") && station.name.count > 1 {
      let name = station.name.split(separator: "(")[0]
      let isWhole = name.count == station.name.count
      for query in ["\(name)역"] + (isWhole ? [Self.initials(of: "\(name)역")] : []) {
        let found = try service.ownPlaces(
          matching: PlaceSearch(text: query, near: station.position, limit: 5))
        if !found.contains(where: { $0.id == station.id }) {
          missed.append("\(station.name) by \(query)")
        }
      }
    }
    #expect(missed.isEmpty, "\(missed.count): \(missed.prefix(20))")
  }

  /// As the issue has it: ㅅㅇㅅ finds 서울역, which is 서울스테이션 as well, from wherever in the middle
  /// of the city it is asked; so does the name in syllables, and what is typed of it.
  @Test(arguments: ["ㅅㅇㅅ", "ㅅㅇㅇ", "서울역", "서울스테이션", "서울여", "서울 역", "서울엮"])
  func seoulStationIsFound(_ text: String) throws {
    let stations = try Self.stations()
    let service = try Self.service(stations)
    let station = try #require(stations.first { $0.name == "서울역" })
    let cityHall = try Coordinate(latitude: 37.5663, longitude: 126.9779)
    for near in [station.position, cityHall] {
      let found = try service.ownPlaces(matching: PlaceSearch(text: text, near: near, limit: 5))
      #expect(found.contains { $0.name == station.name }, "\(found.map(\.name))")
    }
  }
}
