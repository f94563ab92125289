import GeoMath
import ObjectModel
import RideMatching
import RoutePlanning
import TaxiFares

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// PartyMatchBenchmarks [PARTIES 100000] [QUERIES 2000] [HOURS 2]
//
// Match over open parties of one city that depart within so many hours, in process: fixed seed, data built
// before the timer, CPU time of the thread (the machine may be shared), each query once, and a scan of all
// parties through the same rules as the baseline.

struct Generator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  mutating func number(_ range: ClosedRange<Double>) -> Double {
    let unit = Double(next() >> 11) / Double(1 << 53)
    return range.lowerBound + unit * (range.upperBound - range.lowerBound)
  }

  mutating func int(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }

  mutating func place(near center: Coordinate, meters: Double) -> Coordinate {
    center.destination(
      bearingDegrees: number(0...360), meters: meters * number(0...1).squareRoot())
  }
}

func nanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

func tariff() throws -> Tariff {
  var content = TariffContent(
    id: "kr-seoul-medium", name: "Seoul", area: "kr-seoul", vehicleClasses: ["medium"],
    currency: "KRW", timeZone: "Asia/Seoul", offsets: UTCOffsets(initialSeconds: 9 * 3600),
    effective: Instant(seconds: 1_675_191_600), baseAmount: 4800, baseDistanceMeters: 1600,
    stepAmount: 100, stepDistanceMeters: 131, stepSeconds: 30, accrual: .simultaneous,
    chargeOn: .entry, source: "benchmark")
  content.surcharges = [
    Surcharge(
      id: "night", name: "night", price: .hundredths(2000),
      bands: [LocalTimeBand(fromMinute: 22 * 60, toMinute: 4 * 60)])
  ]
  content.outOfArea = OutOfAreaRule(hundredths: 2000)
  content.finalRounding = Rounding(unit: 100, mode: .nearest)
  content.isAreaDefault = true
  return try Tariff(content)
}

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let count = arguments.first ?? 100_000
let hours = max(1, arguments.dropFirst(2).first ?? 2)

/// Half of all places lie within 250 m of 200 stations, the busiest of which has 3.5 % of them.
struct City {
  static let center = Coordinate(uncheckedLatitude: 37.53, longitude: 127.0)
  /// Thursday 2025-11-20, 17:00 in Seoul.
  static let now = Instant(seconds: 1_763_564_400 + 17 * 3600)
  var stations: [Coordinate] = []
  let rules: PartyRules

  init() throws {
    let areas = RideAreas(ids: { $0.longitude < 127.2 ? ["kr-seoul"] : [] })
    rules = PartyRules(
      pricing: PartyPricing(catalog: try TariffCatalog([try tariff()]), areas: areas))
    var random = Generator(state: 7)
    for _ in 0..<200 { stations.append(random.place(near: Self.center, meters: 13_000)) }
  }

  func place(_ random: inout Generator) -> Coordinate {
    guard random.int(0...1) == 0 else { return random.place(near: Self.center, meters: 13_000) }
    let r = random.number(0...1)
    return random.place(near: stations[Int(r * r * 199.99)], meters: 250)
  }

  func time(_ random: inout Generator) -> Instant {
    Self.now.advanced(milliseconds: Int64(random.int(0...hours * 3_600_000)))
  }

  /// A third have two riders.
  func party(_ i: Int, _ random: inout Generator) throws -> Party {
    let origin = place(&random)
    let destination = place(&random)
    let command = CreateParty(
      hostID: "host-\(i)", origin: RidePlace(coordinate: origin),
      destination: RidePlace(coordinate: destination),
      window: DepartureWindow(time: time(&random)), seats: 4)
    let party = try rules.create(
      command, id: "party-\(i)", now: Self.now, claims: { _ in [] }
    ).party
    guard random.int(0...2) == 0 else { return party }
    let second = JoinParty(
      riderID: "rider-\(i)",
      destination: RidePlace(coordinate: random.place(near: destination, meters: 1000)))
    let joined = try? rules.join(second, party, now: Self.now, claims: { _ in [] })
    return joined?.party ?? party
  }

  func query(_ random: inout Generator, _ wishes: RideWishes) -> MatchQuery {
    MatchQuery(
      riderID: "me", origin: place(&random),
      destination: RidePlace(coordinate: place(&random)),
      window: DepartureWindow(time: time(&random)), now: Self.now, wishes: wishes)
  }
}

func report(_ name: String, _ times: [UInt64], _ note: String = "") {
  let sorted = times.sorted()
  func at(_ share: Double) -> String {
    let tenths = sorted[Int(Double(sorted.count - 1) * share)] / 100
    return "\(tenths / 10).\(tenths % 10)"
  }
  print("\(name): p50 \(at(0.5)) us, p90 \(at(0.9)), p99 \(at(0.99)), most \(at(1)) \(note)")
}

