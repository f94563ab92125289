public import ObjectModel

/// Bounds of the roads of a profile and of the times over them by straight distance, looked up
/// instead of worked out: for pruning, never for answers. They hold for profiles in which a longer
/// line has a shorter road, too.
///
/// - Complexity: One look-up; about 16 KB.
public struct TravelBounds: Sendable {
  /// What holds for straight distances of one bucket.
  @usableFromInline
  struct Bucket: Sendable {
    /// Road / straight distance.
    @usableFromInline var leastCircuity: Float
    @usableFromInline var mostCircuity: Float
    /// Seconds at factor 1 for each meter of the straight distance.
    @usableFromInline var leastPace: Float
    @usableFromInline var mostPace: Float
    /// The least road and time of any further bucket, the most of any nearer one.
    @usableFromInline var furtherMeters = Float.infinity
    @usableFromInline var furtherSeconds = Float.infinity
    @usableFromInline var nearerMeters: Float = 0
    @usableFromInline var nearerSeconds: Float = 0
  }

  // A power of two, by which a division is a multiplication.
  @usableFromInline static let bucketMeters = 128.0
  @usableFromInline static let bucketCount = 512
  @usableFromInline let buckets: [Bucket]

  /// From here on one bucket holds all straight distances, meters.
  public static let farMeters = bucketMeters * Double(bucketCount - 1)

  /// Works out the buckets of a profile.
  public init(_ profile: TrafficProfile) {
    var buckets = (0..<Self.bucketCount).map { i in
      let ends = Self.ends(i)
      let circuity = profile.circuity.values(ends)
      let speed = profile.speed.values(
        ends.lowerBound * circuity.lowerBound...ends.upperBound * circuity.upperBound)
      return Bucket(
        leastCircuity: Float(circuity.lowerBound).nextDown,
        mostCircuity: Float(circuity.upperBound).nextUp,
        leastPace: Float(circuity.lowerBound / speed.upperBound).nextDown,
        mostPace: Float(circuity.upperBound / speed.lowerBound).nextUp)
    }
    for i in buckets.indices.dropFirst() {
      let straight = Float(Self.ends(i - 1).upperBound).nextUp
      buckets[i].nearerMeters = max(
        buckets[i - 1].nearerMeters, (straight * buckets[i - 1].mostCircuity).nextUp)
      buckets[i].nearerSeconds = max(
        buckets[i - 1].nearerSeconds, (straight * buckets[i - 1].mostPace).nextUp)
    }
    for i in buckets.indices.dropLast().reversed() {
      let straight = Float(Self.ends(i + 1).lowerBound).nextDown
      buckets[i].furtherMeters = min(
        buckets[i + 1].furtherMeters, (straight * buckets[i + 1].leastCircuity).nextDown)
      buckets[i].furtherSeconds = min(
        buckets[i + 1].furtherSeconds, (straight * buckets[i + 1].leastPace).nextDown)
    }
    self.buckets = buckets
  }

  private static func ends(_ bucket: Int) -> ClosedRange<Double> {
    let from = Double(bucket) * bucketMeters
    return from...(bucket == bucketCount - 1 ? .infinity : from + bucketMeters)
  }

  @inlinable
  @inline(__always)
  func bucket(_ straightMeters: Double) -> Bucket {
    buckets[Int(max(0, min(straightMeters / Self.bucketMeters, Double(Self.bucketCount - 1))))]
  }

  /// Bounds of the roads between places so far apart, and of the time that a taxi takes over them.
  ///
  /// - Parameter straightMeters: The least and the greatest straight distance, not below 0.
  /// - Returns: Meters, and seconds in an hour of factor 1: nothing is less or more.
  @inlinable
  @inline(__always)
  public func travel(
    straightMeters: ClosedRange<Double>
  ) -> (roadMeters: ClosedRange<Double>, seconds: ClosedRange<Double>) {
    let (least, most) = (straightMeters.lowerBound, straightMeters.upperBound)
    let near = bucket(least)
    let far = bucket(most)
    return (
      ClosedRange(
        uncheckedBounds: (
          min(least * Double(near.leastCircuity), Double(near.furtherMeters)),
          max(most * Double(far.mostCircuity), Double(far.nearerMeters))
        )),
      ClosedRange(
        uncheckedBounds: (
          min(least * Double(near.leastPace), Double(near.furtherSeconds)),
          max(most * Double(far.mostPace), Double(far.nearerSeconds))
        ))
    )
  }
}

extension DistanceTable {
  /// The least and the greatest value of all.
  public var values: ClosedRange<Double> { values(0...Double.infinity) }

  /// The least and the greatest value over a range of distances.
  public func values(_ meters: ClosedRange<Double>) -> ClosedRange<Double> {
    let ends = (value(meters: meters.lowerBound), value(meters: meters.upperBound))
    var least = min(ends.0, ends.1)
    var most = max(ends.0, ends.1)
    for knot in knots where meters.contains(knot.meters) {
      least = min(least, knot.value)
      most = max(most, knot.value)
    }
    return least...most
  }
}

extension TrafficProfile {
  /// The least and the greatest factor of all hours.
  public var hourFactorRange: ClosedRange<Double> {
    (hourFactors.min() ?? 1)...(hourFactors.max() ?? 1)
  }

  /// The least and the greatest factor of the local hours that a period touches, wherever the profile
  /// is in force.
  public func hourFactors(from: Instant, through: Instant) -> ClosedRange<Double> {
    let milliseconds = through.milliseconds(since: from)
    guard case .offsets = localTime, milliseconds >= 0, milliseconds < 86_400_000 else {
      return hourFactorRange
    }
    var least = Double.infinity
    var most = 0.0
    // Local hours begin at quarters of an hour.
    for quarter in 0...milliseconds / 900_000 + 1 {
      let moment = from.advanced(milliseconds: min(milliseconds, quarter * 900_000))
      let factor = hourFactors[secondOfWeek(moment, longitude: 0) / 3600]
      least = min(least, factor)
      most = max(most, factor)
    }
    return least...most
  }
}
