import GeoMath
import ObjectModel
import RoutePlanning

/// What rows of corridors say of a rider without a look at their parties: whether the rider may get in
/// at all, and how much they save at most. Bounds by lines through the Earth; never answers. An object, as
/// calls would copy a value of this size.
final class BoardingBounds {
  /// What a profile makes of the rider's direct way.
  private struct DirectWay {
    var travel: TravelBounds
    /// From the place asked for: its road, and its time in an hour of factor 1.
    var roadMeters: Double
    var secondsAtFactorOne: Double
    /// Anywhere, roads are at least so many times the line through the Earth.
    var roadPerChord: Float
    /// Of the hours in which a taxi may come that is there in time.
    var factors: ClosedRange<Double>
  }

  /// What the direct ride costs under one tariff in one slot, after such a walk.
  private struct SoloFares {
    /// Of the fare bounds, twice, and 1 more where the rider may walk.
    var number: Int
    var walk: Float
    /// Whether the rider may leave the taxis' area at a surcharge.
    var leavesArea: Bool
    /// Nil where nothing is known.
    var fares: ClosedRange<Double>?
  }

  let query: MatchQuery
  let corridors: CorridorIndex
  private let fareBounds: [FareBounds?]
  let place: SIMD3<Float>
  private let drop: SIMD3<Float>
  private let directChord: Float
  private let windowStart: Int64
  private let windowEnd: Int64
  private let now: Int64
  private let seats: Int8
  private let times: CorridorTimes.Question
  /// Whether the place asked for is where the rider stands, so that it takes no walk.
  let asksForPlace: Bool
  /// Distance / haversine, of points less than ``TravelBounds/farMeters`` from the rider's.
  private let ratios: ClosedRange<Double>
  private let ways: [DirectWay]
  private let hasUnknownProfiles: Bool
  private let ends: FareBounds.Ends
  /// Those asked for last, by their numbers' last bits.
  private var solos: [SoloFares?] = Array(repeating: nil, count: mostSolos)
  private static let mostSolos = 512

  init(_ query: MatchQuery, _ index: PartyIndex) {
    self.query = query
    corridors = index.corridors
    fareBounds = corridors.fares.bounds
    let to = query.destination.coordinate
    place = SIMD3(SphereVector(query.origin))
    drop = SIMD3(SphereVector(to))
    directChord = place.chordMeters(to: drop)
    windowStart = query.window.start.milliseconds
    windowEnd = query.window.end.milliseconds
    now = query.now.milliseconds
    seats = Int8(clamping: query.seats)
    asksForPlace = query.boarding?.coordinate == query.origin
    let middle = (query.origin.latitude + to.latitude) / 2
    let apart = (query.origin.latitude - to.latitude).magnitude / 2 * 112_000
    ratios = HaversineBounds.ratios(
      latitude: middle, reachMeters: apart + TravelBounds.farMeters + 1000)
    let straight = query.origin.distanceMeters(to: to)
    let departures = corridors.departures(query.window)
    ways = zip(index.profiles, index.travelBounds).map { profile, travel in
      let road = straight * profile.circuity.value(meters: straight)
      return DirectWay(
        travel: travel, roadMeters: road,
        secondsAtFactorOne: profile.secondsAtFactorOne(roadMeters: road),
        roadPerChord: Float(
          profile.circuity.values.lowerBound * HaversineBounds.minimumRatio
        ).nextDown,
        factors: profile.hourFactors(from: departures.lowerBound, through: departures.upperBound))
    }
    times = CorridorTimes.Question(
      from: Double(windowStart) / 1000, through: Double(windowEnd) / 1000,
      now: Double(now) / 1000, seats: seats)
    hasUnknownProfiles = ways.count >= Int(PartyRow.unknownProfile)
    ends = FareBounds.Ends(
      place: query.origin, placeAreas: index.pricing.placeAreas(query.origin), drop: to,
      dropAreas: index.pricing.placeAreas(to))
  }

  // MARK: Rules of a row

  /// What ``CorridorEnds`` are asked by.
  struct EndsQuestion {
    /// Where the rider stands, and where they get out.
    let place: SIMD3<Float>
    let drop: SIMD3<Float>
    /// Between the two through the Earth, less the rounding.
    let direct: Float
    /// The longest walk from the place, and how far beside a path it must be that none is of use.
    let walk: Float
    let reach: Float
    /// The longest line through the Earth of the rider's own ride.
    let ownBudget: Float
  }

