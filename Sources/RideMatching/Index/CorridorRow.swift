import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares

/// What parties are refused by that their ``CorridorHead`` does not refuse: of one rider, while whom
/// somebody can be met. Numbers of single precision are rounded so that they
/// refuse nobody whom the rules would take.
struct CorridorRow: Sendable {
  /// Milliseconds: the window's start.
  var start: Int64
  /// From the window's start to the last moment at which somebody could be met, seconds.
  var latestSeconds: Float
  /// The rider's longest ride, meters of road.
  var limitMeters: Float
  /// Roads as long as that at most are at least so many times the line through the Earth.
  var roadPerChord: Float
  /// What all others count together on the leg where they count most.
  var othersWeight: Float
  /// What the others would pay together at most, minor units; infinite where shares may rise.
  var accepted: Float
  /// No ride of the party is longer, a new rider's own aside, meters.
  var mostMeters: Float
  /// For those who state none; within the policy. And the policy's own.
  var walkLimit: Float
  var detourRatio: Float
  var walkCap: Float
  var detourCap: Float
  /// How long the window is; the greatest number for all longer ones.
  var windowMilliseconds: UInt32
  /// In the index's ``FareBoundsTable``.
  var fares: UInt32
  /// Bits of the riders' ids: who lacks one of theirs is not aboard.
  var riderBits: UInt32
  /// On the leg with the fewest people, and on the one with the most.
  var seatsFree: Int8
  var seatsFreeAllTheWay: Int8
  /// Which of the index's traffic profiles, or ``PartyRow/unknownProfile``.
  var profile: UInt8
  /// By what the others' parts of a leg count.
  var weighing: Weighing
  var flags: Flags

  /// What decides who pays how much of a leg.
  enum Weighing: UInt8 {
    case bySoloFare, bySeats, byWeight
    /// No part of a leg bounds a share from below.
    case unbounded

    init(_ rule: SplitRule) {
      switch rule {
      case .bySoloFare: self = .bySoloFare
      case .equal, .byDistance: self = .bySeats
      case .weights: self = .byWeight
      case .byLeg, .shapley, .hostPays: self = .unbounded
      }
    }

    /// What a rider counts by.
    func weight(_ rider: BoardingRide.Rider) -> Double {
      switch self {
      case .bySoloFare: Double(rider.fare.amount)
      case .byWeight: rider.weight
      case .bySeats, .unbounded: Double(rider.seats)
      }
    }

    /// What those aboard of a leg count together.
    func sum(_ ride: BoardingRide, _ leg: Int) -> Double {
      ride.riders.reduce(0) { sum, rider in
        rider.boards <= leg && leg < rider.alights ? sum + weight(rider) : sum
      }
    }
  }

  struct Flags: OptionSet {
    let rawValue: UInt8
    static let isActive = Flags(rawValue: 1)
    static let hasAttributeRules = Flags(rawValue: 2)
    /// Whether it is the first row of its party, and the only one.
    static let isFirst = Flags(rawValue: 4)
    static let isOnly = Flags(rawValue: 8)
    /// Whether the rider is alone in the party.
    static let isOfOne = Flags(rawValue: 16)
    /// Whether the row goes from the origin to the last halt, and the path straight through all halts.
    static let followsHalts = Flags(rawValue: 32)
    /// Whether no tariff tells what anyone would pay alone: nobody saves anything then.
    static let hasNoTariff = Flags(rawValue: 64)
  }

  /// What the rounding of places may add to a distance, meters.
  static let marginMeters: Float = 2

  var isActive: Bool { flags.contains(.isActive) }
  var hasAttributeRules: Bool { flags.contains(.hasAttributeRules) }
  var isFirst: Bool { flags.contains(.isFirst) }
  var isOnly: Bool { flags.contains(.isOnly) }
  var isOfOne: Bool { flags.contains(.isOfOne) }

  /// Three bits of a rider's id, by which one stranger in a hundred is looked up in a party of two.
  static func bits(_ riderID: String) -> UInt32 {
    let hash = StableHash.hash64(riderID)
    return 1 << UInt32(hash & 31) | 1 << UInt32(hash >> 5 & 31) | 1 << UInt32(hash >> 10 & 31)
  }

  /// Whether a rider of such bits may be aboard.
  @inline(__always)
  func mayHold(_ bits: UInt32) -> Bool { riderBits & bits == bits }

  /// Whether the window may end behind a moment, milliseconds.
  @inline(__always)
  func mayEnd(after now: Int64) -> Bool {
    windowMilliseconds == .max || start + Int64(windowMilliseconds) > now
  }
}

extension SIMD3<Float> {
  init(_ place: SphereVector) {
    self.init(Float(place.x), Float(place.y), Float(place.z))
  }

  /// Through the Earth, within ``CorridorRow/marginMeters``.
  @inline(__always)
  func chordMeters(to other: SIMD3<Float>) -> Float {
    let way = self - other
    return (way.x * way.x + way.y * way.y + way.z * way.z).squareRoot()
  }
}

