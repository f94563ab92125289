public import GeoMath
public import ObjectModel

/// A rider's trip, for which parties are sought.
public struct MatchQuery: Hashable, Sendable {
  /// Who looks; parties they are in already are left out.
  public var riderID: String
  /// Where the walk to the pick-up begins.
  public var origin: Coordinate
  /// How people call that place; may be empty. No match depends on it.
  public var originName = ""
  /// Where the rider wants to get out.
  public var destination: RidePlace
  /// When the rider can leave; it must share a moment with the party's window.
  public var window: DepartureWindow
  /// The limits that the rider states; each party's own are in force for the others.
  public var wishes: RideWishes
  /// Seats that the rider takes, from 1 on.
  public var seats: Int
  /// What policies look at, such as `gender`: name to value.
  public var attributes: [String: String]
  /// For parties that share by weights; nil: 1.
  public var weight: Double?
  /// The most they would pay, minor units. Nil: what they would pay alone from the party's origin, so
  /// that nobody is offered a loss without asking for it; where no tariff says that, any share. A party
  /// without a price costs nothing.
  public var maxShare: Int64?
  /// When the question is asked: windows that have ended by then are no candidates.
  public var now: Instant
  /// Candidates answered, at least 0.
  public var limit: Int
  /// Whether to count what each rule removes; looks at every party.
  public var explain: Bool
  /// Whether to show parties, too, that overlap one of the rider's own and that a join refuses.
  public var allowsOverlap: Bool
  /// Where the rider would get in on the way; nil: at the origins of parties. ``window`` is then when
  /// the taxi may stop there.
  public var boarding: RidePlace?

  /// Makes a question without limits of the rider's own, for one seat and the best 20 candidates.
  public init(
    riderID: String, origin: Coordinate, destination: RidePlace, window: DepartureWindow,
    now: Instant, wishes: RideWishes = .none, seats: Int = 1, attributes: [String: String] = [:],
    weight: Double? = nil, maxShare: Int64? = nil, limit: Int = 20, explain: Bool = false,
    allowsOverlap: Bool = false, boarding: RidePlace? = nil
  ) {
    self.riderID = riderID
    self.origin = origin
    self.destination = destination
    self.window = window
    self.wishes = wishes
    self.seats = seats
    self.attributes = attributes
    self.weight = weight
    self.maxShare = maxShare
    self.now = now
    self.limit = limit
    self.explain = explain
    self.allowsOverlap = allowsOverlap
    self.boarding = boarding
  }

  /// Asks for what a request of a batch states, limits included.
  public init(_ request: RideRequest, now: Instant, limit: Int = 20, explain: Bool = false) {
    self.init(
      riderID: request.riderID, origin: request.origin.coordinate,
      destination: request.destination, window: request.window, now: now,
      wishes: RideWishes(request.limits), seats: request.seats, attributes: request.attributes,
      limit: limit, explain: explain)
    originName = request.origin.name
  }

  /// Where the walk to the pick-up begins, with its name.
  public var originPlace: RidePlace {
    get { RidePlace(name: originName, coordinate: origin) }
    set { (originName, origin) = (newValue.name, newValue.coordinate) }
  }

  /// The join that does what a candidate promises.
  public var join: JoinParty {
    JoinParty(
      riderID: riderID, destination: destination, origin: origin, seats: seats,
      attributes: attributes, wishes: wishes, weight: weight, maxShare: maxShare,
      boarding: boarding, window: boarding == nil ? nil : window)
  }
}

/// What removes a party, in the order in which rules are asked.
public enum MatchRule: String, Hashable, Sendable, CaseIterable {
  /// Full, or departed by the host's word.
  case state
  /// The two windows have no moment from now on in common.
  case window
  /// Too few seats free.
  case seats
  /// An attribute that must be the same differs or is unknown.
  case policy
  /// The walk to the pick-up is too long.
  case walk
  /// Every order of drop-offs makes a ride too long, or too little of one is shared.
  case detour
  /// Someone aboard would pay more than accepted, or the rider more than stated or than alone.
  case price
  /// The rider, or someone aboard whom the longer ride keeps busy, is in as many other parties at
  /// that time as are allowed.
  case overlap
}

