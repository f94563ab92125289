import GeoMath
import RoutePlanning

/// What a rider saves at most in four rides of equally many halts under one tariff, in one slot: in four
/// parties, or in one that is boarded at four places. They cost together little more than one alone.
///
/// The party goes its way up to the halt after which the rider gets in, and goes on from where the rider gets
/// out; each pair of legs is tried. An object, which one search uses over and over: its size is worth no copy.
final class FourRides {
  typealias Four = SIMD4<Float>
  typealias Mask = SIMDMask<SIMD4<Int32>>
  typealias ByHalt<Element> = RideOutline.ByHalt<Element>

  /// A ride with the rider in it: its road, its time at factor 1, how much of the road is the rider's part at
  /// least, and how far it has gone since they got in.
  private struct Drive {
    var way = FourTravels.nothing
    var part = Four.zero
    var ownMeters = Four.zero

    /// A leg on which the rider is aboard, with the rider's part of it.
    @inline(__always)
    mutating func ride(_ leg: FourTravels, _ own: Four) {
      way += leg
      ownMeters += leg.leastMeters
      part += leg.leastMeters * own
    }
  }

  let kind: CorridorHead.Kind
  let fares: FareBounds
  /// What the profile makes of the rider's direct way.
  let way: BoardingBounds.DirectWay
  /// The rows whose rides these are, as far as they have come together; what is behind the last is looked at as
  /// well, and does not count.
  private(set) var numbers = SIMD4<UInt32>(repeating: 0)
  private(set) var count = 0
  /// Their halts, and the shares and limits of those aboard.
  var outlines: FourOutlines
  /// By halt: from there to where the rider gets in, and to where they get out; both as well back.
  var toPoint = ByHalt<FourTravels>(repeating: .nothing)
  var toDrop = ByHalt<FourTravels>(repeating: .nothing)
  /// The rider's direct ride, from about where they get in.
  var direct = FourTravels.nothing
  /// The rider's longest ride, meters of road.
  var longest = Four.zero
  /// What the direct ride costs at most; infinite where nothing is known.
  var most = Four.zero
  /// What the rider's part of a leg counts by, at least and at most; 0 at least where no part is known.
  var leastWeight = Four.zero
  var mostWeight = Four.zero
  /// Seconds from the start of the party's window: when the taxi must come at the latest, and when it must
  /// not have been long since.
  var latest = Four.zero
  var earliest = Four.zero
  /// What the others pay together at most.
  var accepted = Four.zero
  /// What the direct ride costs, of the place asked for and of somewhere as near as a walk, once it is known.
  var atPlace: Solo?
  var walking: (walk: Float, solo: Solo)?

  /// Whether legs are shared by their lengths.
  private let isByLength: Bool

  init(_ kind: CorridorHead.Kind, _ fares: FareBounds, _ way: BoardingBounds.DirectWay) {
    self.kind = kind
    self.fares = fares
    self.way = way
    outlines = FourOutlines(count: kind.halts)
    isByLength = kind.weighing != .unbounded
  }

  /// - Returns: Whether there are four now.
  @inline(__always)
  func add(_ number: UInt32) -> Bool {
    if count == 0 { numbers = SIMD4(repeating: number) }
    numbers[count] = number
    count += 1
    return count == 4
  }

  /// Has none any more.
  func clear() { count = 0 }

  /// What the direct ride costs at most, and what the rider's part of a leg counts by.
  struct Solo {
    var most = Float.infinity
    var leastWeight: Float = 0
    var mostWeight = Float.infinity

    /// - Parameters:
    ///   - fares: At least and at most; nil where nothing is known.
    ///   - weight: At least and at most; 0 at least where no part is known.
    init(_ fares: ClosedRange<Double>?, _ weight: ClosedRange<Double>?) {
      guard let fares, let weight else { return }
      most = Float(fares.upperBound).nextUp
      leastWeight = max(0, Float(weight.lowerBound).nextDown)
      mostWeight = Float(weight.upperBound).nextUp
    }
  }

  /// Prices all alike.
  func price(_ solo: Solo) {
    most = Four(repeating: solo.most)
    leastWeight = Four(repeating: solo.leastWeight)
    mostWeight = Four(repeating: solo.mostWeight)
  }

  /// Prices one.
  func price(_ ride: Int, _ solo: Solo) {
    most[ride] = solo.most
    leastWeight[ride] = solo.leastWeight
    mostWeight[ride] = solo.mostWeight
  }

  /// What single precision may make of a sum.
  private static let rounding: Float = 2e-6

  /// A limit that sums of single precision stay below, by a tenth of a meter too.
  @inline(__always)
  private static func rounded(_ limit: Four) -> Four { limit * (1 + rounding) + 0.1 }

