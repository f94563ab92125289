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
    /// Meters a second at factor 1.
    @usableFromInline var slowest: Float
    @usableFromInline var fastest: Float
    /// The least road and time of any further bucket, the most of any nearer one.
    @usableFromInline var furtherMeters = Float.infinity
    @usableFromInline var furtherSeconds = Float.infinity
    @usableFromInline var nearerMeters: Float = 0
    @usableFromInline var nearerSeconds: Float = 0
  }

  @usableFromInline static let bucketMeters = 125.0
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
        slowest: Float(speed.lowerBound).nextDown, fastest: Float(speed.upperBound).nextUp)
    }
    for i in buckets.indices.dropFirst() {
      let road = Float(Self.ends(i - 1).upperBound).nextUp * buckets[i - 1].mostCircuity
      buckets[i].nearerMeters = max(buckets[i - 1].nearerMeters, road.nextUp)
      buckets[i].nearerSeconds = max(
        buckets[i - 1].nearerSeconds, (road / buckets[i - 1].slowest).nextUp.nextUp)
    }
    for i in buckets.indices.dropLast().reversed() {
      let road = Float(Self.ends(i + 1).lowerBound).nextDown * buckets[i + 1].leastCircuity
      buckets[i].furtherMeters = min(buckets[i + 1].furtherMeters, road.nextDown)
      buckets[i].furtherSeconds = min(
        buckets[i + 1].furtherSeconds, (road / buckets[i + 1].fastest).nextDown.nextDown)
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

  /// No road between places at least so far apart is shorter, meters.
  @inlinable
  public func leastRoadMeters(straightMeters: Double) -> Double {
    let bucket = bucket(straightMeters)
    return min(max(0, straightMeters) * Double(bucket.leastCircuity), Double(bucket.furtherMeters))
  }

  /// No road between places at most so far apart is longer, meters.
  @inlinable
  public func mostRoadMeters(straightMeters: Double) -> Double {
    let bucket = bucket(straightMeters)
    return max(max(0, straightMeters) * Double(bucket.mostCircuity), Double(bucket.nearerMeters))
  }

  /// The least time between places at least so far apart, seconds in an hour of factor 1.
  @inlinable
  public func leastSeconds(straightMeters: Double) -> Double {
    let bucket = bucket(straightMeters)
    return min(
      max(0, straightMeters) * Double(bucket.leastCircuity) / Double(bucket.fastest),
      Double(bucket.furtherSeconds))
  }

  /// The most time between places at most so far apart, seconds in an hour of factor 1.
  @inlinable
  public func mostSeconds(straightMeters: Double) -> Double {
    let bucket = bucket(straightMeters)
    return max(
      max(0, straightMeters) * Double(bucket.mostCircuity) / Double(bucket.slowest),
      Double(bucket.nearerSeconds))
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
