public import GeoMath
public import ObjectModel
public import TaxiFares

/// What a caller wants a fare for. The way is given as places, as segments, or as totals.
public struct FareRequest: Hashable, Sendable {
  public var origin: Coordinate?
  public var destination: Coordinate?
  /// Parts driven at a constant speed, metered exactly.
  public var segments: [TripSegment]?
  public var distanceMeters: Double?
  public var durationSeconds: Double?
  /// Of the duration, below the tariff's threshold speed; nil: unknown.
  public var slowSeconds: Double?
  /// Nil: now.
  public var departure: Instant?
  /// Nil: found from the origin's area.
  public var tariffID: String?
  public var vehicleClass: String?
  /// How many share the fare without being named.
  public var riderCount: Int?
  public var riders: [FareRider]
  /// Nil: by solo fare, which is equal for riders who ride the same way.
  public var splitRule: SplitRule?
  public var hostID: String?
  /// Minor units.
  public var tolls: Int64
  /// Whether the taxi is called, so that the call fee is due.
  public var isCalled: Bool
  /// Nil: found from the destination.
  public var isOutOfArea: Bool?
  /// A flat trip of the tariff by its id; nil: found from the two places.
  public var flatTrip: String?
  /// Seats of the party, for the price once it is full.
  public var seats: Int?
  /// For sampled Shapley shares.
  public var seed: UInt64

  public init(
    origin: Coordinate? = nil, destination: Coordinate? = nil, segments: [TripSegment]? = nil,
    distanceMeters: Double? = nil, durationSeconds: Double? = nil, slowSeconds: Double? = nil,
    departure: Instant? = nil, tariffID: String? = nil, vehicleClass: String? = nil,
    riderCount: Int? = nil, riders: [FareRider] = [], splitRule: SplitRule? = nil,
    hostID: String? = nil, tolls: Int64 = 0, isCalled: Bool = false, isOutOfArea: Bool? = nil,
    flatTrip: String? = nil, seats: Int? = nil, seed: UInt64 = 1
  ) {
    self.origin = origin
    self.destination = destination
    self.segments = segments
    self.distanceMeters = distanceMeters
    self.durationSeconds = durationSeconds
    self.slowSeconds = slowSeconds
    self.departure = departure
    self.tariffID = tariffID
    self.vehicleClass = vehicleClass
    self.riderCount = riderCount
    self.riders = riders
    self.splitRule = splitRule
    self.hostID = hostID
    self.tolls = tolls
    self.isCalled = isCalled
    self.isOutOfArea = isOutOfArea
    self.flatTrip = flatTrip
    self.seats = seats
    self.seed = seed
  }
}

/// One of those who share the taxi.
public struct FareRider: Hashable, Sendable {
  public var id: String
  /// Nil: the request's destination.
  public var dropOff: Coordinate?
  public var seats: Int
  /// For ``SplitRule/weights``.
  public var weight: Double?

  public init(id: String, dropOff: Coordinate? = nil, seats: Int = 1, weight: Double? = nil) {
    self.id = id
    self.dropOff = dropOff
    self.seats = seats
    self.weight = weight
  }
}

/// A fare with everything that its answer shows. Money is in minor units of ``currency``.
public struct FareEstimate: Hashable, Sendable {
  public var currency: String
  public var minorUnitDigits: Int
  public var expected: Int64
  public var low: Int64
  public var high: Int64
  public var tariffID: String
  public var tariffName: String
  public var tariffEffective: Instant
  /// ``tariffEffective`` in the tariff's local time, RFC 3339.
  public var tariffEffectiveText: String
  public var tariffSource: String
  /// JSON paths of the tariff's fields that were not read in a published source.
  public var unverifiedFields: [String]
  public var departure: Instant
  public var distanceMeters: Double
  public var durationSeconds: Double
  public var lines: [FareLine]
  public var shares: [FareShare]
  /// What a seat pays if the taxi leaves with those named: the largest of equal shares.
  public var perPersonNow: Int64
  /// The same once every seat is taken.
  public var perPersonIfFull: Int64
  /// Who worked out the way: `given`, `estimate`, `osrm`, ...
  public var source: String
  /// Why it was not the provider asked first.
  public var fallbackReason: String?
  /// The route, where places were given.
  public var path: [Coordinate]
  /// Rider ids in the order of getting out, where places were given.
  public var stopOrder: [String]
}

/// What ``FareEstimator`` takes at most; operators may change it.
public struct FareRequestLimits: Hashable, Sendable {
  /// Seats of one taxi, and riders of one request.
  public var maximumRiders = 8
  public var maximumSegments = 10_000
  /// Seats of a party when the request names none.
  public var defaultSeats = 4

  public init() {}
}
