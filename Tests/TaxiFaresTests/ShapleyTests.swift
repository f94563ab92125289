import ObjectModel
import TaxiFares
import TestSupport
import Testing

/// Shapley shares against the definition: what each adds to the fare, averaged over every order of
/// getting in.
@Suite struct ShapleyTests {
  private func riders(_ solo: [Int64]) -> [ShareRider] {
    solo.enumerated().map { ShareRider(id: "r\($0)", soloFare: $1) }
  }

  private func amounts(_ split: FareSplit) throws -> [Int64] {
    try split.shares().map(\.amount)
  }

  /// By bit mask of riders. All orders of getting in, one by one.
  private func valuesByOrders(_ n: Int, _ fares: [Int64]) -> [Double] {
    var sums = [Double](repeating: 0, count: n)
    var orders = 0.0
    func extend(_ mask: Int, _ added: inout [Double]) {
      if mask == (1 << n) - 1 {
        orders += 1
        for i in 0..<n { sums[i] += added[i] }
        return
      }
      for rider in 0..<n where mask >> rider & 1 == 0 {
        let next = mask | 1 << rider
        added[rider] = Double(fares[next] - fares[mask])
        extend(next, &added)
      }
    }
    var added = [Double](repeating: 0, count: n)
    extend(0, &added)
    return sums.map { $0 / orders }
  }

  @Test(arguments: 2...8) func isExactToEight(n: Int) throws {
    for seed in [51, 52] as [UInt64] {
      var random = SplitMix64(seed: seed)
      var fares = [Int64](repeating: 0, count: 1 << n)
      for mask in 1..<(1 << n) {
        // Grows with the riders, so that nobody's value is negative.
        let members = (0..<n).filter { mask >> $0 & 1 == 1 }
        fares[mask] =
          Int64(members.map { 3000 + $0 * 2500 }.max() ?? 0)
          + Int64(members.count * 700) + Int64(random.below(400))
      }
      let split = FareSplit(
        amount: fares[fares.count - 1], rule: .shapley,
        riders: riders(Array(repeating: 9000, count: n)))
      let shares = try split.shares { fares[$0.reduce(0) { $0 | 1 << $1 }] }
      for (share, value) in zip(shares, valuesByOrders(n, fares)) {
        #expect(abs(Double(share.amount) - value) <= 1, "seed \(seed)")
      }
      #expect(shares.reduce(0) { $0 + $1.amount } == split.amount)
    }
  }

  /// The finding: 1,995, 2,035, 1,915, 2,055 and 2,000 of 10,000 for five of one solo fare.
  @Test func ridersWhoAreAlikePayTheSame() throws {
    let five = FareSplit(
      amount: 10_000, rule: .shapley, riders: riders(Array(repeating: 4000, count: 5)))
    #expect(try amounts(five) == [2000, 2000, 2000, 2000, 2000])
    for n in 2...12 {
      let alike = FareSplit(
        amount: 10_007, rule: .shapley, riders: riders(Array(repeating: 4000, count: n)))
      let shares = try amounts(alike)
      // What does not divide goes to the earlier, one minor unit each.
      #expect((shares.max() ?? 0) - (shares.min() ?? 0) <= 1)
      let legs = FareSplit(
        amount: 9000, rule: .shapley, riders: alike.riders,
        legs: [
          ShareLeg(amount: 1000, aboard: alike.riders.map(\.id)),
          ShareLeg(amount: 333, aboard: alike.riders.map(\.id)),
        ])
      let byLegs = try amounts(legs)
      #expect((byLegs.max() ?? 0) - (byLegs.min() ?? 0) <= 1)
    }
  }

  @Test(arguments: [3, 5, 8, 13]) func theOrderOfRidersDoesNotMatter(n: Int) throws {
    var random = SplitMix64(seed: 61)
    for _ in 0..<40 {
      let solo = (0..<n).map { _ in Int64(3000 + random.below(6) * 1000) }
      let largest = solo.max() ?? 0
      let apart = solo.reduce(0, +)
      let amount = largest + Int64(random.below(Int(apart - largest) + 1))
      let first = try FareSplit(amount: amount, rule: .shapley, riders: riders(solo)).shares()
      let reversed = try FareSplit(
        amount: amount, rule: .shapley, riders: riders(solo).reversed()
      ).shares()
      let shareOf = Dictionary(uniqueKeysWithValues: reversed.map { ($0.riderID, $0.amount) })
      for share in first {
        // Only the minor unit that does not divide goes by place.
        #expect(abs((shareOf[share.riderID] ?? -9) - share.amount) <= 1)
      }
      #expect(first.allSatisfy { $0.exceedsSoloBecause == nil })
    }
  }

  /// Without fares of coalitions the game is that of the legs: each is shared by those aboard.
  @Test(arguments: [4, 6, 8, 20]) func legsAreTheAirportGame(n: Int) throws {
    var split = FareSplit(
      amount: 3500 * Int64(n), rule: .shapley, riders: riders((1...n).map { Int64($0) * 1000 }))
    split.legs = (0..<n).map { k in
      ShareLeg(amount: 3500, aboard: split.riders[k...].map(\.id))
    }
    var exact = [Double](repeating: 0, count: n)
    for k in 0..<n { for i in k..<n { exact[i] += 3500 / Double(n - k) } }
    for (share, value) in zip(try amounts(split), exact) {
      #expect(abs(Double(share) - value) <= 1)
    }
  }

  /// And without legs that of the solo fares, against the definition.
  @Test(arguments: 2...7) func soloFaresAreBetweenApartAndTogether(n: Int) throws {
    var random = SplitMix64(seed: 71)
    for _ in 0..<10 {
      let solo = (0..<n).map { _ in Int64(2000 + random.below(9000)) }
      let apart = solo.reduce(0, +)
      let together = solo.max() ?? 0
      let amount = together + Int64(random.below(Int(apart - together) + 1))
      let overlap = Double(apart - amount) / Double(apart - together)
      let fares = (0..<(1 << n)).map { mask -> Int64 in
        let members = (0..<n).filter { mask >> $0 & 1 == 1 }.map { solo[$0] }
        let sum = members.reduce(0, +)
        return sum - Int64((overlap * Double(sum - (members.max() ?? 0))).rounded())
      }
      let shares = try amounts(FareSplit(amount: amount, rule: .shapley, riders: riders(solo)))
      for (share, value) in zip(shares, valuesByOrders(n, fares)) {
        #expect(abs(Double(share) - value) <= 2)
      }
    }
  }
}
