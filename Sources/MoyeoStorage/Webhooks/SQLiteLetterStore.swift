import DurableCommands
import Foundation
import GRDB
package import ObjectModel
package import Webhooks

/// Letters of webhooks in `webhooks.sqlite`, a file of its own: deliveries must not wait for commits,
/// nor commits for them. `moyeo webhooks` reads and changes it beside the daemon.
package final class SQLiteLetterStore: LetterStore {
  package static let fileName = "webhooks.sqlite"

  private let pool: DatabasePool

  /// Opens the file, or makes it.
  ///
  /// - Throws: ``StorageError`` or what SQLite says of the file.
  package init(directory: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.maximumReaderCount = 2
    configuration.prepareDatabase { database in
      // A power cut may take the last changes back, all of them after some moment: the letters are
      // delivered again then.
      try database.execute(sql: "PRAGMA synchronous = NORMAL")
    }
    pool = try DatabasePool(path: directory + "/" + Self.fileName, configuration: configuration)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      try database.execute(
        sql: """
          CREATE TABLE cursors (webhook TEXT NOT NULL PRIMARY KEY, sequence INTEGER NOT NULL)
            WITHOUT ROWID;
          CREATE TABLE letters (
            webhook TEXT NOT NULL, sequence INTEGER NOT NULL, state TEXT NOT NULL,
            aggregate TEXT NOT NULL, attempts INTEGER NOT NULL, first_attempt_at INTEGER,
            next_attempt_at INTEGER NOT NULL, failure TEXT, body BLOB NOT NULL,
            PRIMARY KEY (webhook, sequence)) WITHOUT ROWID;
          CREATE INDEX letters_by_state ON letters (state, webhook, sequence);
          """)
    }
    try migrator.migrate(pool)
  }

  /// Whether a directory has such a file.
  package static func exists(in directory: String) -> Bool {
    FileManager.default.fileExists(atPath: directory + "/" + fileName)
  }

  package func cursor(of webhookID: String) throws(StoreFailure) -> UInt64? {
    try attempt {
      try self.pool.read { database in
        try Int64.fetchOne(
          database, sql: "SELECT sequence FROM cursors WHERE webhook = ?", arguments: [webhookID]
        ).map { UInt64(clamping: $0) }
      }
    }
  }

  package func waiting(of webhookID: String) throws(StoreFailure) -> [Letter] {
    try attempt {
      try self.pool.read { database in
        try Row.fetchAll(
          database,
          sql: "SELECT * FROM letters WHERE state = ? AND webhook = ? ORDER BY sequence",
          arguments: [State.waiting.rawValue, webhookID]
        ).map(Self.letter)
      }
    }
  }

  package func record(
    _ progress: WebhookProgress, of webhookID: String
  ) throws(StoreFailure) {
    try attempt {
      try self.pool.write { database in
        try database.execute(
          sql: "INSERT OR REPLACE INTO cursors VALUES (?, ?)",
          arguments: [webhookID, Int64(clamping: progress.cursor)])
        for letter in progress.waiting { try Self.put(letter, .waiting, webhookID, database) }
        for sequence in progress.delivered {
          try database.execute(
            sql: "DELETE FROM letters WHERE webhook = ? AND sequence = ?",
            arguments: [webhookID, Int64(clamping: sequence)])
        }
        for letter in progress.dead { try Self.put(letter, .dead, webhookID, database) }
      }
    }
  }

  package func takeReplayed(of webhookID: String) throws(StoreFailure) -> [Letter] {
    try attempt {
      let found = try self.pool.read { database in
        try Row.fetchAll(
          database,
          sql: "SELECT * FROM letters WHERE state = ? AND webhook = ? ORDER BY sequence",
          arguments: [State.replayed.rawValue, webhookID]
        ).map(Self.letter)
      }
      guard !found.isEmpty else { return [] }
      try self.pool.write { database in
        for letter in found { try Self.put(letter, .waiting, webhookID, database) }
      }
      return found
    }
  }

  package func dead(of webhookID: String?, limit: Int) throws(StoreFailure) -> [DeadLetter] {
    try attempt {
      try self.pool.read { database in
        try Row.fetchAll(
          database,
          sql: """
            SELECT * FROM letters WHERE state = ? AND (? IS NULL OR webhook = ?)
            ORDER BY webhook, sequence LIMIT ?
            """,
          arguments: [State.dead.rawValue, webhookID, webhookID, limit]
        ).map { DeadLetter(webhookID: $0["webhook"], letter: Self.letter($0)) }
      }
    }
  }

  package func replay(
    _ webhookID: String, sequences: [UInt64]?
  ) throws(StoreFailure) -> Int {
    try attempt {
      try self.pool.write { database in
        let statement = """
          UPDATE letters SET state = 'replayed', attempts = 0, first_attempt_at = NULL,
            next_attempt_at = 0 WHERE state = 'dead' AND webhook = ?
          """
        guard let sequences else {
          try database.execute(sql: statement, arguments: [webhookID])
          return database.changesCount
        }
        var count = 0
        for sequence in sequences {
          try database.execute(
            sql: statement + " AND sequence = ?",
            arguments: [webhookID, Int64(clamping: sequence)])
          count += database.changesCount
        }
        return count
      }
    }
  }

  package func forgetDead(before moment: Instant) throws(StoreFailure) -> Int {
    try attempt {
      try self.pool.write { database in
        // The next attempt was never made: it says when the last one failed, or later.
        try database.execute(
          sql: """
            DELETE FROM letters
            WHERE state = ? AND max(coalesce(first_attempt_at, 0), next_attempt_at) < ?
            """,
          arguments: [State.dead.rawValue, moment.milliseconds])
        return database.changesCount
      }
    }
  }

  package func keepOnly(_ webhookIDs: Set<String>) throws(StoreFailure) {
    try attempt {
      try self.pool.write { database in
        let known = try String.fetchSet(
          database, sql: "SELECT webhook FROM cursors UNION SELECT webhook FROM letters")
        for gone in known.subtracting(webhookIDs) {
          try database.execute(sql: "DELETE FROM letters WHERE webhook = ?", arguments: [gone])
          try database.execute(sql: "DELETE FROM cursors WHERE webhook = ?", arguments: [gone])
        }
      }
    }
  }

  /// Takes a person out of letters, dead ones too, and out of the bytes of the file. Nobody delivers
  /// letters meanwhile.
  ///
  /// - Parameters:
  ///   - erasure: Whom.
  ///   - others: Webhooks of other tenants; what belongs to none that is left is looked through.
  /// - Returns: How many letters named them.
  /// - Throws: ``StoreFailure``, also while somebody reads old pages; then it can be tried again.
  package func erase(
    _ erasure: PersonErasure, except others: Set<String>
  ) throws(StoreFailure) -> Int {
    try attempt {
      let count = try self.pool.write { database in
        var count = 0
        let known = try String.fetchSet(database, sql: "SELECT DISTINCT webhook FROM letters")
        for webhook in known.subtracting(others) {
          let rows = try Row.fetchAll(
            database,
            sql: """
              SELECT sequence, aggregate, body, failure FROM letters WHERE webhook = ?
                AND (aggregate = ? OR instr(body, ?) > 0 OR instr(failure, ?) > 0)
              """,
            arguments: [
              webhook, erasure.userID, Data(erasure.escaped), erasure.userID,
            ])
          for row in rows {
            let body: Data = row["body"]
            let aggregate: String = row["aggregate"]
            let failure: String? = row["failure"]
            let isAdmin = body.range(of: Data("\"\(OperatorNote.kindPrefix)".utf8)) != nil
            try database.execute(
              sql: """
                UPDATE letters SET aggregate = ?, body = ?, failure = ?
                WHERE webhook = ? AND sequence = ?
                """,
              arguments: [
                aggregate == erasure.userID ? erasure.pseudonym : aggregate,
                Data(erasure.rewritten(json: Array(body), wholeTexts: isAdmin)),
                failure?.contains(erasure.userID) == true ? "erased" : failure,
                webhook, row["sequence"] as Int64,
              ])
            count += 1
          }
        }
        return count
      }
      try self.pool.writeWithoutTransaction { database in
        guard let handle = database.sqliteConnection else { return }
        try FileScrub(handle, busyMilliseconds: 5_000).clean(erasure.needles)
      }
      return count
    }
  }

  private enum State: String {
    case waiting, dead
    /// Dead until somebody had it delivered again; the daemon has not taken it yet.
    case replayed
  }

  private static func put(
    _ letter: Letter, _ state: State, _ webhookID: String, _ database: Database
  ) throws {
    try database.execute(
      sql: "INSERT OR REPLACE INTO letters VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      arguments: [
        webhookID, Int64(clamping: letter.sequence), state.rawValue, letter.aggregateID,
        letter.attempts, letter.firstAttemptAt?.milliseconds, letter.nextAttemptAt.milliseconds,
        letter.failure, Data(letter.body),
      ])
  }

  private static func letter(_ row: Row) -> Letter {
    let body: Data = row["body"]
    var out = Letter(
      sequence: UInt64(clamping: row["sequence"] as Int64), aggregateID: row["aggregate"],
      body: Array(body), nextAttemptAt: Instant(milliseconds: row["next_attempt_at"]))
    out.attempts = row["attempts"]
    out.firstAttemptAt = (row["first_attempt_at"] as Int64?).map(Instant.init(milliseconds:))
    out.failure = row["failure"]
    return out
  }

  private func attempt<Answer>(_ body: () throws -> Answer) throws(StoreFailure) -> Answer {
    do { return try body() } catch {
      throw StoreFailure("webhooks.sqlite: \(error)")
    }
  }
}
