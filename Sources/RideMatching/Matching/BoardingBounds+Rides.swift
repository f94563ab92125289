import ObjectModel
import RoutePlanning

/// How much a rider saves at most in the parties of rows, four of one kind at a time.
extension BoardingBounds {
  /// What the savings of rows of one kind are worked out by; nil where there is no outline or no tariff to do it
  /// by.
  @inline(__always)
  func rides(_ kind: CorridorHead.Kind) -> FourRides? {
    let place = Int(truncatingIfNeeded: (kind.bits &* 0x9E37_79B1) >> 24)
    if let known = lastRides[place], known.kind == kind { return known }
    return unknownRides(kind, place)
  }

  private func unknownRides(_ kind: CorridorHead.Kind, _ place: Int) -> FourRides? {
    if let known = allRides.first(where: { $0.kind == kind }) {
      lastRides[place] = known
      return known
    }
    guard kind.halts >= 2, let number = kind.fares, number < fareBounds.count,
      let fares = fareBounds[number]
    else { return nil }
    let made = FourRides(kind, fares, ways[fares.profile])
    allRides.append(made)
    lastRides[place] = made
    return made
  }

  /// Puts the rider in the rides of rows, at the place where they stand and as far from there as they may walk.
  ///
  /// - Returns: By row, whether more is to be known of where the rider gets in than that it is not further than a
  ///   walk.
  func set(_ rides: FourRides) -> SIMDMask<SIMD4<Int32>> {
    let heads = corridors.heads(rides.numbers)
    let longest = heads.walks(query.wishes) * Self.walkPerMeter
    let isPlace =
      SIMDMask<SIMD4<Int32>>(repeating: asksForPlace) .& (heads.besideMeters(question) .> longest)
    let slack = longest.replacing(with: 0, where: isPlace)
    set(rides, heads, question.place, slack: slack, isPlace: isPlace)
    return SIMDMask(repeating: mayLookCloser) .& (slack .> 0) .& heads.followHalts
  }

  /// Puts the rider in the rides of rows, at about four points.
  func set(
    _ rides: FourRides, _ heads: FourHeads, _ points: FourPoints, slack: SIMD4<Float>,
    isPlace: SIMDMask<SIMD4<Int32>>
  ) {
    if rides.kind.isOfOne {
      rides.outlines.set(heads)
    } else {
      rides.outlines.clear()
      for i in 0..<4 { corridors.put(rides.numbers[i], as: i, into: &rides.outlines) }
    }
    let kind = rides.kind
    let way = rides.way
    let isAllPlace = all(isPlace)
    if !isAllPlace {
      rides.direct = travel(way, points.chords(to: question.drop), walk: slack)
    }
    rides.direct.replace(
      with: (Float(way.roadMeters), Float(way.secondsAtFactorOne)), where: isPlace)
    for halt in 0..<kind.halts {
      let place = rides.outlines.halts[halt].place
      rides.toPoint[halt] = travel(way, place.chords(to: points), walk: slack)
      guard halt > 0 else { continue }
      rides.toDrop[halt] = travel(way, place.chords(to: question.drop), walk: .zero)
    }
    rides.longest = RideLimits.longestRideMeters(
      direct: rides.direct.mostMeters, maxDetourRatios: heads.detourRatios(query.wishes))
    (rides.latest, rides.earliest) = heads.arrivals(question)
    rides.accepted = heads.accepted
    if isAllPlace {
      rides.price(atPlace(rides))
    } else {
      for i in 0..<4 { rides.price(i, solo(rides, i, slack[i], isPlace: isPlace[i], points[i])) }
    }
  }

  private func solo(
    _ rides: FourRides, _ i: Int, _ slack: Float, isPlace: Bool, _ point: SIMD3<Float>
  ) -> FourRides.Solo {
    if isPlace { return atPlace(rides) }
    // At a point that is not the place no two rows have the same.
    let isKept = point == place
    if isKept, let known = rides.walking, known.walk == slack { return known.solo }
    let direct = rides.direct
    let fares = soloFares(
      rides.fares, isPlace: false,
      roadMeters: Double(direct.leastMeters[i])...Double(direct.mostMeters[i]),
      seconds: Double(direct.leastSeconds[i])...Double(direct.mostSeconds[i]))
    let solo = FourRides.Solo(fares, fares.map { ownWeight(rides.kind.weighing, $0) })
    if isKept { rides.walking = (slack, solo) }
    return solo
  }

  private func atPlace(_ rides: FourRides) -> FourRides.Solo {
    if let known = rides.atPlace { return known }
    let fares = soloFares(rides.fares, isPlace: true, roadMeters: 0...0, seconds: 0...0)
    let solo = FourRides.Solo(fares, fares.map { ownWeight(rides.kind.weighing, $0) })
    rides.atPlace = solo
    return solo
  }

  @inline(__always)
  private func travel(
    _ way: DirectWay, _ chords: SIMD4<Float>, walk: SIMD4<Float>
  ) -> FourTravels {
    let straight = lines.straight(chords, walk: walk)
    return way.travel.travel(leastMeters: straight.least, mostMeters: straight.most)
  }

  /// What the direct ride costs, by its road and its time in an hour of factor 1; nil where nothing is known.
  func soloFares(
    _ bounds: FareBounds, isPlace: Bool, roadMeters: ClosedRange<Double>,
    seconds: ClosedRange<Double>
  ) -> ClosedRange<Double>? {
    guard !isPlace else {
      let way = ways[bounds.profile]
      return bounds.soloFares(
        roadMeters: way.roadMeters...way.roadMeters,
        secondsAtFactorOne: way.secondsAtFactorOne...way.secondsAtFactorOne, ends,
        isNear: false)
    }
    guard roadMeters.upperBound.isFinite else { return nil }
    return bounds.soloFares(
      roadMeters: roadMeters, secondsAtFactorOne: seconds, ends, isNear: true)
  }

  /// What the rider's part of a leg counts by; 0 where no part is known.
  @inline(__always)
  func ownWeight(
    _ weighing: CorridorRow.Weighing, _ solo: ClosedRange<Double>
  ) -> ClosedRange<Double> {
    let own: Double
    switch weighing {
    case .unbounded: own = 0
    case .bySoloFare: return solo
    case .bySeats: own = Double(query.seats)
    case .byWeight: own = query.weight ?? 1
    }
    return own...own
  }
}
