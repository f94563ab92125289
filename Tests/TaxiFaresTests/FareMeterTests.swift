import ObjectModel
import TaxiFares
import TestSupport
import Testing

@Suite struct FareMeterTests {
  /// Tariffs of every kind that the meter tells apart.
  static func tariffs() throws -> [Tariff] {
    var contents = [SampleTariffs.seoul(), SampleTariffs.newYorkYellow()]
    var edge = SampleTariffs.seoul()
    edge.id = "edge"
    edge.outOfArea = OutOfAreaRule(hundredths: 3000, begins: .boundary, appliesToBase: true)
    contents.append(edge)
    var whole = SampleTariffs.seoul()
    whole.id = "base-outside"
    whole.outOfArea = OutOfAreaRule(hundredths: 2500, begins: .boarding, appliesToBase: true)
    whole.stacking = Stacking(rule: .highest, maximumHundredths: 3000)
    whole.callFee = 1000
    contents.append(whole)
    var completed = SampleTariffs.newYorkYellow()
    completed.id = "completion"
    completed.chargeOn = .completion
    completed.callFee = 150
    completed.longDistance = [
      .discount(aboveAmount: 900, hundredths: 1000, rounding: 10),
      .discount(aboveAmount: 2000, hundredths: 500, rounding: 10),
    ]
    contents.append(completed)
    var far = SampleTariffs.seoul()
    far.id = "far"
    far.longDistance = [
      .stepAmount(fromMeters: 10_000, amount: 140), .stepAmount(fromMeters: 20_000, amount: 190),
    ]
    contents.append(far)
    far.id = "falling"
    far.longDistance = [
      .stepAmount(fromMeters: 7000, amount: 80), .stepAmount(fromMeters: 15_000, amount: 60),
    ]
    contents.append(far)
    var proportional = SampleTariffs.seoul()
    proportional.id = "proportional"
    proportional.chargeOn = .proportional
    contents.append(proportional)
    return try contents.map { try Tariff($0) }
  }

  /// Two days from here on have what may change in a tariff: in New York the clocks as well.
  private static func firstDay(_ tariff: Tariff) -> Instant {
    let isNewYork = tariff.id == "us-nyc-yellow" || tariff.id == "completion"
    return Instant(milliseconds: isNewYork ? 1_741_400_000_000 : 1_763_564_400_000)
  }

