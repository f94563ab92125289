/// A quantity that depends on a distance: straight between its knots, constant outside them.
public struct DistanceTable: Hashable, Sendable {
  /// One point of the table.
  public struct Knot: Hashable, Sendable {
    /// Where the knot stands, from 0 on.
    public let meters: Double
    /// What the table says there.
    public let value: Double

    /// Makes a knot.
    public init(meters: Double, value: Double) {
      self.meters = meters
      self.value = value
    }
  }

  /// Ascending by meters, at least one.
  public let knots: [Knot]

  /// - Throws: ``TrafficProfileError/badTable(_:)`` unless there is a knot, distances ascend from 0
  ///   or more, and all values are finite and above 0.
  public init(_ knots: [Knot]) throws(TrafficProfileError) {
    guard let first = knots.first else { throw .badTable("it has no knots") }
    guard first.meters >= 0 else { throw .badTable("distance \(first.meters) is negative") }
    for (a, b) in zip(knots, knots.dropFirst()) where !(a.meters < b.meters) {
      throw .badTable("distance \(b.meters) does not follow \(a.meters)")
    }
    for knot in knots {
      guard knot.value > 0 && knot.value.isFinite && knot.meters.isFinite else {
        throw .badTable("\(knot.value) at \(knot.meters) m is not a positive number")
      }
    }
    self.knots = knots
  }

  /// For the tables of this module, in kilometers.
  init(kilometers: [(Double, Double)]) {
    knots = kilometers.map { Knot(meters: $0.0 * 1000, value: $0.1) }
  }

  /// - Complexity: O(knots).
  @inlinable
  public func value(meters: Double) -> Double {
    var low = knots[0]
    if !(meters > low.meters) { return low.value }
    for index in 1..<knots.count {
      let high = knots[index]
      if meters < high.meters {
        let share = (meters - low.meters) / (high.meters - low.meters)
        return low.value + share * (high.value - low.value)
      }
      low = high
    }
    return low.value
  }
}
