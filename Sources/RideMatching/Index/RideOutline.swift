import GeoMath
import RoutePlanning

/// The halts of a ride by single precision, with what bounds of a new rider's saving need; of rides with few
/// halts.
struct RideOutline: Sendable {
  typealias ByHalt<Element> = InlineArray<5, Element>

  /// More halts have no outline.
  static let maximumHalts = 5

  /// 0 where there is no outline.
  var count: Int32 = 0
  /// Of the riders, where there are few enough.
  var riderCount: Int32 = 0
  var riders = InlineArray<4, Rider>(repeating: Rider())
  var halts = ByHalt<Halt>(repeating: Halt())

  /// Between which halts somebody rides, what they count by, and what they accepted to pay; somebody who is not
  /// there accepts anything.
  struct Rider {
    var boards: Float = 0
    var alights: Float = 0
    var weight: Float = 0
    var accepted = Float.infinity

    @inline(__always)
    var numbers: SIMD4<Float> { SIMD4(boards, alights, weight, accepted) }
  }

  /// A place where the taxi stops, with the leg behind it.
  struct Halt {
    /// As a point of the sphere, meters; and the longest ride of the one who gets out there, meters of road:
    /// infinite where somebody gets in.
    var place = SIMD4<Float>(0, 0, 0, .infinity)
    /// Of the leg: meters of road and seconds at factor 1, both within a hundredth for rides of a day, what
    /// those aboard count together, and the halt where the one who gets out here got in.
    var leg = SIMD4<Float>.zero
  }

  init(_ ride: BoardingRide, _ weighing: CorridorRow.Weighing) {
    guard ride.halts.count <= Self.maximumHalts else { return }
    count = Int32(ride.halts.count)
    for (i, halt) in ride.halts.enumerated() {
      var limit = Float.infinity
      if i > 0 && !halt.isBoarding {
        let rider = ride.riders[halt.rider]
        halts[i].leg.w = Float(rider.boards)
        limit = Float(rider.limitMeters).nextUp
      }
      halts[i].place = SIMD4(SIMD3(SphereVector(halt.place)), limit)
    }
    for leg in ride.legs.indices {
      let meters = ride.legs[leg].distanceMeters
      halts[leg].leg.x = Float(meters)
      halts[leg].leg.y = Float(ride.ride.travel.profile.secondsAtFactorOne(roadMeters: meters))
      halts[leg].leg.z = Float(weighing.sum(ride, leg)).nextUp
    }
    guard ride.riders.count <= 4 else { return }
    riderCount = Int32(ride.riders.count)
    for (i, rider) in ride.riders.enumerated() {
      riders[i] = Rider(
        boards: Float(rider.boards), alights: Float(rider.alights),
        weight: Float(weighing.weight(rider)).nextDown,
        accepted: ride.allowsRaisedShares ? .infinity : Float(rider.acceptedShare).nextUp)
    }
  }
}
