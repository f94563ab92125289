import ObjectModel
import TestSupport
import Testing

@testable import Places

@Suite struct MatchQualityTests {
  private func quality(_ query: String, _ name: String, address: String? = nil) -> MatchQuality? {
    PlaceQuery(query).quality(of: PlaceKeys(names: [name], address: address))
  }

  @Test(arguments: [
    ("서울역", "서울역", MatchQuality.exact), ("서울 역", "서울역", .exact),
    ("SEOUL station", "Seoul Station", .exact),
    ("서울", "서울역", .prefix), ("서우", "서울역", .prefix), ("seo", "Seoul Station", .prefix),
    ("station seoul", "Seoul Station", .words), ("sta", "Seoul Station", .words),
    ("공원 동대문", "동대문역사문화 공원", .words), ("ㅅㅇㅇ", "서울역", .initials), ("ㅅㅇ", "서울역", .initialsPrefix),
    ("ㄳ", "강산", .initialsTypoPrefix), ("ㄱㄴㅈ", "스타벅스 강남점", .initialsWords),
    ("서울엮", "서울역", .typo), ("서을역", "서울역", .typo), ("sta tion", "Seoul Station", .words),
    ("staion", "Seoul Station", .typoPrefix), ("seoul staion", "Seoul Station", .typo),
    ("staion seoul", "Seoul Station", .typoPrefix), ("gnagnam", "Gangnam Exit 2", .typoPrefix),
    ("동대역사문화공원", "동대문역사문화공원", .typoPrefix), ("동문대역사", "동대문역사문화공원", .typoPrefix),
    ("강남역", "강남", .exact), ("흑석역", "흑석(중앙대입구)", .prefix), ("ㄱㄴㅇ", "강남", .initials),
    ("ㄱㄴㅇ", "강남역", .initials), ("ㅎㅅㅇ", "흑석(중앙대입구)", .initialsPrefix),
    ("ㄱㄴ", "강남역", .initialsPrefix),
    ("ㅅㅇㅊ", "서울역", .initialsTypo), ("ㅅㅇㅊ", "서울역앞", .initialsTypoPrefix),
    ("ㅅㅇㅅ", "서울역", .initialsPrefix), ("서울스테이션", "서울역", .exact), ("서울스", "서울역", .prefix),
    ("서울스테이숀", "서울역", .typo), ("서울역", "서울스테이션", .exact),
  ])
  func examples(_ query: String, _ name: String, _ expected: MatchQuality) {
    // Two consonants are too few to be misspelt.
    let wanted = query == "ㄳ" ? MatchQuality.initials : expected
    #expect(quality(query, name) == wanted)
  }

  @Test(arguments: [
    ("", "서울역"), ("  ", "서울역"), ("을역", "서울역"), ("gxng", "Seoul"), ("abd", "abc"), ("ㅅㅇㅅ", "강남역"),
    ("ㅅㅅ", "서울역"), ("역", "서"), ("강역", "강남"), ("ㅅㅇ", "서"), ("서울역 시청", "서울역"),
    ("gangnm statin", "Gangnam Station"),
  ])
  func noMatches(_ query: String, _ name: String) {
    #expect(quality(query, name) == nil)
  }

  /// What is said of a kind of places is said of those whose name or category tells the kind.
  @Test(
    arguments: [
      ("서울역", nil, ["서울스테이션"]), ("서울스테이션", nil, ["서울역"]), ("서울역 (1호선)", nil, ["서울스테이션"]),
      ("강남", "station", ["강남역", "강남스테이션"]), ("강남", "Subway Station", ["강남역", "강남스테이션"]),
      ("흑석(중앙대입구)", "지하철역", ["흑석역", "흑석스테이션"]), ("강남", nil, []), ("강남", "cafe", []),
      ("역", "station", []), ("신역", nil, []), ("", "station", []),
    ] as [(String, String?, [String])])
  func otherNamesAreThoseOfTheKind(_ name: String, _ category: String?, _ others: [String]) {
    #expect(PlaceKind.otherNames(of: name, category: category) == others)
    #expect(
      PlaceKind.otherNames(of: CanonicalText.decompose(name), category: category)
        .map { FoldedText($0) } == others.map { FoldedText($0) })
    let keys = PlaceKeys(names: [name], category: category)
    for other in others { #expect(PlaceQuery(other).quality(of: keys) == .exact, "\(other)") }
  }

