import GeoMath
import ObjectModel
import RideMatching
import TaxiFares

/// Requests of which most may get in on the way of the others, few enough that every ride can be
/// worked out.
struct BoardingInstance {
  enum Kind: String, CaseIterable {
    /// Trips along one road, all of whose riders are aboard at its middle.
    case road
    /// Trips from the middle of a city, and from some way out, to one side of it.
    case city
  }

  var kind: Kind
  var count: Int
  var seed: UInt64
  let rules: PartyRules
  private(set) var requests: [RideRequest] = []

  private static let center = Coordinate(uncheckedLatitude: 37.4979, longitude: 127.0276)
  /// Thursday 2025-11-20, 18:00 in Seoul.
  private static let time = Instant(seconds: 1_763_564_400 + 18 * 3600)
  static let now = time.advanced(milliseconds: -3_600_000)

  /// Of a file, as in `road-16-3.txt`.
  var name: String { "\(kind.rawValue)-\(count)-\(seed)" }

  var terms: BatchPartyTerms { BatchPartyTerms(rules: rules, now: Self.now) }

  init(_ kind: Kind, count: Int, seed: UInt64) throws {
    self.kind = kind
    self.count = count
    self.seed = seed
    rules = PartyRules(
      pricing: PartyPricing(
        catalog: try TariffCatalog([try Self.tariff()]), areas: RideAreas { _ in ["kr-seoul"] }))
    var random = SplitMix64(seed: seed)
    switch kind {
    case .road: requests = Self.road(count, &random)
    case .city: requests = Self.city(count, &random)
    }
  }

  private static func tariff() throws -> Tariff {
    var content = TariffContent(
      id: "kr-seoul-medium", name: "Seoul", area: "kr-seoul", vehicleClasses: ["medium"],
      currency: "KRW", timeZone: "Asia/Seoul", offsets: UTCOffsets(initialSeconds: 9 * 3600),
      effective: Instant(seconds: 1_675_191_600), baseAmount: 4800, baseDistanceMeters: 1600,
      stepAmount: 100, stepDistanceMeters: 131, stepSeconds: 30, accrual: .simultaneous,
      chargeOn: .entry, source: "benchmark")
    content.finalRounding = Rounding(unit: 100, mode: .nearest)
    content.isAreaDefault = true
    return try Tariff(content)
  }

  /// As in the tests: three of four may get in on the way.
  private static func road(_ count: Int, _ random: inout SplitMix64) -> [RideRequest] {
    let bearing = random.real(0, 40)
    return (0..<count).map { i in
      let from = center.destination(
        bearingDegrees: bearing + random.real(-8, 8), meters: random.real(0, 5000))
      let to = center.destination(
        bearingDegrees: bearing + random.real(-12, 12), meters: random.real(7000, 11_000))
      return request(i, from, to, seconds: random.below(501), boards: random.unit() < 0.75)
    }
  }

  /// Two of three start in the middle, half of these around five stations; the others have come some
  /// of the way. All go out to one side.
  private static func city(_ count: Int, _ random: inout SplitMix64) -> [RideRequest] {
    let stations = (0..<5).map { _ in place(near: center, meters: 3000, &random) }
    let bearing = random.real(0, 360)
    func outside(_ meters: ClosedRange<Double>, _ random: inout SplitMix64) -> Coordinate {
      center.destination(
        bearingDegrees: bearing + random.real(-60, 60),
        meters: random.real(meters.lowerBound, meters.upperBound))
    }
    return (0..<count).map { i in
      var from = outside(2000...5000, &random)
      let kind = random.below(3)
      if kind == 0 { from = place(near: center, meters: 3000, &random) }
      if kind == 1 { from = place(near: stations[random.below(5)], meters: 400, &random) }
      let to = outside(6000...10_000, &random)
      return request(i, from, to, seconds: random.below(501), boards: random.unit() < 0.75)
    }
  }

  private static func request(
    _ i: Int, _ from: Coordinate, _ to: Coordinate, seconds: Int, boards: Bool
  ) -> RideRequest {
    let origin = RidePlace(coordinate: rounded(from))
    return RideRequest(
      riderID: "r\(i)", origin: origin, destination: RidePlace(coordinate: rounded(to)),
      window: DepartureWindow(time: time.advanced(milliseconds: Int64(seconds) * 1000)),
      limits: RideLimits(maxWalkMeters: 300, maxDetourRatio: 0.5),
      boarding: boards ? origin : nil)
  }

  private static func place(
    near center: Coordinate, meters: Double, _ random: inout SplitMix64
  ) -> Coordinate {
    center.destination(
      bearingDegrees: random.real(0, 360), meters: meters * random.unit().squareRoot())
  }

  /// Six decimals, a tenth of a meter.
  private static func rounded(_ place: Coordinate) -> Coordinate {
    Coordinate(
      uncheckedLatitude: (place.latitude * 1e6).rounded() / 1e6,
      longitude: (place.longitude * 1e6).rounded() / 1e6)
  }
}

extension SplitMix64 {
  fileprivate mutating func real(_ low: Double, _ high: Double) -> Double {
    low + unit() * (high - low)
  }
}