  /// What all rows are asked at first.
  ///
  /// - Parameters:
  ///   - walk: The longest walk of any row.
  ///   - detourRatio: The largest one of any row.
  /// - Returns: The question.
  func endsQuestion(walk: Double, detourRatio: Double) -> EndsQuestion {
    let longest = Float(walk) * Self.walkPerMeter
    var own: Float = 0
    for way in ways {
      let direct = road(way, directChord, walk: longest).upperBound
      let ride = RideLimits.longestRideMeters(direct: direct, maxDetourRatio: detourRatio)
      own = max(own, Float(ride).nextUp / way.roadPerChord)
    }
    return EndsQuestion(
      place: place, drop: drop, direct: directChord - CorridorRow.marginMeters,
      walk: longest, reach: asksForPlace ? longest : .infinity,
      ownBudget: hasUnknownProfiles ? .infinity : own.nextUp)
  }

  /// Whether a taxi from where a row begins may come in time, with room; in doubt true.
  ///
  /// - Parameters:
  ///   - head: Of the row.
  ///   - walk: The longest walk of any row, through the Earth.
  /// - Returns: False where it is out of the question.
  @inline(__always)
  func mayBeMet(_ head: CorridorHead, walk: Float) -> Bool {
    guard Int(head.times.profile) < ways.count else {
      return head.times.mayBeMet(times, arrivals: 0...Double.infinity)
    }
    let profile = Int(head.times.profile)
    let seconds = ways[profile].travel.travel(
      straightMeters: straight(head.ends.from.chordMeters(to: place), walk: walk)
    ).seconds
    let factors = ways[profile].factors
    return head.times.mayBeMet(
      times,
      arrivals: seconds.lowerBound / factors.upperBound...seconds.upperBound / factors.lowerBound)
  }

  /// State, seats and time: what needs no distance.
  @inline(__always)
  func isOpen(_ row: CorridorRow) -> Bool {
    row.isInTime(windowStart, windowEnd) && row.seatsFree >= seats && row.isActive
      && row.mayEnd(after: now)
  }

  /// Whether straight lines allow it that somebody is met within a walk and let out, with such a detour.
  func mayServe(
    _ row: CorridorRow, _ ends: CorridorEnds, walk: Double, detourRatio: Double
  ) -> Bool {
    mayServe(row, Legs(self, ends, walk: walk), detourRatio: detourRatio)
  }

  /// The most that the rider saves in the party of a row.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - number: Its number among the corridors.
  ///   - isClose: Whether to take the trouble of a closer bound.
  /// - Returns: Nil where straight lines do not allow it within everyone's limits and windows, or a closer
  ///   look within what the others accepted to pay; infinite where nothing is known.
  @inline(__always)
  func mostSaved(
    _ row: CorridorRow, _ number: UInt32, isClose: Bool = false
  ) -> Double? {
    let ends = corridors.head(number).ends
    let legs = Legs(self, ends, walk: row.walkLimit(query.wishes))
    guard isClose else { return mostSaved(row, legs, number, isClose: false) }
    guard legs.walk > 0, asksForPlace, row.flags.contains(.followsHalts),
      query.origin.latitude.magnitude < 80
    else { return mostSaved(row, legs, number, isClose: true) }
    return mostSavedBesidePath(row, ends, legs, number)
  }

  func mostSaved(
    _ row: CorridorRow, _ legs: Legs, _ number: UInt32, isClose: Bool
  ) -> Double? {
    let ratio = row.detourRatio(query.wishes)
    guard mayServe(row, legs, detourRatio: ratio) else { return nil }
    guard Int(row.fares) < fareBounds.count, let fares = fareBounds[Int(row.fares)] else {
      return .infinity
    }
    let known = soloFares(row, fares, legs)
    guard let solo = known.fares else { return .infinity }
    let price = Price(
      solo: solo, fares: fares, own: ownWeight(row, solo), accepted: Double(row.accepted),
      isClose: isClose, isByLength: row.weighing != .unbounded,
      leavesArea: row.leavesArea || known.leavesArea)
    return row.isOfOne
      ? mostSavedBesideOne(row, legs, price, ratio)
      : mostSavedBesideOthers(row, legs, corridors.outline(number), price, ratio)
  }

  /// Nobody is offered a loss without asking for it.
  @inline(__always)
  func isOffered(saving: Double) -> Bool { saving >= 0 || query.maxShare != nil }

  /// The longest line through the Earth of a walk, per meter.
  private static let walkPerMeter = Float(1 / HaversineBounds.minimumRatio).nextUp

