import CSpatiaLite
import Foundation
import GRDB
import GeoMath
import DurableCommands
import MoyeoCluster
import MoyeoStorage
import ObjectModel
import Parties
import Testing
import TestSupport

/// A directory of its own, gone with the object.
final class ScratchDirectory: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "moyeo-store-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var databasePath: String { path + "/" + SQLiteStore.fileName }

  /// With a fresh store's file: SpatiaLite's tables take 50-240 ms to make.
  static func withTemplate() throws -> ScratchDirectory {
    let directory = try ScratchDirectory()
    try FileManager.default.copyItem(
      atPath: template.get().databasePath, toPath: directory.databasePath)
    return directory
  }

  private static let template = Result {
    let directory = try ScratchDirectory()
    try SQLiteStore(directory: directory.path).close()
    return directory
  }
}

/// The implementations of the port.
enum StoreKind: String, CaseIterable, Sendable {
  case memory, sqlite, postgres

  func make() throws -> StoreUnderTest {
    switch self {
    case .memory: return StoreUnderTest(store: MemoryStore(), directory: nil)
    case .sqlite:
      let directory = try ScratchDirectory.withTemplate()
      var options = SQLiteStore.Options()
      options.checkpointsByItself = false
      return StoreUnderTest(
        store: try SQLiteStore(directory: directory.path, options: options), directory: directory)
    case .postgres:
      let address = try ScratchPostgres.shared.get().migratedSchema()
      return StoreUnderTest(
        store: try PostgresStore(connection: address.connection), directory: nil, address: address)
    }
  }
}

struct StoreUnderTest {
  let store: any AggregateStore
  let directory: ScratchDirectory?
  var address: PostgresAddress?

  /// The same record, opened by another process or this one again.
  func openAgain() throws -> any AggregateStore {
    switch store {
    case let file as SQLiteStore:
      file.close()
      var options = SQLiteStore.Options()
      options.checkpointsByItself = false
      return try SQLiteStore(directory: try #require(directory).path, options: options)
    case let shared as PostgresStore:
      shared.close()
      return try PostgresStore(connection: try #require(address).connection)
    default: return store
    }
  }
}

// MARK: Values

let gangnam = Coordinate(uncheckedLatitude: 37.4979, longitude: 127.0276)
let noon = Instant(milliseconds: 1_785_000_000_000)

func partyKey(_ id: String, tenant: String = "t") -> AggregateKey {
  AggregateKey(tenant: tenant, kind: .party, id: id)
}

func party(
  _ id: String, version: UInt64, tenant: String = "t", state: String = "open", seatsFree: Int = 3,
  endedAt: Instant? = nil, bytes: [UInt8]? = nil,
  origin: Coordinate = Coordinate(uncheckedLatitude: 37.5547, longitude: 126.9707),
  destination: Coordinate? = gangnam
) -> StoredAggregate {
  StoredAggregate(
    key: partyKey(id, tenant: tenant), version: version,
    bytes: bytes ?? Array("\(id)@\(version)".utf8),
    summary: AggregateSummary(
      state: state, ownerID: "host-\(id)", origin: origin, originName: "서울역 \"1\"",
      destination: destination, destinationName: "강남역", startsAt: noon,
      endsAt: noon.advanced(milliseconds: 3_600_000), seats: 4, seatsFree: seatsFree,
      currency: "KRW", expectedFare: 15_400, endedAt: endedAt))
}

func claim(
  _ user: String, _ id: String, from: Int64 = 0, through: Int64 = 1_000, tenant: String = "t"
) -> TimeClaim {
  TimeClaim(
    tenant: tenant, userID: user, from: noon.advanced(milliseconds: from),
    through: noon.advanced(milliseconds: through), aggregate: partyKey(id, tenant: tenant))
}

func event(
  _ sequence: UInt64, _ id: String, tenant: String = "t", kind: String = "party.joined",
  at: Instant = noon
) -> StoredEvent {
  StoredEvent(
    tenant: tenant, sequence: sequence, kind: kind, at: at, aggregateID: id,
    userIDs: ["a\"b", "c\\d", "라이더\n\u{1}"], version: sequence, body: Array("{}".utf8))
}

func reply(
  _ key: UInt64, _ id: String = "p", tenant: String = "t", at: Instant = noon
) -> StoredReply {
  StoredReply(
    tenant: tenant, key: IdempotencyHash(high: key &* 0x9E37_79B9_7F4A_7C15, low: key),
    requestHash: .max - key, aggregateID: id, version: 1, at: at)
}

func group(
  _ stored: StoredAggregate, expecting version: UInt64, claims: [TimeClaim] = [],
  mayOverlap: Bool = false, events: [StoredEvent] = [], reply: StoredReply? = nil
) -> ChangeGroup {
  ChangeGroup(
    changes: [.init(expectedVersion: version, aggregate: stored)], claims: claims,
    claimsMustNotOverlap: !mayOverlap, events: events, reply: reply)
}

extension AggregateStore {
  func all() throws -> [String: StoredAggregate] {
    var found: [String: StoredAggregate] = [:]
    try loadAggregates(kind: .party) { found["\($0.key.tenant)/\($0.key.id)"] = $0 }
    return found
  }

  func events(
    after: UInt64 = 0, tenant: String = "t", kinds: Set<String> = [], of id: String? = nil,
    limit: Int = 1_000
  ) throws -> [UInt64] {
    try events(tenant: tenant, after: after, kinds: kinds, aggregateID: id, limit: limit)
      .map(\.sequence)
  }
}

/// With SpatiaLite's functions, as QGIS or `spatialite` open the file.
func spatialConfiguration() -> Configuration {
  var configuration = Configuration()
  configuration.prepareDatabase { db in
    spatialite_initialize()
    spatialite_init_ex(db.sqliteConnection, spatialite_alloc_connection(), 0)
  }
  return configuration
}
