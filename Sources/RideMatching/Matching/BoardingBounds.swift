import GeoMath
import ObjectModel
import RoutePlanning

/// What rows of corridors say of a rider without a look at their parties: whether the rider may get in
/// at all, and how much they save at most. Bounds by lines through the Earth; never answers. An object, as
/// calls would copy a value of this size.
final class BoardingBounds {
  /// What a profile makes of the rider's direct way.
  struct DirectWay {
    var travel: TravelBounds
    /// From the place asked for: its road, and its time in an hour of factor 1.
    var roadMeters: Double
    var secondsAtFactorOne: Double
    /// Anywhere, roads are at least so many times the line through the Earth.
    var roadPerChord: Float
    /// Of the hours in which a taxi may come that is there in time.
    var factors: ClosedRange<Double>

    @inline(__always)
    func roadMeters(_ lines: ChordBounds, _ chord: Float, walk: Float) -> ClosedRange<Double> {
      travel.travel(straightMeters: lines.straight(chord, walk: walk)).roadMeters
    }
  }

  let query: MatchQuery
  let corridors: CorridorIndex
  let fareBounds: [FareBounds?]
  let place: SIMD3<Float>
  private let drop: SIMD3<Float>
  private let directChord: Float
  /// Whether the place asked for is where the rider stands, so that it takes no walk.
  let asksForPlace: Bool
  /// Whether ``mostSavedBesidePath(_:)`` can tell more.
  let mayLookCloser: Bool
  let lines: ChordBounds
  let ways: [DirectWay]
  /// What all rows are asked at first.
  let question: HeadsQuestion
  let ends: FareBounds.Ends
  /// Of each kind, as they are asked for; and those asked for last, by their kinds' bits.
  var allRides: [FourRides] = []
  var lastRides: [FourRides?] = Array(repeating: nil, count: 256)

  init(_ query: MatchQuery, _ index: PartyIndex) {
    self.query = query
    corridors = index.corridors
    fareBounds = corridors.fares.bounds
    let to = query.destination.coordinate
    place = SIMD3(SphereVector(query.origin))
    drop = SIMD3(SphereVector(to))
    directChord = place.chordMeters(to: drop)
    asksForPlace = query.boarding?.coordinate == query.origin
    mayLookCloser = asksForPlace && query.origin.latitude.magnitude < 80
    let middle = (query.origin.latitude + to.latitude) / 2
    let apart = (query.origin.latitude - to.latitude).magnitude / 2 * 112_000
    lines = ChordBounds(
      ratios: HaversineBounds.ratios(
        latitude: middle, reachMeters: apart + TravelBounds.farMeters + 1000))
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
    ends = FareBounds.Ends(
      place: query.origin, placeAreas: index.pricing.placeAreas(query.origin), drop: to,
      dropAreas: index.pricing.placeAreas(to))
    question = Self.question(query, index, ways, lines, from: place, to: drop)
  }

  private static func question(
    _ query: MatchQuery, _ index: PartyIndex, _ ways: [DirectWay], _ lines: ChordBounds,
    from place: SIMD3<Float>, to drop: SIMD3<Float>
  ) -> HeadsQuestion {
    let walk =
      Float(query.wishes.maxWalkMeters ?? index.corridors.maximumWalkMeters) * walkPerMeter
    let detourRatio = query.wishes.maxDetourRatio ?? index.corridors.maximumDetourRatio
    let directChord = place.chordMeters(to: drop)
    var own: Float = 0
    for way in ways {
      let direct = way.roadMeters(lines, directChord, walk: walk).upperBound
      let ride = RideLimits.longestRideMeters(direct: direct, maxDetourRatio: detourRatio)
      own = max(own, Float(ride).nextUp / way.roadPerChord)
    }
    var travel: HeadsQuestion.AnyTravel?
    if let bounds = index.anyTravelBounds,
      let least = ways.map(\.factors.lowerBound).min(),
      let most = ways.map(\.factors.upperBound).max(),
      ways.count < Int(PartyRow.unknownProfile)
    {
      travel = HeadsQuestion.AnyTravel(lines: lines, bounds: bounds, factors: least...most)
    }
    return HeadsQuestion(
      place: place, drop: drop, direct: directChord, walk: walk,
      reach: query.boarding?.coordinate == query.origin ? walk : .infinity,
      ownBudget: travel == nil ? .infinity : own.nextUp,
      bendPerSquare: bendPerSquare(query.origin), window: query.window, now: query.now,
      travel: travel)
  }