  /// Lines through the Earth as they are stored, from about where the rider gets in.
  struct Legs {
    var point: SIMD3<Float>
    var lines: CorridorRow.Lines
    /// How far from ``point`` the rider gets in at most: a walk, or what is not known of the place.
    var walk: Float
    /// Whether it is the place asked for.
    var isPlace: Bool

    @inline(__always)
    init(_ bounds: BoardingBounds, _ ends: CorridorEnds, walk: Double) {
      point = bounds.place
      lines = ends.lines(bounds.place, bounds.drop, direct: bounds.directChord)
      // Nobody walks to a path that is further away.
      let beside = CorridorRow.besideMeters(lines.toPlace, lines.onward, ends.pathMeters)
      let longest = Float(walk) * BoardingBounds.walkPerMeter
      isPlace = bounds.asksForPlace && beside > longest
      self.walk = isPlace ? 0 : longest
    }

    init(
      _ bounds: BoardingBounds, _ ends: CorridorEnds, at point: SIMD3<Float>, slack: Float,
      isPlace: Bool
    ) {
      self.point = point
      lines = ends.lines(point, bounds.drop, direct: point.chordMeters(to: bounds.drop))
      walk = slack
      self.isPlace = isPlace
    }
  }

  @inline(__always)
  private func mayServe(_ row: CorridorRow, _ legs: Legs, detourRatio: Double) -> Bool {
    guard Int(row.profile) < ways.count else { return true }
    let way = ways[Int(row.profile)]
    return row.mayServe(legs.lines.least(walk: legs.walk), leastPerChord: way.roadPerChord) {
      longestRide(way, legs, detourRatio)
    }
  }

  /// The rider's longest ride, meters of road.
  @inline(__always)
  private func longestRide(_ way: DirectWay, _ legs: Legs, _ detourRatio: Double) -> Double {
    let direct =
      legs.isPlace
      ? way.roadMeters : road(way, legs.lines.direct, walk: legs.walk).upperBound
    return RideLimits.longestRideMeters(direct: direct, maxDetourRatio: detourRatio)
  }

  // MARK: Savings

  /// Straight distances of a line through the Earth that is so much longer or shorter at most.
  @inline(__always)
  private func straight(_ chord: Float, walk: Float) -> ClosedRange<Double> {
    let least = Double(max(0, chord - walk - CorridorRow.marginMeters))
    let most = Double(chord + walk + CorridorRow.marginMeters)
    guard most < TravelBounds.farMeters else {
      return least * HaversineBounds.minimumRatio...Double.infinity
    }
    return least * ratios.lowerBound...most * ratios.upperBound
  }

  @inline(__always)
  private func road(_ way: DirectWay, _ chord: Float, walk: Float) -> ClosedRange<Double> {
    way.travel.travel(straightMeters: straight(chord, walk: walk)).roadMeters
  }

  private func soloFares(
    _ row: CorridorRow, _ bounds: FareBounds, _ legs: Legs
  ) -> SoloFares {
    // Elsewhere no two rows have the same.
    let isKept = legs.isPlace || legs.point == self.place
    let number = 2 * Int(row.fares) + (legs.isPlace ? 0 : 1)
    let place = number & (Self.mostSolos - 1)
    if isKept, let known = solos[place], known.number == number, known.walk == legs.walk {
      return known
    }
    let way = ways[Int(row.profile)]
    var fares: ClosedRange<Double>?
    if legs.isPlace {
      fares = bounds.soloFares(
        roadMeters: way.roadMeters...way.roadMeters,
        secondsAtFactorOne: way.secondsAtFactorOne...way.secondsAtFactorOne, ends,
        isNear: false)
    } else {
      let own = leg(way, legs.lines.direct, walk: legs.walk)
      if own.road.upperBound.isFinite {
        fares = bounds.soloFares(
          roadMeters: own.road, secondsAtFactorOne: own.seconds, ends, isNear: true)
      }
    }
    let made = SoloFares(
      number: number, walk: legs.walk, leavesArea: bounds.mayLeaveArea(ends, isNear: !legs.isPlace),
      fares: fares)
    if isKept { solos[place] = made }
    return made
  }

  /// What the rider's part of a leg counts by; 0 where no part is known.
  @inline(__always)
  private func ownWeight(
    _ row: CorridorRow, _ solo: ClosedRange<Double>
  ) -> ClosedRange<Double> {
    let own: Double
    switch row.weighing {
    case .unbounded: own = 0
    case .bySoloFare: return solo
    case .bySeats: own = Double(query.seats)
    case .byWeight: own = query.weight ?? 1
    }
    return own...own
  }

