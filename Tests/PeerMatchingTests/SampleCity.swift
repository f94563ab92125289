import GeoMath
import ObjectModel
import PeerMatching
import PositionProtection

/// Numbers and places that every test of tickets shares.
enum SampleCity {
  static let middle = Coordinate(uncheckedLatitude: 37.5172, longitude: 127.0473)
  static let key = HashKey(11, 12)
  static let grid = ProtectionGrid(marginKey: key)
  static let start = Instant(milliseconds: 1_790_000_000_000)

  static func place(_ random: inout SplitMix64, withinMeters reach: Double) -> Coordinate {
    middle.destination(
      bearingDegrees: random.unit() * 360, meters: reach * random.unit().squareRoot())
  }

  static func index(isProtected: Bool = true) -> TicketIndex {
    TicketIndex(grid: grid, isProtected: isProtected, key: key)
  }

  static let tags = ["swift", "math", "english", "toeic", "ios", "go", "art", "law"]

  /// Somebody who waits, as the rules would make them.
  static func ticket(
    _ id: String, at here: Coordinate, tags: [String] = [], attributes: [String: String] = [:],
    wanted: [WantedAttribute] = [], cell: ProtectedCell? = nil
  ) -> Ticket {
    var ticket = Ticket(userID: id)
    ticket.version = 1
    ticket.state = .open
    ticket.opening = 1
    ticket.stateSince = start
    ticket.here = here
    ticket.cell = cell ?? grid.cell(of: here, level: 0)
    ticket.tags = tags
    ticket.attributes = attributes
    ticket.wanted = wanted
    ticket.expiresAt = start.advanced(milliseconds: 3_600_000)
    return ticket
  }

  /// People all over the city, of every sort.
  static func people(_ count: Int, seed: UInt64, withinMeters reach: Double) -> [Ticket] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { i in
      let here = place(&random, withinMeters: reach)
      var ticket = ticket(
        "u\(i)", at: here, tags: (0..<random.below(4)).map { _ in tags[random.below(tags.count)] },
        attributes: ["gender": random.below(2) == 0 ? "f" : "m"],
        cell: grid.cell(of: here, level: random.below(grid.maximumLevel + 1)))
      if random.below(3) == 0 {
        let gender = random.below(2) == 0 ? "f" : "m"
        ticket.wanted = [WantedAttribute(name: "gender", values: [gender])]
      }
      if random.below(4) == 0 {
        ticket.rating.count = 1 + random.below(5)
        ticket.rating.stars = ticket.rating.count * (1 + random.below(5))
      }
      if random.below(10) == 0 { ticket.blocked = ["u\(random.below(count))", "me"].sorted() }
      if random.below(20) == 0 { ticket.tags.append(TicketIndex.anything) }
      if random.below(15) == 0 { ticket.expiresAt = start.advanced(milliseconds: -1) }
      return ticket
    }
  }
}
