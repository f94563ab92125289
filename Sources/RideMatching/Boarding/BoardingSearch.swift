import GeoMath
import ObjectModel
import RoutePlanning

/// Someone who would get in on the way, or at the origin of a party with riders who do.
struct BoardingJoiner {
  /// Where the walk begins.
  var from: DistanceOrigin
  /// The place asked for; nil: the party's origin.
  var asked: Coordinate?
  var drop: Coordinate
  var dropHere: DistanceOrigin
  var seats: Int
  var weight: Double
  /// In force: stated or the party's, within its policy.
  var limits: RideLimits
  /// When the rider can get in; nil: at any time.
  var window: DepartureWindow?
  /// Arrivals before it do not count; nil: all do.
  var now: Instant?
  /// ``PathGeometry/eastScale(_:)`` of ``asked``.
  var eastScale = 1.0
  /// The areas of ``asked`` and of ``drop``, where they are known.
  var askedAreas: PlaceAreas?
  var dropAreas: PlaceAreas?
}

/// Which rules bind a search for an insertion.
struct BoardingRules: OptionSet {
  let rawValue: Int
  static let walk = BoardingRules(rawValue: 1)
  static let seats = BoardingRules(rawValue: 2)
  /// Everyone's detour and time aboard, and when they can get in.
  static let limits = BoardingRules(rawValue: 4)
  static let all: BoardingRules = [.walk, .seats, .limits]
}

/// Where a new rider's two halts go: each behind so many of the others, the origin not counted.
struct BoardingInsertion: Hashable {
  var meetingPoint: Coordinate
  var walkMeters: Double
  /// The leg on which the rider gets in, and the one on which they get out.
  var boardingLeg: Int
  var alightingLeg: Int
  /// The whole ride by the hour of departure, seconds.
  var rideSeconds: Double
  /// ``rideSeconds`` and the walk, seconds: what is least.
  var cost: Double
  /// The legs that the two halts make: to the meeting point, on from there, to the drop-off and on
  /// from there, and from the one straight to the other; those that the ride has not are of nothing.
  var toPoint: TravelEstimate
  var fromPoint: TravelEstimate
  var toDrop: TravelEstimate
  var fromDrop: TravelEstimate
  var direct: TravelEstimate
}

/// Room to search one party after another without allocating.
struct BoardingSearch {
  typealias ByHalt<Element> = InlineArray<17, Element>

  /// From the meeting point and to the drop-off, by halt.
  private var fromPoint = ByHalt<TravelEstimate>(
    repeating: TravelEstimate(distanceMeters: 0, durationSeconds: 0))
  private var toDrop = ByHalt<TravelEstimate>(
    repeating: TravelEstimate(distanceMeters: 0, durationSeconds: 0))
  private var direct = TravelEstimate(distanceMeters: 0, durationSeconds: 0)
  private var haltMeters = ByHalt<Double>(repeating: 0)
  private var haltSeconds = ByHalt<Double>(repeating: 0)
  /// Of the new rider's ride in the insertion driven last.
  private var ownMeters = 0.0
  private var limitMeters = 0.0
  private var limitSeconds = 0.0
  private var arriveBySeconds = 0.0
  private var boardingTimes: ClosedRange<Int64> = 0...Int64.max
  /// The detour ratios that insertions ask of the new rider's limit, where they are collected.
  private var ratios: [Double]?

  /// The places where a rider may get in: the one asked for, the nearest one of the path, the origin.
  /// Only the origin where none is asked for.
  static func meetingPoints(
    _ ride: BoardingRide, _ joiner: BoardingJoiner
  ) -> InlineArray<3, Coordinate> {
    guard let asked = joiner.asked else { return [ride.origin, ride.origin, ride.origin] }
    let nearest = PathGeometry.nearest(to: asked, ride.path, eastScale: joiner.eastScale)
    return [asked, nearest ?? asked, ride.origin]
  }

