import ObjectModel
import TestSupport
import Testing

@testable import TaxiFares

@Suite struct FareSplitTests {
  private func riders(_ solo: [Int64]) -> [ShareRider] {
    solo.enumerated().map { i, fare in
      ShareRider(
        id: "r\(i)", soloFare: fare, distanceMeters: Double(fare) / 2, weight: Double(i + 1))
    }
  }

  private func amounts(_ split: FareSplit) throws -> [Int64] {
    try split.shares().map(\.amount)
  }

  @Test func equalGivesTheRestToTheFirst() throws {
    #expect(
      try amounts(FareSplit(amount: 10_000, rule: .equal, riders: riders([1, 1, 1])))
        == [3334, 3333, 3333])
    #expect(
      try amounts(FareSplit(amount: 2, rule: .equal, riders: riders([1, 1, 1]))) == [1, 1, 0])
  }

  @Test func equalIsPerSeat() throws {
    var split = FareSplit(amount: 12_000, rule: .equal, riders: riders([1, 1]))
    split.riders[1].seats = 2
    #expect(try amounts(split) == [4000, 8000])
  }

  @Test func sharesAreInProportionToWhatTheRuleNames() throws {
    let solo: [Int64] = [9000, 6000, 3000]
    #expect(
      try amounts(FareSplit(amount: 9000, rule: .bySoloFare, riders: riders(solo)))
        == [4500, 3000, 1500])
    #expect(
      try amounts(FareSplit(amount: 9000, rule: .byDistance, riders: riders(solo)))
        == [4500, 3000, 1500])
    #expect(
      try amounts(FareSplit(amount: 9000, rule: .weights, riders: riders(solo)))
        == [1500, 3000, 4500])
    var fractions = FareSplit(amount: 1000, rule: .weights, riders: riders(solo))
    fractions.riders[0].weight = 0.1
    fractions.riders[1].weight = 0.2
    fractions.riders[2].weight = 0.7
    #expect(try amounts(fractions) == [100, 200, 700])
  }

  @Test func legsAreSharedByWhoIsAboard() throws {
    var split = FareSplit(amount: 12_000, rule: .byLeg, riders: riders([5000, 9000, 9000]))
    split.legs = [
      ShareLeg(amount: 6000, aboard: ["r0", "r1", "r2"]),
      ShareLeg(amount: 4000, aboard: ["r1", "r2"]), ShareLeg(amount: 2000, aboard: ["r2"]),
    ]
    #expect(try amounts(split) == [2000, 4000, 6000])
    // The real meter showed more: the legs still weigh.
    split.amount = 15_000
    #expect(try amounts(split) == [2500, 5000, 7500])
    // As an airport game, Shapley shares are the same.
    split.rule = .shapley
    #expect(try amounts(split) == [2500, 5000, 7500])
  }

  @Test func hostPaysEverythingTollsToo() throws {
    var split = FareSplit(
      amount: 10_000, rule: .hostPays, riders: riders([6000, 6000]), extras: 2000)
    #expect(try amounts(split) == [10_000, 0])
    split.hostID = "r1"
    let shares = try split.shares()
    #expect(shares.map(\.amount) == [0, 10_000])
    #expect(shares[1].exceedsSoloBecause?.contains("host") == true)
    #expect(shares[1].saving == -4000)
    split.hostID = "nobody"
    #expect(throws: ShareError.unknownRider(field: "hostId", id: "nobody")) {
      try split.shares()
    }
  }

  @Test func tollsArePerSeat() throws {
    let split = FareSplit(
      amount: 12_000, rule: .bySoloFare, riders: riders([9000, 3000]), extras: 4000)
    #expect(try amounts(split) == [6000 + 2000, 2000 + 2000])
  }

  @Test(arguments: [31, 32, 33, 34] as [UInt64])
  func sharesSumAndAreNotNegative(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<40 {
      let n = 1 + random.below(7)
      let solo = (0..<n).map { _ in Int64(1 + random.below(40_000)) }
      let amount = Int64(random.below(100_000))
      var split = FareSplit(amount: amount, rule: .equal, riders: riders(solo))
      for i in split.riders.indices { split.riders[i].seats = 1 + random.below(3) }
      split.extras = Int64(random.below(Int(amount) + 1))
      split.legs = (0..<n).map { k in
        ShareLeg(
          amount: Int64(1 + random.below(9000)), aboard: split.riders[k...].map(\.id))
      }
      for rule in SplitRule.allCases {
        split.rule = rule
        let shares = try split.shares()
        #expect(shares.reduce(0) { $0 + $1.amount } == amount, "\(rule) \(split)")
        let isSound = shares.allSatisfy {
          $0.amount >= 0 && ($0.amount > $0.soloFare ?? 0) == ($0.exceedsSoloBecause != nil)
        }
        let isRepeatable = try split.shares() == shares
        #expect(isSound && isRepeatable, "\(rule) \(split)")
      }
    }
  }

  @Test func anEqualShareNeverGrowsWithRiders() throws {
    for amount in [0, 1, 4800, 9999, 10_001] as [Int64] {
      var last = Int64.max
      for n in 1...8 {
        let split = FareSplit(
          amount: amount, rule: .equal, riders: riders(Array(repeating: 5000, count: n)))
        let largest = try amounts(split).max() ?? 0
        #expect(largest <= last)
        last = largest
      }
    }
  }

  /// While the ride costs at most the solo fares together, nobody pays more than alone.
  @Test(arguments: [41, 42] as [UInt64])
  func soloFareSharesKeepTheSoloBound(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<150 {
      let solo = (0..<(2 + random.below(5))).map { _ in Int64(1 + random.below(30_000)) }
      let amount = Int64(random.below(Int(solo.reduce(0, +)) + 1))
      let shares = try FareSplit(amount: amount, rule: .bySoloFare, riders: riders(solo)).shares()
      #expect(shares.allSatisfy { $0.exceedsSoloBecause == nil })
    }
  }

  @Test func whoPaysMoreIsNamed() throws {
    let shares = try FareSplit(
      amount: 12_000, rule: .equal, riders: riders([4000, 9000, 9000])
    ).shares()
    #expect(shares.map(\.exceedsSoloBecause) == [nil, nil, nil])
    let unequal = try FareSplit(
      amount: 15_000, rule: .equal, riders: riders([4000, 9000, 9000])
    ).shares()
    #expect(unequal[0].exceedsSoloBecause?.hasPrefix("equal") == true)
    #expect(unequal[1].exceedsSoloBecause == nil)
    let dear = try FareSplit(amount: 25_000, rule: .bySoloFare, riders: riders([10_000, 10_000]))
      .shares()
    #expect(dear.allSatisfy { $0.exceedsSoloBecause?.contains("20000") == true })
  }

  @Test func fiftyRidersDoNotBlowUp() throws {
    let many = riders((0..<50).map { Int64(5000 + $0 * 10) })
    for rule in SplitRule.allCases where rule != .byLeg {
      let shares = try FareSplit(amount: 123_457, rule: rule, riders: many).shares()
      #expect(shares.reduce(0) { $0 + $1.amount } == 123_457)
    }
  }

  @Test func refusesWhatCannotBeShared() {
    func refusal(_ split: FareSplit) -> ShareError? {
      do {
        _ = try split.shares()
        return nil
      } catch {
        return error
      }
    }
    let two = riders([5000, 5000])
    #expect(
      refusal(FareSplit(amount: -1, rule: .equal, riders: two))
        == .amountOutOfRange(field: "amount", amount: -1))
    #expect(
      refusal(FareSplit(amount: .max, rule: .equal, riders: two))
        == .amountOutOfRange(field: "amount", amount: .max))
    #expect(
      refusal(FareSplit(amount: 1, rule: .equal, riders: [])) == .riderCountOutOfRange(0))
    #expect(
      refusal(FareSplit(amount: 1, rule: .equal, riders: riders(Array(repeating: 1, count: 1001))))
        == .riderCountOutOfRange(1001))
    var split = FareSplit(amount: 100, rule: .bySoloFare, riders: two)
    split.riders[1].soloFare = nil
    #expect(refusal(split) == .missing(field: "riders[1].soloFare"))
    split.riders[1].soloFare = -3
    #expect(refusal(split) == .amountOutOfRange(field: "riders[1].soloFare", amount: -3))
    split = FareSplit(amount: 100, rule: .weights, riders: two)
    split.riders[0].weight = .nan
    guard case .numberOutOfRange("riders[0].weight", _)? = refusal(split) else {
      Issue.record("a weight that is not a number")
      return
    }
    split.riders[0].weight = 0
    split.riders[1].weight = 0
    #expect(refusal(split) == .nothingToShareBy(field: "riders[].weight"))
    split = FareSplit(amount: 100, rule: .equal, riders: two)
    split.riders[1].id = "r0"
    #expect(refusal(split) == .duplicateRider(field: "riders[1].riderId", id: "r0"))
    split = FareSplit(amount: 100, rule: .byLeg, riders: two)
    #expect(refusal(split) == .missing(field: "legs"))
    split.legs = [ShareLeg(amount: 1, aboard: ["r9"])]
    #expect(refusal(split) == .unknownRider(field: "legs[0].aboard[0]", id: "r9"))
    split.riders[0].seats = 0
    #expect(refusal(split) == .seatsOutOfRange(field: "riders[0].seats", seats: 0))
    split = FareSplit(amount: 100, rule: .equal, riders: two, extras: 101)
    #expect(refusal(split) == .amountOutOfRange(field: "tolls", amount: 101))
  }
}