  @Test func addressesComeAfterNames() {
    let address = "서울특별시 중구 한강대로 405"
    #expect(quality("한강대로", "서울역", address: address) == .address)
    #expect(quality("한강대로 405", "서울역", address: address) == .address)
    #expect(quality("중구 서울역", "서울역", address: address) == .address)
    #expect(quality("서울", "서울역", address: address) == .prefix)
    #expect(quality("중구 부산역", "서울역", address: address) == nil)
  }

  @Test func theBestOfSeveralNamesCounts() {
    let keys = PlaceKeys(names: ["강남역", "Gangnam Station"])
    #expect(PlaceQuery("gangnam station").quality(of: keys) == .exact)
    #expect(PlaceQuery("강남").quality(of: keys) == .prefix)
    #expect(PlaceKeys(names: ["a", "A", "a "]).names.count == 1)
    #expect(PlaceKeys(names: (0..<9).map { "n\($0)" }).names.count == PlaceKeys.maximumNames)
  }

  @Test func whatIsWorseIsNotLookedFor() {
    let keys = PlaceKeys(names: ["서울역"], address: "한강대로")
    for worst in MatchQuality.allCases {
      for text in ["서울역", "서울", "ㅅㅇㅇ", "ㅅㅇ", "한강", "서울엮", "ㅅㅇㅅ"] {
        let query = PlaceQuery(text)
        let best = query.quality(of: keys)
        let found = query.quality(of: keys, notWorseThan: worst)
        #expect(found == best || (found == nil && (best.map { $0 > worst } ?? true)), "\(text)")
        if let best, best <= worst { #expect(found == best, "\(text) \(worst)") }
      }
    }
  }
}

/// Laws that hold for any text, drawn from scripts, marks, signs and halves of syllables.
@Suite struct PlaceTextLawTests {
  private func text(_ random: inout SplitMix64) -> String {
    let ranges: [ClosedRange<UInt32>] = [
      0x20...0x7E, 0xAC00...0xD7A3, 0x1100...0x11FF, 0x3130...0x318F, 0x300...0x36F, 0xC0...0x24F,
      0x3041...0x30FF, 0x4E00...0x4FFF, 0x1F600...0x1F64F, 0x20000...0x20100, 0xFF00...0xFFEF,
      0x0...0x1F,
    ]
    var out = String.UnicodeScalarView()
    for _ in 0..<random.int(0...40) {
      let range = random.pick(ranges)
      let value = range.lowerBound + UInt32(random.below(Int(range.upperBound - range.lowerBound)))
      if let scalar = Unicode.Scalar(value) { out.append(scalar) }
    }
    return String(out)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func aNameFitsItself(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<400 {
      let name = text(&random)
      let query = PlaceQuery(name)
      let keys = PlaceKeys(names: [name])
      if !query.isEmpty {
        #expect(query.quality(of: keys) == .exact, "seed \(seed): \(name.debugDescription)")
      }
      #expect(PlaceQuery(CanonicalText.decompose(name)).text == query.text)
      #expect(PlaceQuery(CanonicalText.normalize(name)).text == query.text)
      let folded = query.text
      #expect(folded.initials.count == folded.characterStarts.count)
      #expect(folded.wordStarts.allSatisfy(folded.characterStarts.contains))
      let terms = PlaceTerms.terms(of: keys)
      #expect(!terms.contains(0) && terms.count < 200)
    }
  }
}