  // MARK: Rules of a row

  /// Whether straight lines allow it that somebody is met within a walk and let out, with such a detour.
  func mayServe(
    _ row: CorridorRow, _ number: UInt32, walk: Double, detourRatio: Double
  ) -> Bool {
    mayServe(row, legs(number, walk: walk), detourRatio: detourRatio)
  }

  @inline(__always)
  private func legs(_ number: UInt32, walk: Double) -> Legs {
    let heads = corridors.heads(SIMD4(repeating: number))
    return Legs(self, corridors.head(number), beside: heads.besideMeters(question)[0], walk: walk)
  }

  /// The most that the rider saves in the party of a row that has no ``rides(_:)``.
  ///
  /// - Returns: Nil where straight lines do not allow it within everyone's limits; infinite where nothing is
  ///   known.
  func mostSavedBesideMany(_ row: CorridorRow, _ number: UInt32) -> Double? {
    let legs = legs(number, walk: row.walkLimit(query.wishes))
    let ratio = row.detourRatio(query.wishes)
    guard mayServe(row, legs, detourRatio: ratio) else { return nil }
    if row.flags.contains(.hasNoTariff) { return 0 }
    guard Int(row.fares) < fareBounds.count, let fares = fareBounds[Int(row.fares)] else {
      return .infinity
    }
    let way = ways[Int(row.profile)]
    let own = way.travel.travel(straightMeters: lines.straight(legs.lines.direct, walk: legs.walk))
    guard
      let solo = soloFares(
        fares, isPlace: legs.isPlace, roadMeters: own.roadMeters, seconds: own.seconds)
    else { return .infinity }
    // No ride of the rider is shorter than the line, none of the party longer than all of their limits.
    let direct = Double(max(0, legs.lines.direct - legs.walk - CorridorRow.marginMeters))
    let longest = Double(row.mostMeters) + longestRide(way, legs, ratio)
    let perMeter = fares.leastAmountPerMeter(roadMeters: longest)
    let weight = ownWeight(row.weighing, solo).lowerBound
    let part = weight > 0 ? weight / (weight + Double(row.othersWeight)) : 0
    return solo.upperBound - perMeter * direct * Double(way.roadPerChord) * part + 2
  }

  /// What a rider must save to be offered a party: nobody is offered a loss without asking for it.
  var leastOffered: Float { query.maxShare == nil ? 0 : -.infinity }

  /// The longest line through the Earth of a walk, per meter.
  static let walkPerMeter = Float(1 / HaversineBounds.minimumRatio).nextUp

  /// Lines through the Earth as they are stored, from the place where the rider stands.
  struct Legs {
    var lines: CorridorRow.Lines
    /// How far from the place the rider gets in at most.
    var walk: Float
    /// Whether it is the place asked for.
    var isPlace: Bool

    @inline(__always)
    init(_ bounds: BoardingBounds, _ head: CorridorHead, beside: Float, walk: Double) {
      lines = CorridorRow.Lines(
        head.start, head.end, place: bounds.place, drop: bounds.drop, direct: bounds.directChord)
      // Nobody walks to a path that is further away.
      let longest = Float(walk) * BoardingBounds.walkPerMeter
      isPlace = bounds.asksForPlace && beside > longest
      self.walk = isPlace ? 0 : longest
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
      ? way.roadMeters : way.roadMeters(lines, legs.lines.direct, walk: legs.walk).upperBound
    return RideLimits.longestRideMeters(direct: direct, maxDetourRatio: detourRatio)
  }
}
