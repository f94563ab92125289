public import GeoMath
public import ObjectModel

/// Bounds of the roads of a profile and of the times over them by straight distance, looked up
/// instead of worked out: for pruning, never for answers. They hold for profiles in which a longer
/// line has a shorter road, too.
///
/// - Complexity: One look-up; about 16 KB.
public struct TravelBounds: Sendable {
  /// What holds for straight distances of one bucket, in the order in which it is looked up.
  @usableFromInline
  struct Bucket: Sendable {
    /// Road / straight distance; seconds at factor 1 for each meter of the straight distance; the least road
    /// and the least time of any further bucket.
    @usableFromInline var least: SIMD4<Float>
    /// The same at most, with the most of any nearer bucket.
    @usableFromInline var most: SIMD4<Float>
  }

  /// In an object, as copies would copy them all; of a length that needs no check of a number's last bits.
  @usableFromInline
  final class Table: Sendable {
    @usableFromInline let buckets: InlineArray<512, Bucket>

    init(_ buckets: [Bucket]) { self.buckets = InlineArray { buckets[$0] } }
  }

  // A power of two, by which a division is a multiplication.
  @usableFromInline static let bucketMeters = 128.0
  @usableFromInline static let bucketCount = 512
  @usableFromInline let table: Table
  /// No way as long as the last bucket's takes less; its pace alone would be that of the fastest road of all.
  private let farSeconds: Float

  /// From here on one bucket holds all straight distances, meters.
  public static let farMeters = bucketMeters * Double(bucketCount - 1)

  /// Works out the buckets of a profile.
  public init(_ profile: TrafficProfile) {
    let buckets = (0..<Self.bucketCount).map { i in
      let ends = Self.ends(i)
      let circuity = profile.circuity.values(ends)
      let speed = profile.speed.values(
        ends.lowerBound * circuity.lowerBound...ends.upperBound * circuity.upperBound)
      return Bucket(
        least: SIMD4(
          Float(circuity.lowerBound).nextDown,
          Float(circuity.lowerBound / speed.upperBound).nextDown, .infinity, .infinity),
        most: SIMD4(
          Float(circuity.upperBound).nextUp, Float(circuity.upperBound / speed.lowerBound).nextUp,
          0, 0))
    }
    let farRoad =
      Self.farMeters * profile.circuity.values(Self.ends(Self.bucketCount - 1)).lowerBound
    self.init(buckets, farSeconds: Float(profile.leastSeconds(roadMeters: farRoad)).nextDown)
  }

  /// Bounds that hold for all of some profiles.
  public init(anyOf all: [TravelBounds]) {
    let none = Bucket(least: SIMD4(repeating: .infinity), most: SIMD4(repeating: 0))
    self.init(
      (0..<Self.bucketCount).map { i in
        all.reduce(into: none) { bucket, bounds in
          bucket.least = bucket.least.orLess(bounds.table.buckets[i].least)
          bucket.most = bucket.most.orMore(bounds.table.buckets[i].most)
        }
      }, farSeconds: all.map(\.farSeconds).min() ?? 0)
  }

  private init(_ own: [Bucket], farSeconds: Float) {
    var buckets = own
    for i in buckets.indices.dropFirst() {
      let straight = Float(Self.ends(i - 1).upperBound).nextUp
      let nearer = buckets[i - 1].most
      buckets[i].most.z = max(nearer.z, (straight * nearer.x).nextUp)
      buckets[i].most.w = max(nearer.w, (straight * nearer.y).nextUp)
    }
    for i in buckets.indices.dropLast().reversed() {
      let straight = Float(Self.ends(i + 1).lowerBound).nextDown
      let further = buckets[i + 1].least
      buckets[i].least.z = min(further.z, (straight * further.x).nextDown)
      let seconds = (straight * further.y).nextDown
      let isLast = i == Self.bucketCount - 2
      buckets[i].least.w = min(further.w, isLast ? max(seconds, farSeconds) : seconds)
    }
    table = Table(buckets)
    self.farSeconds = farSeconds
  }

  private static func ends(_ bucket: Int) -> ClosedRange<Double> {
    let from = Double(bucket) * bucketMeters
    return from...(bucket == bucketCount - 1 ? .infinity : from + bucketMeters)
  }

  @inlinable
  @inline(__always)
  func bucket(_ straightMeters: Double) -> Bucket {
    table.buckets[
      Int(max(0, min(straightMeters / Self.bucketMeters, Double(Self.bucketCount - 1))))]
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
    let near = bucket(least).least
    let far = bucket(most).most
    return (
      ClosedRange(
        uncheckedBounds: (
          min(least * Double(near.x), Double(near.z)), max(most * Double(far.x), Double(far.z))
        )),
      ClosedRange(
        uncheckedBounds: (
          min(least * Double(near.y), Double(near.w)), max(most * Double(far.y), Double(far.w))
        ))
    )
  }

  /// The same of four pairs of places, which cost together little more than one pair.
  ///
  /// - Parameters:
  ///   - leastMeters: The least straight distances, not below 0.
  ///   - mostMeters: The greatest ones; may be infinite.
  /// - Returns: Their roads and times, of single precision: beyond a ten-millionth nothing is less or more.
  @inlinable
  @inline(__always)
  public func travel(leastMeters: SIMD4<Float>, mostMeters: SIMD4<Float>) -> FourTravels {
    let near = Self.columns(leastMeters) { table.buckets[$0].least }
    let far = Self.columns(mostMeters) { table.buckets[$0].most }
    return FourTravels(
      leastMeters: (leastMeters * near.0).orLess(near.2),
      mostMeters: (mostMeters * far.0).orMore(far.2),
      leastSeconds: (leastMeters * near.1).orLess(near.3),
      mostSeconds: (mostMeters * far.1).orMore(far.3))
  }

