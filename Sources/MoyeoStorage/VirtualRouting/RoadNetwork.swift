import Foundation
import GRDB
import GeoMath

/// A road network in a SpatiaLite file, made ready for VirtualRouting.
///
/// Two commands make one from an OpenStreetMap extract (Debian: spatialite-bin):
/// ```
/// spatialite_osm_net -o seoul.osm.pbf -d roads.sqlite -T roads --roads
/// moyeo prepare-roads roads.sqlite
/// ```
/// The second splits links at their crossings (see ``RoadGraph``) into `moyeo_road_links` and
/// `moyeo_road_nodes` and calls SpatiaLite's `CreateRouting`, which writes `moyeo_road_net`. It may
/// be repeated after the first was.
package enum RoadNetwork {
  /// What was prepared.
  package struct Report: Hashable, Sendable {
    package let sourceLinks: Int
    /// Source links that were cut at crossings.
    package let splitLinks: Int
    package let links: Int
    package let nodes: Int
    /// Nodes outside the largest connected part; nothing snaps to them.
    package let strayNodes: Int
  }

  /// What of the preparation goes on.
  package enum Step: Hashable, Sendable {
    case reading
    case writing
  }

  static let virtualTable = "moyeo_road_net"
  static let linksTable = "moyeo_road_links"
  /// SpatiaLite's R-tree of the links.
  static let linksIndex = "idx_\(linksTable)_geometry"
  static let nodesTable = "moyeo_road_nodes"

  /// Prepares a file in place. Blocks: for the command line, not for an event loop.
  ///
  /// - Parameters:
  ///   - path: An existing SpatiaLite file.
  ///   - linksTable: As `spatialite_osm_net` wrote it, with columns `name`, `oneway_fromto`,
  ///     `oneway_tofrom`, `cost` (seconds) and `geometry` (lines, WGS 84).
  ///   - onStep: Told of each row that is read and each link that is written.
  /// - Returns: How many links and nodes were read, cut and written.
  /// - Throws: ``RoadNetworkError`` when the file is none, or holds no such table or no link.
  /// - Complexity: O(vertices); about 300 bytes of memory a vertex.
  package static func prepare(
    path: String, linksTable: String = "roads",
    onStep: (_ step: Step, _ done: Int, _ all: Int) -> Void = { _, _, _ in }
  ) throws(RoadNetworkError) -> Report {
    guard !linksTable.isEmpty, linksTable.utf8.allSatisfy(isNameByte) else {
      throw .badTableName(linksTable)
    }
    let database = try RoadNetworkDatabase(path: path, mustExist: true)
    do {
      return try database.queue.writeWithoutTransaction { db in
        guard try db.tableExists(linksTable) else {
          throw RoadNetworkError.notANetwork("there is no table \(linksTable)")
        }
        let sources = try read(db, linksTable, onStep)
        let graph = RoadGraph(sources)
        guard !graph.links.isEmpty else { throw RoadNetworkError.empty }
        try write(db, graph, onStep)
        return Report(
          sourceLinks: sources.count, splitLinks: graph.splitCount, links: graph.links.count,
          nodes: graph.nodes.count,
          strayNodes: graph.isInLargestPart.count { !$0 })
      }
    } catch let error as RoadNetworkError {
      throw error
    } catch {
      throw .database(RoadNetworkDatabase.words(error))
    }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (97...122).contains(byte) || (65...90).contains(byte) || (48...57).contains(byte) || byte == 95
  }

  private static func read(
    _ db: Database, _ table: String, _ onStep: (Step, Int, Int) -> Void
  ) throws -> [RoadGraph.Source] {
    let columns = Set(try db.columns(in: table).map { $0.name.lowercased() })
    for name in ["name", "oneway_fromto", "oneway_tofrom", "cost", "geometry"]
    where !columns.contains(name) {
      throw RoadNetworkError.notANetwork("\(table) has no column \(name)")
    }
    let all = try Int.fetchOne(db, sql: "SELECT count(*) FROM \"\(table)\"") ?? 0
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT name, oneway_fromto, oneway_tofrom, cost, AsBinary(CastToXY(geometry))
        FROM "\(table)" ORDER BY rowid
        """)
    var out: [RoadGraph.Source] = []
    while let row = try rows.next() {
      guard let bytes: Data = row[4], let line = LineStringWKB.decode([UInt8](bytes)) else {
        throw RoadNetworkError.notANetwork("row \(out.count + 1) of \(table) holds no line")
      }
      let cost: Double = row[3] ?? 0
      guard cost >= 0 && cost.isFinite else {
        throw RoadNetworkError.notANetwork("row \(out.count + 1) of \(table) costs \(cost)")
      }
      out.append(
        RoadGraph.Source(
          name: row[0] ?? "", forward: row[1] ?? true, backward: row[2] ?? true, cost: cost,
          line: line))
      onStep(.reading, out.count, all)
    }
    return out
  }

  private static func write(
    _ db: Database, _ graph: RoadGraph, _ onStep: (Step, Int, Int) -> Void
  ) throws {
    for table in [virtualTable, virtualTable + "_data"] {
      try db.execute(sql: "DROP TABLE IF EXISTS \(table)")
    }
    for table in [linksTable, nodesTable] where try db.tableExists(table) {
      _ = try Int.fetchOne(db, sql: "SELECT DropTable(NULL, ?)", arguments: [table])
    }
    try db.inTransaction {
      try db.execute(
        sql: """
          CREATE TABLE \(linksTable) (id INTEGER PRIMARY KEY, name TEXT NOT NULL,
            node_from INTEGER NOT NULL, node_to INTEGER NOT NULL, oneway_fromto INTEGER NOT NULL,
            oneway_tofrom INTEGER NOT NULL, cost DOUBLE NOT NULL);
          CREATE TABLE \(nodesTable) (id INTEGER PRIMARY KEY, usable INTEGER NOT NULL,
            latitude DOUBLE NOT NULL, longitude DOUBLE NOT NULL);
          CREATE INDEX \(nodesTable)_place ON \(nodesTable) (latitude, longitude) WHERE usable;
          """)
      _ = try Int.fetchOne(
        db, sql: "SELECT AddGeometryColumn(?, 'geometry', 4326, 'LINESTRING', 'XY', 1)",
        arguments: [linksTable])
      let link = try db.makeStatement(
        sql: """
          INSERT INTO \(linksTable)
            (name, node_from, node_to, oneway_fromto, oneway_tofrom, cost, geometry)
          VALUES (?, ?, ?, ?, ?, ?, GeomFromWKB(?, 4326))
          """)
      for (done, each) in graph.links.enumerated() {
        onStep(.writing, done, graph.links.count)
        try link.execute(arguments: [
          each.name, each.from + 1, each.to + 1, each.forward, each.backward, each.cost,
          Data(LineStringWKB.encode(each.line)),
        ])
      }
      let node = try db.makeStatement(sql: "INSERT INTO \(nodesTable) VALUES (?, ?, ?, ?)")
      for (index, place) in graph.nodes.enumerated() {
        try node.execute(arguments: [
          index + 1, graph.isInLargestPart[index], place.latitude, place.longitude,
        ])
      }
      return .commit
    }
    guard
      try Int.fetchOne(
        db, sql: "SELECT CreateSpatialIndex(?, 'geometry')", arguments: [linksTable]) == 1
    else { throw RoadNetworkError.notANetwork("its links cannot be put into an R-tree") }
    // A*, both directions of a link, columns of one-way roads, overwrite.
    let made = try Int.fetchOne(
      db,
      sql: """
        SELECT CreateRouting('\(virtualTable)_data', '\(virtualTable)', '\(linksTable)',
          'node_from', 'node_to', 'geometry', 'cost', 'name', 1, 1,
          'oneway_fromto', 'oneway_tofrom', 1)
        """)
    guard made == 1 else {
      let why = try String.fetchOne(db, sql: "SELECT CreateRouting_GetLastError()")
      throw RoadNetworkError.notANetwork(why ?? "CreateRouting failed")
    }
  }
}
