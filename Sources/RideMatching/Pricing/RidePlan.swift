import TaxiFares

/// A ride as planned: who gets out where and when, and what each pays. Fixed size, no allocation.
///
/// Riders in order of joining, places in the order in which riders first name them.
struct RidePlan: Sendable {
  static let maximumRiders = SmallSplit.maximumRiders

  var riderCount = 0
  var placeCount = 0
  /// By rider.
  var placeOfRider = SIMD8<UInt8>()
  var seats = SIMD8<UInt8>()
  var weights = SIMD8<Double>()
  var minShared = SIMD8<Double>()
  var shares = SIMD8<Int64>()
  /// By place.
  var directMeters = SIMD8<Double>()
  var directSeconds = SIMD8<Double>()
  var soloFares = SIMD8<Int64>()
  /// Bit: the place lies outside the tariff's area.
  var outsideMask: UInt8 = 0
  var edgeShares = SIMD8<Double>()
  var meters = SIMD8<Double>()
  var seconds = SIMD8<Double>()
  /// Places in the order of the visit.
  var order = SIMD8<UInt8>()
  var totalMeters = 0.0
  var totalSeconds = 0.0
  /// The fare, and the part of it shared per seat whatever the rule; minor units.
  var amount: Int64 = 0
  var extras: Int64 = 0
  var isFlat = false

  func place(_ rider: Int) -> Int { Int(placeOfRider[rider]) }
  func rideMeters(_ rider: Int) -> Double { meters[place(rider)] }
  func rideSeconds(_ rider: Int) -> Double { seconds[place(rider)] }
  func soloFare(_ rider: Int) -> Int64 { soloFares[place(rider)] }
  func detourSeconds(_ rider: Int) -> Double {
    max(0, seconds[place(rider)] - directSeconds[place(rider)])
  }

  /// The part of the rider's way with someone else aboard, 0...1.
  func sharedRatio(_ rider: Int) -> Double {
    var together = -1.0
    for other in 0..<riderCount where other != rider { together = max(together, rideMeters(other)) }
    guard together >= 0 else { return 0 }
    let ride = rideMeters(rider)
    return ride > 0 ? min(together, ride) / ride : 1
  }
}
