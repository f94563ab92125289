import ObjectModel
import Testing

@testable import DurableCommands

@Suite struct EndedAggregatesTests {
  private static func person(_ number: Int) -> EndedAggregates.Person {
    .init("person \(number % 7)", role: UInt8(number / 7))
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func anIndexHasWhatAPlainListHas(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var index = EndedAggregates()
    var model: [String: (summary: EndedAggregates.Summary, people: Set<Int>)] = [:]
    for step in 0..<4000 {
      let id = "a\(random.below(60))"
      switch random.below(20) {
      case 0:
        let moment = Instant(milliseconds: Int64(step - random.below(100)))
        index.removeAll(endedBefore: moment)
        model = model.filter { $0.value.summary.endedAt >= moment }
      case 1...4:
        index.remove(id)
        model[id] = nil
      default:
        let summary = EndedAggregates.Summary(
          id: id, createdAt: Instant(milliseconds: Int64(random.below(1000))),
          endedAt: Instant(milliseconds: Int64(step)))
        let people = Set((0..<random.below(5)).map { _ in random.below(14) })
        index.insert(summary, concerning: people.map(Self.person))
        model[id] = (summary, people)
      }
      #expect(index.count == model.count)
      #expect(index.contains(id) == (model[id] != nil))
      let asked = random.below(14)
      let found = index.summaries(of: Self.person(asked))
      let expected = model.values.filter { $0.people.contains(asked) }.map(\.summary)
      #expect(found.count == expected.count)
      #expect(Set(found) == Set(expected))
    }
  }
}
