import Foundation
import GeoMath
import ObjectModel
import RideMatching
import Testing
import TestSupport
import Threading

@testable import DurableCommands
@testable import Parties

/// Clients who race for seats: never oversold, one result a key, and a history that adds up.
struct RaceTests {
  typealias Fixture = PartyFixture

  /// Seeds that once failed.
  static let regressionSeeds: [UInt64] = []

  /// 1,000 by `MOYEO_RACE_ROUNDS=1000`; fewer keep a debug run short.
  static let rounds =
    ProcessInfo.processInfo.environment["MOYEO_RACE_ROUNDS"].flatMap { Int($0) } ?? 20

  /// Of the race for legs and of the one for a host's word: optimised, 1,000 in all by their two seeds.
  static let longRounds =
    ProcessInfo.processInfo.environment["MOYEO_RACE_ROUNDS"].flatMap { Int($0) }
    ?? (_isDebugAssertConfiguration() ? 5 : 500)

  @Test(arguments: [1, 2, 3] + regressionSeeds)
  func thirtyTwoClientsRaceForTenParties(seed: UInt64) async throws {
    try await Self.race(seed: seed, rounds: Self.rounds)
  }

  /// The same over three daemons on one record, each call to any of them, while nine readers of events go
  /// from one to the other.
  @Test(arguments: [4, 5, 6] as [UInt64])
  func severalDaemonsSellASeatOnce(seed: UInt64) async throws {
    try await Self.race(seed: seed, rounds: max(1, Self.rounds / 4), daemons: 3)
  }

