import GeoMath
public import ObjectModel

/// A ride that an offer is about: everybody's own wishes, and who gets in where.
public struct OfferedRide: Hashable, Sendable {
  /// The host first, those who get in on the way last, in the order of joining.
  public var riders: [MatchQuery]
  /// Of ``riders``, how many of the last get in on the way.
  public var boardingCount: Int
  /// When the taxi leaves.
  public var window: DepartureWindow
  /// Words that the party carries.
  public var tags: [String]

  /// Puts a ride together.
  public init(
    riders: [MatchQuery], boardingCount: Int, window: DepartureWindow, tags: [String] = []
  ) {
    self.riders = riders
    self.boardingCount = boardingCount
    self.window = window
    self.tags = tags
  }
}

extension PartyRules {
  /// The party that an offer becomes, by the rules of creating and joining one.
  ///
  /// - Parameters:
  ///   - ride: Whose it is; at least one rider.
  ///   - id: Of the party.
  ///   - now: When it is asked.
  ///   - claims: When people are busy in other parties.
  /// - Returns: The party with everybody aboard, and the events that tell of it.
  /// - Throws: ``PartyError`` for the first rule that forbids it; `shareExceeded` where the host would
  ///   pay more than stated.
  public func create(
    _ ride: OfferedRide, id: String, now: Instant, claims: Claims
  ) throws(PartyError) -> PartyChange {
    let host = ride.riders[0]
    let limits = host.wishes.limits(else: .standard)
    var command = CreateParty(
      hostID: host.riderID, origin: host.originPlace,
      destination: host.destination, window: ride.window, hostSeats: host.seats,
      attributes: host.attributes, limits: limits, tags: ride.tags)
    let atPickUp = ride.riders.count - ride.boardingCount
    command.riders = ride.riders[..<atPickUp].dropFirst().map { query in
      var join = query.join
      join.boarding = nil
      join.window = nil
      join.wishes = RideWishes(query.wishes.limits(else: .standard))
      return join
    }
    var change = try create(command, id: id, now: now, claims: claims)
    for query in ride.riders[atPickUp...] {
      var join = query.join
      join.wishes = RideWishes(query.wishes.limits(else: .standard))
      let next = try self.join(join, change.party, now: now, claims: claims)
      change = PartyChange(party: next.party, events: change.events + next.events)
    }
    if let most = host.maxShare, let share = change.party.riders.first?.share, share > most {
      throw .shareExceeded(share: share, maxShare: most)
    }
    return change
  }
}

extension RideOffer {
  /// What a party means for the requests that it would serve.
  ///
  /// - Parameters:
  ///   - party: As ``PartyRules/create(_:id:now:claims:)`` makes it.
  ///   - requestIDs: In the order of its riders.
  ///   - ride: What it was made of.
  /// - Returns: The terms, in the order of the party's riders.
  public static func members(
    of party: Party, requestIDs: [String], _ ride: OfferedRide
  ) -> [Member] {
    zip(party.riders, zip(requestIDs, ride.riders)).map { rider, request in
      Member(
        requestID: request.0, share: rider.share, soloFare: rider.soloFare,
        walkMeters: rider.boarding?.walkMeters
          ?? request.1.origin.distanceMeters(to: party.origin.coordinate),
        rideSeconds: rider.rideSeconds,
        detourSeconds: max(0, rider.rideSeconds - rider.directSeconds),
        boarding: rider.boarding?.place)
    }
  }

  /// Whether terms are nowhere worse than these: nobody pays, walks or rides more, nor gets in
  /// elsewhere than they were told.
  public func isKept(by terms: [Member]) -> Bool {
    guard terms.count == members.count else { return false }
    return zip(members, terms).allSatisfy { told, now in
      now.requestID == told.requestID && now.share <= told.share
        && now.walkMeters <= told.walkMeters + Self.roundingMeters
        && now.rideSeconds <= told.rideSeconds + Self.roundingSeconds
        && now.detourSeconds <= told.detourSeconds + Self.roundingSeconds
        && now.boarding?.coordinate == told.boarding?.coordinate
    }
  }

  /// What two ways of working the same sum out may differ by.
  private static let roundingMeters = 0.001
  private static let roundingSeconds = 0.001
}
