import GeoMath
import ObjectModel
import RideMatching
import TaxiFares

/// Every ride of a few requests that the rules of parties allow, by trying everything: each set at the
/// origin of each of its members, then everyone else in every order of joining. It asks the rules what
/// a ride costs, and none of the solver's code.
struct BoardingRides {
  private let requests: [RideRequest]
  private let rules: PartyRules
  private let now: Instant
  private let alone: [Int64]
  /// By bit set of members, the most that these save in one ride.
  private(set) var savings: [UInt64: Double] = [:]

  private static let seats = 4

  /// - Precondition: There are at most 64 requests.
  init(_ instance: BoardingInstance) throws {
    requests = instance.requests
    rules = instance.rules
    now = BoardingInstance.now
    var alone: [Int64] = []
    for request in requests {
      let party = try rules.create(
        Self.command(request, [], request.window), id: "p", now: now, claims: { _ in [] }
      ).party
      alone.append(party.riders[0].soloFare)
    }
    self.alone = alone
    for host in requests.indices { try addRides(host) }
  }

  /// The number of requests, then a line a ride: saving and members, as `optimum.py` reads it.
  var text: String {
    var text = "\(requests.count)\n"
    for (set, saving) in savings.sorted(by: { $0.key < $1.key }) {
      let members = requests.indices.filter { set >> $0 & 1 == 1 }
      text += "\(saving) \(members.map(String.init).joined(separator: " "))\n"
    }
    return text
  }

  /// Those of a host, with all sets of people who can walk there.
  private mutating func addRides(_ host: Int) throws {
    let near = requests.indices.filter {
      $0 != host && walk($0, to: host) <= requests[$0].limits.maxWalkMeters
    }
    var sets: [[Int]] = [[]]
    for i in near {
      sets += sets.filter { $0.count + 1 < Self.seats }.map { $0 + [i] }
    }
    for others in sets { try addRide(host, others) }
  }

  private func walk(_ i: Int, to host: Int) -> Double {
    requests[i].origin.coordinate.distanceMeters(to: requests[host].origin.coordinate)
  }

  private mutating func addRide(_ host: Int, _ others: [Int]) throws {
    let windows = ([host] + others).map { requests[$0].window }
    let start = windows.map(\.start).max()!
    let end = windows.map(\.end).min()!
    guard start <= end else { return }
    let departure = min(windows.map(\.time).max()!, end)
    let tolerance = windows.map {
      min(departure.milliseconds(since: $0.start), $0.end.milliseconds(since: departure))
    }.min()!
    let command = Self.command(
      requests[host], others.map { requests[$0] },
      DepartureWindow(time: departure, toleranceMilliseconds: tolerance))
    guard
      let party = try? rules.create(command, id: "p", now: now, claims: { _ in [] }).party,
      Self.suitsAll(party)
    else { return }
    let walkCost = try walkCost(party)
    let paid = ([host] + others).reduce(0) { $0 + alone[$1] } - party.fare.expected
    let saving = Double(paid) - others.reduce(0) { $0 + walk($1, to: host) } * walkCost
    let set = others.reduce(1 << UInt64(host) as UInt64) { $0 | 1 << UInt64($1) }
    note(set, saving)
    board(party, set, saving, walkCost)
  }

  /// Everyone else who names a boarding, one after the other.
  private mutating func board(
    _ party: Party, _ set: UInt64, _ saving: Double, _ walkCost: Double
  ) {
    for i in requests.indices where set >> i & 1 == 0 && requests[i].boarding != nil {
      var command = Self.join(requests[i])
      command.boarding = requests[i].boarding
      command.window = requests[i].window
      guard
        let grown = try? rules.join(command, party, now: now, claims: { _ in [] }).party,
        Self.suitsAll(grown), let stop = grown.riders.last?.boarding
      else { continue }
      let paid = Double(alone[i] + party.fare.expected - grown.fare.expected)
      let whole = saving + paid - stop.walkMeters * walkCost
      note(set | 1 << UInt64(i), whole)
      board(grown, set | 1 << UInt64(i), whole, walkCost)
    }
  }

  private mutating func note(_ set: UInt64, _ saving: Double) {
    guard set.nonzeroBitCount > 1, saving > savings[set] ?? 0 else { return }
    savings[set] = saving
  }

  /// Nobody pays more than alone.
  private static func suitsAll(_ party: Party) -> Bool {
    party.riders.allSatisfy { $0.share <= $0.soloFare }
  }

  private static func command(
    _ host: RideRequest, _ others: [RideRequest], _ window: DepartureWindow
  ) -> CreateParty {
    CreateParty(
      hostID: host.riderID, origin: host.origin, destination: host.destination, window: window,
      hostSeats: host.seats, riders: others.map(join), seats: seats, limits: host.limits)
  }

  private static func join(_ request: RideRequest) -> JoinParty {
    JoinParty(
      riderID: request.riderID, destination: request.destination,
      origin: request.origin.coordinate, seats: request.seats,
      wishes: RideWishes(request.limits))
  }

  /// A meter on foot costs ``RidePricing/walkRatio`` times one by taxi.
  private func walkCost(_ party: Party) throws -> Double {
    let tariff = try rules.pricing.catalog.tariff(id: party.tariffID, at: party.window.time)
    let meter = FareMeter(tariff, departure: party.window.time)
    let long = meter.expected(distanceMeters: 6000, durationSeconds: 1080)
    let short = meter.expected(distanceMeters: 4000, durationSeconds: 720)
    return RidePricing.walkRatio * Double((long?.amount ?? 0) - (short?.amount ?? 0)) / 2000
  }
}
