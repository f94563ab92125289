import Testing

@testable import MoyeoAdapters

@Suite("Superseded searches")
struct NewestSearchTests {
  private func waiting(_ searches: NewestSearches, _ count: Int) async {
    while searches.waitingCount < count { await Task.yield() }
  }

  @Test("A superseded search has the list of the newer one, and nothing is kept")
  func newest() async {
    let searches = NewestSearches()
    let numbers = (0..<3).map { _ in searches.arrive("ann") }
    #expect(numbers == [1, 2, 3])
    async let first = searches.newerAnswer(than: numbers[0], of: "ann")
    async let second = searches.newerAnswer(than: numbers[1], of: "ann")
    await waiting(searches, 2)
    searches.finish(numbers[2], [42], of: "ann")
    #expect(await first == [42])
    #expect(await second == [42])
    #expect(searches.count == 0)
  }

  @Test("The list of an older search answers nobody who came later")
  func older() async {
    let searches = NewestSearches()
    let numbers = (0..<3).map { _ in searches.arrive("ann") }
    async let second = searches.newerAnswer(than: numbers[1], of: "ann")
    await waiting(searches, 1)
    searches.finish(numbers[0], [1], of: "ann")
    #expect(searches.waitingCount == 1)
    searches.finish(numbers[2], [3], of: "ann")
    #expect(await second == [3])
  }

  @Test("When no search is left that could answer, the superseded one is told at once")
  func nobody() async {
    let searches = NewestSearches()
    let first = searches.arrive("ann")
    #expect(await searches.newerAnswer(than: first, of: "ann") == nil)
    let second = searches.arrive("ann")
    let third = searches.arrive("ann")
    async let answer = searches.newerAnswer(than: second, of: "ann")
    await waiting(searches, 1)
    searches.finish(third, nil, of: "ann")
    #expect(await answer == nil)
    #expect(searches.count == 0)
  }

  @Test("People do not wait for each other")
  func people() async {
    let searches = NewestSearches()
    let ann = searches.arrive("ann")
    let ben = searches.arrive("ben")
    #expect(await searches.newerAnswer(than: ann, of: "ann") == nil)
    #expect(searches.count == 1)
    searches.finish(ben, [1], of: "ben")
    #expect(searches.count == 0)
  }
}
