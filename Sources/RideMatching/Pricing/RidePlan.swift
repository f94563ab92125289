import TaxiFares

/// A ride as planned: who gets out where and when, and what each pays. Fixed size, no allocation.
///
/// Riders in order of joining, places in the order in which riders first name them.
struct RidePlan: Sendable {
  static let maximumRiders = SmallSplit.maximumRiders
  /// One element a rider or place; a vector would be written as a whole for each of them.
  typealias ByIndex<Element> = InlineArray<8, Element>

  var riderCount = 0
  var placeCount = 0
  /// By rider.
  var placeOfRider = ByIndex<UInt8>(repeating: 0)
  var seats = ByIndex<UInt8>(repeating: 0)
  var weights = ByIndex<Double>(repeating: 0)
  var minShared = ByIndex<Double>(repeating: 0)
  var shares = SIMD8<Int64>()
  /// By place.
  var directMeters = ByIndex<Double>(repeating: 0)
  var directSeconds = ByIndex<Double>(repeating: 0)
  var soloFares = ByIndex<Int64>(repeating: 0)
  /// Bit: the place lies outside the tariff's area.
  var outsideMask: UInt8 = 0
  var edgeShares = ByIndex<Double>(repeating: 0)
  var meters = ByIndex<Double>(repeating: 0)
  var seconds = ByIndex<Double>(repeating: 0)
  /// Places in the order of the visit.
  var order = ByIndex<UInt8>(repeating: 0)
  var totalMeters = 0.0
  var totalSeconds = 0.0
  /// The fare, and the part of it shared per seat whatever the rule; minor units.
  var amount: Int64 = 0
  var extras: Int64 = 0
  /// By place: the flat trip there, by its place in the tariff's list; -1 for none.
  var flats = ByIndex<Int8>(repeating: -1)
  /// The flat trip that every place of the ride is an end of; -1 where the meter runs.
  var flat: Int8 = -1

  // Inlined: a call would be handed a copy of the plan.
  @inline(__always)
  func place(_ rider: Int) -> Int { Int(placeOfRider[rider]) }
  @inline(__always)
  func rideMeters(_ rider: Int) -> Double { meters[place(rider)] }
  func rideSeconds(_ rider: Int) -> Double { seconds[place(rider)] }
  @inline(__always)
  func soloFare(_ rider: Int) -> Int64 { soloFares[place(rider)] }
  @inline(__always)
  func detourSeconds(_ rider: Int) -> Double {
    max(0, seconds[place(rider)] - directSeconds[place(rider)])
  }

  /// The part of the rider's ride with someone else aboard, 0...1.
  func sharedRatio(_ rider: Int) -> Double {
    var together = -1.0
    for other in 0..<riderCount where other != rider { together = max(together, rideMeters(other)) }
    guard together >= 0 else { return 0 }
    let ride = rideMeters(rider)
    return ride > 0 ? min(together, ride) / ride : 1
  }
}
