import GeoMath
import DurableCommands
import ObjectModel

/// What a commit must know of a stored aggregate.
struct AggregateRow {
  var row: Int64
  var version: UInt64
  var places: UInt64
  var lastEvent: UInt64
  var held: [UInt8]
}

/// The prepared statements of one kind's table.
final class AggregateStatements {
  private static let loadColumns = """
    tenant, id, version, bytes, state, owner_id, origin, origin_name, destination,
    destination_name, starts_at, ends_at, seats, seats_free, currency, expected_fare, ended_at
    """

  private let findRow: SQLStatement
  private let loadOne: SQLStatement
  private let insertRow: SQLStatement
  private let updateRow: SQLStatement
  private let updatePlaces: SQLStatement
  private let updateLastEvent: SQLStatement

  init(_ connection: OpaquePointer, _ table: String) throws {
    findRow = try SQLStatement(
      connection,
      "SELECT row, version, places, last_event, held FROM \(table) WHERE tenant = ?1 AND id = ?2")
    loadOne = try SQLStatement(connection, Self.selectOne(table))
    insertRow = try SQLStatement(
      connection,
      """
      INSERT INTO \(table) (version, state, owner_id, origin_name, destination_name, starts_at,
        ends_at, seats, seats_free, currency, expected_fare, ended_at, last_event, held, bytes,
        tenant, id, origin, destination, places)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
        ?19, ?20)
      """)
    // Geometry is not named, so that neither R-tree nor its triggers run.
    updateRow = try SQLStatement(
      connection,
      """
      UPDATE \(table) SET version = ?1, state = ?2, owner_id = ?3, origin_name = ?4,
        destination_name = ?5, starts_at = ?6, ends_at = ?7, seats = ?8, seats_free = ?9,
        currency = ?10, expected_fare = ?11, ended_at = ?12, last_event = ?13, held = ?14,
        bytes = ?15 WHERE row = ?16
      """)
    updatePlaces = try SQLStatement(
      connection,
      "UPDATE \(table) SET origin = ?2, destination = ?3, places = ?4 WHERE row = ?1")
    updateLastEvent = try SQLStatement(
      connection, "UPDATE \(table) SET last_event = ?2 WHERE row = ?1")
  }

  func find(_ key: AggregateKey) throws -> AggregateRow? {
    findRow.bind(1, key.tenant)
    findRow.bind(2, key.id)
    defer { findRow.reset() }
    guard try findRow.step() else { return nil }
    return AggregateRow(
      row: findRow.int64(0), version: findRow.uint64(1), places: findRow.uint64(2),
      lastEvent: findRow.uint64(3), held: findRow.blob(4))
  }

  func load(_ key: AggregateKey) throws -> StoredAggregate? {
    loadOne.bind(1, key.tenant)
    loadOne.bind(2, key.id)
    defer { loadOne.reset() }
    return try loadOne.step() ? try Self.read(loadOne, kind: key.kind) : nil
  }

  func insert(_ stored: StoredAggregate, lastEvent: UInt64, held: [UInt8]) throws {
    bindPlain(insertRow, stored: stored, lastEvent: lastEvent, held: held)
    let summary = stored.summary
    insertRow.bind(16, stored.key.tenant)
    insertRow.bind(17, stored.key.id)
    insertRow.bind(18, PointBlob.encode(summary.origin))
    insertRow.bind(19, summary.destination.map(PointBlob.encode))
    insertRow.bind(20, Self.placesHash(summary))
    try insertRow.run()
  }

  func update(
    _ row: AggregateRow, to stored: StoredAggregate, lastEvent: UInt64, held: [UInt8]
  ) throws {
    bindPlain(updateRow, stored: stored, lastEvent: lastEvent, held: held)
    updateRow.bind(16, row.row)
    try updateRow.run()
    let places = Self.placesHash(stored.summary)
    guard places != row.places else { return }
    updatePlaces.bind(1, row.row)
    updatePlaces.bind(2, PointBlob.encode(stored.summary.origin))
    updatePlaces.bind(3, stored.summary.destination.map(PointBlob.encode))
    updatePlaces.bind(4, places)
    try updatePlaces.run()
  }

  func setLastEvent(_ row: AggregateRow, _ sequence: UInt64) throws {
    updateLastEvent.bind(1, row.row)
    updateLastEvent.bind(2, sequence)
    try updateLastEvent.run()
  }

  private func bindPlain(
    _ statement: SQLStatement, stored: StoredAggregate, lastEvent: UInt64, held: [UInt8]
  ) {
    let summary = stored.summary
    statement.bind(1, stored.version)
    statement.bind(2, summary.state)
    statement.bind(3, summary.ownerID)
    statement.bind(4, summary.originName)
    statement.bind(5, summary.destinationName)
    statement.bind(6, summary.startsAt.milliseconds)
    statement.bind(7, summary.endsAt.milliseconds)
    statement.bind(8, summary.seats)
    statement.bind(9, summary.seatsFree)
    statement.bind(10, summary.currency)
    statement.bind(11, summary.expectedFare)
    statement.bind(12, summary.endedAt?.milliseconds)
    statement.bind(13, lastEvent)
    statement.bind(14, held)
    statement.bind(15, stored.bytes)
  }

  /// The rows that ``read(_:kind:)`` takes.
  static func select(_ table: String) -> String { "SELECT \(loadColumns) FROM \(table)" }

  /// The same of one tenant and one id.
  static func selectOne(_ table: String) -> String {
    select(table) + " WHERE tenant = ?1 AND id = ?2"
  }

  /// - Throws: ``StoreFailure`` when the geometry is none of ours.
  static func read(_ row: SQLStatement, kind: AggregateKind) throws -> StoredAggregate {
    let key = AggregateKey(tenant: row.text(0), kind: kind, id: row.text(1))
    guard let origin = PointBlob.decode(row.blob(6)) else {
      throw StoreFailure("\(kind.rawValue) \(key.id) has no origin that can be read")
    }
    let summary = AggregateSummary(
      state: row.text(4), ownerID: row.text(5), origin: origin, originName: row.text(7),
      destination: PointBlob.decode(row.blob(8)), destinationName: row.text(9),
      startsAt: Instant(milliseconds: row.int64(10)), endsAt: Instant(milliseconds: row.int64(11)),
      seats: Int(row.int64(12)), seatsFree: Int(row.int64(13)), currency: row.text(14),
      expectedFare: row.int64(15),
      endedAt: row.optionalInt64(16).map { Instant(milliseconds: $0) })
    return StoredAggregate(
      key: key, version: row.uint64(2), bytes: row.blob(3), summary: summary)
  }

  private static func placesHash(_ summary: AggregateSummary) -> UInt64 {
    var words = [summary.origin.latitude.bitPattern, summary.origin.longitude.bitPattern]
    if let place = summary.destination {
      words += [place.latitude.bitPattern, place.longitude.bitPattern]
    }
    return words.withUnsafeBytes { StableHash.hash64($0) }
  }
}
