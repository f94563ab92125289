import GeoMath
import RoutePlanning

/// The halts of a ride by single precision, with what bounds of a new rider's saving need; of rides of
/// several riders with few halts.
struct RideOutline: Sendable {
  typealias ByHalt<Element> = InlineArray<5, Element>

  /// More halts have no outline.
  static let maximumHalts = 5

  /// 0 where there is no outline.
  var count = 0
  var places = ByHalt<SIMD3<Float>>(repeating: .zero)
  /// By leg: meters of road and seconds at factor 1, both within a hundredth for rides of a day, and
  /// what those aboard count together.
  var legMeters = ByHalt<Float>(repeating: 0)
  var legSeconds = ByHalt<Float>(repeating: 0)
  var aboard = ByHalt<Float>(repeating: 0)
  /// By halt: where the one who gets out there got in, and their longest ride; infinite where somebody
  /// gets in.
  var boards = ByHalt<UInt8>(repeating: 0)
  var limitMeters = ByHalt<Float>(repeating: .infinity)
  /// Of the riders, where there are few enough.
  var riderCount = 0
  var riders = InlineArray<4, Rider>(repeating: Rider())

  /// Between which halts somebody rides, what they count by, and what they accepted to pay.
  struct Rider {
    var boards: UInt8 = 0
    var alights: UInt8 = 0
    var weight: Float = 0
    var accepted = Float.infinity
  }

  init(_ ride: BoardingRide, _ weighing: CorridorRow.Weighing) {
    guard ride.riders.count > 1, ride.halts.count <= Self.maximumHalts else { return }
    count = ride.halts.count
    for (i, halt) in ride.halts.enumerated() {
      places[i] = SIMD3(SphereVector(halt.place))
      if i > 0 && !halt.isBoarding {
        let rider = ride.riders[halt.rider]
        boards[i] = UInt8(rider.boards)
        limitMeters[i] = Float(rider.limitMeters).nextUp
      }
    }
    for leg in ride.legs.indices {
      let meters = ride.legs[leg].distanceMeters
      legMeters[leg] = Float(meters)
      legSeconds[leg] = Float(ride.ride.travel.profile.secondsAtFactorOne(roadMeters: meters))
      aboard[leg] = Float(weighing.sum(ride, leg)).nextUp
    }
    guard ride.riders.count <= 4 else { return }
    riderCount = ride.riders.count
    for (i, rider) in ride.riders.enumerated() {
      riders[i] = Rider(
        boards: UInt8(rider.boards), alights: UInt8(rider.alights),
        weight: Float(weighing.weight(rider)).nextDown,
        accepted: ride.allowsRaisedShares ? .infinity : Float(rider.acceptedShare).nextUp)
    }
  }
}
