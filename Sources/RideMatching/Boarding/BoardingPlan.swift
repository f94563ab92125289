import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares

/// A ride with riders who get in on its way, as planned and priced: the new rider, if there is one,
/// is the last.
struct BoardingPlan {
  /// One rider's part.
  struct Part {
    var seats: Int
    var weight: Double
    var boards: Int
    var alights: Int
    var direct: TravelEstimate
    var fare: BoardingRide.SoloFare
    var share: Int64 = 0
  }

  /// In order, the origin first.
  var halts: [BoardingRide.Halt] = []
  /// Between one halt and the next, as estimated at the departure.
  var legs: [TravelEstimate] = []
  /// By halt, from the origin and from the departure on.
  var meters: [Double] = []
  var seconds: [Double] = []
  /// As ``seconds``, each leg as long as at the departure: what limits bound.
  var steadySeconds: [Double] = []
  var parts: [Part] = []
  /// The fare, and the part of it shared per seat whatever the rule; minor units.
  var amount: Int64 = 0
  var extras: Int64 = 0
  /// The flat trip that everyone's ride is; -1 where the meter runs.
  var flat = -1
  var edgeShare: Double?

  var totalMeters: Double { meters.last ?? 0 }
  var totalSeconds: Double { seconds.last ?? 0 }

  func rideMeters(_ i: Int) -> Double { meters[parts[i].alights] - meters[parts[i].boards] }
  func rideSeconds(_ i: Int) -> Double { seconds[parts[i].alights] - seconds[parts[i].boards] }
  func boardedSeconds(_ i: Int) -> Double { seconds[parts[i].boards] }
  func detourSeconds(_ i: Int) -> Double {
    max(0, rideSeconds(i) - parts[i].direct.durationSeconds)
  }

  func isAboard(_ i: Int, leg: Int) -> Bool { parts[i].boards <= leg && leg < parts[i].alights }

  /// The part of the rider's ride with someone else aboard, 0...1.
  func sharedRatio(_ i: Int) -> Double {
    var together = 0.0
    for leg in parts[i].boards..<max(parts[i].boards, parts[i].alights)
    where parts.indices.contains(where: { $0 != i && isAboard($0, leg: leg) }) {
      together += meters[leg + 1] - meters[leg]
    }
    let ride = rideMeters(i)
    return ride > 0 ? min(1, together / ride) : parts.count > 1 ? 1 : 0
  }
}

extension BoardingRide {
  /// The ride as it is: the halts in their order.
  /// - Throws: ``PartyError/fare(_:)`` where it cannot be priced.
  func plan() throws(PartyError) -> BoardingPlan {
    var plan = BoardingPlan()
    plan.halts = halts
    plan.legs = legs
    plan.parts = riders.map(Self.part)
    guard finish(&plan) else { throw .fare(tooFar(plan)) }
    return plan
  }

  /// The ride with a new rider's halts put in.
  /// - Returns: Nil where it cannot be priced.
  func plan(_ insertion: BoardingInsertion, _ joiner: BoardingJoiner) -> BoardingPlan? {
    var plan = BoardingPlan()
    return self.plan(insertion, joiner, into: &plan) ? plan : nil
  }

  /// The same into a plan whose room is used again.
  /// - Returns: False where it cannot be priced; the plan is then of no use.
  func plan(
    _ insertion: BoardingInsertion, _ joiner: BoardingJoiner, into plan: inout BoardingPlan
  ) -> Bool {
    let point = insertion.meetingPoint
    guard
      let fare = ride.knownSoloFare(
        from: joiner.asked == nil ? nil : point, to: joiner.drop, insertion.direct,
        hereAreas: { point in
          guard point == joiner.asked, let areas = joiner.askedAreas else {
            return ride.pricing.placeAreas(point)
          }
          return areas
        }, thereAreas: { joiner.dropAreas ?? ride.pricing.placeAreas($0) })
    else { return false }
    plan.parts.removeAll(keepingCapacity: true)
    for rider in riders { plan.parts.append(Self.part(rider)) }
    plan.parts.append(
      BoardingPlan.Part(
        seats: joiner.seats, weight: joiner.weight, boards: 0, alights: 0,
        direct: insertion.direct, fare: fare))
    putIn(insertion, joiner, &plan)
    return finish(&plan)
  }

