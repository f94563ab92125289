import TestSupport
import GeoMath
import ObjectModel
import RideMatching
import RoutePlanning
import TaxiFares

/// Tariffs, areas and places for tests.
enum PartyWorld {
  static let seoul = Coordinate(uncheckedLatitude: 37.4979, longitude: 127.0276)
  /// 2025-11-20 00:00 in Seoul, a Thursday.
  static let midnight = Instant(seconds: 1_763_564_400)

  static func seoulTime(_ hour: Int, _ minute: Int = 0) -> Instant {
    midnight.advanced(milliseconds: Int64(hour * 3600 + minute * 60) * 1000)
  }

  static func tariff(_ change: (inout TariffContent) -> Void = { _ in }) throws -> Tariff {
    var content = TariffContent(
      id: "kr-seoul-medium", name: "Seoul", area: "kr-seoul", vehicleClasses: ["medium"],
      currency: "KRW", timeZone: "Asia/Seoul", offsets: UTCOffsets(initialSeconds: 9 * 3600),
      effective: Instant(seconds: 1_675_191_600), baseAmount: 4800, baseDistanceMeters: 1600,
      stepAmount: 100, stepDistanceMeters: 131, stepSeconds: 30, accrual: .simultaneous,
      chargeOn: .entry, source: "test")
    content.surcharges = [
      Surcharge(
        id: "night", name: "night", price: .hundredths(2000),
        bands: [
          LocalTimeBand(fromMinute: 22 * 60, toMinute: 23 * 60),
          LocalTimeBand(fromMinute: 2 * 60, toMinute: 4 * 60),
        ]),
      Surcharge(
        id: "late-night", name: "late night", price: .hundredths(4000),
        bands: [LocalTimeBand(fromMinute: 23 * 60, toMinute: 2 * 60)]),
    ]
    content.surchargeRounding = 10
    content.baseRounding = 100
    content.outOfArea = OutOfAreaRule(hundredths: 2000)
    content.finalRounding = Rounding(unit: 100, mode: .nearest)
    content.isAreaDefault = true
    change(&content)
    return try Tariff(content)
  }

  /// Seoul ends east of 127.12; an airport west of 126.90 has a flat trip under `edge`.
  static let areas = RideAreas(
    ids: { place in
      var ids: [String] = []
      if place.longitude < 127.12 { ids.append("kr-seoul") }
      if place.longitude < 126.90 { ids.append("airport") }
      if place.longitude > 127 && place.longitude < 127.05 { ids.append("center") }
      return ids
    },
    edgeShare: { _, from, to in
      max(0, min(1, (127.12 - from.longitude) / (to.longitude - from.longitude)))
    })

  static let tariffIDs = ["kr-seoul-medium", "edge", "everywhere"]

  static func catalog() throws -> TariffCatalog {
    try TariffCatalog([
      tariff(),
      tariff {
        $0.id = "edge"
        $0.vehicleClasses = ["edge"]
        $0.isAreaDefault = false
        $0.callFee = 1000
        $0.outOfArea = OutOfAreaRule(hundredths: 3000, begins: .boundary, appliesToBase: true)
        $0.flatTrips = [FlatTrip(id: "airport", amount: 20_000, between: ["airport", "center"])]
      },
      tariff {
        $0.id = "everywhere"
        $0.area = "everywhere"
        $0.callFee = 700
        $0.outOfArea = nil
        $0.longDistance = [
          .stepAmount(fromMeters: 9000, amount: 150),
          .discount(aboveAmount: 9000, hundredths: 1000, rounding: 10),
        ]
      },
    ])
  }

  static func pricing() throws -> PartyPricing {
    PartyPricing(catalog: try catalog(), areas: areas)
  }

  static func rules(_ change: (inout PartyConfiguration) -> Void = { _ in }) throws -> PartyRules {
    var configuration = PartyConfiguration()
    change(&configuration)
    return PartyRules(configuration: configuration, pricing: try pricing())
  }

  /// A place so many meters away at most, wrapped at 180 degrees and held at the poles.
  static func place(
    near center: Coordinate, meters: Double, _ random: inout SplitMix64
  ) -> Coordinate {
    center.destination(
      bearingDegrees: random.real(0...360), meters: meters * random.real(0...1).squareRoot())
  }

  static func named(_ place: Coordinate, _ name: String = "") -> RidePlace {
    RidePlace(name: name, coordinate: place)
  }

  static func noClaims(_ riderID: String) -> [PartyInterval] { [] }
}