let queries = max(1, arguments.dropFirst().first ?? 2000)
let city = try City()
var random = Generator(state: 1)
var index = PartyIndex(pricing: city.rules.pricing)
var parties: [Party] = []
for i in 0..<count { parties.append(try city.party(i, &random)) }
var start = nanoseconds()
for party in parties { try index.update(party) }
print(
  "\(count) parties within \(hours) h, \((nanoseconds() - start) / UInt64(max(1, count))) ns each to index"
)

for (name, wishes) in [
  ("walk 300 m, ratio 0.25", RideWishes(maxWalkMeters: 300, maxDetourRatio: 0.25)),
  ("the party's limits", RideWishes.none),
  ("walk 1 km, ratio 0.25", RideWishes(maxWalkMeters: 1000, maxDetourRatio: 0.25)),
] {
  var random = Generator(state: 99)
  var times: [UInt64] = []
  var found = 0
  for _ in 0..<queries {
    let query = city.query(&random, wishes)
    let start = nanoseconds()
    let answer = index.match(query)
    times.append(nanoseconds() - start)
    found += answer.candidates.count
  }
  report("match, \(name)", times, "(\(Double(found) / Double(queries)) candidates)")
}
// Boarding on the way: the same places and times, anywhere along the parties' ways.
do {
  var random = Generator(state: 99)
  var times: [UInt64] = []
  var found = 0
  for _ in 0..<queries {
    var query = city.query(&random, RideWishes(maxWalkMeters: 300, maxDetourRatio: 0.25))
    query.boarding = RidePlace(coordinate: query.origin)
    let start = nanoseconds()
    let answer = index.match(query)
    times.append(nanoseconds() - start)
    found += answer.candidates.count
  }
  report("match, boarding on the way", times, "(\(Double(found) / Double(queries)) candidates)")
  times = []
  for _ in 0..<min(queries, 100) {
    var query = city.query(&random, RideWishes(maxWalkMeters: 300, maxDetourRatio: 0.25))
    query.boarding = RidePlace(coordinate: query.origin)
    query.explain = true
    let start = nanoseconds()
    _ = index.match(query)
    times.append(nanoseconds() - start)
  }
  report("explain, boarding on the way", times)
}

var times: [UInt64] = []
for _ in 0..<10 {
  var query = city.query(&random, RideWishes(maxWalkMeters: 300, maxDetourRatio: 0.25))
  query.explain = true
  let start = nanoseconds()
  _ = index.match(query)
  times.append(nanoseconds() - start)
}
report("every party by the rules (explain)", times)

times = []
for _ in 0..<queries {
  let party = parties[random.int(0...(parties.count - 1))]
  let start = nanoseconds()
  try index.update(party)
  times.append(nanoseconds() - start)
}
report("one party changed", times)
let snapshots = index
times = []
for _ in 0..<queries {
  let held = index
  let party = parties[random.int(0...(parties.count - 1))]
  let start = nanoseconds()
  try index.update(party)
  times.append(nanoseconds() - start)
  withExtendedLifetime(held) {}
}
report("one party changed under a snapshot", times)
withExtendedLifetime(snapshots) {}

// The price of one candidate: parties from one place in one direction, so that each is planned,
// priced and kept. Few enough to stay in the cache; the least of many rounds.
for riders in 1...2 {
  var crowd = PartyIndex(pricing: city.rules.pricing)
  let size = 200
  for i in 0..<size {
    let far = City.center.destination(
      bearingDegrees: random.number(0...10), meters: random.number(6000...9000))
    let command = CreateParty(
      hostID: "host-\(i)",
      origin: RidePlace(coordinate: random.place(near: City.center, meters: 100)),
      destination: RidePlace(coordinate: far), window: DepartureWindow(time: City.now))
    var party = try city.rules.create(
      command, id: "party-\(i)", now: City.now, claims: { _ in [] }
    ).party
    if riders == 2 {
      party =
        (try? city.rules.join(
          JoinParty(
            riderID: "rider-\(i)",
            destination: RidePlace(coordinate: random.place(near: far, meters: 600))),
          party, now: City.now, claims: { _ in [] }
        ).party) ?? party
    }
    try crowd.update(party)
  }
  var query = MatchQuery(
    riderID: "me", origin: City.center,
    destination: RidePlace(
      coordinate: City.center.destination(bearingDegrees: 5, meters: 7000)),
    window: DepartureWindow(time: City.now), now: City.now,
    wishes: RideWishes(maxWalkMeters: 300, maxDetourRatio: 3), limit: 1)
  var least = UInt64.max
  for _ in 0..<2000 {
    start = nanoseconds()
    _ = crowd.match(query)
    least = min(least, nanoseconds() - start)
  }
  query.explain = true
  let matched = crowd.match(query).explanation?.matched ?? 0
  print(
    "a candidate with \(riders) aboard: \(least / UInt64(size)) ns (\(matched) of \(size) match)")
}