extension CorridorRow {
  /// The longest walk of a rider with such wishes.
  @inline(__always)
  func walkLimit(_ wishes: RideWishes) -> Double {
    min(wishes.maxWalkMeters ?? Double(walkLimit), Double(walkCap))
  }

  /// The largest detour of a rider with such wishes.
  @inline(__always)
  func detourRatio(_ wishes: RideWishes) -> Double {
    min(wishes.maxDetourRatio ?? Double(detourRatio), Double(detourCap))
  }

  /// Whether somebody could be met within a window.
  @inline(__always)
  func isInTime(_ window: DepartureWindow) -> Bool {
    start <= window.end.milliseconds
      && Double(start) + Double(latestSeconds) * 1000 >= Double(window.start.milliseconds)
  }
}

extension CorridorRow {
  /// Lines through the Earth between the ends of a row and those of a rider, meters.
  struct Lines {
    /// From the row's start to the place where the rider walks from, and from there to the row's end.
    var toPlace: Float
    var onward: Float
    /// From the place to where the rider gets out, and from the row's end there.
    var direct: Float
    var last: Float

    /// Of a rider who walks at most so far from the place, and no longer than true.
    @inline(__always)
    func least(walk: Float) -> Lines {
      Lines(
        toPlace: max(0, toPlace - walk - CorridorRow.marginMeters),
        onward: max(0, onward - walk - CorridorRow.marginMeters),
        direct: max(0, direct - walk - CorridorRow.marginMeters),
        last: max(0, last - CorridorRow.marginMeters))
    }
  }

  /// Whether straight lines allow it that a rider is met and let out.
  ///
  /// - Parameters:
  ///   - lines: No longer than true.
  ///   - leastPerChord: Roads of any length are at least so many times the line.
  ///   - longestRide: The rider's own limit, meters of road.
  /// - Returns: False where it is out of the question.
  @inline(__always)
  func mayServe(
    _ lines: Lines, leastPerChord: Float, longestRide: () -> Double
  ) -> Bool {
    guard (lines.toPlace + lines.onward) * roadPerChord <= limitMeters else { return false }
    // Let out before this rider …
    if (lines.toPlace + lines.direct + lines.last) * roadPerChord <= limitMeters { return true }
    // … or behind.
    return lines.onward * roadPerChord + lines.last * leastPerChord
      <= Float(longestRide()).nextUp
  }
}

extension CorridorRow.Lines {
  /// Of a row that goes between two places, and of a rider who stands at a third.
  @inline(__always)
  init(
    _ from: SIMD3<Float>, _ to: SIMD3<Float>, place: SIMD3<Float>, drop: SIMD3<Float>,
    direct: Float
  ) {
    self.init(
      toPlace: from.chordMeters(to: place), onward: to.chordMeters(to: place), direct: direct,
      last: to.chordMeters(to: drop))
  }
}

// MARK: Made of a party

extension CorridorRow {
  /// Paths of more points are not measured.
  private static let mostPathPoints = 32

  /// A row with where it stands.
  struct Made {
    var row: CorridorRow
    /// As ``CorridorRow/latestSeconds``, more closely: by the hours and the legs of the ride. The coarser one tells
    /// in explanations which rule a party is removed by, and stays what it was.
    var latestSeconds: Float
    /// The party's path from end to end, through the Earth, where it is all between the ends of the corridor;
    /// else infinite.
    var pathMeters: Double
    var corridor: Corridor
  }

  /// The rows of a party: riders of whom one is aboard on each leg with somebody aboard.
  ///
  /// - Parameters:
  ///   - entry: The party.
  ///   - profile: As in ``profile``.
  ///   - fares: As in ``fares``.
  /// - Returns: None where nobody is aboard of any leg.
  static func rows(
    _ entry: IndexedParty, profile: UInt8 = PartyRow.unknownProfile,
    fares: UInt32 = FareBoundsTable.none
  ) -> [Made] {
    let ride = entry.boarding
    var riders: [Int] = []
    var leg = 0
    var mostMeters = 0.0
    while leg < ride.legs.count {
      var best: Int?
      for (i, rider) in ride.riders.enumerated() where rider.boards <= leg && leg < rider.alights {
        if let known = best, ride.riders[known].alights >= rider.alights { continue }
        best = i
      }
      guard let best else {
        mostMeters += ride.legs[leg].distanceMeters
        leg += 1
        continue
      }
      riders.append(best)
      mostMeters += ride.riders[best].limitMeters
      leg = ride.riders[best].alights
    }
    guard let first = riders.first else { return [] }
    let common = common(entry, profile: profile, fares: fares, mostMeters: mostMeters)
    return riders.map { rider in
      var made = made(common, entry, ride.riders[rider])
      if rider == first { made.row.flags.insert(.isFirst) }
      if riders.count == 1 { made.row.flags.insert(.isOnly) }
      return made
    }
  }

