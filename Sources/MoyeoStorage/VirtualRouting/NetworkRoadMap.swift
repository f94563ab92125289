import Foundation
import GRDB
package import GeoMath
package import RoutePlanning

/// The links of a prepared ``RoadNetwork`` by place, through the R-tree that its preparation made.
///
/// It has a connection of its own: who looks at the map does not hold up who asks for a route.
package final class NetworkRoadMap: RoadMap {
  private let database: RoadNetworkDatabase

  /// - Throws: ``RoadNetworkError``; ``RoadNetworkError/notPrepared`` for a network that was prepared
  ///   before there was an R-tree in it.
  package init(path: String) throws(RoadNetworkError) {
    database = try RoadNetworkDatabase(
      path: path, tables: RoadNetwork.linksTable, RoadNetwork.linksIndex)
  }

  package func roads(in box: GeoBox, limit: Int) async throws -> [Road] {
    try await database.queue.read { db in
      let rows = try Row.fetchCursor(
        db,
        sql: """
          SELECT name, cost, AsBinary(CastToXY(geometry)) FROM \(RoadNetwork.linksTable)
          WHERE id IN (SELECT pkid FROM \(RoadNetwork.linksIndex)
            WHERE xmax >= ? AND xmin <= ? AND ymax >= ? AND ymin <= ?)
          LIMIT ?
          """, arguments: [box.west, box.east, box.south, box.north, limit])
      var out: [Road] = []
      while let row = try rows.next() {
        guard let bytes: Data = row[2], let line = LineStringWKB.decode([UInt8](bytes)) else {
          continue
        }
        let cost: Double = row[1] ?? 0
        out.append(
          Road(
            name: row[0] ?? "",
            freeFlowSpeed: cost > 0 ? RoadGraph.meters(line[...]) / cost * 3.6 : 0, line: line))
      }
      return out
    }
  }
}
