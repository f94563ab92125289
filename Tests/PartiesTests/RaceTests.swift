import Foundation
import GeoMath
import ObjectModel
import RideMatching
import Testing

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

  /// A rider tries keys of their own and repeats some; some leave again.
  static func race(seed: UInt64, rounds: Int) async throws {
    let store = MemoryStore()
    let it = try Fixture(store: store) { $0.rules.overlappingParties = 1000 }
    let partyService = it.partyService
    defer { partyService.stop() }
    for round in 0..<rounds {
      var ids: [String] = []
      for p in 0..<10 {
        ids.append(
          try await partyService.create(
            Fixture.create("host-\(round)-\(p)"), Fixture.key("c-\(round)-\(p)")
          ).party.id)
      }
      let parties = ids
      let results = await withTaskGroup(of: [ClientResult].self) { group in
        for client in 0..<32 {
          group.addTask {
            await run(partyService, client: client, round: round, parties, seed: seed)
          }
        }
        return await group.reduce(into: [ClientResult]()) { $0 += $1 }
      }
      try await check(partyService, parties, results, round: round)
    }
    try await checkHistory(partyService, store)
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
    _ partyService: PartyService, client: Int, round: Int, _ parties: [String], seed: UInt64
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
