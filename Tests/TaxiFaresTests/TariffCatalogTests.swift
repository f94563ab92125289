import ObjectModel
import Testing

@testable import TaxiFares

@Suite struct TariffCatalogTests {
  private func version(
    _ id: String, area: String = "kr-x", effective: Int64, until: Int64? = nil,
    classes: [String] = ["medium"], isDefault: Bool = false
  ) throws -> Tariff {
    var content = SampleTariffs.seoul()
    content.id = id
    content.area = area
    content.effective = Instant(seconds: effective)
    content.until = until.map { Instant(seconds: $0) }
    content.vehicleClasses = classes
    content.isAreaDefault = isDefault
    return try Tariff(content)
  }

  @Test func aDepartureGetsTheTariffThenInForce() throws {
    let catalog = try TariffCatalog([
      version("a", effective: 2000), version("a", effective: 1000, until: 1500),
    ])
    func effective(_ second: Int64) throws(FareError) -> Int64 {
      try catalog.tariff(id: "a", at: Instant(seconds: second)).effective.milliseconds / 1000
    }
    #expect(try effective(1000) == 1000)
    #expect(try effective(1499) == 1000)
    #expect(try effective(2000) == 2000)
    #expect(try effective(9_000_000) == 2000)
    #expect(
      throws: FareError.departureBeforeTariffs(
        id: "a", departure: Instant(seconds: 999), firstEffective: Instant(seconds: 1000))
    ) { try effective(999) }
    #expect(
      throws: FareError.tariffEnded(
        id: "a", departure: Instant(seconds: 1500), ended: Instant(seconds: 1500))
    ) { try effective(1500) }
    #expect(throws: FareError.unknownTariff(id: "b")) {
      try catalog.tariff(id: "b", at: Instant(seconds: 1000))
    }
  }

  @Test func areaAndClassChoose() throws {
    let catalog = try TariffCatalog([
      version("a-deluxe", effective: 1000, classes: ["deluxe", "large"]),
      version("a-medium", effective: 1000, isDefault: true),
      version("b", area: "kr-y", effective: 1000),
    ])
    let now = Instant(seconds: 5000)
    #expect(try catalog.tariff(area: "kr-x", vehicleClass: nil, at: now).id == "a-medium")
    #expect(try catalog.tariff(area: "kr-x", vehicleClass: "large", at: now).id == "a-deluxe")
    #expect(catalog.areas == ["kr-x", "kr-y"])
    #expect(throws: FareError.noTariff(area: "kr-x", vehicleClass: "boat")) {
      try catalog.tariff(area: "kr-x", vehicleClass: "boat", at: now)
    }
    #expect(throws: FareError.noTariff(area: "kr-z", vehicleClass: nil)) {
      try catalog.tariff(area: "kr-z", vehicleClass: nil, at: now)
    }
    #expect(
      throws: FareError.departureBeforeTariffs(
        id: "b", departure: Instant(seconds: 1), firstEffective: Instant(seconds: 1000))
    ) { try catalog.tariff(area: "kr-y", vehicleClass: nil, at: Instant(seconds: 1)) }
  }

  @Test func refusesDuplicatesAndOverlaps() throws {
    func conflict(_ tariffs: [Tariff]) -> TariffConflict? {
      do {
        _ = try TariffCatalog(tariffs)
        return nil
      } catch {
        return error
      }
    }
    #expect(
      try conflict([version("a", effective: 1000), version("a", effective: 1000)])
        == .duplicate(id: "a", effective: Instant(seconds: 1000)))
    #expect(
      try conflict([version("a", effective: 1000, until: 3000), version("a", effective: 2000)])
        == .overlap(id: "a", other: "a", area: "kr-x", from: Instant(seconds: 2000)))
    #expect(
      try conflict([version("a", effective: 1000), version("b", effective: 2000)])
        == .overlap(id: "a", other: "b", area: "kr-x", from: Instant(seconds: 2000)))
    #expect(
      try conflict([
        version("a", effective: 1000, isDefault: true),
        version("b", effective: 2000, classes: ["deluxe"], isDefault: true),
      ]) != nil)
    // One ends when the other begins; and another class in the same area.
    #expect(
      try conflict([
        version("a", effective: 1000, until: 2000), version("b", effective: 2000),
        version("c", effective: 1000, classes: ["deluxe"]),
      ]) == nil)
  }

  @Test func aTariffIsValidatedFieldByField() {
    func path(_ change: (inout TariffContent) -> Void) -> String? {
      var content = SampleTariffs.seoul()
      change(&content)
      do {
        _ = try Tariff(content)
        return nil
      } catch {
        return error.path
      }
    }
    #expect(path { _ in } == nil)
    #expect(path { $0.id = "Kr Seoul" } == "id")
    #expect(path { $0.currency = "won" } == "currency")
    #expect(path { $0.stepAmount = 0 } == "step.amount")
    #expect(path { $0.stepDistanceMeters = .nan } == "step.distanceMeters")
    #expect(path { $0.stepSeconds = 0 } == "step.seconds")
    #expect(path { $0.baseAmount = -1 } == "base.amount")
    #expect(path { $0.baseDistanceMeters = -1 } == "base.distanceMeters")
    #expect(path { $0.surcharges[1].id = "night" } == "surcharges[1].id")
    #expect(path { $0.surcharges[0].bands = [] } == "surcharges[0].bands")
    #expect(path { $0.surcharges[0].bands[1].fromMinute = 1440 } == "surcharges[0].bands[1].from")
    #expect(path { $0.surcharges[0].bands[0].weekdays = 0 } == "surcharges[0].bands[0].days")
    #expect(path { $0.surcharges[0].price = .hundredths(-1) } == "surcharges[0].percent")
    #expect(path { $0.outOfArea?.hundredths = 1_000_000 } == "outOfArea.percent")
    #expect(path { $0.until = $0.effective } == "until")
    #expect(path { $0.source = "" } == "source")
    #expect(path { $0.vehicleClasses = [] } == "vehicleClasses")
    #expect(path { $0.finalRounding.unit = 0 } == "finalRounding.unit")
    #expect(
      path { $0.flatTrips = [FlatTrip(id: "x", amount: 1, surcharges: ["dawn"])] }
        == "flatTrips[0].surcharges[0]")
    #expect(
      path { $0.longDistance = [.stepAmount(fromMeters: 20_000, amount: 0)] }
        == "longDistance[0].stepAmount")
  }
}
