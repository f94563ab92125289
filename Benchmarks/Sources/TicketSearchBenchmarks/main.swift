import GeoMath
import ObjectModel
import PeerMatching
import PositionProtection

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// TicketSearchBenchmarks [TICKETS 100000] [QUERIES 2000]
//
// Search over waiting people of one city, in process: 3 km, four filters (interests, a wanted
// attribute, online, stars) and those of the others; fixed seed, data built before the timer, CPU
// time of the thread (the machine may be shared), each query once, and a scan of everybody as the
// baseline.

func nanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let ticketCount = arguments.first ?? 100_000
let queryCount = arguments.dropFirst().first ?? 2000
let center = Coordinate(uncheckedLatitude: 37.5326, longitude: 126.9900)
let start = Instant(milliseconds: 1_790_000_000_000)
let tags = (0..<40).map { "topic\($0)" }
var random = SplitMix64(seed: 15)

/// Two thirds about five centres, the others all over the city.
@MainActor func place() -> Coordinate {
  let isCentral = random.below(3) > 0
  let middle =
    isCentral
    ? center.destination(bearingDegrees: Double(random.below(5)) * 72, meters: 7000) : center
  return middle.destination(
    bearingDegrees: random.unit() * 360,
    meters: (isCentral ? 5000 : 15_000) * random.unit().squareRoot())
}

let grid = ProtectionGrid(marginKey: HashKey(1, 2))
var index = TicketIndex(grid: grid, key: HashKey(3, 4))
let people = (0..<ticketCount).map { i in
  let here = place()
  var ticket = Ticket(userID: "user-\(i)")
  ticket.state = .open
  ticket.stateSince = start.advanced(milliseconds: -Int64(random.below(600_000)))
  ticket.expiresAt = start.advanced(milliseconds: 3_600_000)
  ticket.here = here
  ticket.cell = grid.cell(of: here, level: random.below(10) == 0 ? 1 : 0)
  ticket.tags = (0..<1 + random.below(4)).map { _ in tags[min(random.below(40), random.below(40))] }
  ticket.attributes = ["gender": random.below(2) == 0 ? "f" : "m"]
  if random.below(3) == 0 {
    ticket.wanted = [WantedAttribute(name: "gender", values: [random.below(2) == 0 ? "f" : "m"])]
  }
  ticket.rating.count = random.below(3)
  ticket.rating.stars = ticket.rating.count * (2 + random.below(4))
  return ticket
}
let before = nanoseconds()
for ticket in people { index.update(ticket) }
let built = nanoseconds() - before
for ticket in people where random.below(3) > 0 {
  index.touch(ticket.userID, at: start.advanced(milliseconds: -Int64(random.below(50_000))))
}

@MainActor func search(filters: Bool) -> TicketSearch {
  var search = TicketSearch(
    userID: "me", around: place(), radiusMillimeters: 3_000_000,
    tags: filters ? [tags[random.below(10)], tags[random.below(40)]] : [],
    attributes: ["gender": "f"],
    wanted: filters ? [WantedAttribute(name: "gender", values: ["f"])] : [], limit: 20,
    now: start)
  search.onlineOnly = filters
  search.minimumStars = filters ? 3 : nil
  return search
}

func report(_ name: String, _ times: [UInt64], _ found: Int) {
  let sorted = times.sorted()
  func at(_ share: Double) -> String {
    let value = Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]) / 1000
    return "\((value * 10).rounded() / 10)"
  }
  print(
    "\(name): p50 \(at(0.5)) us, p99 \(at(0.99)) us, worst \(at(1)) us, \(found / times.count) hits"
  )
}

print("tickets \(ticketCount), \(index.count) indexed in \(built / 1_000_000) ms")
for (name, filters) in [("3 km, four filters", true), ("3 km, no filters", false)] {
  var found = 0
  let times = (0..<queryCount).map { _ in
    let search = search(filters: filters)
    let from = nanoseconds()
    found += index.search(search).hits.count
    return nanoseconds() - from
  }
  report(name, times, found)
}
var popular = 0
report(
  "popular tags, 3 km",
  (0..<max(1, queryCount / 10)).map { _ in
    let at = place()
    let from = nanoseconds()
    popular +=
      index.popularTags(around: at, radiusMillimeters: 3_000_000, now: start, limit: 10).count
    return nanoseconds() - from
  }, popular)
var scanned = 0
report(
  "scan of everybody, four filters",
  (0..<max(1, queryCount / 20)).map { _ in
    let search = search(filters: true)
    let from = nanoseconds()
    let origin = DistanceOrigin(grid.snapped(search.around))
    for person in people {
      let shown = grid.center(of: person.cell!)
      if origin.millimeters(latitude: shown.latitude, longitude: shown.longitude)
        <= search.radiusMillimeters, person.attributes["gender"] == "f",
        person.tags.contains(where: search.tags.contains)
      {
        scanned += 1
      }
    }
    return nanoseconds() - from
  }, scanned)
