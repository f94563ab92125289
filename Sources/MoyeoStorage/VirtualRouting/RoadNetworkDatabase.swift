import GRDB

/// One SQLite file with SpatiaLite loaded, on one serial connection.
///
/// SpatiaLite keeps a cache a connection, which must be freed after the connection is closed.
final class RoadNetworkDatabase: Sendable {
  let queue: DatabaseQueue
  private let caches: SpatiaLiteCaches

  init(path: String, mustExist: Bool) throws(RoadNetworkError) {
    let caches = SpatiaLiteCaches()
    var configuration = Configuration()
    configuration.label = "moyeo.road-network"
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      let connection = unsafe db.sqliteConnection
      unsafe caches.load(connection)
      // VirtualRouting's settings are made by writing to the virtual table.
      if mustExist { try db.execute(sql: "SELECT count(*) FROM sqlite_master") }
    }
    do {
      if mustExist {
        // A missing file would be created.
        var probe = configuration
        probe.readonly = true
        try DatabaseQueue(path: path, configuration: probe).close()
      }
      queue = try DatabaseQueue(path: path, configuration: configuration)
    } catch {
      throw .database(Self.words(error))
    }
    self.caches = caches
  }

  /// Opens a network that must have been prepared.
  ///
  /// - Throws: ``RoadNetworkError``; ``RoadNetworkError/notPrepared`` where one of the tables is missing.
  convenience init(path: String, tables: String...) throws(RoadNetworkError) {
    try self.init(path: path, mustExist: true)
    let isPrepared: Bool
    do {
      isPrepared = try queue.read { db in try tables.allSatisfy { try db.tableExists($0) } }
    } catch {
      throw .database(Self.words(error))
    }
    guard isPrepared else { throw .notPrepared }
  }

  /// SQLite's own words, without the statement that met the fault.
  static func words(_ error: any Error) -> String {
    (error as? DatabaseError)?.message ?? "\(error)"
  }

  deinit {
    // A connection that will not close keeps its cache: a leak is better than a dangling pointer.
    guard (try? queue.close()) != nil else { return }
    caches.free()
  }
}

/// Why a file is not a road network.
package enum RoadNetworkError: Error, Hashable, Sendable {
  /// The file cannot be opened or read; SQLite's words.
  case database(String)
  /// A table name with other than letters, digits and underscores.
  case badTableName(String)
  /// The table of links is missing, or lacks a column, or its geometry is no line.
  case notANetwork(String)
  /// No link is left.
  case empty
  /// It was not prepared (``RoadNetwork/prepare(path:linksTable:)``).
  case notPrepared
}

extension RoadNetworkError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .database(let words): return "the road network cannot be read: \(words)"
    case .badTableName(let name):
      return "a table has letters, digits and underscores in its name, not \"\(name)\""
    case .notANetwork(let why):
      return "this is no road network of spatialite_osm_net: \(why)"
    case .empty: return "the road network has no link that a car may use"
    case .notPrepared:
      return "the road network is not ready for routing: run moyeo prepare-roads on it"
    }
  }
}
