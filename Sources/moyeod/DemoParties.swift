import CitySimulation
import Foundation
import GeoMath
import Logging
import DurableCommands
import Parties
import ObjectModel
import RideMatching
import ServiceLifecycle

/// Keeps taxi parties alive in the demo city: people offer them, others get in and out, taxis
/// leave, and new parties take their place. All through ``PartyService``, as callers would.
struct DemoParties: Service {
  let partyService: PartyService
  let clock: any WallClock
  let city: City
  let users: Int
  let parties: Int
  let seed: UInt64
  let logger: Logger
  let onLoaded: @Sendable () -> Void

  private static let stepInterval = Duration.milliseconds(500)
  private static let offersAtATime = 64
  /// Offers a step at most, when many have left at once.
  private static let offersAStep = 20
  /// Departures within this time from now, so that the map changes while one looks.
  private static let horizonMinutes = 90

  func run() async throws {
    let start = clock.now()
    let simulation = CitySimulation(city: city, users: users, seed: seed, start: start)
    let plans = simulation.parties(parties, from: start, horizonMinutes: Self.horizonMinutes)
    try? await cancelWhenGracefulShutdown {
      var offered: [String] = []
      var draws = SplitMix64(seed: seed)
      // Many at a time share a commit.
      for start in stride(from: 0, to: plans.count, by: Self.offersAtATime) {
        try Task.checkCancellation()
        offered += await offers(
          plans[start..<min(plans.count, start + Self.offersAtATime)], simulation)
      }
      for id in offered.prefix(offered.count / 2) {
        await join(id, simulation, &draws)
      }
      logger.info("demo parties offered", metadata: ["parties": "\(offered.count)"])
      onLoaded()
      var round = 1
      while !Task.isCancelled {
        try await Task.sleep(for: Self.stepInterval)
        await step(&offered, simulation: simulation, draws: &draws, round: &round)
      }
    }
    onLoaded()
  }

  /// Somebody joins, now and then somebody leaves; parties that are over make room for others.
  private func step(
    _ offered: inout [String], simulation: CitySimulation, draws: inout SplitMix64,
    round: inout Int
  ) async {
    guard parties > 0 else { return }
    if let id = draws.pick(offered) {
      if draws.below(6) == 0 {
        await leave(id, &draws)
      } else {
        await join(id, simulation, &draws)
      }
    }
    offered.removeAll { id in partyService.partyUnderWay(id)?.isActive != true }
    var missing = min(parties - offered.count, Self.offersAStep)
    while missing > 0 {
      let plans = simulation.parties(
        parties, from: clock.now(), horizonMinutes: Self.horizonMinutes)
      guard let plan = draws.pick(plans) else { return }
      if let id = await offer(plan, simulation, round: round) { offered.append(id) }
      round += 1
      missing -= 1
    }
  }

  private func offers(
    _ plans: ArraySlice<CityPartyPlan>, _ simulation: CitySimulation
  ) async -> [String] {
    await withTaskGroup(of: String?.self) { group in
      for plan in plans { group.addTask { await offer(plan, simulation, round: 0) } }
      return await group.reduce(into: []) { all, id in if let id { all.append(id) } }
    }
  }

  private func offer(
    _ plan: CityPartyPlan, _ simulation: CitySimulation, round: Int
  ) async -> String? {
    let host = simulation.user(at: plan.host)
    var command = CreateParty(
      hostID: host.id,
      origin: RidePlace(name: plan.origin.name, coordinate: plan.origin.coordinate),
      destination: RidePlace(
        name: plan.destination.name, coordinate: plan.destination.coordinate),
      window: DepartureWindow(
        time: plan.departure, toleranceMilliseconds: Int64(plan.departureWindowSeconds) * 1000))
    command.attributes = ["gender": host.gender.rawValue]
    command.seats = plan.seats
    command.limits = RideLimits(maxWalkMeters: 1000, maxDetourRatio: 0.5)
    command.tags = Array(host.tags.prefix(3))
    command.allowsRaisedShares = true
    if plan.isSameGenderOnly { command.policy = RidePolicy(sameAttributes: ["gender"]) }
    let context = CommandContext(
      caller: "demo", path: "/v1/parties",
      idempotencyKey: "\(plan.key)-\(plan.departure.milliseconds)-\(round)")
    return try? await partyService.create(command, context).party.id
  }

  private func join(
    _ id: String, _ simulation: CitySimulation, _ draws: inout SplitMix64
  ) async {
    guard let party = partyService.partyUnderWay(id), party.state == .open else { return }
    let rider = simulation.user(at: draws.below(users))
    let command = JoinParty(
      riderID: rider.id, attributes: ["gender": rider.gender.rawValue])
    // Refusals are part of life: a policy, another party at that time.
    _ = try? await partyService.join(partyID: id, command, CommandContext(caller: "demo"))
  }

  private func leave(_ id: String, _ draws: inout SplitMix64) async {
    guard let party = partyService.partyUnderWay(id), party.riders.count > 1,
      let rider = draws.pick(Array(party.riders.dropFirst()))
    else { return }
    _ = try? await partyService.leave(
      partyID: id, riderID: rider.id, CommandContext(caller: "demo"))
  }
}

extension SplitMix64 {
  fileprivate mutating func pick<T>(_ items: [T]) -> T? {
    items.isEmpty ? nil : items[below(items.count)]
  }
}
