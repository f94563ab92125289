import GeoMath
import ObjectModel
import RoutePlanning

/// The requests of a batch with what their candidates need, worked out once a request. By request,
/// unless said otherwise.
final class BatchInstance: Sendable {
  let count: Int
  let options: BatchOptions
  let maxSeats: Int
  let markets: BatchMarkets
  /// Lower bound of road / straight distance anywhere.
  let minimumCircuity: Double

  /// Points of the unit sphere and their latitudes in radians: lengths of chords bound distances from
  /// below without trigonometry, at the poles and across the antimeridian too.
  let origins: [SIMD3<Double>]
  let destinations: [SIMD3<Double>]
  let originLatitudes: [Double]
  let destinationLatitudes: [Double]
  let fromOrigin: [DistanceOrigin]
  let fromDestination: [DistanceOrigin]
  /// Milliseconds.
  let starts: [Int64]
  let times: [Int64]
  let ends: [Int64]
  let seats: [Int]
  let limits: [RideLimits]
  /// Whether any of ``limits`` is one of time.
  let limitsSeconds: Bool
  let maxWalks: [Double]
  let minSharedRatios: [Double]
  /// Along the road from origin to destination, in meters; its work (``work(roadMeters:)``); and the
  /// chord of the unit sphere.
  let directMeters: [Double]
  let directWork: [Double]
  let directChords: [Double]
  /// What each pays alone, by the estimate, in units of the market.
  let soloFares: [Double]
  /// At 2i for departures at the time of request i, at 2i + 1 for those at its window's end; the
  /// local hour is that of the request's origin (``places``).
  let estimators: [TravelEstimator]
  let places: [Coordinate]
  /// Places of equal zones have the same profile, and the same local hour at any moment.
  let zones: [Double]
  /// Not for a group: no seat or too many asked for, a window that is none, a rider who is in the
  /// batch already, a route that has no price.
  let isUsable: [Bool]

  /// Meters of surface a unit of chord spans at least: the smallest radius of curvature, the
  /// meridional one at the equator, a (1 - e^2), less a hair for rounding.
  static let minimumRadiusMeters =
    Earth.semiMajorAxisMeters * (1 - Earth.eccentricitySquared) * (1 - 1e-9)

  init(_ requests: [RideRequest], _ options: BatchOptions) {
    count = requests.count
    self.options = options
    var maxSeats = min(max(options.maxSeats, 1), 100)
    var policy = RidePolicy.none
    if case .parties(let terms) = options.pricing {
      policy = terms.effectivePolicy
      maxSeats = min(maxSeats, terms.seats(maxSeats))
    }
    self.maxSeats = maxSeats
    let markets = BatchMarkets(requests, options.pricing)
    self.markets = markets
    minimumCircuity = markets.profiles.map(\.circuity.values.lowerBound).min() ?? 1
    let places = requests.map(\.origin.coordinate)
    let goals = requests.map(\.destination.coordinate)
    let origins = places.map(UnitSphere.vector)
    let destinations = goals.map(UnitSphere.vector)
    let fromOrigin = places.map { DistanceOrigin($0) }
    self.places = places
    self.origins = origins
    self.destinations = destinations
    originLatitudes = places.map { $0.latitude * (.pi / 180) }
    destinationLatitudes = goals.map { $0.latitude * (.pi / 180) }
    self.fromOrigin = fromOrigin
    let fromDestination = goals.map { DistanceOrigin($0) }
    self.fromDestination = fromDestination
    starts = requests.map(\.window.start.milliseconds)
    times = requests.map(\.window.time.milliseconds)
    ends = requests.map(\.window.end.milliseconds)
    seats = requests.map(\.seats)
    let limits = requests.map { policy.bounding($0.limits) }
    self.limits = limits
    limitsSeconds = limits.contains {
      $0.maxRideSeconds != nil || $0.maxDetourSeconds != nil || $0.arriveBy != nil
    }
    maxWalks = limits.map(\.maxWalkMeters)
    minSharedRatios = limits.map { $0.minSharedRatio ?? 0 }
    let estimators = requests.indices.flatMap { i in
      [requests[i].window.time, requests[i].window.end].map {
        TravelEstimator(
          profile: markets.profiles[markets.profileOf[i]], departure: $0,
          near: requests[i].origin.coordinate)
      }
    }
    self.estimators = estimators
    let directs = requests.indices.map { i in
      estimators[2 * i].estimate(straightMeters: fromOrigin[i].meters(to: fromDestination[i]))
    }
    directMeters = directs.map(\.distanceMeters)
    directWork = directs.indices.map { i in
      markets.profiles[markets.profileOf[i]]
        .secondsAtFactorOne(roadMeters: directs[i].distanceMeters)
    }
    directChords = requests.indices.map { Self.chord(origins[$0], destinations[$0]) }
    zones = places.indices.map { i in
      let profile = markets.profileOf[i]
      // Zones lie within -12...12, so that profiles do not meet.
      return switch markets.profiles[profile].localTime {
      case .byLongitude: (places[i].longitude / 15).rounded() + 100 * Double(profile)
      case .offsets: 100 * Double(profile)
      }
    }
    let soloFares = requests.indices.map { i in
      markets.fare(
        InlineArray(repeating: i), count: 1, meters: directs[i].distanceMeters,
        seconds: directs[i].durationSeconds, departure: requests[i].window.time)
    }
    self.soloFares = soloFares
    isUsable = Self.usable(requests, soloFares, maxSeats)
  }

