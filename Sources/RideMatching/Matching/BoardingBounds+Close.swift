import GeoMath

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a closer bound looks at, when a party's turn comes.
extension BoardingBounds {
  /// Near a path there are a few places to meet: the place itself, the nearest of the path, the origin.
  func mostSavedBesidePath(
    _ row: CorridorRow, _ ends: CorridorEnds, _ near: Legs, _ number: UInt32
  ) -> Double? {
    let outline = corridors.outline(number)
    guard row.isOfOne || outline.count > 0 else {
      return mostSaved(row, near, number, isClose: true)
    }
    var most = mostSaved(
      row, Legs(self, ends, at: place, slack: 0, isPlace: true), number, isClose: true)
    func take(_ saved: Double?) {
      if let saved { most = max(most ?? saved, saved) }
    }
    if near.lines.toPlace <= near.walk + CorridorRow.marginMeters {
      take(
        mostSaved(
          row, Legs(self, ends, at: ends.from, slack: 0, isPlace: false), number,
          isClose: true))
    }
    let pieces = row.isOfOne ? 1 : outline.count - 1
    for piece in 0..<pieces {
      let (from, to) =
        row.isOfOne ? (ends.from, ends.to) : (outline.places[piece], outline.places[piece + 1])
      let (point, slack) = nearest(from, to)
      guard point.chordMeters(to: place) <= near.walk + slack else { continue }
      take(
        mostSaved(
          row, Legs(self, ends, at: point, slack: slack, isPlace: false), number,
          isClose: true))
    }
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
    let bend = square / (8 * Float(Earth.meanRadiusMeters))
    let tangent = Float(tan(query.origin.latitude.magnitude * (.pi / 180)))
    return (from + along * part, 5 + 1.5 * bend * (1 + tangent))
  }

  /// Whether each of those aboard may pay no more than accepted, where a meter costs at least so much.
  func everyoneAccepts(
    _ plan: OutlinePlan, _ price: Price, boarding: Int, alighting: Int, perMeter: Double
  ) -> Bool {
    let outline = plan.outline
    guard price.isByLength, outline.riderCount > 0 else { return true }
    // By leg: how much of its road falls to someone who counts by 1, at least.
    var meters = RideOutline.ByHalt<Double>(repeating: 0)
    for leg in 0..<outline.count - 1 where outline.aboard[leg] > 0 {
      var together = 0.0
      var without = 0.0
      if leg == boarding {
        without = plan.toPoint[leg].road.lowerBound
        together = (leg == alighting ? plan.own : plan.toPoint[leg + 1]).road.lowerBound
      } else if leg == alighting {
        together = plan.toDrop[leg].road.lowerBound
      } else if boarding < leg && leg < alighting {
        together = Double(outline.legMeters[leg])
      } else {
        without = Double(outline.legMeters[leg])
      }
      if leg == alighting { without += plan.toDrop[leg + 1].road.lowerBound }
      let aboard = Double(outline.aboard[leg])
      meters[leg] = without / aboard + together / (aboard + max(0, price.own.upperBound))
    }
    for i in 0..<outline.riderCount {
      let rider = outline.riders[i]
      var sum = 0.0
      for leg in Int(rider.boards)..<max(Int(rider.boards), Int(rider.alights)) {
        sum += meters[leg]
      }
      // A meter for the rounding of lengths, and shares are whole.
      let share = (sum * Double(rider.weight) - 1) * perMeter
      if share > Double(rider.accepted) + 2 { return false }
    }
    return true
  }
}
