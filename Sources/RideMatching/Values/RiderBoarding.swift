public import GeoMath
public import ObjectModel

/// Where and when a rider gets in on the way of a party.
public struct RiderBoarding: Hashable, Sendable {
  /// Where the taxi stops for the rider.
  public var place: RidePlace
  /// The place that the rider asked for; ``place`` is it, or a meeting point on the path.
  public var asked: Coordinate
  /// From where the rider is to ``place``, along the sphere.
  public var walkMeters: Double
  /// When the rider can get in; later changes of the ride keep to it. Nil: at any time.
  public var window: DepartureWindow?

  /// Puts a boarding together.
  public init(
    place: RidePlace, asked: Coordinate, walkMeters: Double, window: DepartureWindow? = nil
  ) {
    self.place = place
    self.asked = asked
    self.walkMeters = walkMeters
    self.window = window
  }
}

/// One halt of one rider.
public struct RouteStop: Hashable, Sendable {
  /// Whose halt it is.
  public var riderID: String
  /// Whether the rider gets in; else they get out.
  public var isBoarding: Bool
  /// By the route from the party's origin.
  public var meters: Double
  /// From the departure on.
  public var seconds: Double

  /// Puts a halt together.
  public init(riderID: String, isBoarding: Bool, meters: Double, seconds: Double) {
    self.riderID = riderID
    self.isBoarding = isBoarding
    self.meters = meters
    self.seconds = seconds
  }
}

extension Party {
  /// Whether somebody gets in elsewhere than at the origin.
  public var boardsOnTheWay: Bool { riders.contains { $0.boarding != nil } }

  /// The most seats that are taken on one leg. Riders whose stops the route does not name yet count
  /// for all of it.
  var mostSeatsAboard: Int {
    var named: Set<String> = []
    for stop in route.stops where !stop.isBoarding { named.insert(stop.riderID) }
    var aboard = 0
    for rider in riders where rider.boarding == nil || !named.contains(rider.id) {
      aboard += rider.seats
    }
    var most = aboard
    for stop in route.stops {
      guard let rider = riders.first(where: { $0.id == stop.riderID }) else { continue }
      aboard += stop.isBoarding ? rider.seats : -rider.seats
      most = max(most, aboard)
    }
    return most
  }

  /// When the taxi stops for a rider who gets in on the way, where it leaves at the time in the
  /// middle of its window; nil for others.
  public func boardingTime(_ riderID: String) -> Instant? {
    route.boardingTime(riderID, departure: window.time)
  }
}

extension PartyRoute {
  fileprivate func boardingTime(_ riderID: String, departure: Instant) -> Instant? {
    guard let stop = stops.first(where: { $0.riderID == riderID && $0.isBoarding }) else {
      return nil
    }
    return departure.advanced(milliseconds: Int64((stop.seconds * 1000).rounded()))
  }
}

extension PricedRide {
  /// As ``Party/boardingTime(_:)``, by this ride of a party.
  public func boardingTime(_ riderID: String, _ party: Party) -> Instant? {
    route.boardingTime(riderID, departure: party.window.time)
  }
}