  /// What a saving is worked out from.
  struct Price {
    var solo: ClosedRange<Double>
    var fares: FareBounds
    /// What the rider's part of a leg counts by.
    var own: ClosedRange<Double>
    /// What the others pay together at most.
    var accepted: Double
    var isClose: Bool
    /// Whether legs are shared by their lengths.
    var isByLength: Bool
    /// Whether the ride may leave the taxis' area at a surcharge.
    var leavesArea: Bool

    /// The rider's part of a leg on which others count by so much.
    @inline(__always)
    func part(_ others: Float) -> ClosedRange<Double> {
      let least = own.lowerBound > 0 ? own.lowerBound / (own.lowerBound + Double(others)) : 0
      let rest = Double(others) * 0.999_999
      guard own.upperBound > 0 && rest > 0 else { return least...1 }
      return least...max(least, own.upperBound / (own.upperBound + rest))
    }

    /// The rider's part of a leg on which nobody else rides.
    var wholePart: ClosedRange<Double> { (own.lowerBound > 0 ? 1 : 0)...1 }

    /// - Returns: Nil where the others would pay more than they accepted.
    @inline(__always)
    func saved(_ drive: Drive) -> Double? {
      guard isClose else {
        let amount = fares.leastAmount(roadMeters: drive.road.lowerBound)
        return solo.upperBound - leastShare(drive, amount)
      }
      let amount = fares.leastAmount(
        roadMeters: drive.road.lowerBound, secondsAtFactorOne: drive.seconds.lowerBound)
      if isByLength && drive.road.lowerBound > 0 {
        let most = fares.mostAmount(
          roadMeters: drive.road.upperBound, secondsAtFactorOne: drive.seconds.upperBound,
          leavesArea: leavesArea)
        let share = most * min(1, drive.part.upperBound / drive.road.lowerBound)
        if share + fares.callFee + 2 < amount - accepted { return nil }
      }
      return solo.upperBound - leastShare(drive, amount)
    }

    /// What a meter of a ride costs at least, call fee aside.
    func leastPerMeter(_ drive: Drive) -> Double {
      let amount = fares.leastAmount(
        roadMeters: drive.road.lowerBound, secondsAtFactorOne: drive.seconds.lowerBound)
      return amount / max(1, drive.road.upperBound)
    }

    /// Shares are whole: two less than what lengths say.
    @inline(__always)
    private func leastShare(_ drive: Drive, _ amount: Double) -> Double {
      max(amount * drive.part.lowerBound / max(1, drive.road.upperBound), amount - accepted) - 2
    }
  }

  /// The road of a leg and its time at factor 1, at least and at most.
  struct Leg {
    var road: ClosedRange<Double>
    var seconds: ClosedRange<Double>
  }

  @inline(__always)
  private func leg(_ way: DirectWay, _ chord: Float, walk: Float) -> Leg {
    let travel = way.travel.travel(straightMeters: straight(chord, walk: walk))
    return Leg(road: travel.roadMeters, seconds: travel.seconds)
  }

  /// Of the rider's direct way.
  @inline(__always)
  private func ownLeg(_ way: DirectWay, _ legs: Legs) -> Leg {
    guard legs.isPlace else { return leg(way, legs.lines.direct, walk: legs.walk) }
    return Leg(
      road: way.roadMeters...way.roadMeters,
      seconds: way.secondsAtFactorOne...way.secondsAtFactorOne)
  }

  /// Beside a host who is alone there are two ways: the rider is let out before, or behind.
  @inline(__always)
  private func mostSavedBesideOne(
    _ row: CorridorRow, _ legs: Legs, _ price: Price, _ detourRatio: Double
  ) -> Double? {
    let way = ways[Int(row.profile)]
    var before = Drive()
    before.take(leg(way, legs.lines.toPlace, walk: legs.walk))
    guard isMet(row, price.fares, before.seconds) else { return nil }
    var behind = before
    let last = leg(way, legs.lines.last, walk: 0)
    let limit = Double(row.limitMeters)
    let part = price.part(row.othersWeight)
    var most: Double?
    before.ride(ownLeg(way, legs), part)
    before.take(last)
    if before.road.lowerBound <= limit { most = price.saved(before) }
    behind.ride(leg(way, legs.lines.onward, walk: legs.walk), part)
    guard behind.road.lowerBound <= limit else { return most }
    behind.ride(last, price.wholePart)
    guard behind.ownMeters <= longestRide(way, legs, detourRatio),
      let saved = price.saved(behind)
    else { return most }
    return max(most ?? saved, saved)
  }

