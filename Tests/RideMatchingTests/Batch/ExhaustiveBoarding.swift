import GeoMath
import ObjectModel
import TaxiFares

@testable import RideMatching

/// The best sum of savings where requests may get in on the way, by trying everything: every set at a
/// pick-up, every host of it, everyone else in every order of joining, every way to cut the requests
/// into rides. It asks the rules of parties what a ride costs, and none of the solver's code.
struct ExhaustiveBoarding {
  private let requests: [RideRequest]
  private let terms: BatchPartyTerms
  private let maxSeats: Int
  private let alone: [Int64]
  /// By bit set of members, the most that it saves in one ride.
  private(set) var savings: [Int: Double] = [:]

  init(_ requests: [RideRequest], _ terms: BatchPartyTerms, maxSeats: Int) throws {
    self.requests = requests
    self.terms = terms
    self.maxSeats = maxSeats
    alone = try requests.map { try terms.fareAlone($0) }
    for set in 1..<(1 << requests.count) where set.nonzeroBitCount <= 4 {
      let members = requests.indices.filter { set >> $0 & 1 == 1 }
      for host in members { try ride(members, host: host, set) }
    }
  }

  /// Over subsets: the lowest request rides alone or in one of the sets.
  var optimum: Double {
    let count = requests.count
    var bySet = Array(repeating: [(set: Int, saving: Double)](), count: count)
    for (set, saving) in savings { bySet[set.trailingZeroBitCount].append((set, saving)) }
    var best = Array(repeating: 0.0, count: 1 << count)
    for set in 1..<(1 << count) {
      var value = best[set & (set - 1)]
      for group in bySet[set.trailingZeroBitCount] where group.set & ~set == 0 {
        value = max(value, group.saving + best[set & ~group.set])
      }
      best[set] = value
    }
    return best[(1 << count) - 1]
  }

  private mutating func ride(_ members: [Int], host: Int, _ set: Int) throws {
    let windows = members.map { requests[$0].window }
    let start = windows.map(\.start).max()!
    let end = windows.map(\.end).min()!
    guard start <= end else { return }
    let departure = min(windows.map(\.time).max()!, end)
    let group = BatchGroup([host] + members.filter { $0 != host }, departure)
    let command = group.createParty(requests, terms: terms, maxSeats: maxSeats)
    guard
      let party = try? terms.rules.create(command, id: "p", now: terms.now, claims: terms.claims)
        .party, Self.suitsAll(party)
    else { return }
    let walks = members.map {
      requests[$0].origin.coordinate.distanceMeters(to: requests[host].origin.coordinate)
    }
    let paid = members.reduce(0) { $0 + alone[$1] } - party.fare.expected
    let walkCost = try walkCost(party)
    note(set, Double(paid) - walks.reduce(0, +) * walkCost)
    try board(party, set, Double(paid) - walks.reduce(0, +) * walkCost, walkCost)
  }

  /// Everyone else who names a boarding, one after the other.
  private mutating func board(
    _ party: Party, _ set: Int, _ saving: Double, _ walkCost: Double
  ) throws {
    for i in requests.indices where set >> i & 1 == 0 && requests[i].boarding != nil {
      var query = MatchQuery(requests[i], now: terms.now)
      query.boarding = requests[i].boarding
      guard
        let grown = try? terms.rules.join(query.join, party, now: terms.now, claims: terms.claims)
          .party, Self.suitsAll(grown),
        let stop = grown.riders.last?.boarding
      else { continue }
      let paid = Double(alone[i] + party.fare.expected - grown.fare.expected)
      let whole = saving + paid - stop.walkMeters * walkCost
      note(set | 1 << i, whole)
      try board(grown, set | 1 << i, whole, walkCost)
    }
  }

  /// Nobody pays more than alone.
  private static func suitsAll(_ party: Party) -> Bool {
    party.riders.allSatisfy { $0.share <= $0.soloFare }
  }

  private mutating func note(_ set: Int, _ saving: Double) {
    guard set.nonzeroBitCount > 1, saving > savings[set] ?? 0 else { return }
    savings[set] = saving
  }

  private func walkCost(_ party: Party) throws -> Double {
    let tariff = try terms.rules.pricing.catalog.tariff(id: party.tariffID, at: party.window.time)
    let meter = FareMeter(tariff, departure: party.window.time)
    let long = meter.expected(distanceMeters: 6000, durationSeconds: 1080)
    let short = meter.expected(distanceMeters: 4000, durationSeconds: 720)
    return RidePricing.walkRatio * Double((long?.amount ?? 0) - (short?.amount ?? 0)) / 2000
  }
}
