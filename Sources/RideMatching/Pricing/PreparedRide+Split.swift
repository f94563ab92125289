import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares

extension PreparedRide {
  /// The call fee that is part of the fare; an agreed fare has none.
  var sharedFee: Int64 { price == .metered ? meter.callFee : 0 }

  /// Shares the fare of the plan by the party's rule. Where the rule has nothing to go by (nobody
  /// moves, all weights 0), per seat.
  ///
  /// - Complexity: O(riders), without allocating; `byLeg` and `shapley` price parts of the route as
  ///   well and allocate.
  func split(_ plan: inout RidePlan, joining joined: Coordinate?) {
    let count = plan.riderCount
    var seats = SIMD8<UInt64>()
    for i in 0..<count { seats[i] = UInt64(plan.seats[i]) }
    let weights: SIMD8<UInt64>
    switch splitRule {
    case .equal:
      plan.shares = SmallSplit.shares(plan.amount, weights: seats, count: count)
      return
    case .hostPays:
      plan.shares = SIMD8()
      plan.shares[0] = plan.amount
      return
    case .bySoloFare:
      var fares = SIMD8<UInt64>()
      for i in 0..<count { fares[i] = UInt64(plan.soloFare(i)) }
      weights = fares
    case .byDistance:
      var meters = SIMD8<UInt64>()
      for i in 0..<count {
        meters[i] = UInt64((plan.rideMeters(i) * 1000).rounded()) * seats[i]
      }
      weights = meters
    case .weights:
      weights = SmallSplit.integerWeights(vector(plan.weights), count: count)
    case .byLeg, .shapley:
      splitByParts(&plan, seats, joined)
      return
    }
    share(&plan, weights, seats)
  }

  private func vector(_ values: RidePlan.ByIndex<Double>) -> SIMD8<Double> {
    var vector = SIMD8<Double>()
    for i in values.indices { vector[i] = values[i] }
    return vector
  }

  private func share(
    _ plan: inout RidePlan, _ weights: SIMD8<UInt64>, _ seats: SIMD8<UInt64>
  ) {
    let count = plan.riderCount
    guard weights != SIMD8() || plan.amount == plan.extras else {
      plan.shares = SmallSplit.shares(plan.amount, weights: seats, count: count)
      return
    }
    plan.shares =
      SmallSplit.shares(plan.amount - plan.extras, weights: weights, count: count)
      &+ SmallSplit.shares(plan.extras, weights: seats, count: count)
  }

  /// The rules that need fares of parts of the route, by ``FareSplit`` itself.
  private func splitByParts(
    _ plan: inout RidePlan, _ seats: SIMD8<UInt64>, _ joined: Coordinate?
  ) {
    let ids = (0..<plan.riderCount).map { String($0) }
    let split = FareSplit(
      amount: plan.amount, rule: splitRule,
      riders: ids.indices.map { i in
        ShareRider(
          id: ids[i], seats: Int(plan.seats[i]), soloFare: plan.soloFare(i),
          distanceMeters: plan.rideMeters(i), weight: plan.weights[i])
      }, legs: legs(plan, ids), extras: plan.extras)
    let coalitions = coalitionFares(plan, joined)
    let shares: [FareShare]?
    if let coalitions {
      shares = try? split.shares { members in coalitions[members.reduce(0) { $0 | 1 << $1 }] }
    } else {
      shares = try? split.shares()
    }
    guard let shares else {
      plan.shares = SmallSplit.shares(plan.amount, weights: seats, count: plan.riderCount)
      return
    }
    for (i, share) in shares.enumerated() { plan.shares[i] = share.amount }
  }

  /// Each leg adds what the fare to its end is above the fare to its beginning, without call fee.
  private func legs(_ plan: RidePlan, _ ids: [String]) -> [ShareLeg] {
    // One leg, or a price that does not grow with the route: everyone is aboard of all of it.
    guard plan.placeCount > 1, plan.flat < 0 else { return [ShareLeg(amount: 1, aboard: ids)] }
    let plain = FareMeter(meter.tariff, departure: meter.departure)
    var legs: [ShareLeg] = []
    var before: Int64 = 0
    let outside = outOfAreaFromMeters(plan, totalMeters: plan.totalMeters)
    for position in 0..<plan.placeCount {
      let place = Int(plan.order[position])
      let total =
        plain.expected(
          distanceMeters: plan.meters[place], durationSeconds: plan.seconds[place],
          outOfAreaFromMeters: outside)?.amount ?? before
      let aboard = ids.indices.filter { plan.meters[plan.place($0)] >= plan.meters[place] }
        .filter { rider in
          (position..<plan.placeCount).contains { Int(plan.order[$0]) == plan.place(rider) }
        }
      legs.append(ShareLeg(amount: max(0, total - before), aboard: aboard.map { ids[$0] }))
      before = max(before, total)
    }
    return legs
  }

  /// By bit mask of riders: the fare of the ride with the others left out, stops in the same
  /// order. Nil where legs have to do.
  private func coalitionFares(_ plan: RidePlan, _ joined: Coordinate?) -> [Int64]? {
    let count = plan.riderCount
    guard splitRule == .shapley, count <= FareSplit.exactShapleyRiders, plan.placeCount > 1,
      plan.flat < 0
    else { return nil }
    let plain = FareMeter(meter.tariff, departure: meter.departure)
    var known: [UInt8: Int64] = [:]
    var fares = [Int64](repeating: 0, count: 1 << count)
    for mask in 1..<(1 << count) {
      var visited: UInt8 = 0
      for i in 0..<count where mask >> i & 1 == 1 { visited |= 1 << plan.placeOfRider[i] }
      let fare = known[visited] ?? partialFare(plan, visited: visited, plain: plain, joined: joined)
      known[visited] = fare
      fares[mask] = fare
    }
    return fares
  }

  /// The ride through some of the places, in the order of the whole ride.
  private func partialFare(
    _ plan: RidePlan, visited: UInt8, plain: FareMeter, joined: Coordinate?
  ) -> Int64 {
    var estimator = travel
    var from = origin
    var meters = 0.0
    var seconds = 0.0
    var facts = AreaRules.Facts()
    var isFirst = true
    for position in 0..<plan.placeCount {
      let place = Int(plan.order[position])
      guard visited >> UInt8(place) & 1 == 1 else { continue }
      let to = place < stops.count ? stops[place].place : (joined ?? from)
      let leg = estimator.estimate(from: from, to: to)
      meters += leg.distanceMeters
      seconds += leg.durationSeconds
      estimator = estimator.advanced(seconds: leg.durationSeconds, near: to)
      from = to
      if !facts.isOutside {
        facts.isOutside = plan.outsideMask >> UInt8(place) & 1 == 1
        facts.edgeShare = plan.edgeShares[place]
      }
      facts.flat = isFirst || facts.flat == Int(plan.flats[place]) ? Int(plan.flats[place]) : -1
      isFirst = false
    }
    if facts.flat == -1 { facts.flat = nil }
    return Self.solo(plain, meters: meters, seconds: seconds, facts: facts)?.amount ?? 0
  }
}
