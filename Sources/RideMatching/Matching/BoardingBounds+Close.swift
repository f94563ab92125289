import GeoMath

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a closer bound looks at, when a party's turn comes.
extension BoardingBounds {
  /// ``HeadsQuestion/bendPerSquare`` about a place, and half as much again.
  static func bendPerSquare(_ place: Coordinate) -> Float {
    let tangent = Float(tan(place.latitude.magnitude * (.pi / 180)))
    return 1.5 * (1 + tangent) / (8 * Float(Earth.meanRadiusMeters))
  }

  /// The most that the rider saves at the few places where they may be met near a path: the place itself, the
  /// nearest of the path, the origin.
  ///
  /// - Parameter number: Of a row of which ``set(_:)`` says that more is to be known.
  /// - Returns: Minus infinity where they cannot be met.
  func mostSavedBesidePath(_ number: UInt32) -> Float {
    guard let rides = rides(corridors.head(number).traits.kind) else { return .infinity }
    rides.clear()
    _ = rides.add(number)
    let heads = corridors.heads(rides.numbers)
    let walk = heads.walks(query.wishes)[0] * Self.walkPerMeter
    var points = question.place
    var slack = SIMD4<Float>.zero
    var isPlace = SIMDMask<SIMD4<Int32>>(repeating: true)
    var count = 1
    var most = -Float.infinity
    func look() {
      set(rides, heads, points, slack: slack, isPlace: isPlace)
      most = max(most, rides.mostSaved(atLeast: leastOffered).max())
      (points, slack, isPlace) = (question.place, .zero, SIMDMask(repeating: true))
      count = 0
    }
    func add(_ point: SIMD3<Float>, slack meters: Float) {
      points[count] = point
      slack[count] = meters
      isPlace[count] = false
      count += 1
      if count == 4 { look() }
    }
    let origin = heads.from[0]
    if origin.chordMeters(to: place) <= walk + CorridorRow.marginMeters { add(origin, slack: 0) }
    let halts = corridors.halts(number)
    for halt in halts.indices.dropLast() {
      let (point, slack) = nearest(halts[halt], halts[halt + 1])
      if point.chordMeters(to: place) <= walk + slack { add(point, slack: slack) }
    }
    if count > 0 { look() }
    rides.clear()
    return most
  }

  /// The point of a line through the Earth nearest to the place, and how far from it at most
  /// ``PathGeometry/nearest(to:_:eastScale:)`` is of a piece between the same ends: the bend of the Earth,
  /// and of a piece that is straight by degrees.
  private func nearest(
    _ from: SIMD3<Float>, _ to: SIMD3<Float>
  ) -> (point: SIMD3<Float>, slack: Float) {
    let along = to - from
    let square = (along * along).sum()
    let part = square > 0 ? max(0, min(1, ((place - from) * along).sum() / square)) : 0
    return (from + along * part, 5 + square * question.bendPerSquare)
  }
}
