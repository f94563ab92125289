import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares

/// Rides of a batch that have one tariff: their estimated fares.
final class BatchMarket: Sendable {
  /// Nil for a plain price list.
  let tariff: Tariff?
  let walkCostPerMeter: Double
  /// Estimates of different currencies are divided by this, so that they can be weighed against
  /// each other: the fare of a usual ride. 1 where a batch has one currency.
  let unit: Double
  private let estimate: RidePricing.Fare
  /// Outside the tariff's area all the way; nil where that costs no more.
  private let outside: RidePricing.Fare?
  private typealias FlatFare = @Sendable (Instant) -> Double
  /// By the tariff's list.
  private let flats: [FlatFare]

  init(_ pricing: RidePricing) {
    tariff = nil
    unit = 1
    walkCostPerMeter = pricing.walkCostPerMeter
    estimate = pricing.estimate
    outside = nil
    flats = []
  }

  /// - Throws: ``FareError`` when the tariff cannot price a trip without further facts.
  init(_ tariff: Tariff, departures: ClosedRange<Instant>) throws(FareError) {
    let inside = try FareTable(tariff, departures: departures)
    var outside: FareTable?
    if tariff.content.outOfArea != nil {
      outside = try FareTable(tariff, departures: departures, isOutOfArea: true)
    }
    self.tariff = tariff
    unit = 1
    walkCostPerMeter = RidePricing.walkCost(inside, departures.lowerBound)
    estimate = { inside.fare(meters: $0, seconds: $1, departure: $2) }
    if let table = outside {
      self.outside = { table.fare(meters: $0, seconds: $1, departure: $2) }
    } else {
      self.outside = nil
    }
    flats = tariff.content.flatTrips.indices.map { flat -> FlatFare in
      { departure in
        guard let total = FareMeter(tariff, departure: departure).flat(flat) else {
          return .infinity
        }
        return Double(total.amount)
      }
    }
  }

  private init(_ market: BatchMarket, unit: Double) {
    tariff = market.tariff
    walkCostPerMeter = market.walkCostPerMeter / unit
    self.unit = unit
    let estimate = market.estimate
    self.estimate = { estimate($0, $1, $2) / unit }
    if let outside = market.outside {
      self.outside = { outside($0, $1, $2) / unit }
    } else {
      self.outside = nil
    }
    flats = market.flats.map { flat -> FlatFare in { flat($0) / unit } }
  }

  /// The same with estimates in units of the fare of a usual ride.
  func weighed(by unit: Double) -> BatchMarket { BatchMarket(self, unit: unit) }

  /// The estimated fare of a ride within the area, in units of the market.
  @inline(__always)
  func fare(meters: Double, seconds: Double, departure: Instant) -> Double {
    estimate(meters, seconds, departure)
  }

  /// The fare of a ride that leaves the tariff's area after a share of it.
  func fareAcrossEdge(
    meters: Double, seconds: Double, departure: Instant, edgeShare: Double
  ) -> Double {
    let inside = estimate(meters, seconds, departure)
    guard let outside else { return inside }
    return inside + (outside(meters, seconds, departure) - inside) * (1 - edgeShare)
  }

  func flatFare(_ flat: Int, _ departure: Instant) -> Double { flats[flat](departure) }
}

/// The markets of a batch's requests, and what areas mean for rides between them.
struct BatchMarkets: Sendable {
  private(set) var markets: [BatchMarket] = []
  private(set) var profiles: [TrafficProfile] = []
  /// By request: index into ``markets``, -1 where no tariff prices its origin.
  private(set) var marketOf: [Int]
  /// By request: index into ``profiles``.
  private(set) var profileOf: [Int]
  /// By request: where its straight line leaves the tariff's area, as a share of it.
  private(set) var edgeShares: [Double]

  /// By request: lists of areas that are equal have equal numbers.
  private var originClass: [Int] = []
  private var destinationClass: [Int] = []
  private var destinationClasses = 0
  /// By market: origin class x destination class, row major; empty where areas do not matter.
  private var effects: [[AreaEffect]] = []

  init(_ requests: [RideRequest], _ pricing: BatchPricing) {
    marketOf = Array(repeating: 0, count: requests.count)
    profileOf = marketOf
    edgeShares = Array(repeating: 0, count: requests.count)
    switch pricing {
    case .list(let list, let profile):
      markets = [BatchMarket(list)]
      profiles = [profile]
      effects = [[]]
    case .parties(let terms): find(requests, terms)
    }
  }

  // MARK: Looking up

