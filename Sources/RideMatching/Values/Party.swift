public import GeoMath
public import ObjectModel
public import TaxiFares

/// People who share one taxi: the newest state, a value. Commands make a new one of it.
public struct Party: Hashable, Sendable {
  /// What can still happen to a party.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// Has a seat free.
    case open
    /// Has none.
    case full
    /// The taxi has left: by the host's word, or by the clock at the window's end.
    case departed
    case cancelled
    /// The ride is over, by the clock after the expected ride.
    case ended
  }

  /// From the engine's id maker; never used again.
  public var id: String
  /// The ``Commute`` of which it is a day; nil: it stands for itself.
  public var commuteID: String?
  /// 1 at creation, one more with each change.
  public var version: UInt64
  /// Where the party is between its making and its end.
  public var state: State
  /// When it was made.
  public var createdAt: Instant
  /// When the state last became what it is.
  public var stateSince: Instant
  /// The host first, then by joining.
  public var riders: [PartyRider]
  /// Seats in all, those of the host included.
  public var seats: Int
  /// Everyone gets in here: what is searched, routed and priced, and what anybody is shown.
  public var origin: RidePlace
  /// Where exactly they meet, for members alone; nil: at ``origin``.
  public var meetingPlace: RidePlace?
  /// The host's, and that of riders who name none.
  public var destination: RidePlace
  /// When the taxi may leave.
  public var window: DepartureWindow
  /// Of the host, and of riders who state none.
  public var limits: RideLimits
  /// The tags as they are stored, normalised.
  public var tags: [String]
  /// Who may ride along and how far riders may be asked to walk and to ride.
  public var policy: RidePolicy
  /// How the fare is shared; weights for ``SplitRule/weights`` stand with the riders.
  public var splitRule: SplitRule
  /// Whether a join may raise the share of someone aboard above what they accepted.
  public var allowsRaisedShares: Bool
  /// The taxi is called, so that a call fee is due.
  public var isCalled: Bool
  /// The tariff that prices the ride, in its version of the departure; empty where there is none.
  public var tariffID: String
  /// What the whole ride costs by agreement, whatever a meter would say; nil: nothing was agreed.
  public var agreedFare: AgreedFare?
  /// The route as it is now, in the order of ``PartyRoute/stopOrder``.
  public var route: PartyRoute
  /// What the whole ride is expected to cost.
  public var fare: PartyFare
  /// What the meter said in the end, once somebody told.
  public var settlement: PartySettlement?
  /// Why it was cancelled, or nil.
  public var endReason: String?
  /// When riders were told that it leaves soon; nil: not yet.
  public var departingNoticeAt: Instant?
  /// Whether the host decides who gets in: a join is then a request.
  public var needsApproval: Bool
  /// Whether a pending request keeps its seats from others.
  public var holdsSeats: Bool
  /// Requests to join, the oldest first: those that are pending, and the last that ended.
  public var joinRequests: [PartyJoinRequest]

  /// The first rider; empty once everybody has left.
  public var hostID: String { riders.first?.id ?? "" }
  /// Seats of everyone aboard; where riders get in on the way, on the leg with the most of them.
  public var seatsTaken: Int {
    boardsOnTheWay ? mostSeatsAboard : riders.reduce(0) { $0 + $1.seats }
  }
  /// Seats that are left all the way, at least 0; those that requests hold are not. A full party may
  /// still have one on some legs.
  public var seatsFree: Int { max(0, seats - seatsTaken - seatsHeld) }
  /// Whether riders may still come and go.
  public var isActive: Bool { state == .open || state == .full }

  /// Puts a party together from its record; ``PartyRules/create(_:id:now:claims:)`` makes new ones.
  public init(
    id: String, version: UInt64, state: State, createdAt: Instant, stateSince: Instant,
    riders: [PartyRider], seats: Int, origin: RidePlace, destination: RidePlace,
    window: DepartureWindow, limits: RideLimits, tags: [String], policy: RidePolicy,
    splitRule: SplitRule, allowsRaisedShares: Bool, isCalled: Bool, tariffID: String,
    route: PartyRoute, fare: PartyFare, settlement: PartySettlement? = nil,
    endReason: String? = nil, departingNoticeAt: Instant? = nil, agreedFare: AgreedFare? = nil,
    needsApproval: Bool = false, holdsSeats: Bool = false, joinRequests: [PartyJoinRequest] = [],
    meetingPlace: RidePlace? = nil
  ) {
    self.id = id
    self.version = version
    self.state = state
    self.createdAt = createdAt
    self.stateSince = stateSince
    self.riders = riders
    self.seats = seats
    self.origin = origin
    self.destination = destination
    self.window = window
    self.limits = limits
    self.tags = tags
    self.policy = policy
    self.splitRule = splitRule
    self.allowsRaisedShares = allowsRaisedShares
    self.isCalled = isCalled
    self.tariffID = tariffID
    self.route = route
    self.fare = fare
    self.settlement = settlement
    self.endReason = endReason
    self.departingNoticeAt = departingNoticeAt
    self.agreedFare = agreedFare
    self.needsApproval = needsApproval
    self.holdsSeats = holdsSeats
    self.joinRequests = joinRequests
    self.meetingPlace = meetingPlace
  }
}