  @Test(arguments: [1 as UInt64, 2, 3])
  func equalsTheMeter(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func number(_ range: ClosedRange<Double>) -> Double {
      range.lowerBound
        + Double(random.next() >> 11) / Double(1 << 53) * (range.upperBound - range.lowerBound)
    }
    for tariff in try Self.tariffs() {
      for _ in 0..<400 {
        let departure = Self.firstDay(tariff).advanced(
          milliseconds: Int64(number(0...172_800_000)))
        let isCalled = random.next() % 2 == 0
        let meter = FareMeter(tariff, departure: departure, isCalled: isCalled)
        for _ in 0..<4 {
          // As far as prices change, too.
          let meters =
            random.next() % 4 == 0
            ? [0, 7000, 10_000, 15_000, 20_000][Int(random.next() % 5)] : number(0...30_000)
          let seconds = random.next() % 8 == 0 ? 0 : number(0...5_400)
          let outside: Double? = random.next() % 2 == 0 ? nil : number(0...meters)
          let trip = Trip(
            .totals(distanceMeters: meters, durationSeconds: seconds), departure: departure,
            outOfAreaFromMeters: outside, isCalled: isCalled)
          let fare = try tariff.fare(for: trip).expected
          let total = try #require(
            meter.expected(
              distanceMeters: meters, durationSeconds: seconds, outOfAreaFromMeters: outside))
          #expect(total.amount == fare.total, "\(tariff.id) \(trip)")
          #expect(total.extras == min(fare.extras, fare.total))
        }
      }
    }
  }

  /// Tariffs whose prices change by the hour in every way: along the trip, at boarding, once, of steps alone.
  private static func changingTariffs() throws -> [Tariff] {
    var mixed = SampleTariffs.seoul()
    mixed.id = "mixed"
    mixed.surcharges = [
      Surcharge(
        id: "evening", name: "evening", price: .hundredths(3000),
        bands: [LocalTimeBand(fromMinute: 17 * 60, toMinute: 22 * 60)], chosen: .boarding),
      Surcharge(
        id: "late", name: "late", price: .hundredths(2000),
        bands: [LocalTimeBand(fromMinute: 21 * 60 + 20, toMinute: 4 * 60)], appliesToBase: false),
      Surcharge(
        id: "peak", name: "peak", price: .amount(700),
        bands: [LocalTimeBand(fromMinute: 18 * 60, toMinute: 18 * 60 + 45)]),
    ]
    mixed.finalRounding = Rounding(unit: 100, mode: .up)
    var down = mixed
    down.id = "down"
    down.finalRounding = Rounding(unit: 50, mode: .down)
    return try tariffs() + [Tariff(mixed), Tariff(down)]
  }

  @Test(arguments: [1 as UInt64, 2, 3])
  func changingPricesStayWithinTheirRange(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for tariff in try Self.changingTariffs() {
      var compared = 0
      var changed = 0
      for _ in 0..<400 {
        let first = Self.firstDay(tariff).advanced(
          milliseconds: Int64(random.int(0...172_800_000)))
        let isCalled = random.chance(0.3)
        let meter = FareMeter(tariff, departure: first, isCalled: isCalled)
        let departure = first.advanced(milliseconds: Int64(random.int(0...1_800_000)))
        let meters = Double(random.int(0...30_000))
        let seconds = Double(random.int(0...5400))
        let isOutside = random.chance(0.3)
        let last = departure.advanced(milliseconds: Int64(random.int(0...600_000)))
        let end = departure.advanced(milliseconds: Int64(seconds * 1000) + 1)
        let fare = try #require(
          FareMeter(tariff, departure: departure, isCalled: isCalled).expected(
            distanceMeters: meters, durationSeconds: seconds,
            outOfAreaFromMeters: isOutside ? Double(random.int(0...Int(meters))) : nil))
        guard
          let inside = meter.unchanged(distanceMeters: meters, durationSeconds: seconds),
          let outside = meter.unchanged(
            distanceMeters: meters, durationSeconds: seconds, isOutside: isOutside),
          let range = meter.priceRange(lastDeparture: last, end: max(last, end))
        else { continue }
        compared += 1
        if range.least(of: 1e6) < 0.95e6 || range.most(of: 1e6) > 1.05e6 { changed += 1 }
        let at = "\(tariff.id), \(first), \(departure), \(meters) m, \(seconds) s"
        func metered(_ total: FareMeter.Total) -> Double { Double(total.amount - total.extras) }
        #expect(range.least(of: metered(inside)) <= metered(fare), "\(at)")
        #expect(range.most(of: metered(outside)) >= metered(fare), "\(at)")
        guard let holds = meter.pricesHoldUntil, seconds > 0, holds > departure else { continue }
        let held = min(1, Double(holds.milliseconds(since: departure)) / 1000 / seconds)
        #expect(range.least(of: metered(inside), held: held) <= metered(fare), "\(at)")
        #expect(range.most(of: metered(outside), held: held) >= metered(fare), "\(at)")
      }
      let isCompared = tariff.id != "proportional"
      #expect(isCompared ? compared > 100 : compared == 0, "\(tariff.id): \(compared)")
      #expect(!isCompared || isSeasonal(tariff) == (changed > 0), "\(tariff.id): \(changed)")
    }
  }

  private func isSeasonal(_ tariff: Tariff) -> Bool {
    tariff.content.surcharges.contains {
      if case .hundredths = $0.price { true } else { false }
    }
  }

  /// A midnight at which nothing changes is none.
  @Test func pricesHoldOverMidnight() throws {
    let tariff = try Tariff(SampleTariffs.seoul())
    let day = Instant(seconds: 1_763_564_400)
    let meter = FareMeter(tariff, departure: day.advanced(milliseconds: 23 * 3_600_000 + 1))
    let holds = try #require(meter.pricesHoldUntil)
    #expect(holds > day.advanced(milliseconds: 24 * 3_600_000))
    let before = FareMeter(tariff, departure: holds.advanced(milliseconds: -1))
    let after = FareMeter(tariff, departure: holds)
    #expect(
      before.unchanged(distanceMeters: 9000, durationSeconds: 900)
        != after.unchanged(distanceMeters: 9000, durationSeconds: 900))
  }

  @Test func flatTripsAndWaysThatCannotBePriced() throws {
    let tariff = try Tariff(SampleTariffs.newYorkYellow())
    let departure = Instant(seconds: 1_741_400_000)
    let meter = FareMeter(tariff, departure: departure)
    var trip = Trip(.totals(distanceMeters: 0, durationSeconds: 0), departure: departure)
    trip.flatTrip = "jfk"
    let fare = try tariff.fare(for: trip).expected.total
    #expect(meter.flat(0)?.amount == fare)
    #expect(meter.flat(1) == nil)
    #expect(meter.expected(distanceMeters: .nan, durationSeconds: 1) == nil)
    #expect(meter.expected(distanceMeters: -1, durationSeconds: 1) == nil)
    #expect(meter.expected(distanceMeters: 1, durationSeconds: .infinity) == nil)
    #expect(meter.expected(distanceMeters: 2e7, durationSeconds: 1) == nil)
  }

  @Test(arguments: [5 as UInt64, 6])
  func smallSplitsEqualFareSplits(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<3000 {
      let count = Int(random.next() % 8) + 1
      var weights = SIMD8<UInt64>()
      var real = SIMD8<Double>()
      let huge = random.next() % 4 == 0
      for i in 0..<count {
        weights[i] = random.next() % (huge ? 1_000_000_000_000 : 40)
        real[i] = Double(random.next() % 1000) / (random.next() % 2 == 0 ? 1 : 7)
      }
      let amount = Int64(random.next() % (huge ? 1_000_000_000_000 : 100_000))
      let solo = try? FareSplit(
        amount: amount, rule: .bySoloFare,
        riders: (0..<count).map { ShareRider(id: "\($0)", soloFare: Int64(weights[$0])) }
      ).shares().map(\.amount)
      if let solo {
        let shares = SmallSplit.shares(amount, weights: weights, count: count)
        #expect((0..<count).map { shares[$0] } == solo)
        #expect((0..<8).reduce(0) { $0 + shares[$1] } == (solo.reduce(0, +)))
      }
      let weighted = try? FareSplit(
        amount: amount, rule: .weights,
        riders: (0..<count).map { ShareRider(id: "\($0)", weight: real[$0]) }
      ).shares().map(\.amount)
      if let weighted {
        let shares = SmallSplit.shares(
          amount, weights: SmallSplit.integerWeights(real, count: count), count: count)
        #expect((0..<count).map { shares[$0] } == weighted)
      }
    }
  }
}