  /// What all rows of a party have.
  private static func common(
    _ entry: IndexedParty, profile: UInt8, fares: UInt32, mostMeters: Double
  ) -> CorridorRow {
    let party = entry.party
    let ride = entry.boarding
    let limits = party.policy.bounding(party.limits)
    let weighing = Weighing(ride.splitRule)
    var flags: Flags = []
    if party.isActive { flags.insert(.isActive) }
    if ride.ride.hasAttributeRules { flags.insert(.hasAttributeRules) }
    if !ride.ride.knowsSoloFares { flags.insert(.hasNoTariff) }
    return CorridorRow(
      start: party.window.start.milliseconds, latestSeconds: 0, limitMeters: 0,
      roadPerChord: 0,
      othersWeight: Float(ride.legs.indices.map { weighing.sum(ride, $0) }.max() ?? 0).nextUp,
      accepted: ride.allowsRaisedShares
        ? .infinity : Float(ride.riders.reduce(0) { $0 + $1.acceptedShare }).nextUp,
      mostMeters: Float(mostMeters).nextUp, walkLimit: Float(limits.maxWalkMeters).nextUp,
      detourRatio: Float(limits.maxDetourRatio).nextUp,
      walkCap: Float(party.policy.maxWalkMeters ?? .infinity).nextUp,
      detourCap: Float(party.policy.maxDetourRatio ?? .infinity).nextUp,
      windowMilliseconds: UInt32(
        clamping: party.window.end.milliseconds(since: party.window.start)),
      fares: fares, riderBits: entry.riderIDs.reduce(0) { $0 | bits($1) },
      seatsFree: Int8(clamping: ride.mostSeatsFree),
      seatsFreeAllTheWay: Int8(clamping: entry.seatsFree), profile: profile, weighing: weighing,
      flags: flags)
  }

  private static func made(
    _ common: CorridorRow, _ entry: IndexedParty, _ rider: BoardingRide.Rider
  ) -> Made {
    let ride = entry.boarding
    let profile = ride.ride.travel.profile
    let from = ride.halts[rider.boards]
    let to = ride.halts[rider.alights]
    let circuity = profile.circuity.values(0...max(0, rider.limitMeters)).lowerBound
    let perChord =
      circuity
      * HaversineBounds.ratios(
        latitude: from.place.latitude, reachMeters: rider.limitMeters
      ).lowerBound
    let slowest = profile.speed.values.lowerBound * profile.hourFactorRange.lowerBound
    let aboard = min(rider.limitSeconds, rider.limitMeters / max(1e-9, slowest))
    let boarded = ride.legs.prefix(rider.boards).reduce(0) { $0 + $1.durationSeconds }
    let window = entry.party.window
    func latest(_ aboard: Double) -> Float {
      let seconds = Double(window.end.milliseconds(since: window.start)) / 1000
      return Float(seconds + min(max(0, boarded + aboard), 1e9) + 1).nextUp
    }
    var row = common
    row.latestSeconds = latest(aboard)
    row.limitMeters = Float(rider.limitMeters).nextUp
    row.roadPerChord = Float(perChord).nextDown
    if ride.riders.count == 1 && rider.boards == 0 { row.flags.insert(.isOfOne) }
    if rider.boards == 0 && rider.alights == ride.halts.count - 1 && followsHalts(ride) {
      row.flags.insert(.followsHalts)
    }
    let corridor = Corridor(
      from: SphereVector(from.place), to: SphereVector(to.place),
      budgetMeters: rider.limitMeters / perChord)
    return Made(
      row: row, latestSeconds: latest(min(aboard, mostSeconds(ride, rider))),
      pathMeters: pathMeters(ride, rider, corridor), corridor: corridor)
  }

  /// How long a rider is aboard at most with one more, who gets in and out in between.
  private static func mostSeconds(_ ride: BoardingRide, _ rider: BoardingRide.Rider) -> Double {
    let travel = ride.ride.travel
    let most = travel.profile.mostSeconds(
      roadMeters: rider.limitMeters, pieces: max(0, rider.alights - rider.boards) + 2)
    // Every leg is estimated as if it were driven at the departure.
    let longest = min(most / travel.profile.hourFactorRange.lowerBound, 1e9)
    let hours = travel.profile.hourFactors(
      from: travel.departure,
      through: travel.departure.advanced(milliseconds: Int64(longest * 1000) + 1000))
    return most / hours.lowerBound
  }

  private static func followsHalts(_ ride: BoardingRide) -> Bool {
    var next = 0
    for halt in ride.halts where next == 0 || halt.place != ride.path[next - 1] {
      guard next < ride.path.count, ride.path[next] == halt.place else { return false }
      next += 1
    }
    return next == ride.path.count
  }

  private static func pathMeters(
    _ ride: BoardingRide, _ rider: BoardingRide.Rider, _ corridor: Corridor
  ) -> Double {
    guard rider.boards == 0 && rider.alights == ride.halts.count - 1,
      ride.path.count <= mostPathPoints
    else { return .infinity }
    var last = corridor.from
    var meters = 0.0
    for place in ride.path {
      let next = SphereVector(place)
      meters += last.chordMeters(to: next)
      last = next
    }
    return meters + last.chordMeters(to: corridor.to)
  }
}
