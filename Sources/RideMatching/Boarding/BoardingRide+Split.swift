import GeoMath
import RoutePlanning
import TaxiFares

extension BoardingRide {
  /// Shares the fare of a plan by the party's rule, leg by leg: a leg is paid by those aboard of it,
  /// by the seats (`equal`, `byDistance`, `byLeg`), the fares alone (`bySoloFare`) or the weights
  /// (`weights`) that they have there. A leg counts by its length, under `byLeg` by what it adds to the
  /// fare. A leg on which nobody rides is everyone's, by seats; so are call fee and tolls. Shares
  /// sum to the fare.
  func split(_ plan: inout BoardingPlan) {
    let count = min(plan.parts.count, SmallSplit.maximumRiders)
    var seats = SIMD8<UInt64>()
    for i in 0..<count { seats[i] = UInt64(max(0, plan.parts[i].seats)) }
    if splitRule == .hostPays {
      for i in plan.parts.indices { plan.parts[i].share = i == 0 ? plan.amount : 0 }
      return
    }
    if splitRule == .shapley, let shares = shapleyShares(plan) {
      for i in 0..<count { plan.parts[i].share = shares[i].amount }
      return
    }
    let weights = legWeights(plan, count)
    var shares: SIMD8<Int64>
    if weights == SIMD8() && plan.amount != plan.extras {
      shares = SmallSplit.shares(plan.amount, weights: seats, count: count)
    } else {
      shares = SmallSplit.shares(plan.amount - plan.extras, weights: weights, count: count)
      shares &+= SmallSplit.shares(plan.extras, weights: seats, count: count)
    }
    for i in 0..<count { plan.parts[i].share = shares[i] }
  }

  private func legWeights(_ plan: BoardingPlan, _ count: Int) -> SIMD8<UInt64> {
    var total = SIMD8<Double>()
    var before: Int64 = 0
    for leg in 0..<max(0, plan.halts.count - 1) {
      let value = legValue(plan, leg, &before)
      var own = SIMD8<Double>()
      var sum = 0.0
      for i in 0..<count where plan.isAboard(i, leg: leg) {
        own[i] = weight(plan.parts[i])
        sum += own[i]
      }
      if sum <= 0 {
        // Nobody aboard, or nobody who weighs anything: by seats.
        let isEmpty = !(0..<count).contains { plan.isAboard($0, leg: leg) }
        for i in 0..<count where isEmpty || plan.isAboard(i, leg: leg) {
          own[i] = Double(plan.parts[i].seats)
          sum += own[i]
        }
      }
      guard sum > 0 else { continue }
      for i in 0..<count { total[i] += value * own[i] / sum }
    }
    return SmallSplit.integerWeights(total, count: count)
  }

  private func weight(_ part: BoardingPlan.Part) -> Double {
    switch splitRule {
    case .bySoloFare: Double(part.fare.amount)
    case .weights: part.weight
    case .equal, .byDistance, .byLeg, .shapley, .hostPays: Double(part.seats)
    }
  }

  /// The length of a leg, or what it adds to the fare without call fee. `before` is the fare up to the leg,
  /// and then that behind it.
  private func legValue(_ plan: BoardingPlan, _ leg: Int, _ before: inout Int64) -> Double {
    guard splitRule == .byLeg, plan.flat < 0 else {
      return plan.meters[leg + 1] - plan.meters[leg]
    }
    let total =
      plainMeter.expected(
        distanceMeters: plan.meters[leg + 1], durationSeconds: plan.seconds[leg + 1],
        outOfAreaFromMeters: plan.edgeShare.map { $0 * plan.totalMeters })?.amount ?? before
    defer { before = max(before, total) }
    return Double(max(0, total - before))
  }

  /// By the fares of all coalitions: the ride from where the first of some riders gets in, through
  /// their halts alone.
  private func shapleyShares(_ plan: BoardingPlan) -> [FareShare]? {
    let count = min(plan.parts.count, SmallSplit.maximumRiders)
    var fares = [Int64](repeating: 0, count: 1 << count)
    for mask in 1..<(1 << count) { fares[mask] = coalitionFare(plan, mask, count) }
    let split = FareSplit(
      amount: plan.amount, rule: .shapley,
      riders: (0..<count).map { ShareRider(id: "\($0)", seats: plan.parts[$0].seats) },
      extras: plan.extras)
    return try? split.shares { members in fares[members.reduce(0) { $0 | 1 << $1 }] }
  }

  private func coalitionFare(_ plan: BoardingPlan, _ mask: Int, _ count: Int) -> Int64 {
    var meters = 0.0
    var seconds = 0.0
    var last: Halt?
    for at in plan.halts.indices {
      let halt = plan.halts[at]
      let isOurs =
        at == 0
        ? (0..<count).contains { mask >> $0 & 1 == 1 && plan.parts[$0].boards == 0 }
        : mask >> halt.rider & 1 == 1
      guard isOurs else { continue }
      if let last {
        let leg = ride.travel.estimate(straightMeters: last.here.meters(to: halt.here))
        meters += leg.distanceMeters
        seconds += leg.durationSeconds
      }
      last = halt
    }
    let members = (0..<count).filter { mask >> $0 & 1 == 1 }.map { plan.parts[$0].fare }
    if let flat = members.first?.flat, flat >= 0, members.allSatisfy({ $0.flat == flat }) {
      return plainMeter.flat(flat)?.amount ?? 0
    }
    let edge = members.lazy.compactMap(\.edgeShare).first
    return plainMeter.expected(
      distanceMeters: meters, durationSeconds: seconds,
      outOfAreaFromMeters: edge.map { $0 * meters })?.amount ?? 0
  }
}
