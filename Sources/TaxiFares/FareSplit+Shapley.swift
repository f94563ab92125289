extension FareSplit {
  /// Shapley values as weights, exact: over all coalitions where their fares are given and riders
  /// are few enough, else by the closed form of the game that legs or solo fares describe.
  ///
  /// Every form is symmetric: riders who are alike weigh the same, in whatever order they stand.
  func shapleyWeights(coalitionFare: (([Int]) -> Int64)?) throws(ShareError) -> [UInt64] {
    if let coalitionFare, riders.count <= Self.exactShapleyRiders {
      return exactShapley(coalitionFare)
    }
    let values = legs.isEmpty ? shapleyOfSoloFares(try soloFares()) : try shapleyOfLegs()
    return Allocation.integerWeights(values)
  }

  /// n! times the Shapley values, from the fares of all 2^n coalitions.
  ///
  /// A rider without whom the others would pay more weighs nothing: nobody is paid to ride.
  private func exactShapley(_ fare: ([Int]) -> Int64) -> [UInt64] {
    let n = riders.count
    let all = 1 << n
    var fares = [Int64](repeating: 0, count: all)
    for mask in 1..<all {
      // Bounded so that n! times a fare, 4e16, stays a whole number of 64 bits.
      fares[mask] = min(
        max(0, fare(riders.indices.filter { mask >> $0 & 1 == 1 })), FareLimits.maximumAmount)
    }
    let factorials: [Int64] = [1, 1, 2, 6, 24, 120, 720, 5040, 40_320]
    return riders.indices.map { i in
      var value: Int64 = 0
      for mask in 0..<all where mask >> i & 1 == 0 {
        let size = mask.nonzeroBitCount
        // Orders of getting in with exactly this coalition aboard before the rider.
        let orders = factorials[size] * factorials[n - size - 1]
        value += orders * (fares[mask | 1 << i] - fares[mask])
      }
      return UInt64(max(0, value))
    }
  }

  /// Each leg costs whoever of its riders is there: the airport game of Littlechild and Owen
  /// (1973), in which a leg is shared equally by those aboard.
  private func shapleyOfLegs() throws(ShareError) -> [Double] {
    var values = [Double](repeating: 0, count: riders.count)
    for (leg, members) in zip(legs, try legMembers()) {
      for i in members { values[i] += Double(leg.amount) / Double(members.count) }
    }
    return values
  }

  /// A coalition costs something between riding apart (the sum of its solo fares) and wholly
  /// together (the largest of them), and all coalitions share as much as the whole party does.
  ///
  /// The value of a sum is each one's own part of it; that of a maximum is the airport game, in
  /// which what is above the next smaller fare is shared by all who go at least that far.
  private func shapleyOfSoloFares(_ solo: [Int64]) -> [Double] {
    let apart = Double(solo.reduce(0, +))
    let together = Double(solo.max() ?? 0)
    let metered = Double(amount - extras)
    let overlap = apart > together ? (apart - metered) / (apart - together) : 1
    var ofMaximum = [Double](repeating: 0, count: solo.count)
    var value = 0.0
    var reached: Int64 = 0
    for (place, i) in solo.indices.sorted(by: { solo[$0] < solo[$1] }).enumerated() {
      value += Double(solo[i] - reached) / Double(solo.count - place)
      reached = solo[i]
      ofMaximum[i] = value
    }
    return solo.indices.map { i in
      max(0, (1 - overlap) * Double(solo[i]) + overlap * ofMaximum[i])
    }
  }
}