  @usableFromInline
  typealias Columns = (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)

  /// Four looked up, column by column. At the border of two buckets either one holds.
  @inlinable
  @inline(__always)
  static func columns(_ meters: SIMD4<Float>, _ row: (Int) -> SIMD4<Float>) -> Columns {
    let places = (meters * Float(1 / bucketMeters)).places(through: bucketCount - 1)
    func look(_ place: Float) -> SIMD4<Float> {
      row(Int(truncatingIfNeeded: place.bitPattern & UInt32(bucketCount - 1)))
    }
    return SIMD4<Float>.columns(look(places.x), look(places.y), look(places.z), look(places.w))
  }
}

/// The roads of four pairs of places and the times over them in an hour of factor 1, at least and at most.
public struct FourTravels: Sendable {
  /// Meters of road.
  public var leastMeters: SIMD4<Float>
  /// Meters of road; may be infinite.
  public var mostMeters: SIMD4<Float>
  /// Seconds in an hour of factor 1.
  public var leastSeconds: SIMD4<Float>
  /// Seconds in an hour of factor 1; may be infinite.
  public var mostSeconds: SIMD4<Float>

  /// Four travels of which bounds are known.
  @inlinable
  @inline(__always)
  public init(
    leastMeters: SIMD4<Float>, mostMeters: SIMD4<Float>, leastSeconds: SIMD4<Float>,
    mostSeconds: SIMD4<Float>
  ) {
    self.leastMeters = leastMeters
    self.mostMeters = mostMeters
    self.leastSeconds = leastSeconds
    self.mostSeconds = mostSeconds
  }

  /// Of places where one is.
  public static var nothing: FourTravels {
    FourTravels(leastMeters: .zero, mostMeters: .zero, leastSeconds: .zero, mostSeconds: .zero)
  }

  /// Adds a leg, which is driven next, to each of the four.
  @inlinable
  @inline(__always)
  public static func += (before: inout FourTravels, leg: FourTravels) {
    before.leastMeters += leg.leastMeters
    before.mostMeters += leg.mostMeters
    before.leastSeconds += leg.leastSeconds
    before.mostSeconds += leg.mostSeconds
  }

  /// Puts one travel that is known in place of some.
  ///
  /// - Parameters:
  ///   - known: Its road and its time.
  ///   - places: Where it is put.
  @inlinable
  @inline(__always)
  public mutating func replace(
    with known: (meters: Float, seconds: Float), where places: SIMDMask<SIMD4<Int32>>
  ) {
    leastMeters.replace(with: known.meters.nextDown, where: places)
    mostMeters.replace(with: known.meters.nextUp, where: places)
    leastSeconds.replace(with: known.seconds.nextDown, where: places)
    mostSeconds.replace(with: known.seconds.nextUp, where: places)
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
  /// The least time over a road of at least such a length, in an hour of factor 1. Between two knots of the
  /// speeds a longer road takes longer, or a shorter one does: the least is at one of their ends.
  func leastSeconds(roadMeters: Double) -> Double {
    speed.knots.filter { $0.meters > roadMeters }.reduce(
      secondsAtFactorOne(roadMeters: roadMeters)
    ) { min($0, secondsAtFactorOne(roadMeters: $1.meters)) }
  }

  /// The most time over a road that is driven in some pieces, each at the speed of its own length.
  ///
  /// Where no road takes longer than `a + b` x its length, no such pieces take longer than pieces x `a` + `b` x
  /// the length of all. Any `b` will do; the best one is nearly how the time grows where all are equally long.
  ///
  /// - Parameters:
  ///   - roadMeters: The length of all pieces together, or more.
  ///   - pieces: How many, at most; from 1 on.
  /// - Returns: Seconds in an hour of factor 1.
  /// - Complexity: O(knots).
  public func mostSeconds(roadMeters: Double, pieces: Int) -> Double {
    var most = roadMeters / speed.values(0...max(0, roadMeters)).lowerBound
    guard roadMeters > 0, roadMeters < .infinity else { return most }
    let even = roadMeters / Double(pieces)
    for part in [0.6, 1, 1.7] {
      let meters = even * part
      let slope =
        (secondsAtFactorOne(roadMeters: meters * 1.01)
          - secondsAtFactorOne(roadMeters: meters * 0.99)) / (meters * 0.02)
      // Below zero a shorter road in all would take longer.
      guard slope >= 0 else { continue }
      let above = mostSecondsAbove(slope, through: roadMeters)
      most = min(most, Double(pieces) * above + slope * roadMeters)
    }
    return most * (1 + 1e-9)
  }

  /// How much longer than `slope` seconds a meter any road takes at most that is no longer than so many meters.
  private func mostSecondsAbove(_ slope: Double, through roadMeters: Double) -> Double {
    func over(_ meters: Double) -> Double {
      secondsAtFactorOne(roadMeters: meters) - slope * meters
    }
    var above = max(0, over(roadMeters))
    let knots = speed.knots
    for (i, knot) in knots.enumerated() {
      if knot.meters < roadMeters { above = max(above, over(knot.meters)) }
      guard i > 0, knots[i - 1].meters < roadMeters else { continue }
      // Between two knots the speed is c + d x meters, and the time grows as fast as the line where
      // c / (c + d x meters)^2 is its slope.
      let last = knots[i - 1]
      let d = (knot.value - last.value) / (knot.meters - last.meters)
      let c = last.value - d * last.meters
      guard c > 0, d > 0, slope > 0 else { continue }
      let meters = ((c / slope).squareRoot() - c) / d
      guard meters > last.meters && meters < min(knot.meters, roadMeters) else { continue }
      above = max(above, over(meters))
    }
    return above
  }

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
