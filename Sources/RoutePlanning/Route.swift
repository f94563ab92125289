public import GeoMath
public import ObjectModel

/// Who worked out a route: the word that the wire shows as `source`.
public struct RouteSource: RawRepresentable, Hashable, Sendable {
  /// The word on the wire.
  public let rawValue: String

  /// Names a source.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Great circle x circuity x speed by hour; no road network.
  public static let estimate = RouteSource(rawValue: "estimate")
  /// An OSRM server.
  public static let osrm = RouteSource(rawValue: "osrm")
  /// A Valhalla server.
  public static let valhalla = RouteSource(rawValue: "valhalla")
  /// Routes of Naver's directions service.
  public static let naver = RouteSource(rawValue: "naver")
  /// Routes of Kakao's directions service.
  public static let kakao = RouteSource(rawValue: "kakao")
  /// SpatiaLite's VirtualRouting over a road network of the operator.
  public static let network = RouteSource(rawValue: "network")
}

/// What to ask a provider: places in the order in which they are visited.
public struct RouteRequest: Hashable, Sendable {
  /// Origin, stops in order, destination; at least two.
  public let places: [Coordinate]
  /// When the taxi leaves the first place.
  public let departure: Instant

  /// The most places of one request, ends included.
  public static let maximumPlaces = 27

  /// - Throws: ``RouteError/tooManyStops(_:maximum:)``.
  public init(
    origin: Coordinate, stops: [Coordinate] = [], destination: Coordinate, departure: Instant
  ) throws(RouteError) {
    guard stops.count <= Self.maximumPlaces - 2 else {
      throw .tooManyStops(stops.count, maximum: Self.maximumPlaces - 2)
    }
    places = [origin] + stops + [destination]
    self.departure = departure
  }

  /// Where the route begins.
  public var origin: Coordinate { places[0] }
  /// Where the route ends.
  public var destination: Coordinate { places[places.count - 1] }
  /// The places between, in order.
  public var stops: ArraySlice<Coordinate> { places[1..<(places.count - 1)] }
}

/// The part of a route from one place of a request to the next.
public struct RouteLeg: Hashable, Sendable {
  /// Along the road, at least 0.
  public let distanceMeters: Double
  /// At least 0.
  public let durationSeconds: Double

  /// Makes a part of a route between two places.
  public init(distanceMeters: Double, durationSeconds: Double) {
    self.distanceMeters = distanceMeters
    self.durationSeconds = durationSeconds
  }
}

/// A route through all places of a request.
public struct Route: Hashable, Sendable {
  /// One a pair of neighbouring places.
  public var legs: [RouteLeg]
  /// The line on the map; from the first place to the last.
  public var path: [Coordinate]
  /// Who worked it out.
  public var source: RouteSource
  /// Free flow to congested, around the whole route; `nil` when the provider gives none.
  public var range: TravelRange?
  /// Why this is not the answer of the provider that was asked first.
  public var fallbackReason: RouteError?
  /// What the provider itself says of money, in whole units of its currency (won for Naver, Kakao).
  public var tollAmount: Int64?
  /// See ``tollAmount``. The fare of Moyeo is TaxiFares', never this.
  public var providerTaxiFare: Int64?

  /// Puts a route together; one path for all legs.
  public init(
    legs: [RouteLeg], path: [Coordinate], source: RouteSource, range: TravelRange? = nil,
    fallbackReason: RouteError? = nil, tollAmount: Int64? = nil, providerTaxiFare: Int64? = nil
  ) {
    self.legs = legs
    self.path = path
    self.source = source
    self.range = range
    self.fallbackReason = fallbackReason
    self.tollAmount = tollAmount
    self.providerTaxiFare = providerTaxiFare
  }

  /// The sum over the legs.
  public var distanceMeters: Double { legs.reduce(0) { $0 + $1.distanceMeters } }
  /// The sum over the legs.
  public var durationSeconds: Double { legs.reduce(0) { $0 + $1.durationSeconds } }
}