  /// Whether a taxi that has been under way for so long at factor 1 may arrive within both windows.
  @inline(__always)
  private func isMet(
    _ row: CorridorRow, _ fares: FareBounds, _ secondsAtFactorOne: ClosedRange<Double>
  ) -> Bool {
    let arrivals = fares.seconds(secondsAtFactorOne)
    // A second more than the rounding of moments.
    return arrivals.lowerBound * 1000 <= Double(windowEnd) - Double(row.start) + 1000
      && (row.windowMilliseconds == .max
        || arrivals.upperBound * 1000 >= Double(max(windowStart, now)) - Double(row.start)
          - Double(row.windowMilliseconds) - 1000)
  }

  /// Beside others: the ride with each pair of legs on which the rider may get in and out.
  private func mostSavedBesideOthers(
    _ row: CorridorRow, _ legs: Legs, _ outline: RideOutline, _ price: Price,
    _ detourRatio: Double
  ) -> Double? {
    guard outline.count > 0 else { return mostSavedBesideMany(row, legs, price, detourRatio) }
    let way = ways[Int(row.profile)]
    let plan = OutlinePlan(
      outline, price, own: ownLeg(way, legs), longest: longestRide(way, legs, detourRatio),
      toPoint: { leg(way, outline.places[$0].chordMeters(to: legs.point), walk: legs.walk) },
      toDrop: { leg(way, outline.places[$0].chordMeters(to: drop), walk: 0) })
    var most: Double?
    var before = Drive()
    var reached = OutlinePlan.Reached(repeating: 0)
    for boarding in 0..<outline.count - 1 {
      if boarding > 0 && !plan.go(&before, to: boarding, &reached) { break }
      guard outline.aboard[boarding] > 0 else { continue }
      var aboard = before
      aboard.take(plan.toPoint[boarding])
      guard isMet(row, price.fares, aboard.seconds) else { continue }
      var reached = reached
      for alighting in boarding..<outline.count {
        if alighting > boarding
          && !plan.ride(&aboard, from: alighting - 1, boarding: boarding, &reached)
        {
          break
        }
        guard
          let drive = plan.drive(aboard, boarding: boarding, alighting: alighting, &reached),
          let saved = price.saved(drive),
          !price.isClose
            || everyoneAccepts(
              plan, price, boarding: boarding, alighting: alighting,
              perMeter: price.leastPerMeter(drive))
        else { continue }
        most = max(most ?? saved, saved)
      }
    }
    return most
  }

  /// A ride with the rider in it: its road, its time at factor 1, and how much of the road is the
  /// rider's part.
  struct Drive {
    var road: ClosedRange<Double> = 0...0
    var seconds: ClosedRange<Double> = 0...0
    var part: ClosedRange<Double> = 0...0
    /// From where the rider gets in, at least.
    var ownMeters = 0.0

    @inline(__always)
    mutating func take(_ leg: Leg) {
      road = road + leg.road
      seconds = seconds + leg.seconds
    }

    /// A leg on which the rider is aboard, with the rider's part of it.
    @inline(__always)
    mutating func ride(_ leg: Leg, _ own: ClosedRange<Double>) {
      take(leg)
      ownMeters += leg.road.lowerBound
      part = part + leg.road * own
    }
  }

  /// Beside many: no ride of the rider is shorter than the line, none of the party longer than all of
  /// their limits.
  private func mostSavedBesideMany(
    _ row: CorridorRow, _ legs: Legs, _ price: Price, _ detourRatio: Double
  ) -> Double {
    let way = ways[Int(row.profile)]
    let direct = Double(max(0, legs.lines.direct - legs.walk - CorridorRow.marginMeters))
    let longest = Double(row.mostMeters) + longestRide(way, legs, detourRatio)
    let perMeter = price.fares.leastAmountPerMeter(roadMeters: longest)
    return price.solo.upperBound
      - perMeter * direct * Double(way.roadPerChord) * price.part(row.othersWeight).lowerBound + 2
  }
}

extension ClosedRange<Double> {
  /// What two quantities are together. No checks of an order that is given.
  @inline(__always)
  static func + (a: Self, b: Self) -> Self {
    Self(uncheckedBounds: (a.lowerBound + b.lowerBound, a.upperBound + b.upperBound))
  }

  /// The product of two quantities that are not below 0.
  @inline(__always)
  static func * (a: Self, b: Self) -> Self {
    Self(uncheckedBounds: (a.lowerBound * b.lowerBound, a.upperBound * b.upperBound))
  }
}
