import CSpatiaLite
package import ObjectModel
package import Places
import Threading

/// The text index of places in SQLite's FTS5, in memory.
///
/// Two tables without content: `names`, with indexes of short beginnings because people type those,
/// and `variants`, of which only longer beginnings are asked. Terms arrive ready; the tokenizer
/// `ascii` parts them at spaces and keeps everything that is no ASCII. Whoever removes a term names
/// it, since the tables do not keep what they were given.
///
/// A find takes the one connection for as long as it runs, some tens to some hundred microseconds.
package final class FullTextPlaceIndex: PlaceTextIndex {
  /// Under the lock alone.
  private final class Session {
    let connection: OpaquePointer
    let begin, commit, rollback: SQLStatement
    let addNames, addVariants, removeNames, removeVariants: SQLStatement
    let findNames, findVariants, findBoth: SQLStatement

    init() throws {
      var handle: OpaquePointer?
      let code = sqlite3_open_v2(
        ":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
      guard code == SQLITE_OK, let handle else {
        defer { sqlite3_close(handle) }
        throw SQLiteFailure(handle, code)
      }
      do {
        try executeSQL(
          handle,
          """
          PRAGMA journal_mode = MEMORY; PRAGMA temp_store = MEMORY;
          CREATE VIRTUAL TABLE names USING fts5(
            terms, content='', columnsize=0, detail=none, tokenize='ascii', prefix='2 3 4 5 6');
          CREATE VIRTUAL TABLE variants USING fts5(
            terms, content='', columnsize=0, detail=none, tokenize='ascii');
          """)
        begin = try SQLStatement(handle, "BEGIN")
        commit = try SQLStatement(handle, "COMMIT")
        rollback = try SQLStatement(handle, "ROLLBACK")
        addNames = try SQLStatement(handle, "INSERT INTO names(rowid, terms) VALUES (?, ?)")
        addVariants = try SQLStatement(handle, "INSERT INTO variants(rowid, terms) VALUES (?, ?)")
        removeNames = try SQLStatement(
          handle, "INSERT INTO names(names, rowid, terms) VALUES ('delete', ?, ?)")
        removeVariants = try SQLStatement(
          handle, "INSERT INTO variants(variants, rowid, terms) VALUES ('delete', ?, ?)")
        findNames = try SQLStatement(
          handle, "SELECT rowid FROM names WHERE names MATCH ? ORDER BY rowid LIMIT ?")
        findVariants = try SQLStatement(
          handle, "SELECT rowid FROM variants WHERE variants MATCH ? ORDER BY rowid LIMIT ?")
        // The sign keeps SQLite from asking FTS5 once for each rowid of the list.
        findBoth = try SQLStatement(
          handle,
          """
          SELECT rowid FROM variants WHERE variants MATCH ?1
          AND +rowid IN (SELECT rowid FROM names WHERE names MATCH ?3) ORDER BY rowid LIMIT ?2
          """)
      } catch {
        sqlite3_close_v2(handle)
        throw error
      }
      connection = handle
    }

    /// The statements go with the session; the connection closes once they have gone.
    deinit { sqlite3_close_v2(connection) }

    func run(_ statement: SQLStatement, _ number: UInt32, _ terms: [String]) throws {
      guard !terms.isEmpty else { return }
      statement.bind(1, Int64(number))
      statement.bind(2, terms.joined(separator: " "))
      try statement.run()
    }
  }

  private let session: StateLock<Session>

  /// Makes an empty index.
  ///
  /// - Throws: ``StoreFailure`` when SQLite has no FTS5 or no memory.
  package init() throws(StoreFailure) {
    do {
      session = StateLock(try Session())
    } catch {
      throw StoreFailure("the text index of places cannot be made: \(error)")
    }
  }

  package func apply(_ changes: [PlaceTextChange]) throws(StoreFailure) {
    guard !changes.isEmpty else { return }
    try answering { session in
      try session.begin.run()
      do {
        for change in changes {
          if let removed = change.removed {
            try session.run(session.removeNames, change.number, removed.names)
            try session.run(session.removeVariants, change.number, removed.variants)
          }
          if let added = change.added {
            try session.run(session.addNames, change.number, added.names)
            try session.run(session.addVariants, change.number, added.variants)
          }
        }
        try session.commit.run()
      } catch {
        try? session.rollback.run()
        throw error
      }
    }
  }

  package func find(
    _ query: PlaceTextQuery, limit: Int
  ) throws(StoreFailure) -> [UInt32] {
    let names = Self.expression(query, .names)
    let variants = Self.expression(query, .variants)
    return try answering { session in
      let rows =
        if variants == nil {
          session.findNames
        } else if names == nil {
          session.findVariants
        } else {
          session.findBoth
        }
      rows.bind(1, variants ?? names ?? "")
      rows.bind(2, limit)
      if let names, variants != nil { rows.bind(3, names) }
      defer { rows.reset() }
      var found: [UInt32] = []
      while try rows.step() { found.append(UInt32(truncatingIfNeeded: rows.int64(0))) }
      return found
    }
  }

  package func removeAll() throws(StoreFailure) {
    try answering { session in
      try executeSQL(
        session.connection,
        """
        INSERT INTO names(names) VALUES ('delete-all');
        INSERT INTO variants(variants) VALUES ('delete-all');
        """)
    }
  }

  private func answering<Answer>(
    _ body: (Session) throws -> Answer
  ) throws(StoreFailure) -> Answer {
    do {
      return try session.withLock { try body($0) }
    } catch {
      throw StoreFailure("the text index of places failed: \(error)")
    }
  }

  /// The groups of one field in the language of FTS5; nil when there is none.
  private static func expression(
    _ query: PlaceTextQuery, _ field: PlaceTextQuery.Field
  ) -> String? {
    let groups = query.groups.filter { $0.field == field }
    guard !groups.isEmpty else { return nil }
    return groups.map { group in
      let terms = group.terms.map { term in
        "\"\(term.text.replacing("\"", with: ""))\"\(term.isPrefix ? "*" : "")"
      }
      return "(\(terms.joined(separator: " OR ")))"
    }.joined(separator: " AND ")
  }
}
