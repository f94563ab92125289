import ObjectModel

extension FareSplit {
  /// Orders of getting in that are sampled for more than ``exactShapleyRiders`` riders.
  static let sampledOrders = 1000

  /// Shapley values as weights: exact by subsets, or sampled by a seed.
  func shapleyWeights(coalitionFare: (([Int]) -> Int64)?) throws(ShareError) -> [UInt64] {
    let fare: ([Int]) -> Int64
    if let coalitionFare { fare = coalitionFare } else { fare = try modelledCoalitionFare() }
    let values =
      riders.count <= Self.exactShapleyRiders ? exactShapley(fare) : sampledShapley(fare)
    // A rider without whom the others would pay more weighs nothing: nobody is paid to ride.
    return Allocation.integerWeights(values.map { max(0, $0) })
  }

  /// n! times the Shapley values: whole numbers.
  private func exactShapley(_ fare: ([Int]) -> Int64) -> [Double] {
    let n = riders.count
    let all = 1 << n
    var fares = [Int64](repeating: 0, count: all)
    for mask in 1..<all {
      fares[mask] = fare(riders.indices.filter { mask >> $0 & 1 == 1 })
    }
    let factorials = [1, 1, 2, 6, 24]
    var values = [Double](repeating: 0, count: n)
    for i in 0..<n {
      for mask in 0..<all where mask >> i & 1 == 0 {
        let size = mask.nonzeroBitCount
        let orders = factorials[size] * factorials[n - size - 1]
        values[i] += Double(orders) * Double(fares[mask | 1 << i] - fares[mask])
      }
    }
    return values
  }

  private func sampledShapley(_ fare: ([Int]) -> Int64) -> [Double] {
    let n = riders.count
    var random = SplitMix64(seed: seed)
    var order = Array(0..<n)
    var values = [Double](repeating: 0, count: n)
    for _ in 0..<Self.sampledOrders {
      for i in stride(from: n - 1, to: 0, by: -1) {
        order.swapAt(i, Int(random.next() % UInt64(i + 1)))
      }
      var coalition: [Int] = []
      var before: Int64 = 0
      for i in order {
        let place = coalition.firstIndex { $0 > i } ?? coalition.count
        coalition.insert(i, at: place)
        let after = fare(coalition)
        values[i] += Double(after) - Double(before)
        before = after
      }
    }
    return values
  }

  /// The fare of a coalition when no route is known for it.
  private func modelledCoalitionFare() throws(ShareError) -> ([Int]) -> Int64 {
    if !legs.isEmpty {
      let members = try legMembers()
      let amounts = legs.map(\.amount)
      return { coalition in
        zip(members, amounts).reduce(0) { sum, leg in
          leg.0.contains { coalition.contains($0) } ? sum + leg.1 : sum
        }
      }
    }
    return interpolatedFare(try soloFares())
  }

  /// Between riding apart (the sum of solo fares) and wholly together (the largest of them), all
  /// coalitions save as much as the whole party does.
  private func interpolatedFare(_ solo: [Int64]) -> ([Int]) -> Int64 {
    let apart = Double(solo.reduce(0, +))
    let together = Double(solo.max() ?? 0)
    let metered = amount - extras
    let overlap = apart > together ? (apart - Double(metered)) / (apart - together) : 1
    return { coalition in
      if coalition.count == solo.count { return metered }
      var sum: Int64 = 0
      var largest: Int64 = 0
      for i in coalition {
        sum += solo[i]
        largest = max(largest, solo[i])
      }
      return sum - Int64((overlap * Double(sum - largest)).rounded())
    }
  }
}
