import GeoMath
import ObjectModel
import RoutePlanning

/// The requests of a batch with what their candidates need, worked out once a request.
struct BatchInstance {
  let count: Int
  let options: BatchOptions
  let maxSeats: Int
  /// Lower bound of road / straight distance anywhere.
  let leastCircuity: Double

  /// Points of the unit sphere and their latitudes in radians: lengths of chords bound distances from below without trigonometry,
  /// at the poles and across the antimeridian too.
  private(set) var origins: [SIMD3<Double>] = []
  private(set) var destinations: [SIMD3<Double>] = []
  private(set) var originLatitudes: [Double] = []
  private(set) var destinationLatitudes: [Double] = []
  private(set) var fromOrigin: [DistanceOrigin] = []
  private(set) var fromDestination: [DistanceOrigin] = []
  /// Milliseconds.
  private(set) var starts: [Int64] = []
  private(set) var times: [Int64] = []
  private(set) var ends: [Int64] = []
  private(set) var seats: [Int] = []
  private(set) var limits: [RideLimits] = []
  private(set) var maxWalks: [Double] = []
  private(set) var directMeters: [Double] = []
  /// What each pays alone, by the estimate, minor units.
  private(set) var soloFares: [Double] = []
  /// At 2i for departures at the time of request i, at 2i + 1 for those at its window's end; the
  /// local hour is that of the request's origin (``places``).
  private(set) var estimators: [TravelEstimator] = []
  private(set) var places: [Coordinate] = []
  /// Not for a group: no seat or too many asked for, a window that is none, a rider who is in the
  /// batch already, a way that has no price.
  private(set) var isUsable: [Bool] = []

  /// Meters of surface a unit of chord spans at least: the smallest radius of curvature, the
  /// meridional one at the equator, a (1 - e^2), less a hair for rounding.
  static let leastRadiusMeters =
    Earth.semiMajorAxisMeters * (1 - Earth.eccentricitySquared) * (1 - 1e-9)

  init(_ requests: [RideRequest], _ options: BatchOptions) {
    count = requests.count
    self.options = options
    maxSeats = min(max(options.maxSeats, 1), 100)
    leastCircuity = options.profile.circuity.knots.map(\.value).min() ?? 1
    var seen = Set<String>(minimumCapacity: requests.count)
    for request in requests {
      let origin = request.origin.coordinate
      let destination = request.destination.coordinate
      let from = DistanceOrigin(origin)
      origins.append(UnitSphere.vector(origin))
      destinations.append(UnitSphere.vector(destination))
      originLatitudes.append(origin.latitude * (.pi / 180))
      destinationLatitudes.append(destination.latitude * (.pi / 180))
      fromOrigin.append(from)
      places.append(origin)
      fromDestination.append(DistanceOrigin(destination))
      starts.append(request.window.start.milliseconds)
      times.append(request.window.time.milliseconds)
      ends.append(request.window.end.milliseconds)
      seats.append(request.seats)
      maxWalks.append(request.limits.maxWalkMeters)
      limits.append(request.limits)
      for departure in [request.window.time, request.window.end] {
        estimators.append(
          TravelEstimator(profile: options.profile, departure: departure, near: origin))
      }
      let direct = estimators[estimators.count - 2].estimate(
        straightMeters: from.meters(
          latitude: destination.latitude, longitude: destination.longitude))
      directMeters.append(direct.distanceMeters)
      let solo = options.pricing.estimate(
        direct.distanceMeters, direct.durationSeconds, request.window.time)
      soloFares.append(solo)
      isUsable.append(
        seen.insert(request.riderID).inserted && (1...maxSeats).contains(request.seats)
          && request.window.toleranceMilliseconds >= 0 && solo.isFinite && solo >= 0)
    }
  }

  /// At most the distance between two points of the sphere, meters.
  @inline(__always)
  static func leastMeters(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
    let d = a - b
    return (d * d).sum().squareRoot() * leastRadiusMeters
  }

  /// The estimator of a departure for a taxi that starts elsewhere: nil where that is in the same
  /// nautical time zone, so that the departure's own will do.
  func foreignEstimator(departure: Int, pickUp: Int) -> TravelEstimator? {
    func zone(_ place: Coordinate) -> Double { (place.longitude / 15).rounded() }
    guard zone(places[departure / 2]) != zone(places[pickUp]) else { return nil }
    return TravelEstimator(
      profile: options.profile, departure: estimators[departure].departure, near: places[pickUp])
  }

  /// A request's origin or destination.
  enum End {
    case origin
    case destination
  }

  /// The distance function of GeoMath, by ``UnitSphere``.
  @inline(__always)
  func straightMeters(_ a: Int, _ aEnd: End, _ b: Int, _ bEnd: End) -> Double {
    UnitSphere.meters(
      aEnd == .origin ? origins[a] : destinations[a],
      aEnd == .origin ? originLatitudes[a] : destinationLatitudes[a],
      bEnd == .origin ? origins[b] : destinations[b],
      bEnd == .origin ? originLatitudes[b] : destinationLatitudes[b])
      ?? exactMeters(a, aEnd, b, bEnd)
  }

  func exactMeters(_ a: Int, _ aEnd: End, _ b: Int, _ bEnd: End) -> Double {
    let to = bEnd == .origin ? fromOrigin[b] : fromDestination[b]
    return (aEnd == .origin ? fromOrigin[a] : fromDestination[a]).meters(
      latitude: to.latitude, longitude: to.longitude)
  }

  /// Along roads, by the profile's estimate.
  @inline(__always)
  func roadMeters(straight: Double) -> Double {
    straight > 0 ? straight * options.profile.circuity.value(meters: straight) : 0
  }

  @inline(__always)
  func windowsMeet(_ a: Int, _ b: Int) -> Bool {
    starts[a] <= ends[b] && starts[b] <= ends[a]
  }
}
