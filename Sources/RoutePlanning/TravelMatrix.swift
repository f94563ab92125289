/// Distances and durations between all pairs of a few places; may be asymmetric.
public struct TravelMatrix: Hashable, Sendable {
  /// Places on each side.
  public let count: Int
  /// Row major: from * count + to.
  public let meters: [Double]
  /// The seconds from each place to each, row after row.
  public let seconds: [Double]

  /// - Throws: ``StopOrderError/badMatrix`` unless both hold count x count finite numbers >= 0.
  public init(count: Int, meters: [Double], seconds: [Double]) throws(StopOrderError) {
    guard count >= 0, meters.count == count * count, seconds.count == count * count,
      (meters + seconds).allSatisfy({ $0 >= 0 && $0.isFinite })
    else { throw .badMatrix }
    self.count = count
    self.meters = meters
    self.seconds = seconds
  }

  init(count: Int, _ estimate: (Int, Int) -> TravelEstimate) {
    self.count = count
    var meters: [Double] = []
    var seconds: [Double] = []
    meters.reserveCapacity(count * count)
    seconds.reserveCapacity(count * count)
    for from in 0..<count {
      for to in 0..<count {
        let leg = estimate(from, to)
        meters.append(leg.distanceMeters)
        seconds.append(leg.durationSeconds)
      }
    }
    self.meters = meters
    self.seconds = seconds
  }
}
