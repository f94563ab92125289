package import GeoMath
package import ObjectModel
package import TaxiFares

/// What a caller wants a fare for. The way is given as places, as segments, or as totals.
package struct FareRequest: Hashable, Sendable {
  package var origin: Coordinate?
  package var destination: Coordinate?
  /// Parts driven at a constant speed, metered exactly.
  package var segments: [TripSegment]?
  package var distanceMeters: Double?
  package var durationSeconds: Double?
  /// Of the duration, below the tariff's threshold speed; nil: unknown.
  package var slowSeconds: Double?
  /// Nil: now.
  package var departure: Instant?
  /// Nil: found from the origin's area.
  package var tariffID: String?
  package var vehicleClass: String?
  /// How many share the fare without being named.
  package var riderCount: Int?
  package var riders: [FareRider]
  /// Nil: by solo fare, which is equal for riders who ride the same way.
  package var splitRule: SplitRule?
  package var hostID: String?
  /// Minor units.
  package var tolls: Int64
  /// Whether the taxi is called, so that the call fee is due.
  package var isCalled: Bool
  /// Nil: found from the destination.
  package var isOutOfArea: Bool?
  /// A flat trip of the tariff by its id; nil: found from the two places.
  package var flatTrip: String?
  /// Seats of the party, for the price once it is full.
  package var seats: Int?

  package init(
    origin: Coordinate? = nil, destination: Coordinate? = nil, segments: [TripSegment]? = nil,
    distanceMeters: Double? = nil, durationSeconds: Double? = nil, slowSeconds: Double? = nil,
    departure: Instant? = nil, tariffID: String? = nil, vehicleClass: String? = nil,
    riderCount: Int? = nil, riders: [FareRider] = [], splitRule: SplitRule? = nil,
    hostID: String? = nil, tolls: Int64 = 0, isCalled: Bool = false, isOutOfArea: Bool? = nil,
    flatTrip: String? = nil, seats: Int? = nil
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
  }
}

/// One of those who share the taxi.
package struct FareRider: Hashable, Sendable {
  package var id: String
  /// Nil: the request's destination.
  package var dropOff: Coordinate?
  package var seats: Int
  /// For ``SplitRule/weights``.
  package var weight: Double?

  package init(id: String, dropOff: Coordinate? = nil, seats: Int = 1, weight: Double? = nil) {
    self.id = id
    self.dropOff = dropOff
    self.seats = seats
    self.weight = weight
  }
}

/// A fare with everything that its answer shows. Money is in minor units of ``currency``.
package struct FareEstimate: Hashable, Sendable {
  package var currency: String
  package var minorUnitDigits: Int
  package var expected: Int64
  package var low: Int64
  package var high: Int64
  package var tariffID: String
  package var tariffName: String
  package var tariffEffective: Instant
  /// ``tariffEffective`` in the tariff's local time, RFC 3339.
  package var tariffEffectiveText: String
  package var tariffSource: String
  /// JSON paths of the tariff's fields that were not read in a published source.
  package var unverifiedFields: [String]
  package var departure: Instant
  package var distanceMeters: Double
  package var durationSeconds: Double
  package var lines: [FareLine]
  package var shares: [FareShare]
  /// What a seat pays if the taxi leaves with those named: the largest of equal shares.
  package var perPersonNow: Int64
  /// The same once every seat is taken.
  package var perPersonIfFull: Int64
  /// Who worked out the way: `given`, `estimate`, `osrm`, ...
  package var source: String
  /// Why it was not the provider asked first.
  package var fallbackReason: String?
  /// The route, where places were given.
  package var path: [Coordinate]
  /// Rider ids in the order of getting out, where places were given.
  package var stopOrder: [String]
}

/// What ``FareEstimator`` takes at most; operators may change it.
package struct FareRequestLimits: Hashable, Sendable {
  /// Seats of one taxi, and riders of one request.
  package var maximumRiders = 8
  package var maximumSegments = 10_000
  /// Seats of a party when the request names none.
  package var defaultSeats = 4

  package init() {}
}