  private static func usable(
    _ requests: [RideRequest], _ soloFares: [Double], _ maxSeats: Int
  ) -> [Bool] {
    var seen = Set<String>(minimumCapacity: requests.count)
    return requests.indices.map { i in
      let request = requests[i]
      return seen.insert(request.riderID).inserted && (1...maxSeats).contains(request.seats)
        && request.window.toleranceMilliseconds >= 0 && soloFares[i].isFinite
        && soloFares[i] >= 0
    }
  }

  /// Straight through the unit sphere.
  @inline(__always)
  static func chord(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
    let d = a - b
    return (d * d).sum().squareRoot()
  }

  /// At most the distance between two points of the sphere, meters.
  @inline(__always)
  static func lowerBoundMeters(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
    chord(a, b) * minimumRadiusMeters
  }

  /// The estimator of a departure for a taxi that starts at the origin of another request, which may
  /// be in another zone.
  func estimator(departure: Int, pickUp: Int) -> TravelEstimator {
    TravelEstimator(
      profile: markets.profiles[markets.profileOf[pickUp]],
      departure: estimators[departure].departure, near: places[pickUp])
  }

  /// A request's origin or destination.
  enum End {
    case origin
    case destination
  }

  /// The distance function of GeoMath, by ``UnitSphere``.
  @inline(__always)
  func straightMeters(
    from a: Int, _ aEnd: End, to b: Int, _ bEnd: End
  ) -> Double {
    UnitSphere.meters(
      aEnd == .origin ? origins[a] : destinations[a],
      latitudeA: aEnd == .origin ? originLatitudes[a] : destinationLatitudes[a],
      b: bEnd == .origin ? origins[b] : destinations[b],
      latitudeB: bEnd == .origin ? originLatitudes[b] : destinationLatitudes[b])
      ?? exactMeters(from: a, aEnd, to: b, bEnd)
  }

  func exactMeters(
    from a: Int, _ aEnd: End, to b: Int, _ bEnd: End
  ) -> Double {
    (aEnd == .origin ? fromOrigin[a] : fromDestination[a])
      .meters(to: bEnd == .origin ? fromOrigin[b] : fromDestination[b])
  }

  /// Along roads, by the estimate of the pick-up's profile.
  @inline(__always)
  func roadMeters(straight: Double, pickUp: Int) -> Double {
    guard straight > 0 else { return 0 }
    return straight
      * markets.profiles[markets.profileOf[pickUp]].circuity.value(meters: straight)
  }

  /// The time over a road in an hour of factor 1, seconds.
  @inline(__always)
  func work(roadMeters: Double, pickUp: Int) -> Double {
    markets.profiles[markets.profileOf[pickUp]].secondsAtFactorOne(roadMeters: roadMeters)
  }

  /// What walking costs who gets in at a request's origin, in units of the market.
  @inline(__always)
  func walkCost(meters: Double, pickUp: Int) -> Double {
    let market = markets.marketOf[pickUp]
    return market < 0 ? .infinity : meters * markets.markets[market].walkCostPerMeter
  }

  @inline(__always)
  func windowsMeet(_ a: Int, _ b: Int) -> Bool {
    starts[a] <= ends[b] && starts[b] <= ends[a]
  }
}
