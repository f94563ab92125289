import CSpatiaLite
import Foundation
import GeoMath

/// Reads the positions of a map that ``SpatialFile`` wrote, one after another.
package final class SpatialPositions {
  private let connection: OpaquePointer
  private var rows: SQLStatement?
  /// How many there are.
  package let count: Int

  /// - Throws: ``StorageError`` when the file is not such a map.
  package init(path: String) throws(StorageError) {
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, nil)
    guard code == SQLITE_OK, let handle else {
      defer { sqlite3_close(handle) }
      throw StoreFile.error(path, SQLiteFailure(handle, code))
    }
    connection = handle
    let names = StoreExport.positions.columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
    do {
      let table = StoreExport.positions.name
      count = Int(try StoreFile.number(handle, "SELECT count(*) FROM \(table)"))
      rows = try SQLStatement(handle, "SELECT \(names), geometry FROM \(table) ORDER BY row")
    } catch let failure as SQLiteFailure where failure.primaryCode == SQLITE_ERROR {
      sqlite3_close(handle)
      throw .cannotOpen(
        path: path, reason: "it has no table of positions as moyeo export writes it")
    } catch {
      sqlite3_close(handle)
      throw StoreFile.error(path, error)
    }
  }

  deinit {
    rows = nil
    sqlite3_close(connection)
  }

  /// The next one, all its columns as text; nil at the end.
  /// - Throws: `SQLiteFailure`; ``StorageError`` for a place that cannot be read.
  package func next() throws -> StoreExport.Feature? {
    guard let rows, try rows.step() else { return nil }
    let columns = StoreExport.positions.columns.count
    guard let place = PointBlob.decode(rows.blob(Int32(columns))) else {
      throw StorageError.cannotOpen(
        path: StoreExport.positions.name, reason: "a geometry is not a point")
    }
    return StoreExport.Feature(
      latitude: place.latitude, longitude: place.longitude,
      values: (0..<columns).map { rows.optionalText(Int32($0)).map { .text($0) } ?? .none })
  }
}
