import Foundation
import MoyeoCluster
import ObjectModel
import Synchronization
import Threading

/// A PostgreSQL of this test process, which ends with it: `Tests/support/scratch_postgres.py`.
///
/// `@unchecked Sendable`: `lock` guards the pipes.
final class ScratchPostgres: @unchecked Sendable {
  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  private let process = Process()
  private let given = Pipe()
  private let said = Pipe()
  private let lock = NSLock()
  let port: Int

  /// One for all tests that leave it alone. Where PostgreSQL is missing or does not start, they fail;
  /// `make test` installs it.
  static let shared = Result { try ScratchPostgres() }

  init() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", root.appendingPathComponent("support/scratch_postgres.py").path,
    ]
    process.standardInput = given
    process.standardOutput = said
    try process.run()
    let answer = Self.line(said.fileHandleForReading)
    guard answer.hasPrefix("ready "), let port = Int(answer.dropFirst(6)) else {
      throw Missing(description: answer.isEmpty ? "PostgreSQL did not start" : answer)
    }
    self.port = port
  }

  deinit { try? given.fileHandleForWriting.close() }

  /// See the program.
  func command(_ text: String) {
    lock.withLock {
      given.fileHandleForWriting.write(Data((text + "\n").utf8))
      _ = Self.line(said.fileHandleForReading)
    }
  }

  private static func line(_ file: FileHandle) -> String {
    var bytes: [UInt8] = []
    while let next = try? file.read(upToCount: 1), let byte = next.first, byte != 10 {
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let schemas = Atomic(0)

  /// A connection string that leads to a schema of its own, which is empty.
  ///
  /// - Parameter port: Of a proxy before the server; nil: of the server.
  func emptySchema() throws -> (PostgresAddress) {
    let number = Self.schemas.add(1, ordering: .relaxed).newValue
    let address = PostgresAddress(port: port, schema: "s\(number)")
    try address.run("CREATE SCHEMA s\(number)")
    return address
  }

  /// The same with the tables of a record.
  func migratedSchema() throws -> PostgresAddress {
    let address = try emptySchema()
    _ = try ClusterMigration.migrate(address.connection)
    return address
  }
}

/// Where a record stands.
struct PostgresAddress: Sendable {
  var port: Int
  var schema: String

  var connection: String {
    "host=127.0.0.1 port=\(port) user=moyeo dbname=postgres application_name=\(schema) options='-c search_path=\(schema)'"
  }

  /// The same record by way of a proxy.
  func by(port: Int) -> PostgresAddress { PostgresAddress(port: port, schema: schema) }

  /// Runs a statement with psql.
  ///
  /// - Returns: Its rows, columns by |.
  @discardableResult
  func run(_ sql: String) throws -> [String] {
    let psql = Process()
    let said = Pipe()
    psql.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    psql.arguments = ["psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-c", sql, connection]
    psql.standardOutput = said
    psql.standardInput = FileHandle.nullDevice
    try psql.run()
    let answer = said.fileHandleForReading.readDataToEndOfFile()
    psql.waitUntilExit()
    guard psql.terminationStatus == 0 else { throw StoreFailure("psql refused: \(sql)") }
    return String(decoding: answer, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
