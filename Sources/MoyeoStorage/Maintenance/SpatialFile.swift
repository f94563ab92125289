import CSpatiaLite
import Foundation
import GeoMath
import WireFormat

/// A new SpatiaLite file with tables of features: what QGIS, ogr2ogr or `spatialite` open as map
/// layers.
package final class SpatialFile {
  private let connection: OpaquePointer
  private let caches = SpatiaLiteCaches()
  private let path: String
  private var insert: SQLStatement?
  private var isOpen = true

  /// Makes the file with SpatiaLite's metadata for WGS 84.
  ///
  /// - Parameter path: Must not exist yet.
  /// - Throws: ``StorageError`` when it exists already, or cannot be made or written.
  package init(path: String) throws(StorageError) {
    guard !FileManager.default.fileExists(atPath: path) else {
      throw .cannotOpen(path: path, reason: "it exists already")
    }
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
    guard code == SQLITE_OK, let handle else {
      defer { sqlite3_close(handle) }
      throw StoreFile.error(path, SQLiteFailure(handle, code))
    }
    connection = handle
    self.path = path
    caches.load(handle)
    do {
      try executeSQL(handle, "PRAGMA synchronous = OFF; BEGIN; SELECT InitSpatialMetaData('WGS84')")
    } catch {
      throw StoreFile.error(path, error)
    }
  }

  deinit {
    insert = nil
    if sqlite3_close(connection) == SQLITE_OK { caches.free() }
    if isOpen { try? FileManager.default.removeItem(atPath: path) }
  }

  /// Names come from ``StoreExport/Table``: they are no input.
  package func begin(_ table: StoreExport.Table) throws(StorageError) {
    let columns = table.columns.map { "\"\($0.name)\" \($0.kind.rawValue)" }
    let places = Array(repeating: "?", count: table.columns.count + 1)
    do {
      try executeSQL(
        connection,
        """
        CREATE TABLE \(table.name) (row INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")));
        SELECT AddGeometryColumn('\(table.name)', 'geometry', 4326, '\(table.geometry.rawValue)', 'XY');
        """)
      let names = table.columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
      insert = try SQLStatement(
        connection,
        """
        INSERT INTO \(table.name) (\(names), geometry) VALUES (\(places.joined(separator: ", ")))
        """)
    } catch {
      throw StoreFile.error(path, error)
    }
  }

  package func add(_ feature: StoreExport.Feature) throws {
    guard let insert else { return }
    var index: Int32 = 1
    for value in feature.values {
      switch value {
      case .none: insert.bindNull(index)
      case .integer(let number): insert.bind(index, number)
      case .number(let number): insert.bind(index, number)
      case .text, .time, .texts, .json: insert.bind(index, value.plainText)
      }
      index += 1
    }
    if feature.line.isEmpty {
      let place = try Coordinate(latitude: feature.latitude, longitude: feature.longitude)
      insert.bind(index, PointBlob.encode(place))
    } else {
      insert.bind(index, LineBlob.encode(feature.line))
    }
    try insert.run()
  }

  /// Builds the table's spatial index.
  package func end(_ table: StoreExport.Table) throws(StorageError) {
    insert = nil
    do {
      guard
        try StoreFile.number(
          connection, "SELECT CreateSpatialIndex('\(table.name)', 'geometry')") == 1
      else { throw StorageError.cannotOpen(path: path, reason: "no spatial index was made") }
    } catch {
      throw StoreFile.error(path, error)
    }
  }

  /// Without it the file is removed again.
  package func finish() throws(StorageError) {
    do {
      try executeSQL(connection, "COMMIT; PRAGMA synchronous = FULL; PRAGMA user_version = 1")
      isOpen = false
    } catch {
      throw StoreFile.error(path, error)
    }
  }
}

extension StoreExport.Value {
  /// As cells of a table show it: times as RFC 3339, lists with `;` between, or as a JSON array where
  /// that could not be told apart again.
  package var plainText: String {
    switch self {
    case .none: ""
    case .text(let text), .json(let text): text
    case .integer(let number): "\(number)"
    case .number(let number): Self.text(number)
    case .time(let moment): RFC3339.utc(moment)
    case .texts(let all):
      all.allSatisfy(Self.isPlain) && all.first?.hasPrefix("[") != true
        ? all.joined(separator: ";") : StringList.encode(all)
    }
  }

  /// The shortest text of a number, a whole one without `.0`.
  package static func text(_ number: Double) -> String {
    var bytes: [UInt8] = []
    JSONText.append(number, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a text of a list stays one, with any divider that an import may use.
  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.first, let last = text.last else { return false }
    return !first.isWhitespace && !last.isWhitespace
      && !text.contains(where: { ";|,".contains($0) })
  }
}
