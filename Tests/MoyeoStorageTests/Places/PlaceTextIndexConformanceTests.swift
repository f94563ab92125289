import MoyeoStorage
import ObjectModel
import Places
import TestSupport
import Testing

/// The port's promises, of both implementations.
@Suite struct PlaceTextIndexConformanceTests {
  enum Kind: CaseIterable {
    case memory, fullText

    func make() throws -> any PlaceTextIndex {
      switch self {
      case .memory: MemoryPlaceTextIndex()
      case .fullText: try FullTextPlaceIndex()
      }
    }
  }

  private func query(_ groups: (PlaceTextQuery.Field, [String])...) -> PlaceTextQuery {
    PlaceTextQuery(
      groups.map { field, terms in
        .init(
          field,
          terms.map { .init(String($0.drop { $0 == "=" }), isPrefix: !$0.hasPrefix("=")) })
      })
  }

  @Test(arguments: Kind.allCases)
  func termsAreFoundByBeginningWholeAndTogether(_ kind: Kind) throws {
    let index = try kind.make()
    let first = PlaceTermList(names: ["pㅅㅓㅇ", "wㅅㅓㅇ", "iㅅㅇ"], variants: ["tㅓㅇ", "tㅅㅇ"])
    let second = PlaceTermList(names: ["pㅅㅓ", "wㅅㅓ", "wabc1"], variants: [])
    try index.apply([
      PlaceTextChange(number: 4, added: first), PlaceTextChange(number: 0, added: second),
    ])
    #expect(try index.find(query((.names, ["pㅅㅓ"])), limit: 9) == [0, 4])
    #expect(try index.find(query((.names, ["pㅅㅓ"])), limit: 1) == [0])
    #expect(try index.find(query((.names, ["=pㅅㅓ"])), limit: 9) == [0])
    #expect(try index.find(query((.names, ["wㅅ"]), (.names, ["wab"])), limit: 9) == [0])
    #expect(try index.find(query((.names, ["wabc12", "iㅅ"])), limit: 9) == [4])
    #expect(try index.find(query((.variants, ["tㅅㅓ", "tㅓ"])), limit: 9) == [4])
    #expect(try index.find(query((.variants, ["tㅓ"]), (.names, ["wab"])), limit: 9) == [])
    #expect(try index.find(query((.variants, ["tㅓ"]), (.names, ["wㅅ"])), limit: 9) == [4])
    #expect(try index.find(query((.names, ["tㅓ"])), limit: 9) == [])
    try index.apply([PlaceTextChange(number: 4, removed: first, added: second)])
    #expect(try index.find(query((.names, ["=pㅅㅓ"])), limit: 9) == [0, 4])
    #expect(try index.find(query((.names, ["iㅅ"])), limit: 9) == [])
    #expect(try index.find(query((.variants, ["t"])), limit: 9) == [])
    try index.removeAll()
    #expect(try index.find(query((.names, ["p"])), limit: 9) == [])
    try index.apply([PlaceTextChange(number: 0, added: first)])
    #expect(try index.find(query((.names, ["p"])), limit: 9) == [0])
  }

  /// Changes and finds at random: both must answer alike.
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func bothAnswerAlike(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let memory = try Kind.memory.make()
    let fullText = try Kind.fullText.make()
    let letters = ["a", "b", "ㅅ", "ㅓ", "1", "é"]
    func term() -> String {
      let rest = (0..<random.int(0...5)).map { _ in random.pick(letters) }
      return random.pick(["p", "w", "t"]) + rest.joined()
    }
    var stored: [UInt32: PlaceTermList] = [:]
    for _ in 0..<40 {
      var changes: [PlaceTextChange] = []
      for _ in 0..<random.int(1...20) {
        let number = UInt32(random.below(60))
        let added =
          random.chance(0.2)
          ? nil
          : PlaceTermList(
            names: Array(Set((0..<random.int(1...5)).map { _ in term() })),
            variants: Array(Set((0..<random.int(0...5)).map { _ in term() })))
        changes.append(PlaceTextChange(number: number, removed: stored[number], added: added))
        stored[number] = added
      }
      try memory.apply(changes)
      try fullText.apply(changes)
      for _ in 0..<20 {
        let query = PlaceTextQuery(
          (0..<random.int(1...3)).map { _ in
            .init(
              random.chance(0.7) ? .names : .variants,
              (0..<random.int(1...3)).map { _ in .init(term(), isPrefix: random.chance(0.7)) })
          })
        let limit = random.int(1...40)
        #expect(
          try fullText.find(query, limit: limit) == memory.find(query, limit: limit),
          "seed \(seed), \(query)")
      }
    }
  }
}
