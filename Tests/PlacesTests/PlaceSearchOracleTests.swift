import GeoMath
import LiveLayers
import ObjectModel
import TestSupport
import Testing

@testable import Places

/// Searches against a scan of all places: what the text index proposes must be all that fits.
@Suite struct PlaceSearchOracleTests {
  private struct Known {
    var id: String
    var name: String
    var address: String?
    var position: Coordinate
  }

  /// Few letters, so that names share beginnings, words and initials, and errors run into one
  /// another.
  private static let words = [
    "서울", "서을", "설", "역", "역사", "강남", "강나", "강", "문화", "문", "공원", "대", "동대문", "seoul", "seol",
    "station", "gang", "gangnam", "gs25", "까치", "값", "닭",
  ]

  private func name(_ random: inout SplitMix64) -> String {
    (0..<random.int(1...4)).map { _ in random.pick(Self.words) }
      .joined(separator: random.chance(0.5) ? " " : "")
  }

  /// A name, part of one or one gone wrong.
  private func query(_ known: [Known], _ random: inout SplitMix64) -> String {
    var text = Array(random.chance(0.8) ? random.pick(known).name : name(&random))
    if random.chance(0.15), let address = random.pick(known).address { text = Array(address) }
    if random.chance(0.3) {
      text = Array(String(decoding: FoldedText(String(text)).initials, as: UTF16.self))
    }
    if random.chance(0.5) { text = Array(text.prefix(random.int(1...max(1, text.count)))) }
    if random.chance(0.5), !text.isEmpty {
      let i = random.below(text.count)
      switch random.below(4) {
      case 0: text.remove(at: i)
      case 1: text.insert(random.pick(Array("가역xㅅ")), at: i)
      case 2: text[i] = random.pick(Array("가역xㅅ"))
      default: if i + 1 < text.count { text.swapAt(i, i + 1) }
      }
    }
    let words = String(text).split(separator: " ")
    if random.chance(0.3) { return words.reversed().joined(separator: " ") }
    return random.chance(0.2) ? CanonicalText.decompose(String(text)) : String(text)
  }

  private func expected(_ search: PlaceSearch, _ known: [Known]) -> [String] {
    let query = PlaceQuery(search.text)
    let fitting = known.compactMap { place -> (MatchQuality, Int64, String)? in
      let keys = PlaceKeys(
        names: [place.name], address: place.address, category: PlaceFixture.category)
      guard let quality = query.quality(of: keys) else { return nil }
      let distance = search.near.map {
        DistanceOrigin($0).millimeters(
          latitude: place.position.latitude, longitude: place.position.longitude)
      }
      if let distance, let radius = search.radiusMeters, distance > Int64(radius * 1000) {
        return nil
      }
      return (quality, distance ?? 0, place.id)
    }
    return fitting.sorted { a, b in
      (a.0, a.1) != (b.0, b.1) ? (a.0, a.1) < (b.0, b.1) : a.2.precedesAsBytes(b.2)
    }.prefix(search.limit).map(\.2)
  }

  @Test(arguments: [1, 2, 3, 4, 11] as [UInt64])
  func searchesFindWhatAScanFinds(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let fixture = PlaceFixture()
    var known: [Known] = []
    for i in 0..<400 {
      let place = Known(
        id: "p\(i)", name: name(&random),
        address: random.chance(0.2) ? name(&random) + " \(i)" : nil,
        position: Coordinate(
          uncheckedLatitude: random.real(37.4...37.6), longitude: random.real(126.8...127.1)))
      try fixture.report(place.id, place.name, address: place.address, at: place.position)
      known.append(place)
    }
    fixture.table.follow()
    var found = 0
    for _ in 0..<100 {
      var search = PlaceSearch(text: query(known, &random), limit: random.int(1...30))
      if random.chance(0.5) {
        search.near = random.pick(known).position
        if random.chance(0.3) { search.radiusMeters = random.real(500...9000).rounded() }
      }
      let answer = try fixture.service.ownPlaces(matching: search).map(\.id)
      #expect(answer == expected(search, known), "\(search.text), seed \(seed)")
      found += answer.count
    }
    #expect(found > 200)
  }

  /// Thousands fit a letter, a syllable or an error: those that are near, those that are far beyond
  /// others, and those of which few are near, are the ones that a scan of all places ranks first.
  @Test(arguments: [5, 6, 7] as [UInt64])
  func whatFitsThousandsIsRankedAsAScanRanksIt(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let fixture = PlaceFixture()
    var known: [Known] = []
    for i in 0..<2400 {
      // Names of one kind stand in one part of town, a few of them elsewhere; many at one point.
      let isSouth = random.chance(0.5)
      let name = (isSouth || random.chance(0.02) ? "강" : "서") + self.name(&random)
      let step = 0.002
      let latitude = (isSouth ? 37.3 : 37.6) + (random.real(0...0.1) / step).rounded() * step
      let longitude = 126.9 + (random.real(0...0.1) / step).rounded() * step
      let place = Known(
        id: "p\(i)", name: name, address: nil,
        position: Coordinate(uncheckedLatitude: latitude, longitude: longitude))
      try fixture.report(place.id, place.name, at: place.position)
      known.append(place)
    }
    fixture.table.follow()
    for text in ["ㄱ", "강", "가", "ㅅ", "서", "ㄱㅅ", "ㅅㄱㄴ", "ㄱㅅㅈ", "서seo", "강설", "강ganx", "서울강나"] {
      for near in [random.pick(known).position, random.pick(known).position] {
        let search = PlaceSearch(
          text: text, near: near, radiusMeters: random.chance(0.3) ? 20_000 : nil,
          limit: random.pick([1, 10, 50]))
        let answer = try fixture.service.ownPlaces(matching: search).map(\.id)
        #expect(answer == expected(search, known), "\(text), seed \(seed)")
      }
    }
  }
}
