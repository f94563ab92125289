public import GeoMath
public import ObjectModel

/// A taxi party somebody of the city is going to offer.
public struct CityPartyPlan: Hashable, Sendable {
  /// A named place near a hot spot.
  public struct Stop: Hashable, Sendable {
    /// As people say it.
    public let name: String
    /// Where it is.
    public let coordinate: Coordinate
  }

  /// 0, 1, 2, ... `seoul-party-00001` is number 0.
  public let number: Int
  /// `<city>-party-<number from 1>`; useful as an idempotency key.
  public let key: String
  /// Index of the host; nobody hosts two parties.
  public let host: Int
  /// Where everyone gets in.
  public let origin: Stop
  /// At least 1.5 km from the origin, if the city is that large.
  public let destination: Stop
  /// A full minute.
  public let departure: Instant
  /// Half width of the departure window.
  public let departureWindowSeconds: Int
  /// Riders in all, host included: 2-4.
  public let seats: Int
  /// Whether only riders of the host's gender may join (one in ten).
  public let isSameGenderOnly: Bool
}

extension CitySimulation {
  /// Parties that depart 10 minutes to `horizonMinutes` after `moment`, in order of number.
  ///
  /// Origins gather at a few exits of each hot spot, as people do who look for company. At most one
  /// a person: no more than `users` are answered. The same seed gives the same parties, and the
  /// first n of a longer list are the list for n.
  /// - Complexity: O(count).
  public func parties(
    _ count: Int, from moment: Instant, horizonMinutes: Int = 240
  ) -> [CityPartyPlan] {
    let hosts = max(0, min(count, users))
    return (0..<hosts).map { party($0, from: moment, horizonMinutes: horizonMinutes) }
  }

  private func party(_ number: Int, from moment: Instant, horizonMinutes: Int) -> CityPartyPlan {
    var draws = SeededDraws(seed: seed, .party, Int64(number))
    let fromIndex = itinerary.outing(&draws)
    let from = city.hotSpots[fromIndex]
    var to = city.hotSpots[itinerary.home(&draws)]
    // Eight tries: a small city has nothing farther away.
    for _ in 0..<8 where from.coordinate.haversineMeters(to: to.coordinate) < 1_500 {
      to = city.hotSpots[itinerary.home(&draws)]
    }
    let exit = draws.below(4)
    var exitDraws = SeededDraws(seed: seed, .exit, Int64(fromIndex), Int64(exit))
    let origin = near(from, meters: 150, &exitDraws)
    let destination = itinerary.scattered(around: to, &draws)
    let minutes = 10 + draws.below(max(1, horizonMinutes - 10))
    let (minute, _) = moment.milliseconds.quotientAndRemainder(dividingBy: 60_000)
    return CityPartyPlan(
      number: number, key: numberedId("party", number),
      host: host(number), origin: .init(name: "\(from.name) \(exit + 1)번 출구", coordinate: origin),
      destination: .init(name: to.name, coordinate: destination),
      departure: Instant(milliseconds: (minute &+ Int64(minutes)) &* 60_000),
      departureWindowSeconds: [300, 600, 600, 900][draws.below(4)],
      seats: [2, 3, 4, 4][draws.below(4)], isSameGenderOnly: draws.unit() < 0.1)
  }

  /// Spreads hosts over the people: number x stride modulo users, stride and users coprime.
  private func host(_ number: Int) -> Int {
    var stride = max(1, Int(Double(users) * 0.618))
    while CitySimulation.greatestCommonDivisor(stride, users) != 1 { stride += 1 }
    return Int(Int64(number) * Int64(stride) % Int64(users))
  }

  private func near(
    _ spot: City.HotSpot, meters: Double, _ draws: inout SeededDraws
  ) -> Coordinate {
    itinerary.scattered(
      around: City.HotSpot(
        name: spot.name, englishName: spot.englishName, kind: spot.kind,
        coordinate: spot.coordinate, weight: spot.weight,
        radiusMeters: min(meters, spot.radiusMeters)),
      &draws)
  }

  private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }
}
