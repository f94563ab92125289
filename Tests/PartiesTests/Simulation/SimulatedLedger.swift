import DurableCommands
import Foundation
import ObjectModel
import RideMatching
import TaxiFares

@testable import Parties
import TestSupport

/// What must be so, held against the record itself: read from its bytes and its events, never from
/// the daemon's memory.
struct SimulatedLedger {
  /// A promise that was broken.
  struct Violation: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  private(set) var parties: [String: Party] = [:]
  private(set) var newest: UInt64 = 0
  /// By party and version, from the events alone.
  private var aboard: [String: [UInt64: Set<String>]] = [:]
  private var lastAboard: [String: Set<String>] = [:]
  private var joins: [String: Int] = [:]
  private var partiesOfHost: [String: Int] = [:]

  /// Reads what is new and checks all of it.
  mutating func read(_ record: MemoryStore) throws {
    try readEvents(record)
    var ids: Set<String> = []
    var changed: [StoredAggregate] = []
    try record.loadAggregates(kind: .party) { stored in
      ids.insert(stored.key.id)
      if parties[stored.key.id]?.version != stored.version { changed.append(stored) }
    }
    for stored in changed {
      let party = try PartyRecord.decode(stored.bytes)
      guard party.version == stored.version, party.id == stored.key.id else {
        throw Violation("\(stored.key.id): the bytes are of another party or version")
      }
      if let before = parties[party.id], before.version > party.version {
        throw Violation("\(party.id) went back from \(before.version) to \(party.version)")
      }
      try check(party)
      parties[party.id] = party
    }
    if let lost = parties.keys.filter({ !ids.contains($0) }).min() {
      throw Violation("\(lost) is no longer in the record")
    }
    if !changed.isEmpty { try checkClaims() }
  }

  private mutating func readEvents(_ record: MemoryStore) throws {
    let events = try record.events(
      tenant: "default", after: newest, kinds: [], aggregateID: nil, limit: .max)
    for event in events {
      guard event.sequence == newest + 1 else {
        throw Violation("the feed has \(event.sequence) after \(newest)")
      }
      newest = event.sequence
      try fold(event)
    }
  }

  /// Who is aboard, by what the events tell.
  private mutating func fold(_ event: StoredEvent) throws {
    guard event.kind.hasPrefix("party.") else { return }
    let id = event.aggregateID
    let body = try JSONSerialization.jsonObject(with: Data(event.body)) as? [String: Any] ?? [:]
    let rider = body["riderId"] as? String ?? ""
    var now = lastAboard[id] ?? []
    switch event.kind {
    case "party.created":
      let riders = (body["riders"] as? [[String: Any]] ?? []).compactMap {
        $0["riderId"] as? String
      }
      guard lastAboard[id] == nil else { throw Violation("\(id) was created twice") }
      now = Set(riders)
      partiesOfHost[body["hostId"] as? String ?? "", default: 0] += 1
    case "party.joined":
      guard now.insert(rider).inserted else {
        throw Violation("\(rider) got into \(id) twice")
      }
      joins[rider, default: 0] += 1
    case "party.left", "party.removed":
      guard now.remove(rider) != nil else {
        throw Violation("\(rider) left \(id) without being aboard")
      }
    default: break
    }
    lastAboard[id] = now
    aboard[id, default: [:]][event.version] = now
  }

  /// The states of requests that were met.
  private(set) var requests: Set<String> = []

  private mutating func check(_ party: Party) throws {
    guard party.seatsTaken <= party.seats else {
      throw Violation("\(party.id) has sold \(party.seatsTaken) of \(party.seats) seats")
    }
    guard Set(party.riders.map(\.id)).count == party.riders.count else {
      throw Violation("\(party.id) holds someone twice")
    }
    let pending = party.pendingRequests
    guard party.isActive || pending.isEmpty, party.needsApproval || party.joinRequests.isEmpty
    else {
      throw Violation("\(party.id) has requests that nobody can approve")
    }
    guard Set(pending.map(\.riderID)).count == pending.count,
      !party.riders.contains(where: { rider in pending.contains { $0.riderID == rider.id } })
    else { throw Violation("somebody waits twice for \(party.id), or is aboard already") }
    let held = party.holdsSeats ? pending.reduce(0) { $0 + $1.seats } : 0
    guard party.seatsTaken + held <= party.seats else {
      throw Violation("\(party.id) has sold seats that it holds")
    }
    requests.formUnion(party.joinRequests.map { "\($0.state)" })
    guard lastAboard[party.id] == Set(party.riders.map(\.id)) else {
      throw Violation("\(party.id): events tell of other riders than the record holds")
    }
    if party.isActive, party.riders.reduce(0, { $0 + $1.share }) != party.fare.expected {
      throw Violation("the shares of \(party.id) are not its fare")
    }
    if let paid = party.settlement, paid.shares.reduce(0, { $0 + $1.amount }) != paid.amount {
      throw Violation("the settlement of \(party.id) does not add up")
    }
  }

  /// Nobody is in two places.
  private func checkClaims() throws {
    var busy: [String: [PartyInterval]] = [:]
    for party in parties.values.sorted(by: { $0.id < $1.id }) {
      guard let interval = PartyEntry(party).interval else { continue }
      for rider in party.riders {
        if let other = busy[rider.id]?.first(where: { $0.meets(interval) }) {
          throw Violation("\(rider.id) is in \(other.partyID) and \(party.id) at one time")
        }
        busy[rider.id, default: []].append(interval)
      }
    }
  }

  /// An effect that was acknowledged is in the record, and is there once.
  func check(_ intent: SimulatedIntent, _ record: MemoryStore) throws {
    switch intent.kind {
    case .create(let host):
      guard partiesOfHost[host, default: 0] <= 1 else {
        throw Violation("\(host) asked for one party and has \(partiesOfHost[host] ?? 0)")
      }
    case .join(_, let rider, true):
      guard joins[rider, default: 0] <= 1 else {
        throw Violation("\(rider) asked for one seat and got in \(joins[rider] ?? 0) times")
      }
    case .join, .leave, .other: break
    }
    guard case .done(let id, let version) = intent.answer else { return }
    guard let party = parties[id], party.version >= version else {
      throw Violation("#\(intent.number): version \(version) of \(id) was acknowledged and is lost")
    }
    switch intent.kind {
    case .create(let host):
      guard partiesOfHost[host] == 1 else { throw Violation("the party of \(host) is lost") }
      try checkReply(intent, id, record)
    // Who asks again hears of the party as it is by then.
    case .join(_, _, isOwn: false) where intent.asked > 1: break
    case .leave where intent.asked > 1: break
    case .join(_, let rider, let isOwn):
      guard aboard[id]?[version]?.contains(rider) == true else {
        throw Violation("\(rider) was told to be aboard \(id) at \(version) and is not")
      }
      if isOwn { try checkReply(intent, id, record) }
    case .leave(_, let rider):
      guard aboard[id]?[version]?.contains(rider) == false else {
        throw Violation("\(rider) was told to be out of \(id) at \(version) and is not")
      }
    case .other: break
    }
  }

  private func checkReply(
    _ intent: SimulatedIntent, _ party: String, _ record: MemoryStore
  ) throws {
    let reply = try record.reply(tenant: "default", key: intent.key)
    guard reply?.aggregateID == party else {
      throw Violation("#\(intent.number) took effect and its key is not in the record")
    }
  }
}