  /// The insertion of least cost: the duration of the whole ride and the walk. Among equals the
  /// place asked for, then the path's, then the origin; then the earlier leg to get in and out.
  ///
  /// - Parameters:
  ///   - joiner: Who would get in.
  ///   - ride: The party.
  ///   - rules: Which rules bind.
  /// - Returns: Nil where no insertion holds the rules.
  /// - Complexity: O(halts^3) additions and O(halts) estimates a meeting point, three of them.
  mutating func best(
    _ joiner: BoardingJoiner, _ ride: BoardingRide, _ rules: BoardingRules
  ) -> BoardingInsertion? {
    guard ride.riders.count < RidePlan.maximumRiders else { return nil }
    let points = Self.meetingPoints(ride, joiner)
    var best: BoardingInsertion?
    for p in 0..<(joiner.asked == nil ? 1 : 3) {
      if p > 0 && points[p] == points[p - 1] { continue }
      let here = DistanceOrigin(points[p])
      let walk = joiner.asked == nil ? 0 : joiner.from.meters(to: here)
      if rules.contains(.walk) && !(walk <= joiner.limits.maxWalkMeters) { continue }
      prepare(joiner, ride, here)
      insert(joiner, ride, rules, at: points[p], walkMeters: walk, into: &best)
    }
    return best
  }

  private mutating func prepare(
    _ joiner: BoardingJoiner, _ ride: BoardingRide, _ here: DistanceOrigin
  ) {
    let prepared = ride.ride
    for halt in ride.halts.indices {
      let there = ride.halts[halt].here
      fromPoint[halt] = prepared.travel.estimate(straightMeters: here.meters(to: there))
      toDrop[halt] = prepared.travel.estimate(straightMeters: there.meters(to: joiner.dropHere))
    }
    direct = prepared.travel.estimate(straightMeters: here.meters(to: joiner.dropHere))
    limitMeters = joiner.limits.longestRideMeters(direct: direct.distanceMeters)
    limitSeconds = ride.ride.longestRideSeconds(joiner.limits, direct.durationSeconds)
    arriveBySeconds = ride.ride.arriveBySeconds(joiner.limits)
    boardingTimes = 0...Int64.max
    if let window = joiner.window {
      boardingTimes = ride.window.arrivals(meeting: window, now: joiner.now) ?? (-1)...(-1)
    }
  }

  private mutating func insert(
    _ joiner: BoardingJoiner, _ ride: BoardingRide, _ rules: BoardingRules,
    at point: Coordinate, walkMeters: Double, into best: inout BoardingInsertion?
  ) {
    let legs = ride.legs.count
    let walkSeconds = walkMeters / BoardingRide.walkingMetersPerSecond
    for boarding in 0..<max(1, legs) {
      if joiner.asked == nil && boarding > 0 { break }
      // Nobody is met by a taxi in which nobody rides.
      if joiner.asked != nil && ride.seatsAboard[boarding] == 0 { continue }
      for alighting in boarding...legs {
        if alighting < legs && rules.contains(.seats)
          && ride.seatsAboard[alighting] + joiner.seats > ride.seats
        {
          break
        }
        guard
          let seconds = drive(
            ride, boarding, alighting, isBound: rules.contains(.limits),
            most: best.map { $0.cost - walkSeconds + 0.001 } ?? .infinity)
        else { continue }
        if let best, seconds + walkSeconds >= best.cost { continue }
        if ratios != nil {
          collect()
          continue
        }
        best = BoardingInsertion(
          meetingPoint: point, walkMeters: walkMeters, boardingLeg: boarding,
          alightingLeg: alighting,
          rideSeconds: seconds, cost: seconds + walkSeconds, toPoint: fromPoint[boarding],
          fromPoint: fromPoint[min(boarding + 1, legs)], toDrop: toDrop[alighting],
          fromDrop: toDrop[min(alighting + 1, legs)], direct: direct)
      }
    }
  }

  /// The seconds of the ride with two halts put in; nil where a limit is broken, and at the latest
  /// where they reach `most`.
  private mutating func drive(
    _ ride: BoardingRide, _ boarding: Int, _ alighting: Int, isBound: Bool, most: Double
  ) -> Double? {
    var meters = 0.0
    var seconds = 0.0
    var boardedMeters = 0.0
    var boardedSeconds = 0.0
    let legs = ride.legs.count
    for leg in 0...legs {
      // Whether the last place was the meeting point or the drop-off: the legs from there differ.
      var isAtPoint = false
      var isAtDrop = false
      if leg == boarding {
        meters += fromPoint[leg].distanceMeters
        seconds += fromPoint[leg].durationSeconds
        boardedMeters = meters
        boardedSeconds = seconds
        ownMeters = meters
        isAtPoint = true
        if isBound && !boardingTimes.contains(Self.milliseconds(seconds)) { return nil }
      }
      if leg == alighting {
        let on = isAtPoint ? direct : toDrop[leg]
        meters += on.distanceMeters
        seconds += on.durationSeconds
        ownMeters = meters - boardedMeters
        isAtPoint = false
        isAtDrop = true
        if isBound
          && !(meters - boardedMeters <= limitMeters && seconds - boardedSeconds <= limitSeconds
            && seconds <= arriveBySeconds)
        {
          return nil
        }
      }
      guard leg < legs else { break }
      let on = isAtDrop ? toDrop[leg + 1] : isAtPoint ? fromPoint[leg + 1] : ride.legs[leg]
      meters += on.distanceMeters
      seconds += on.durationSeconds
      if seconds >= most { return nil }
      haltMeters[leg + 1] = meters
      haltSeconds[leg + 1] = seconds
      if isBound && !holds(ride, leg + 1) { return nil }
    }
    return seconds
  }