/// Someone who has a seat in the party.
public struct PartyRider: Hashable, Sendable {
  /// The id of the person who rides.
  public var id: String
  /// When they got in.
  public var joinedAt: Instant
  /// Nil: the party's destination.
  public var dropOff: RidePlace?
  /// Seats taken, from 1 on.
  public var seats: Int
  /// What policies look at, such as `gender`: name to value.
  public var attributes: [String: String]
  /// The rider's own limits, or the party's where they stated none.
  public var limits: RideLimits
  /// The weight of this rider's share under ``SplitRule/weights``.
  public var weight: Double?
  /// The share in force, minor units.
  public var share: Int64
  /// The most this rider has agreed to: the share at joining, raised when others leave. A later
  /// join must not go above it unless the party allows that.
  public var acceptedShare: Int64
  /// What the direct route from the pick-up would cost alone, minor units; 0 where no tariff says.
  public var soloFare: Int64
  /// From the pick-up to the drop-off by the route in force.
  public var rideMeters: Double
  /// The same, seconds.
  public var rideSeconds: Double
  /// Of the direct route.
  public var directMeters: Double
  /// The same, seconds.
  public var directSeconds: Double
  /// Where the taxi stops for the rider on its way; nil: they get in at the party's origin.
  public var boarding: RiderBoarding?

  /// Puts a rider together; nothing is priced yet where figures are left out.
  public init(
    id: String, joinedAt: Instant, dropOff: RidePlace? = nil, seats: Int = 1,
    attributes: [String: String] = [:], limits: RideLimits, weight: Double? = nil,
    share: Int64 = 0, acceptedShare: Int64 = 0, soloFare: Int64 = 0, rideMeters: Double = 0,
    rideSeconds: Double = 0, directMeters: Double = 0, directSeconds: Double = 0,
    boarding: RiderBoarding? = nil
  ) {
    self.id = id
    self.joinedAt = joinedAt
    self.dropOff = dropOff
    self.seats = seats
    self.attributes = attributes
    self.limits = limits
    self.weight = weight
    self.share = share
    self.acceptedShare = acceptedShare
    self.soloFare = soloFare
    self.rideMeters = rideMeters
    self.rideSeconds = rideSeconds
    self.directMeters = directMeters
    self.directSeconds = directSeconds
    self.boarding = boarding
  }

  /// How much longer the shared ride takes than the direct one, at least 0.
  public var detourSeconds: Double { max(0, rideSeconds - directSeconds) }
}

/// The shared route.
public struct PartyRoute: Hashable, Sendable {
  /// From the origin to the last drop-off.
  public var distanceMeters: Double
  /// The same, halts not counted.
  public var durationSeconds: Double
  /// Rider ids in the order of getting out.
  public var stopOrder: [String]
  /// A line to draw, at least origin and drop-offs.
  public var path: [Coordinate]
  /// `estimate`, `osrm`, ...
  public var source: String
  /// Who gets in and out where, in order; empty where everyone gets in at the origin, as
  /// ``stopOrder`` then says it all.
  public var stops: [RouteStop]

  /// Puts a route together.
  public init(
    distanceMeters: Double, durationSeconds: Double, stopOrder: [String], path: [Coordinate],
    source: String, stops: [RouteStop] = []
  ) {
    self.distanceMeters = distanceMeters
    self.durationSeconds = durationSeconds
    self.stopOrder = stopOrder
    self.path = path
    self.source = source
    self.stops = stops
  }
}

/// What the shared ride is expected to cost, minor units. Of a ride without a price all is 0 or empty.
public struct PartyFare: Hashable, Sendable {
  /// The currency of all amounts, as ISO 4217 has it.
  public var currency: String
  /// What the meter is expected to show.
  public var expected: Int64
  /// The same on a day of free-flowing traffic.
  public var low: Int64
  /// The same on a congested day.
  public var high: Int64
  /// What a seat pays if the taxi leaves as it is.
  public var perPersonNow: Int64
  /// What a seat pays once every seat is taken by people who ride all the way.
  public var perPersonIfFull: Int64
  /// `estimate`, the provider whose route was priced, `agreed`, or `none` for a ride without a price.
  public var source: String

  /// Puts the fare of a party together.
  public init(
    currency: String, expected: Int64, low: Int64, high: Int64, perPersonNow: Int64,
    perPersonIfFull: Int64, source: String
  ) {
    self.currency = currency
    self.expected = expected
    self.low = low
    self.high = high
    self.perPersonNow = perPersonNow
    self.perPersonIfFull = perPersonIfFull
    self.source = source
  }
}

/// What the meter said in the end, and who owes what to whom paid.
public struct PartySettlement: Hashable, Sendable {
  /// Who paid the driver.
  public var payerID: String
  /// Tolls included, minor units.
  public var amount: Int64
  /// The part of ``amount`` that is tolls.
  public var tolls: Int64
  /// When it was told.
  public var at: Instant
  /// By rider; they sum to ``amount``.
  public var shares: [FareShare]

  /// Puts a settlement together.
  public init(payerID: String, amount: Int64, tolls: Int64, at: Instant, shares: [FareShare]) {
    self.payerID = payerID
    self.amount = amount
    self.tolls = tolls
    self.at = at
    self.shares = shares
  }
}