/// A party that one could join, with what that would mean: equal to the preview and the join.
public struct MatchCandidate: Hashable, Sendable {
  /// The party as it is now, without the rider.
  public var party: Party
  /// From the rider's origin to where they get in, along the sphere.
  public var walkMeters: Double
  /// Beyond the direct route from the party's origin.
  public var detourSeconds: Double
  /// The part of one's own ride with someone else aboard, 0...1.
  public var sharedRatio: Double
  /// Between the two departure times.
  public var timeGapMilliseconds: Int64
  /// As it would be; rider ids in the order of getting out.
  public var route: PartyRoute
  /// What the searcher would pay, in minor units of the currency; 0 in a party without a price.
  public var yourFare: Int64
  /// The direct route from where the rider gets in, minus ``yourFare``; 0 where no tariff prices it.
  public var yourSaving: Int64
  /// Where the taxi stops for the rider on its way; nil: they get in at the party's origin.
  public var boarding: RiderBoarding?

  /// Puts a candidate together.
  public init(
    party: Party, walkMeters: Double, detourSeconds: Double, sharedRatio: Double,
    timeGapMilliseconds: Int64, route: PartyRoute, yourFare: Int64, yourSaving: Int64,
    boarding: RiderBoarding? = nil
  ) {
    self.party = party
    self.walkMeters = walkMeters
    self.detourSeconds = detourSeconds
    self.sharedRatio = sharedRatio
    self.timeGapMilliseconds = timeGapMilliseconds
    self.route = route
    self.yourFare = yourFare
    self.yourSaving = yourSaving
    self.boarding = boarding
  }

  /// When the taxi stops for the rider on its way, where it leaves at the time in the middle of its
  /// window; nil where they get in at the origin.
  public var boardingTime: Instant? {
    guard boarding != nil, let stop = route.stops.last(where: isOwnBoarding) else { return nil }
    return party.window.time.advanced(milliseconds: Int64((stop.seconds * 1000).rounded()))
  }

  /// The riders of the party are known; the other one is who asks.
  private func isOwnBoarding(_ stop: RouteStop) -> Bool {
    stop.isBoarding && !party.riders.contains { $0.id == stop.riderID }
  }

  /// Rider ids in the order of getting out.
  public var stopOrder: [String] { route.stopOrder }
}

/// Why there are not more candidates. ``considered`` = ``matched`` + all of ``removed``.
public struct MatchExplanation: Hashable, Sendable {
  /// Parties not cancelled or ended whose window has not ended, the rider's own aside.
  public var considered: Int
  /// Those that hold all rules, answered or beyond the limit.
  public var matched: Int
  /// By the first rule that a party fails.
  public var removed: [MatchRule: Int]
  /// The smallest single change that would have matched; nil where something matched or no single
  /// change helps.
  public var relaxation: MatchRelaxation?
  /// The smallest change of each rule, as far as one helps.
  public var relaxations: [MatchRelaxation]

  /// Puts counts and relaxations together.
  public init(
    considered: Int, matched: Int, removed: [MatchRule: Int], relaxation: MatchRelaxation? = nil,
    relaxations: [MatchRelaxation]
  ) {
    self.considered = considered
    self.matched = matched
    self.removed = removed
    self.relaxation = relaxation
    self.relaxations = relaxations
  }
}

/// One wish made wider by just so much that a party matches.
public struct MatchRelaxation: Hashable, Sendable {
  /// `window`, `seats`, `walk`, `detour` or `price`.
  public var rule: MatchRule
  /// Seconds of tolerance, seats fewer, meters of walk, detour ratio, or minor units of share: more
  /// than asked for.
  public var amount: Double
  /// What to ask for instead.
  public var value: Double
  /// The party that would match.
  public var partyID: String
  /// Where the rider would get in, of a walk to a meeting point on the way; else nil.
  public var boarding: Coordinate?
  /// ``amount`` in units of what is usual (600 s, 1 seat, 300 m, 0.25, a tenth of the direct route),
  /// by which relaxations of different rules compare.
  public var effort: Double

  /// Makes a relaxation; ``amount`` and ``value`` are in the unit of the rule.
  public init(
    rule: MatchRule, amount: Double, value: Double, partyID: String, effort: Double,
    boarding: Coordinate? = nil
  ) {
    self.rule = rule
    self.amount = amount
    self.value = value
    self.partyID = partyID
    self.effort = effort
    self.boarding = boarding
  }
}

/// What a search found.
public struct MatchAnswer: Hashable, Sendable {
  /// Best first: own saving, then walk, time gap, detour, id.
  public var candidates: [MatchCandidate]
  /// Why there are not more; only when it was asked for.
  public var explanation: MatchExplanation?
  /// False where the search was told to stop before it had looked at everything.
  public var isComplete: Bool

  /// Puts an answer together.
  public init(
    candidates: [MatchCandidate], explanation: MatchExplanation? = nil, isComplete: Bool = true
  ) {
    self.candidates = candidates
    self.explanation = explanation
    self.isComplete = isComplete
  }
}