  /// The limits of the rider of a halt, as the ride has come so far.
  private func holds(_ ride: BoardingRide, _ halt: Int) -> Bool {
    let rider = ride.riders[ride.halts[halt].rider]
    if ride.halts[halt].isBoarding {
      guard let times = rider.boardingTimes else { return true }
      return times.contains(Self.milliseconds(haltSeconds[halt]))
    }
    let from = rider.boards
    let meters = haltMeters[halt] - (from == 0 ? 0 : haltMeters[from])
    let seconds = haltSeconds[halt] - (from == 0 ? 0 : haltSeconds[from])
    return meters <= rider.limitMeters && seconds <= rider.limitSeconds
      && haltSeconds[halt] <= rider.arriveBySeconds
  }

  /// The least detour ratio that allows the ride driven last.
  private mutating func collect() {
    guard direct.distanceMeters > 0 else { return }
    var ratio = max(0, (ownMeters - RideLimits.detourAllowanceMeters) / direct.distanceMeters - 1)
    // Asked for, it must allow this very ride.
    while RideLimits.longestRideMeters(direct: direct.distanceMeters, maxDetourRatio: ratio)
      < ownMeters
    {
      ratio += max(ratio.ulp, .ulpOfOne)
    }
    ratios?.append(ratio)
  }

  /// The detour ratios that insertions within all other limits ask of the rider, ascending.
  mutating func detourRatios(_ joiner: BoardingJoiner, _ ride: BoardingRide) -> [Double] {
    var anyLength = joiner
    anyLength.limits.maxDetourRatio = .infinity
    ratios = []
    _ = best(anyLength, ride, .all)
    defer { ratios = nil }
    return Array(Set(ratios ?? [])).sorted()
  }

  static func milliseconds(_ seconds: Double) -> Int64 {
    Int64((min(seconds, 1e12) * 1000).rounded())
  }
}

/// Points of a party's path.
enum PathGeometry {
  /// A degree of longitude in degrees of latitude.
  static func eastScale(_ place: Coordinate) -> Double {
    let unit = UnitSphere.vector(place)
    return (unit.x * unit.x + unit.y * unit.y).squareRoot()
  }

  /// The point of a line nearest to a place, the earliest among equals; nil of an empty line. Pieces
  /// are straight on a plane that touches the Earth at the place: within a meter of the shortest way
  /// for a place within 10 km, and a point of the path in any case.
  ///
  /// - Parameters:
  ///   - place: From where the distance counts.
  ///   - path: The line.
  ///   - eastScale: ``eastScale(_:)`` of the place.
  /// - Returns: A point of the line.
  static func nearest(
    to place: Coordinate, _ path: [Coordinate], eastScale: Double
  ) -> Coordinate? {
    guard var best = path.first else { return nil }
    func plane(_ point: Coordinate) -> SIMD2<Double> {
      var east = point.longitude - place.longitude
      if east > 180 { east -= 360 } else if east < -180 { east += 360 }
      return SIMD2(east * eastScale, point.latitude - place.latitude)
    }
    var from = plane(best)
    var least = (from * from).sum()
    for next in path.dropFirst() {
      let to = plane(next)
      let along = to - from
      let length = (along * along).sum()
      let part = length > 0 ? max(0, min(1, -(from * along).sum() / length)) : 0
      let at = from + along * part
      let squared = (at * at).sum()
      if squared < least {
        least = squared
        best =
          part >= 1
          ? next
          : Coordinate(
            uncheckedLatitude: max(-90, min(90, place.latitude + at.y)),
            longitude: Coordinate.wrappedLongitude(
              place.longitude + (eastScale > 0 ? at.x / eastScale : 0)))
      }
      from = to
    }
    return best
  }
}
