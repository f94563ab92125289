import ObjectModel
import QueryCoalescing
import Testing
import Threading

@Suite(.timeLimit(.minutes(10))) struct AllowanceTableTests {
  private static let rate = RateAllowance(interval: 100, burst: 5)

  /// As many keys as always find room: each has its own allowance, as if it stood alone.
  @Test(arguments: [1, 2, 3, 4])
  func eachCallerHasTheAllowanceOfItsOwn(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let table = AllowanceTable(capacity: 1)
    let rates = [Self.rate, RateAllowance(interval: 7, burst: 1), .init(interval: 1000, burst: 50)]
    // Eight that meet in one place.
    let keys = (1...8).map { UInt64($0) << 8 }
    var model: [UInt64: RateAllowance] = [:]
    var now: Nanoseconds = 1_000_000
    var outcomes: Set<Bool> = []
    for _ in 0..<20_000 {
      let index = random.below(keys.count)
      let (key, rate) = (keys[index], rates[index % rates.count])
      var own = model[key] ?? rate
      let expected = own.take(at: now)
      model[key] = own
      #expect(table.take(key, rate, at: now) == expected)
      outcomes.insert(expected == nil)
      now += Nanoseconds(random.below(40))
    }
    #expect(outcomes == [true, false])
    #expect(table.forgottenDebts == 0)
  }

  @Test func invitedCrowdsNeitherGrowItNorFreeWhoeverFloods() {
    let table = AllowanceTable(capacity: 1024)
    #expect(table.capacity == 1024)
    var random = SplitMix64(seed: 7)
    let flooder = random.next()
    for _ in 0..<5 { #expect(table.take(flooder, Self.rate, at: 0) == nil) }
    for _ in 0..<100_000 {
      #expect(table.take(random.next(), Self.rate, at: 0) == nil)
    }
    #expect(table.forgottenDebts > 90_000)
    #expect(table.take(flooder, Self.rate, at: 0) == 100)
    #expect(table.capacity == 1024)
  }

  @Test func whatIsFullAgainIsForgottenWithoutLoss() {
    let table = AllowanceTable(capacity: 128)
    var random = SplitMix64(seed: 8)
    for round in 0..<10_000 {
      #expect(table.take(random.next(), Self.rate, at: Nanoseconds(round) * 100) == nil)
    }
    #expect(table.forgottenDebts == 0)
  }

  @Test func whatIsGivenBackMayBeTakenAgain() {
    let table = AllowanceTable(capacity: 128)
    for _ in 0..<5 { #expect(table.take(9, Self.rate, at: 50) == nil) }
    #expect(table.take(9, Self.rate, at: 50) == 100)
    table.giveBack(9, Self.rate)
    #expect(table.take(9, Self.rate, at: 50) == nil)
    #expect(table.take(9, Self.rate, at: 50) == 100)
    // Nobody gains by what a stranger gives.
    table.giveBack(10, Self.rate)
    for _ in 0..<5 { #expect(table.take(10, Self.rate, at: 50) == nil) }
    #expect(table.take(10, Self.rate, at: 50) == 100)
  }

  @Test func manyThreadsTakeNoMoreThanThereIs() async {
    let shared = SharedAllowance(RateAllowance(interval: 1000, burst: 500))
    let table = AllowanceTable(capacity: 128)
    let rate = RateAllowance(interval: 1000, burst: 500)
    let taken = await withTaskGroup(of: (Int, Int).self) { tasks in
      for _ in 0..<8 {
        tasks.addTask {
          var counts = (0, 0)
          for _ in 0..<1000 {
            if shared.take(at: 0) == nil { counts.0 += 1 }
            if table.take(77, rate, at: 0) == nil { counts.1 += 1 }
          }
          return counts
        }
      }
      return await tasks.reduce((0, 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
    }
    #expect(taken == (500, 500))
    #expect(shared.take(at: 0) == 1000)
    #expect(shared.take(at: 1000) == nil)
  }
}
