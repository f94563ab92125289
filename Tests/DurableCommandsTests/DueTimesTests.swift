import DurableCommands
import ObjectModel
import Testing

/// The moments of timers against a dictionary.
struct DueTimesTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func dueTimesAnswerLikeADictionary(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let times = DueTimes<Int>()
    var model: [Int: Int64] = [:]
    for _ in 0..<5000 {
      let subject = random.below(40)
      let moment = Int64(random.below(1000))
      switch random.below(6) {
      case 0:
        times.set(subject, nil)
        model[subject] = nil
      case 1:
        times.retry(subject, at: Instant(milliseconds: moment))
        if model[subject] == nil { model[subject] = moment }
      case 2:
        let limit = random.below(5)
        let taken = times.take(by: Instant(milliseconds: moment), limit: limit)
        let due = model.filter { $0.value <= moment }
        #expect(taken.count == min(limit, due.count))
        // The earliest come first, each once.
        #expect(Set(taken).count == taken.count)
        #expect(taken.map { due[$0] ?? -1 } == Array(due.values.sorted().prefix(limit)))
        for subject in taken { model[subject] = nil }
      default:
        times.set(subject, Instant(milliseconds: moment))
        model[subject] = moment
      }
    }
    times.replaceAll([(7, Instant(milliseconds: 3)), (8, nil), (9, Instant(milliseconds: 1))])
    #expect(times.take(by: Instant(milliseconds: 5), limit: 10) == [9, 7])
  }
}
