import Parties
import Foundation
import GeoMath
package import DurableCommands
package import ObjectModel

/// Claims a second on this disk: joins of parties committed through a store, in a directory of their
/// own.
package enum StoreMeasurement {
  package struct Figures: Hashable, Sendable {
    package var commands = 0
    package var batch = 0
    package var seconds = 0.0
    /// Of a commit: what each of its commands waited for.
    package var p50Milliseconds = 0.0
    package var p99Milliseconds = 0.0
    package var longestMilliseconds = 0.0
    package var commandsPerSecond: Double { Double(commands) / max(seconds, 1e-9) }
  }

  /// Fills a store with parties, 1,000 a transaction.
  /// - Returns: Seconds it took.
  @discardableResult
  package static func fill(_ store: some AggregateStore, parties: Int) throws(StoreFailure)
    -> Double
  {
    let start = ContinuousClock.now
    var next = 0
    while next < parties {
      let groups = (next..<min(next + 1_000, parties)).map { index in
        ChangeGroup(changes: [
          .init(expectedVersion: 0, aggregate: party(index, version: 1, seatsFree: 3))
        ])
      }
      guard store.commit(groups).allSatisfy({ $0.isCommitted }) else {
        throw StoreFailure(store.readOnlyReason ?? "the store did not take its parties")
      }
      next += groups.count
    }
    return seconds(since: start)
  }

  /// Joins for `seconds`, `batch` to a commit: each changes a party, adds a claim, an event and a
  /// reply.
  package static func join(
    _ store: some AggregateStore, parties: Int, batch: Int, seconds: Double, seed: UInt64 = 1
  ) throws(StoreFailure) -> Figures {
    var versions = [UInt64](repeating: 1, count: parties)
    var riders = [[TimeClaim]](repeating: [], count: parties)
    try store.loadAggregates(kind: .party) { stored in
      if let index = Int(stored.key.id.dropFirst(6)) { versions[index] = stored.version }
    }
    var sequence = try store.eventBounds(tenant: tenant).newest
    var figures = Figures()
    figures.batch = batch
    var waits: [Double] = []
    var random = seed
    let start = ContinuousClock.now
    while Self.seconds(since: start) < seconds {
      var groups: [ChangeGroup] = []
      var chosen: Set<Int> = []
      while groups.count < batch {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let index = Int((random >> 33) % UInt64(parties))
        guard chosen.insert(index).inserted || parties < batch else { continue }
        sequence += 1
        groups.append(
          joining(index, sequence: sequence, version: &versions[index], riders: &riders[index]))
      }
      let before = ContinuousClock.now
      guard store.commit(groups).allSatisfy({ $0.isCommitted }) else {
        throw StoreFailure(store.readOnlyReason ?? "a join was not committed")
      }
      waits.append(Self.seconds(since: before) * 1_000)
      figures.commands += batch
    }
    figures.seconds = Self.seconds(since: start)
    waits.sort()
    figures.p50Milliseconds = waits[waits.count / 2]
    figures.p99Milliseconds = waits[waits.count * 99 / 100]
    figures.longestMilliseconds = waits[waits.count - 1]
    return figures
  }

  private static let tenant = "measure"
  private static let noon = Instant(milliseconds: 1_785_000_000_000)

  private static func joining(
    _ index: Int, sequence: UInt64, version: inout UInt64, riders: inout [TimeClaim]
  ) -> ChangeGroup {
    // A full party empties: as many claims go as came.
    if riders.count == 3 { riders = [] }
    riders.append(
      TimeClaim(
        tenant: tenant, userID: "rider-\(sequence)", from: noon,
        through: noon.advanced(milliseconds: 3_600_000),
        aggregate: AggregateKey(tenant: tenant, kind: .party, id: "party-\(index)")))
    version += 1
    let stored = party(index, version: version, seatsFree: 3 - riders.count)
    // Ten minutes of commands at the rate aimed at.
    let at = noon.advanced(milliseconds: Int64(sequence / 10))
    return ChangeGroup(
      changes: [.init(expectedVersion: version - 1, aggregate: stored)], claims: riders,
      events: [
        StoredEvent(
          tenant: tenant, kind: "party.joined", at: at,
          aggregateID: stored.key.id, userIDs: riders.map(\.userID), version: version,
          body: Array(#"{"riderId":"rider-\#(sequence)","seatsFree":\#(3 - riders.count)}"#.utf8))
      ],
      reply: StoredReply(
        tenant: tenant,
        key: IdempotencyHash(high: sequence &* 0x9E37_79B9_7F4A_7C15, low: sequence),
        requestHash: sequence, aggregateID: stored.key.id, version: version, at: at))
  }

  /// With 600 bytes of state: four riders, a fare and a short route.
  private static func party(_ index: Int, version: UInt64, seatsFree: Int) -> StoredAggregate {
    let spread = Double(index % 1_000) / 1_000
    let origin = Coordinate(
      uncheckedLatitude: 37.4 + 0.25 * spread, longitude: 126.8 + 0.3 * Double(index % 977) / 977)
    let destination = Coordinate(
      uncheckedLatitude: 37.65 - 0.25 * spread, longitude: 127.1 - 0.3 * Double(index % 773) / 773)
    return StoredAggregate(
      key: AggregateKey(tenant: tenant, kind: .party, id: "party-\(index)"), version: version,
      bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: version), count: 600),
      summary: AggregateSummary(
        state: seatsFree > 0 ? "open" : "full", ownerID: "host-\(index)", origin: origin,
        originName: "Seoul Station", destination: destination, destinationName: "Gangnam",
        startsAt: noon, endsAt: noon.advanced(milliseconds: 3_600_000), seats: 4,
        seatsFree: seatsFree, currency: "KRW", expectedFare: 15_400))
  }

  private static func seconds(since start: ContinuousClock.Instant) -> Double {
    let (whole, parts) = start.duration(to: .now).components
    return Double(whole) + Double(parts) * 1e-18
  }
}