  /// The most that the rider saves.
  ///
  /// - Parameter floor: Less is as good as nothing; nil where it does not matter, but only whether everyone's
  ///   limits and windows allow any ride.
  /// - Returns: By ride; minus infinity where everyone's limits and windows, or what the others accepted to pay,
  ///   allow none, and nothing where it does not matter.
  func mostSaved(atLeast floor: Float?) -> Four {
    let halts = outlines.count
    var best = Four(repeating: -.infinity)
    var before = Drive()
    var onTime = Mask(repeating: true)
    var reached = ByHalt<Four>(repeating: .zero)
    for boarding in 0..<halts - 1 {
      if boarding > 0 {
        before.way += outlines.leg(boarding - 1)
        onTime = onTime .& arrives(before, boarding, &reached)
        guard any(onTime) else { break }
      }
      var aboard = before
      aboard.way += toPoint[boarding]
      var rides = onTime .& (outlines.halts[boarding].aboard .> 0) .& isMet(aboard)
      guard any(rides) else { continue }
      for alighting in boarding..<halts {
        if alighting > boarding {
          let isFirst = alighting == boarding + 1
          aboard.ride(
            isFirst ? toPoint[alighting] : outlines.leg(alighting - 1), part(alighting - 1))
          rides = rides .& arrives(aboard, alighting, &reached)
          guard any(rides) else { break }
        }
        var drive = aboard
        drive.ride(alighting == boarding ? direct : toDrop[alighting], part(alighting))
        var fits = rides
        if alighting > boarding { fits = fits .& (drive.ownMeters .<= Self.rounded(longest)) }
        var halt = alighting + 1
        while halt < halts {
          drive.way += halt == alighting + 1 ? toDrop[halt] : outlines.leg(halt - 1)
          fits = fits .& arrives(drive, halt, &reached)
          halt += 1
        }
        guard any(fits) else { continue }
        if let floor {
          take(drive, boarding, alighting, fits, atLeast: floor, &best)
        } else {
          best.replace(with: 0, where: fits)
        }
      }
    }
    return best
  }

  /// Takes what is saved in rides of which some fit.
  @inline(__always)
  private func take(
    _ drive: Drive, _ boarding: Int, _ alighting: Int, _ fits: Mask, atLeast floor: Float,
    _ best: inout Four
  ) {
    let longest = drive.way.mostSeconds.max()
    let factors = fares.touched(secondsAtFactorOne: longest)
    let amount = fares.leastAmounts(
      roadMeters: drive.way.leastMeters,
      seconds: drive.way.leastSeconds / Float(factors.upperBound),
      most: longest / Float(factors.lowerBound))
    let perMeter = amount / drive.way.mostMeters.orMore(Four(repeating: 1))
    // Shares are whole: two less than what lengths say.
    let share = (perMeter * drive.part).orMore(amount - accepted) - 2
    let saved = most - share + (most + amount) * Self.rounding
    let better = fits .& (saved .> best) .& (saved .>= floor)
    guard any(better) else { return }
    best.replace(with: saved, where: better .& everyoneAccepts(boarding, alighting, perMeter))
  }

  /// The rider's part of a leg at least; behind the last halt nobody else rides.
  @inline(__always)
  private func part(_ leg: Int) -> Four {
    let isKnown = leastWeight .> 0
    let others = leg < outlines.count - 1 ? outlines.halts[leg].aboard : .zero
    return (leastWeight / (leastWeight + others)).replacing(with: 0, where: .!isKnown)
  }

  /// Whether those who get out at a halt have not ridden too far.
  @inline(__always)
  private func arrives(_ drive: Drive, _ halt: Int, _ reached: inout ByHalt<Four>) -> Mask {
    reached[halt] = drive.way.leastMeters
    var from = Four.zero
    for board in 1..<max(1, halt) where outlines.isBoarded[board] {
      from.replace(with: reached[board], where: outlines.halts[halt].boards .== Float(board))
    }
    return drive.way.leastMeters - from .<= Self.rounded(outlines.halts[halt].limitMeters)
  }

  /// Whether a taxi that has been under way for so long may arrive within both windows.
  @inline(__always)
  private func isMet(_ drive: Drive) -> Mask {
    let factors = fares.touched(secondsAtFactorOne: drive.way.mostSeconds.max())
    return (drive.way.leastSeconds / Float(factors.upperBound) .<= latest)
      .& (drive.way.mostSeconds / Float(factors.lowerBound) .>= earliest)
  }

  /// Whether each of those aboard may pay no more than accepted, where a meter costs at least so much.
  @inline(__always)
  private func everyoneAccepts(_ boarding: Int, _ alighting: Int, _ perMeter: Four) -> Mask {
    guard isByLength else { return Mask(repeating: true) }
    // By leg: how much of its road falls to someone who counts by 1, at least.
    var meters = ByHalt<Four>(repeating: .zero)
    for leg in 0..<outlines.count - 1 {
      var without = Four.zero
      var together = Four.zero
      if leg == boarding {
        without = toPoint[leg].leastMeters
        together = (leg == alighting ? direct : toPoint[leg + 1]).leastMeters
      } else if leg == alighting {
        together = toDrop[leg].leastMeters
      } else if boarding < leg && leg < alighting {
        together = outlines.halts[leg].meters
      } else {
        without = outlines.halts[leg].meters
      }
      if leg == alighting { without += toDrop[leg + 1].leastMeters }
      let others = outlines.halts[leg].aboard
      // Those who count by nothing are told as the least number there is: a quotient must stay a number.
      let counted = others.orMore(Four(repeating: 1e-30))
      meters[leg] = (without / counted + together / (counted + mostWeight))
        .replacing(with: 0, where: others .<= 0)
    }
    var accepts = Mask(repeating: true)
    for other in 0..<outlines.riderCount {
      let others = outlines.riders[other]
      var sum = Four.zero
      for leg in 0..<outlines.count - 1 {
        let isAboard = (others.boards .<= Float(leg)) .& (others.alights .> Float(leg))
        sum += meters[leg].replacing(with: 0, where: .!isAboard)
      }
      // A meter for the rounding of lengths, and shares are whole.
      let share = (sum * others.weight * (1 - Self.rounding) - 1) * perMeter
      accepts = accepts .& (share .<= others.accepted + 2)
    }
    return accepts
  }
}