  /// The estimated fare of a ride: all get in at the first rider's origin.
  func fare(
    _ riders: InlineArray<4, Int>, count: Int, meters: Double, seconds: Double,
    departure: Instant
  ) -> Double {
    let index = marketOf[riders[0]]
    guard index >= 0 else { return .infinity }
    let market = markets[index]
    guard !effects[index].isEmpty else {
      return market.fare(meters: meters, seconds: seconds, departure: departure)
    }
    let row = originClass[riders[0]] * destinationClasses
    var flat: Int?
    var edgeShare: Double?
    for i in 0..<count {
      let effect = effects[index][row + destinationClass[riders[i]]]
      if i == 0 { flat = effect.flat } else if effect.flat != flat { flat = nil }
      if effect.isOutside && edgeShare == nil { edgeShare = edgeShares[riders[i]] }
    }
    if let flat { return market.flatFare(flat, departure) }
    guard let edgeShare else {
      return market.fare(meters: meters, seconds: seconds, departure: departure)
    }
    return market.fareAcrossEdge(
      meters: meters, seconds: seconds, departure: departure, edgeShare: edgeShare)
  }

  // MARK: Finding

  /// A version of a tariff.
  private struct Key: Hashable {
    var tariffID: String
    var effective: Instant
  }

  private mutating func find(_ requests: [RideRequest], _ terms: BatchPartyTerms) {
    var keys: [Key: Int] = [:]
    var found: [(tariff: Tariff, departures: ClosedRange<Instant>)] = []
    for (i, request) in requests.enumerated() {
      let origin = request.origin.coordinate
      profileOf[i] = index(of: terms.rules.pricing.routes.profile(at: origin))
      marketOf[i] = -1
      let time = request.window.time
      guard terms.mayRide(request),
        let tariff = try? terms.rules.pricing.tariff(
          id: terms.tariffID, vehicleClass: terms.vehicleClass, origin: origin, departure: time)
      else { continue }
      let key = Key(tariffID: tariff.id, effective: tariff.effective)
      let market = keys[key] ?? found.count
      if market == found.count {
        keys[key] = market
        found.append((tariff, time...time))
      }
      let span = found[market].departures
      found[market].departures =
        min(span.lowerBound, time)...max(span.upperBound, time, request.window.end)
      marketOf[i] = market
    }
    makeMarkets(found)
    findEffects(requests, terms.rules.pricing)
  }

  private mutating func index(of profile: TrafficProfile) -> Int {
    if let known = profiles.firstIndex(of: profile) { return known }
    profiles.append(profile)
    return profiles.count - 1
  }

  /// Tariffs that cannot price a ride by its length and time alone make no market.
  private mutating func makeMarkets(
    _ found: [(tariff: Tariff, departures: ClosedRange<Instant>)]
  ) {
    var place: [Int] = []
    for (tariff, departures) in found {
      let market = try? BatchMarket(tariff, departures: departures)
      place.append(market == nil ? -1 : markets.count)
      if let market { markets.append(market) }
    }
    for i in marketOf.indices where marketOf[i] >= 0 { marketOf[i] = place[marketOf[i]] }
    if let first = found.first { weigh(first.departures.lowerBound) }
  }

  /// Savings in different currencies are weighed by what a usual ride costs in each.
  private mutating func weigh(_ departure: Instant) {
    let currencies = Set(markets.compactMap { $0.tariff?.currency })
    guard currencies.count > 1 else { return }
    var units: [String: Double] = [:]
    for market in markets {
      let fare = market.fare(meters: 5000, seconds: 900, departure: departure)
      guard let currency = market.tariff?.currency, fare > 0, fare.isFinite else { continue }
      units[currency] = min(units[currency] ?? .infinity, fare)
    }
    markets = markets.map { market in
      guard let currency = market.tariff?.currency, let unit = units[currency] else {
        return market
      }
      return market.weighed(by: unit)
    }
  }

  private mutating func findEffects(_ requests: [RideRequest], _ pricing: PartyPricing) {
    effects = Array(repeating: [], count: markets.count)
    guard markets.contains(where: { $0.tariff?.content.areasMatter ?? false }) else { return }
    var origins: [PlaceAreas: Int] = [:]
    var destinations: [PlaceAreas: Int] = [:]
    for request in requests {
      let from = pricing.placeAreas(request.origin.coordinate)
      let to = pricing.placeAreas(request.destination.coordinate)
      originClass.append(origins[from] ?? origins.count)
      origins[from] = originClass.last
      destinationClass.append(destinations[to] ?? destinations.count)
      destinations[to] = destinationClass.last
    }
    destinationClasses = destinations.count
    for (market, content) in markets.map({ $0.tariff?.content }).enumerated() {
      guard let content, content.areasMatter else { continue }
      effects[market] = Array(
        repeating: AreaEffect(isOutside: false, flat: nil),
        count: origins.count * destinations.count)
      for (from, row) in origins {
        for (to, column) in destinations {
          effects[market][row * destinations.count + column] = content.areaEffect(
            from: from, to: to)
        }
      }
    }
    for (i, request) in requests.enumerated() where marketOf[i] >= 0 {
      guard let tariff = markets[marketOf[i]].tariff, !effects[marketOf[i]].isEmpty,
        tariff.content.outOfArea?.begins == .boundary,
        effects[marketOf[i]][originClass[i] * destinationClasses + destinationClass[i]].isOutside
      else { continue }
      edgeShares[i] = pricing.areas.edgeShare(
        tariff.area, request.origin.coordinate, request.destination.coordinate)
    }
  }
}
