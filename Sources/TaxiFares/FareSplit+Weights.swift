extension FareSplit {
  /// - Returns: Seats as weights.
  func validate() throws(ShareError) -> [UInt64] {
    guard (1...Self.maximumRiders).contains(riders.count) else {
      throw .riderCountOutOfRange(riders.count)
    }
    try check(amount, "amount")
    try check(extras, "tolls")
    guard extras <= amount else { throw .amountOutOfRange(field: "tolls", amount: extras) }
    var ids: Set<String> = []
    var seats: [UInt64] = []
    for (i, rider) in riders.enumerated() {
      guard ids.insert(rider.id).inserted else {
        throw .duplicateRider(field: "riders[\(i)].riderId", id: rider.id)
      }
      guard (1...100).contains(rider.seats) else {
        throw .seatsOutOfRange(field: "riders[\(i)].seats", seats: rider.seats)
      }
      if let solo = rider.soloFare { try check(solo, "riders[\(i)].soloFare") }
      seats.append(UInt64(rider.seats))
    }
    for (i, leg) in legs.enumerated() { try check(leg.amount, "legs[\(i)].amount") }
    return seats
  }

  private func check(_ amount: Int64, _ field: String) throws(ShareError) {
    guard amount >= 0 && amount <= FareLimits.maximumAmount else {
      throw .amountOutOfRange(field: field, amount: amount)
    }
  }

  func hostIndex() throws(ShareError) -> Int {
    guard let hostID else { return 0 }
    guard let index = riders.firstIndex(where: { $0.id == hostID }) else {
      throw .unknownRider(field: "hostId", id: hostID)
    }
    return index
  }

  /// What the metered part is shared in proportion to.
  func weights(coalitionFare: (([Int]) -> Int64)?) throws(ShareError) -> [UInt64] {
    let weights: [UInt64]
    switch rule {
    case .equal, .hostPays:
      weights = riders.map { UInt64($0.seats) }
    case .byDistance:
      weights = try distances()
    case .bySoloFare:
      weights = try soloFares().map { UInt64($0) }
    case .weights:
      weights = Allocation.integerWeights(try givenWeights())
    case .byLeg:
      weights = Allocation.integerWeights(try legWeights())
    case .shapley:
      weights = try shapleyWeights(coalitionFare: coalitionFare)
    }
    guard amount == extras || weights.contains(where: { $0 > 0 }) else {
      throw .nothingToShareBy(field: fieldOfRule)
    }
    return weights
  }

  private var fieldOfRule: String {
    switch rule {
    case .equal, .hostPays: "riders[].seats"
    case .byDistance: "riders[].distanceMeters"
    case .bySoloFare: "riders[].soloFare"
    case .weights: "riders[].weight"
    case .byLeg: "legs[].amount"
    case .shapley: legs.isEmpty ? "riders[].soloFare" : "legs[].amount"
    }
  }

  private func distances() throws(ShareError) -> [UInt64] {
    var weights: [UInt64] = []
    for (i, rider) in riders.enumerated() {
      let field = "riders[\(i)].distanceMeters"
      guard let meters = rider.distanceMeters else { throw .missing(field: field) }
      guard meters >= 0 && meters <= FareLimits.maximumDistanceMeters else {
        throw .numberOutOfRange(field: field, value: meters)
      }
      weights.append(UInt64((meters * 1000).rounded()) * UInt64(rider.seats))
    }
    return weights
  }

  func soloFares() throws(ShareError) -> [Int64] {
    var fares: [Int64] = []
    for (i, rider) in riders.enumerated() {
      guard let solo = rider.soloFare else { throw .missing(field: "riders[\(i)].soloFare") }
      fares.append(solo)
    }
    return fares
  }

  private func givenWeights() throws(ShareError) -> [Double] {
    var weights: [Double] = []
    for (i, rider) in riders.enumerated() {
      guard let weight = rider.weight else { throw .missing(field: "riders[\(i)].weight") }
      guard weight >= 0 && weight <= 1e12 else {
        throw .numberOutOfRange(field: "riders[\(i)].weight", value: weight)
      }
      weights.append(weight)
    }
    return weights
  }

  /// Rider indices aboard each leg.
  func legMembers() throws(ShareError) -> [[Int]] {
    guard !legs.isEmpty else { throw .missing(field: "legs") }
    let index = Dictionary(uniqueKeysWithValues: riders.enumerated().map { ($1.id, $0) })
    var members: [[Int]] = []
    for (i, leg) in legs.enumerated() {
      try check(leg.amount, "legs[\(i)].amount")
      guard !leg.aboard.isEmpty else { throw .missing(field: "legs[\(i)].aboard") }
      var aboard: Set<Int> = []
      for (j, id) in leg.aboard.enumerated() {
        let field = "legs[\(i)].aboard[\(j)]"
        guard let rider = index[id] else { throw .unknownRider(field: field, id: id) }
        guard aboard.insert(rider).inserted else { throw .duplicateRider(field: field, id: id) }
      }
      members.append(aboard.sorted())
    }
    return members
  }

  private func legWeights() throws(ShareError) -> [Double] {
    var weights = [Double](repeating: 0, count: riders.count)
    for (leg, members) in zip(legs, try legMembers()) {
      let seats = members.reduce(0) { $0 + riders[$1].seats }
      for i in members {
        weights[i] += Double(leg.amount) * Double(riders[i].seats) / Double(seats)
      }
    }
    return weights
  }
}

/// Shares in whole minor units.
enum Allocation {
  /// Weights stay below this, so that 1,000 of them cannot overflow.
  static let maximumWeight = 1 << 50

  /// `amount` in proportion to `weights`, by largest remainder, the earlier first among equals.
  /// With all weights 0, all shares are 0 (callers refuse that unless the amount is 0).
  static func split(_ amount: Int64, _ weights: [UInt64]) -> [Int64] {
    let sum = weights.reduce(0, +)
    guard sum > 0, amount > 0 else { return weights.map { _ in 0 } }
    var shares: [Int64] = []
    var remainders: [(remainder: UInt64, index: Int)] = []
    var left = amount
    for (i, weight) in weights.enumerated() {
      // Safe: weight <= sum, so the quotient is at most `amount`.
      let (quotient, remainder) = sum.dividingFullWidth(
        UInt64(amount).multipliedFullWidth(by: weight))
      shares.append(Int64(quotient))
      left -= Int64(quotient)
      remainders.append((remainder, i))
    }
    remainders.sort { ($1.remainder, $0.index) < ($0.remainder, $1.index) }
    for (_, i) in remainders.prefix(Int(left)) { shares[i] += 1 }
    return shares
  }

  /// Real weights as integers; whole numbers stay as they are.
  static func integerWeights(_ weights: [Double]) -> [UInt64] {
    guard let largest = weights.max(), largest > 0 else { return weights.map { _ in 0 } }
    let isWhole = weights.allSatisfy { $0 == $0.rounded() && $0 <= Double(maximumWeight) }
    if isWhole { return weights.map { UInt64($0) } }
    return weights.map { UInt64(($0 / largest * Double(maximumWeight)).rounded()) }
  }
}
