import ObjectModel

/// What one way of matching made of the requests of a file.
struct ReplayOutcome {
  /// One request's ride.
  struct Ride {
    var requestedAt: Instant
    /// 1: alone.
    var groupSize: Int
    var waitSeconds: Double
    /// On foot to the pick-up.
    var walkMeters: Double
    /// Ridden and direct, from the pick-up.
    var rideMeters: Double
    var directMeters: Double
    /// Minor units.
    var soloFare: Int64
    var share: Int64
    /// Direct from the rider's own door.
    var aloneMeters = 0.0
  }

  let name: String
  private(set) var rides: [Ride] = []
  private(set) var taxis = 0
  /// What the matching took, without reading and reporting.
  var processorSeconds = 0.0

  init(name: String) { self.name = name }

  /// Driven by all taxis with riders.
  private(set) var taxiMeters = 0.0

  /// Takes in who rode in one taxi.
  ///
  /// - Parameters:
  ///   - group: All of them.
  ///   - meters: The taxi's way, from the pick-up to the last drop-off.
  mutating func add(_ group: [Ride], meters: Double) {
    rides += group
    taxis += 1
    taxiMeters += meters
  }

  /// What would have been driven had everybody ridden alone, less what was.
  var savedMeters: Double { rides.reduce(0) { $0 + $1.aloneMeters } - taxiMeters }

  var count: Int { rides.count }
  var matched: [Ride] { rides.filter { $0.groupSize > 1 } }
  var matchedShare: Double { count == 0 ? 0 : Double(matched.count) / Double(count) }
  /// Minor units.
  var soloFares: Int64 { rides.reduce(0) { $0 + $1.soloFare } }
  var saving: Int64 { rides.reduce(0) { $0 + $1.soloFare - $1.share } }
  var savingShare: Double { soloFares == 0 ? 0 : Double(saving) / Double(soloFares) }
  /// Ascending, of all requests.
  var waits: [Double] { rides.map(\.waitSeconds).sorted() }
  /// Ascending, of shared rides.
  var walks: [Double] { matched.map(\.walkMeters).sorted() }
  /// Ridden / direct - 1, ascending, of shared rides.
  var detours: [Double] {
    matched.filter { $0.directMeters > 0 }.map { max(0, $0.rideMeters / $0.directMeters - 1) }
      .sorted()
  }

  /// Requests in taxis of 1, 2, 3, 4.
  var bySize: [Int] {
    var counts = [0, 0, 0, 0]
    for ride in rides { counts[min(max(ride.groupSize, 1), 4) - 1] += 1 }
    return counts
  }

  static func mean(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
  }

  /// The value below which a share of the values lies.
  ///
  /// - Parameters:
  ///   - sorted: Ascending.
  ///   - share: From 0 to 1; 0.5 for the median.
  /// - Returns: One of the values, in their unit; 0 when there is none.
  static func quantile(_ sorted: [Double], _ share: Double) -> Double {
    guard !sorted.isEmpty else { return 0 }
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
  }
}