  private func putIn(
    _ insertion: BoardingInsertion, _ joiner: BoardingJoiner, _ plan: inout BoardingPlan
  ) {
    let me = riders.count
    let point = insertion.meetingPoint
    plan.halts.removeAll(keepingCapacity: true)
    plan.legs.removeAll(keepingCapacity: true)
    for halt in halts.indices {
      plan.halts.append(halts[halt])
      let at = plan.halts.count - 1
      if halt > 0 {
        let rider = halts[halt].rider
        if halts[halt].isBoarding {
          plan.parts[rider].boards = at
        } else {
          plan.parts[rider].alights = at
        }
      }
      let boards = halt == insertion.boardingLeg && joiner.asked != nil
      let alights = halt == insertion.alightingLeg
      if boards {
        plan.parts[me].boards = plan.halts.count
        plan.halts.append(
          Halt(
            place: point, here: DistanceOrigin(point), rider: me, isBoarding: true))
        plan.legs.append(insertion.toPoint)
      }
      if alights {
        plan.parts[me].alights = plan.halts.count
        plan.halts.append(
          Halt(place: joiner.drop, here: joiner.dropHere, rider: me, isBoarding: false))
        plan.legs.append(boards ? insertion.direct : insertion.toDrop)
      }
      guard halt < legs.count else { break }
      plan.legs.append(
        alights ? insertion.fromDrop : boards ? insertion.fromPoint : legs[halt])
    }
  }

  private static func part(_ rider: Rider) -> BoardingPlan.Part {
    BoardingPlan.Part(
      seats: rider.seats, weight: rider.weight, boards: rider.boards, alights: rider.alights,
      direct: rider.direct, fare: rider.fare)
  }

  func tooFar(_ plan: BoardingPlan) -> FareError {
    PreparedRide.tooFar(plan.totalMeters, plan.totalSeconds)
  }

  /// Drives, prices and shares a plan of halts and legs. - Returns: False where it has no price.
  private func finish(_ plan: inout BoardingPlan) -> Bool {
    drive(&plan)
    guard price(&plan) else { return false }
    split(&plan)
    return true
  }

  /// When each halt is reached: each leg starts when the one before it ends, in another hour of the
  /// day where the ride is long.
  private func drive(_ plan: inout BoardingPlan) {
    plan.meters.removeAll(keepingCapacity: true)
    plan.steadySeconds.removeAll(keepingCapacity: true)
    plan.meters.append(0)
    plan.steadySeconds.append(0)
    for leg in plan.legs.indices {
      plan.meters.append(plan.meters[leg] + plan.legs[leg].distanceMeters)
      plan.steadySeconds.append(plan.steadySeconds[leg] + plan.legs[leg].durationSeconds)
    }
    plan.seconds.removeAll(keepingCapacity: true)
    plan.seconds.append(contentsOf: plan.steadySeconds)
    // Two seconds of margin for the rounding of moments.
    guard plan.halts.count > 2 && plan.totalSeconds + 2 >= ride.steadySeconds else { return }
    var delay: Int64 = 0
    for leg in plan.legs.indices {
      let time = ride.travel.durationSeconds(
        roadMeters: plan.meters[leg + 1] - plan.meters[leg], startingAfterMilliseconds: delay,
        near: plan.halts[leg].place)
      plan.seconds[leg + 1] = plan.seconds[leg] + time
      delay += TravelEstimator.milliseconds(time)
    }
  }

  private func price(_ plan: inout BoardingPlan) -> Bool {
    plan.extras = 0
    plan.flat = -1
    plan.edgeShare = nil
    if let amount = ride.fixedAmount {
      plan.amount = amount
      return true
    }
    let flat = plan.parts.first?.fare.flat ?? -1
    plan.edgeShare = plan.parts.lazy.compactMap(\.fare.edgeShare).first
    if flat >= 0, plan.parts.allSatisfy({ $0.fare.flat == flat }) {
      guard let total = ride.meter.flat(flat) else { return false }
      plan.flat = flat
      plan.amount = total.amount
      plan.extras = total.extras
      return true
    }
    guard
      let total = ride.meter.expected(
        distanceMeters: plan.totalMeters, durationSeconds: plan.totalSeconds,
        outOfAreaFromMeters: plan.edgeShare.map { $0 * plan.totalMeters })
    else { return false }
    plan.amount = total.amount
    plan.extras = total.extras
    return true
  }

  /// The same ride with the seats that are free all the way taken by people, one a seat, who ride all
  /// of it: what those aboard would pay.
  func sharesIfFull(_ plan: BoardingPlan) -> [Int64] {
    var full = plan
    let count = plan.parts.count
    var most = 0
    for leg in 0..<max(0, plan.halts.count - 1) {
      var aboard = 0
      for i in plan.parts.indices where plan.isAboard(i, leg: leg) { aboard += plan.parts[i].seats }
      most = max(most, aboard)
    }
    let last = plan.halts.count - 1
    guard last > 0 else { return plan.parts.map(\.share) }
    let direct = ride.travel.estimate(
      straightMeters: plan.halts[0].here.meters(to: plan.halts[last].here))
    while most < capacity && full.parts.count < RidePlan.maximumRiders,
      let fare = ride.knownSoloFare(from: nil, to: plan.halts[last].place, direct)
    {
      full.parts.append(
        BoardingPlan.Part(
          seats: 1, weight: 1, boards: 0, alights: last, direct: direct, fare: fare))
      most += 1
    }
    split(&full)
    return full.parts.prefix(count).map(\.share)
  }
}