  /// A rider tries keys of their own and repeats some; some leave again.
  static func race(seed: UInt64, rounds: Int, daemons count: Int = 1) async throws {
    let store = MemoryStore(isShared: count > 1)
    let daemons = try (0..<count).map { _ in
      try Fixture(store: store) { $0.rules.overlappingParties = 1000 }.partyService
    }
    defer { for one in daemons { one.stop() } }
    let isOver = StateLock(false)
    async let read = readers(of: daemons, count == 1 ? 0 : 9, seed: seed) { isOver.withLock { $0 } }
    for round in 0..<rounds {
      var ids: [String] = []
      for p in 0..<10 {
        ids.append(
          try await daemons[p % count].create(
            Fixture.create("host-\(round)-\(p)"), Fixture.key("c-\(round)-\(p)")
          ).party.id)
      }
      let parties = ids
      let results = await withTaskGroup(of: [ClientResult].self) { group in
        for client in 0..<32 {
          group.addTask {
            await run(daemons, client: client, round: round, parties, seed: seed) {
              if count > 1 { store.hurry() }
            }
          }
        }
        return await group.reduce(into: [ClientResult]()) { $0 += $1 }
      }
      for one in daemons {
        if count > 1 { store.hurry() }
        await one.settleCommands()
        try await check(one, parties, results, round: round)
      }
    }
    isOver.withLock { $0 = true }
    for sequences in await read { #expect(sequences == Array(1...UInt64(sequences.count))) }
    for one in daemons { try await checkHistory(one, store) }
  }

  /// What each of some readers was told, who go from one daemon to the other until all is over.
  private static func readers(
    of daemons: [PartyService], _ count: Int, seed: UInt64,
    until isOver: @escaping @Sendable () -> Bool
  ) async -> [[UInt64]] {
    await withTaskGroup(of: [UInt64].self) { group in
      for reader in 0..<count {
        group.addTask {
          var generator = SplitMix64(seed: seed &* 31 &+ UInt64(reader))
          var sequences: [UInt64] = []
          var after: UInt64 = 0
          while true {
            let wasOver = isOver()
            let daemon = daemons[Int.random(in: 0..<daemons.count, using: &generator)]
            guard let page = try? await daemon.events(after: after, limit: 7) else {
              Issue.record("a daemon refused a sequence that another one gave")
              return sequences
            }
            sequences += page.events.map(\.sequence)
            after = page.next
            guard page.events.isEmpty else { continue }
            if wasOver { return sequences }
            _ = await daemon.waitForEvents(after: after, atMost: .milliseconds(20))
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// Thirty-two clients get in and out along the way of four parties of two seats: on no leg more
  /// than there are, whatever the order, and the record says the same.
  @Test(arguments: [1 as UInt64, 2])
  func legsAreNeverSoldTwice(seed: UInt64) async throws {
    let store = MemoryStore()
    let it = try Fixture(store: store) { $0.rules.overlappingParties = 1000 }
    let partyService = it.partyService
    defer { partyService.stop() }
    var met = 0
    var all: [String] = []
    for round in 0..<Self.longRounds {
      var ids: [String] = []
      for p in 0..<4 {
        var command = Fixture.create("host-\(round)-\(p)", seats: 2)
        command.limits.maxDetourRatio = 1
        command.allowsRaisedShares = true
        ids.append(
          try await partyService.create(command, Fixture.key("c-\(round)-\(p)")).party.id)
      }
      let parties = ids
      all += ids
      await withTaskGroup(of: Void.self) { group in
        for client in 0..<32 {
          group.addTask {
            await Self.rideAlong(partyService, client: client, round: round, parties, seed: seed)
          }
        }
      }
      for id in parties {
        let party = try await partyService.get(id)
        var aboard = party.riders.filter { $0.boarding == nil }.reduce(0) { $0 + $1.seats }
        for stop in party.route.stops {
          let rider = try #require(party.riders.first { $0.id == stop.riderID })
          aboard += stop.isBoarding ? rider.seats : -rider.seats
          #expect(aboard >= 0 && aboard <= party.seats)
        }
        #expect(party.riders.reduce(0) { $0 + $1.share } == party.fare.expected)
        if party.riders.count > 2 { met += 1 }
      }
    }
    let again = try Fixture(store: store, starts: false).partyService
    for id in all { #expect(try await again.get(id) == partyService.get(id)) }
    #expect(met > 0, "no seat was sold to two who do not meet")
  }

  private static func rideAlong(
    _ partyService: PartyService, client: Int, round: Int, _ parties: [String], seed: UInt64
  ) async {
    var generator = SplitMix64(seed: seed &* 7_000_003 &+ UInt64(round * 32 + client))
    let (a, b) = (Fixture.sinchon.coordinate, Fixture.gangnam.coordinate)
    func along(_ part: Double) -> RidePlace {
      RidePlace(
        coordinate: Coordinate(
          uncheckedLatitude: a.latitude + (b.latitude - a.latitude) * part,
          longitude: a.longitude + (b.longitude - a.longitude) * part))
    }
    for step in 0..<3 {
      let party = parties[Int.random(in: 0..<parties.count, using: &generator)]
      let from = Double.random(in: 0.05..<0.8, using: &generator)
      let to = min(1, from + Double.random(in: 0.1..<0.3, using: &generator))
      let rider = "rider-\(round)-\(client)"
      _ = await reason {
        _ = try await partyService.join(
          partyID: party,
          JoinParty(
            riderID: rider, destination: along(to), wishes: RideWishes(maxDetourRatio: 2),
            maxShare: 1_000_000, boarding: along(from)), Fixture.key("\(rider)-\(step)"))
      }
      guard Bool.random(using: &generator) else { continue }
      _ = await reason {
        _ = try await partyService.leave(partyID: party, riderID: rider, Fixture.plain)
      }
    }
  }

  struct ClientResult: Sendable {
    var party: String
    var rider: String
    var key: String
    /// Nil: done.
    var refusal: String?
    var isJoin: Bool
  }

  private static func run(
    _ daemons: [PartyService], client: Int, round: Int, _ parties: [String], seed: UInt64,
    follow: @Sendable () -> Void
  ) async -> [ClientResult] {
    var generator = SplitMix64(seed: seed &* 1_000_003 &+ UInt64(round * 32 + client))
    var results: [ClientResult] = []
    let rider = "rider-\(round)-\(client)"
    var joined: [String] = []
    for step in 0..<4 {
      let isJoin = joined.isEmpty || Int.random(in: 0..<4, using: &generator) > 0
      let party =
        isJoin
        ? parties[Int.random(in: 0..<parties.count, using: &generator)]
        : joined[Int.random(in: 0..<joined.count, using: &generator)]
      let key = "\(rider)-\(step)"
      let context = CommandContext(
        caller: rider, path: "/v1/parties/\(party)", idempotencyKey: key,
        requestHash: isJoin ? 1 : 2)
      for _ in 0...Int.random(in: 0..<3, using: &generator) {
        let partyService = daemons[Int.random(in: 0..<daemons.count, using: &generator)]
        if daemons.count > 1, Int.random(in: 0..<8, using: &generator) == 0 { follow() }
        let refusal = await reason {
          if isJoin {
            _ = try await partyService.join(partyID: party, JoinParty(riderID: rider), context)
          } else {
            _ = try await partyService.leave(partyID: party, riderID: rider, context)
          }
        }
        results.append(
          ClientResult(
            party: party, rider: rider, key: key, refusal: refusal, isJoin: isJoin))
        if refusal == nil {
          joined.removeAll { $0 == party }
          if isJoin { joined.append(party) }
        }
      }
    }
    return results
  }

  private static func check(
    _ partyService: PartyService, _ parties: [String], _ results: [ClientResult], round: Int
  ) async throws {
    for id in parties {
      let party = try await partyService.get(id)
      #expect(party.seatsTaken <= party.seats)
      #expect(Set(party.riders.map(\.id)).count == party.riders.count)
      // Aboard is who was told so last.
      for rider in Set(results.filter { $0.party == id }.map(\.rider)) {
        let last = results.last { $0.party == id && $0.rider == rider && $0.refusal == nil }
        #expect(party.riders.contains { $0.id == rider } == (last?.isJoin ?? false))
      }
    }
    // Once a key has had its effect it is never refused.
    var done: Set<String> = []
    for result in results {
      if result.refusal == nil { done.insert(result.key) }
      if done.contains(result.key) { #expect(result.refusal == nil) }
    }
    #expect(results.allSatisfy { $0.refusal == nil || $0.refusal == "party_full" })
  }

  /// Events replayed give every party's riders; versions and sequences have no holes.
  private static func checkHistory(_ partyService: PartyService, _ store: MemoryStore) async throws
  {
    var riders: [String: [String]] = [:]
    var versions: [String: UInt64] = [:]
    let events = try store.events(
      tenant: "default", after: 0, kinds: [], aggregateID: nil, limit: .max)
    #expect(events.map(\.sequence) == Array(1...UInt64(events.count)))
    for event in events {
      let id = event.aggregateID
      let before = versions[id] ?? 0
      #expect(event.version == before || event.version == before + 1)
      versions[id] = event.version
      let body = String(decoding: event.body, as: UTF8.self)
      func field(_ name: String) -> String? {
        body.split(separator: "\"\(name)\":\"", maxSplits: 1).dropFirst().first
          .flatMap { $0.split(separator: "\"", maxSplits: 1).first.map(String.init) }
      }
      switch event.kind {
      case "party.created": riders[id] = [try #require(field("hostId"))]
      case "party.joined": riders[id]?.append(try #require(field("riderId")))
      case "party.left":
        let who = try #require(field("riderId"))
        #expect(riders[id]?.contains(who) == true)
        riders[id]?.removeAll { $0 == who }
      default: break
      }
    }
    for (id, list) in riders {
      let party = try await partyService.get(id)
      #expect(party.riders.map(\.id) == list)
      #expect(party.version == versions[id])
    }
  }
}
