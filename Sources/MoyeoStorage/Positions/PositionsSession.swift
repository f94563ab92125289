import CSpatiaLite
import LiveLayers
import ObjectModel

/// One opening of `positions.sqlite`. For one thread at a time.
final class PositionsSession {
  struct RowKey {
    var layer: Int64
    var id: String
    static let first = RowKey(layer: .min, id: "")
  }

  private struct LayerKey: Hashable {
    var tenant: String
    var name: String
  }

  /// The file is a database, but not one that this release writes.
  struct ForeignFile: Error, CustomStringConvertible {
    let description: String
  }

  enum Access {
    case reading
    /// Creates the file and its tables if they are missing.
    case writing
  }

  private let connection: OpaquePointer
  private var statements: Statements?
  private var layerKeys: [LayerKey: Int64] = [:]
  private var layerNames: [Int64: LayerKey] = [:]

  private struct Statements {
    let begin, commit, upsert, remove, expired, load, addLayer: SQLStatement
  }

  init(_ path: String, for access: Access = .writing) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | (access == .writing ? SQLITE_OPEN_CREATE : 0)
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK, let handle else {
      defer { sqlite3_close(handle) }
      throw SQLiteFailure(handle, code)
    }
    connection = handle
    sqlite3_busy_timeout(handle, 1_000)
    try prepareFile(access)
    statements = try Statements(
      begin: SQLStatement(handle, "BEGIN IMMEDIATE"), commit: SQLStatement(handle, "COMMIT"),
      upsert: SQLStatement(
        handle,
        """
        INSERT OR REPLACE INTO positions
          (layer, id, latitude, longitude, observed_at, expires_at, payload)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """),
      remove: SQLStatement(handle, "DELETE FROM positions WHERE layer = ? AND id = ?"),
      expired: SQLStatement(
        handle,
        """
        SELECT layer, id FROM positions WHERE (layer, id) > (?1, ?2) AND expires_at <= ?3
        ORDER BY layer, id LIMIT ?4
        """),
      load: SQLStatement(
        handle,
        """
        SELECT layer, id, latitude, longitude, observed_at, expires_at, payload FROM positions
        WHERE expires_at > ? ORDER BY layer, id
        """),
      addLayer: SQLStatement(handle, "INSERT INTO layers (tenant, name) VALUES (?, ?)"))
    let layers = try SQLStatement(handle, "SELECT key, tenant, name FROM layers")
    while try layers.step() {
      remember(LayerKey(tenant: layers.text(1), name: layers.text(2)), layers.int64(0))
    }
  }

  deinit {
    statements = nil
    sqlite3_close_v2(connection)
  }

  private func prepareFile(_ access: Access) throws {
    // Nothing is written to a file before it is known to be ours.
    let id = try StoreFile.number(connection, "PRAGMA application_id")
    let version = try StoreFile.number(connection, "PRAGMA user_version")
    let isOurs = id == PositionsSnapshot.applicationID && version == PositionsSnapshot.version
    if !isOurs {
      guard access == .writing,
        try StoreFile.number(connection, "SELECT count(*) FROM sqlite_master") == 0
      else {
        throw ForeignFile(
          description: id == PositionsSnapshot.applicationID
            ? "it was written by another release (version \(version))"
            : "it was written by another program")
      }
    }
    guard access == .writing else {
      try executeSQL(connection, "PRAGMA query_only = ON")
      return
    }
    try executeSQL(
      connection,
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA journal_size_limit = 67108864;
      PRAGMA secure_delete = FAST
      """)
    if !isOurs { try executeSQL(connection, Self.tables) }
    try executeSQL(connection, Self.map)
  }

  private static let tables = """
    BEGIN;
    CREATE TABLE layers (
      key INTEGER PRIMARY KEY, tenant TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (tenant, name));
    CREATE TABLE positions (
      layer INTEGER NOT NULL, id TEXT NOT NULL, latitude REAL NOT NULL, longitude REAL NOT NULL,
      observed_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, payload BLOB NOT NULL,
      PRIMARY KEY (layer, id)) WITHOUT ROWID;
    PRAGMA application_id = \(PositionsSnapshot.applicationID);
    PRAGMA user_version = \(PositionsSnapshot.version);
    COMMIT;
    """

  /// What QGIS and ogr2ogr know a map layer by: a view with a geometry, in the tables that OGR's SQLite
  /// driver looks into. It holds nothing of its own; files of earlier releases get it, too.
  private static let map = """
    BEGIN;
    CREATE TABLE IF NOT EXISTS spatial_ref_sys (
      srid INTEGER PRIMARY KEY, auth_name TEXT, auth_srid INTEGER, srtext TEXT);
    INSERT OR IGNORE INTO spatial_ref_sys VALUES (4326, 'EPSG', 4326, 'GEOGCS["WGS 84",\
    DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],\
    UNIT["degree",0.0174532925199433],AUTHORITY["EPSG","4326"]]');
    CREATE TABLE IF NOT EXISTS geometry_columns (
      f_table_name TEXT, f_geometry_column TEXT, geometry_type INTEGER, coord_dimension INTEGER,
      srid INTEGER, geometry_format TEXT, PRIMARY KEY (f_table_name, f_geometry_column));
    INSERT OR IGNORE INTO geometry_columns VALUES ('map', 'geometry', 1, 2, 4326, 'WKT');
    CREATE VIEW IF NOT EXISTS map AS
      SELECT tenant, name AS layer, id, latitude, longitude,
        strftime('%Y-%m-%dT%H:%M:%SZ', observed_at / 1000, 'unixepoch') AS observed_at,
        'POINT (' || longitude || ' ' || latitude || ')' AS geometry
      FROM positions JOIN layers ON layers.key = positions.layer;
    COMMIT;
    """

  // MARK: Writing

  /// Calls `body` for 0..<count, in transactions of a few milliseconds.
  func inSlices(_ count: Int, _ body: (Int) throws -> Void) throws {
    guard let statements else { return }
    let clock = ContinuousClock()
    let slice = Duration.milliseconds(PositionsSnapshot.transactionMilliseconds)
    var next = 0
    while next < count {
      let deadline = clock.now + slice
      let end = min(count, next + PositionsSnapshot.transactionRows)
      try statements.begin.run()
      do {
        repeat {
          let stop = min(end, next + 32)
          while next < stop {
            try body(next)
            next += 1
          }
        } while next < end && clock.now < deadline
        try statements.commit.run()
      } catch {
        if sqlite3_get_autocommit(connection) == 0 { try? executeSQL(connection, "ROLLBACK") }
        // A layer may have been added in it.
        try? reloadLayers()
        throw error
      }
    }
  }

  func upsert(_ position: StoredPosition) throws {
    guard let upsert = statements?.upsert else { return }
    let layer = LayerKey(tenant: position.key.tenant, name: position.key.layer)
    upsert.bind(1, try layerKeys[layer] ?? add(layer))
    upsert.bind(2, position.key.id)
    upsert.bind(3, position.latitude)
    upsert.bind(4, position.longitude)
    upsert.bind(5, position.observedAt.milliseconds)
    upsert.bind(6, position.expiresAt.milliseconds)
    upsert.bind(7, position.payload)
    try upsert.run()
  }

  func remove(_ key: StoredPositionKey) throws {
    guard let layer = layerKeys[LayerKey(tenant: key.tenant, name: key.layer)] else { return }
    try remove(row: RowKey(layer: layer, id: key.id))
  }

  func remove(row: RowKey) throws {
    guard let remove = statements?.remove else { return }
    remove.bind(1, row.layer)
    remove.bind(2, row.id)
    try remove.run()
  }

  private func add(_ layer: LayerKey) throws -> Int64 {
    statements?.addLayer.bind(1, layer.tenant)
    statements?.addLayer.bind(2, layer.name)
    try statements?.addLayer.run()
    let key = sqlite3_last_insert_rowid(connection)
    remember(layer, key)
    return key
  }

  /// Makes a tenant's layers those named. One that still has rows stays until they are gone.
  func keepLayers(_ names: Set<String>, tenant: String) throws {
    guard let statements else { return }
    let known = Set(layers(tenant: tenant))
    guard known != names else { return }
    try statements.begin.run()
    do {
      for name in names.subtracting(known).sorted() {
        _ = try add(LayerKey(tenant: tenant, name: name))
      }
      for name in known.subtracting(names).sorted() {
        guard let key = layerKeys[LayerKey(tenant: tenant, name: name)] else { continue }
        let drop = try SQLStatement(
          connection,
          """
          DELETE FROM layers WHERE key = ?1
          AND NOT EXISTS (SELECT 1 FROM positions WHERE layer = ?1)
          """)
        drop.bind(1, key)
        try drop.run()
      }
      try statements.commit.run()
    } catch {
      if sqlite3_get_autocommit(connection) == 0 { try? executeSQL(connection, "ROLLBACK") }
      try? reloadLayers()
      throw error
    }
    try reloadLayers()
  }

  private func remember(_ layer: LayerKey, _ key: Int64) {
    layerKeys[layer] = key
    layerNames[key] = layer
  }

  private func reloadLayers() throws {
    layerKeys = [:]
    layerNames = [:]
    let layers = try SQLStatement(connection, "SELECT key, tenant, name FROM layers")
    while try layers.step() {
      remember(LayerKey(tenant: layers.text(1), name: layers.text(2)), layers.int64(0))
    }
  }

  /// Removes an id from all layers of a tenant, and its bytes from the file.
  func erase(_ erasure: PersonErasure) throws -> Int {
    let keys = layerNames.filter { $0.value.tenant == erasure.tenant }.map(\.key)
    var count = 0
    try inSlices(keys.count) { index in
      try remove(row: RowKey(layer: keys[index], id: erasure.userID))
      count += Int(sqlite3_changes(connection))
    }
    try FileScrub(connection, busyMilliseconds: 1_000).clean(erasure.needles)
    return count
  }

  /// Everybody with a position in a layer of a tenant.
  func ids(tenant: String, _ body: (String) -> Void) throws {
    for (key, layer) in layerNames where layer.tenant == tenant {
      let rows = try SQLStatement(connection, "SELECT id FROM positions WHERE layer = ?1")
      rows.bind(1, key)
      while try rows.step() { body(rows.text(0)) }
    }
  }

  // MARK: Reading

  func layers(tenant: String?) -> [String] {
    Set(layerNames.values.filter { tenant == nil || $0.tenant == tenant }.map(\.name)).sorted()
  }

  func expired(by moment: Instant, after: RowKey, limit: Int) throws -> [RowKey] {
    guard let rows = statements?.expired else { return [] }
    rows.bind(1, after.layer)
    rows.bind(2, after.id)
    rows.bind(3, moment.milliseconds)
    rows.bind(4, limit)
    defer { rows.reset() }
    var found: [RowKey] = []
    while try rows.step() { found.append(RowKey(layer: rows.int64(0), id: rows.text(1))) }
    return found
  }

  func load(
    liveAt moment: Instant, batch: Int, _ body: ([StoredPosition]) throws -> Void
  ) throws {
    guard let rows = statements?.load else { return }
    rows.bind(1, moment.milliseconds)
    defer { rows.reset() }
    var found: [StoredPosition] = []
    found.reserveCapacity(batch)
    var layer = LayerKey(tenant: "", name: "")
    var layerKey: Int64?
    do {
      while try rows.step() {
        let key = rows.int64(0)
        if key != layerKey {
          // A row of a layer without a name is of no use.
          guard let named = layerNames[key] else { continue }
          (layer, layerKey) = (named, key)
        }
        found.append(
          StoredPosition(
            key: StoredPositionKey(tenant: layer.tenant, layer: layer.name, id: rows.text(1)),
            latitude: rows.double(2), longitude: rows.double(3),
            observedAt: Instant(milliseconds: rows.int64(4)),
            expiresAt: Instant(milliseconds: rows.int64(5)), payload: rows.blob(6)))
        if found.count == batch {
          try body(found)
          found.removeAll(keepingCapacity: true)
        }
      }
    } catch let failure as SQLiteFailure {
      // What was read before the damage is good.
      if !found.isEmpty { try body(found) }
      throw failure
    }
    if !found.isEmpty { try body(found) }
  }
}
