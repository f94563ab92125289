import CSpatiaLite
import Foundation

import ObjectModel

/// Looks a data directory through, beside a running daemon or without one, and changes nothing.
package enum StoreDoctor {
  package struct Finding: Codable, Hashable, Sendable {
    package enum Grade: String, Codable, Sendable {
      case fine, notice, wrong
    }
    package var grade: Grade
    /// What was looked at, in one or two words.
    package var subject: String
    package var text: String

    package init(_ grade: Grade, _ subject: String, _ text: String) {
      self.grade = grade
      self.subject = subject
      self.text = text
    }
  }

  package static func examine(dataDirectory: String) -> [Finding] {
    var findings = directory(dataDirectory)
    guard !findings.contains(where: { $0.grade == .wrong }) else { return findings }
    let path = dataDirectory + "/" + SQLiteStore.fileName
    if StoreBirth.hasContent(path) {
      do {
        let reader = try StoreReader(directory: dataDirectory)
        findings += try record(reader)
        findings.append(try secret(reader, dataDirectory))
        findings += try capacity(reader, dataDirectory)
        findings.append(try erasures(reader, dataDirectory))
      } catch {
        let isDamage = StoreFile.damage(error) != nil
        findings.append(Finding(.wrong, "record", "\(error)" + (isDamage ? ": " + remedy : "")))
      }
    } else {
      do {
        try StoreBirth.requireNoTrace(of: path, in: dataDirectory)
        findings.append(Finding(.notice, "record", "\(path) is not there yet"))
      } catch {
        findings.append(Finding(.wrong, "record", "\(error)"))
      }
    }
    // Where the record cannot be read, these still can be.
    if !findings.contains(where: { $0.subject == "disk" }), let free = try? freeBytes(dataDirectory)
    {
      findings.append(disk(dataDirectory, record: nil, free: Double(free)))
    }
    if !findings.contains(where: { $0.subject == "erasures" }),
      let finding = try? erasures(nil, dataDirectory)
    {
      findings.append(finding)
    }
    return findings + positions(dataDirectory) + webhooks(dataDirectory)
  }

  /// Of damage.
  private static let remedy =
    "moyeod serves what it can read of it and takes no commands; "
    + "restore a backup into an empty directory"

  // MARK: The directory

  private static func directory(_ path: String) -> [Finding] {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
      isDirectory.boolValue
    else { return [Finding(.wrong, "directory", "\(path) is no directory")] }
    guard FileManager.default.isWritableFile(atPath: path) else {
      return [Finding(.wrong, "directory", "\(path) cannot be written by this user")]
    }
    let lock = DirectoryLock.isHeld(directory: path)
    let owner = lock.processID.map { "process \($0)" } ?? "a process"
    var findings = [
      Finding(
        .fine, "directory",
        lock.isHeld ? "\(path), in use by \(owner)" : "\(path), no daemon runs on it")
    ]
    let open = FileProtection.openToOthers(directory: path)
    if !open.isEmpty {
      findings.append(
        Finding(
          .notice, "rights",
          "others can read \(open.joined(separator: ", ")); the next start takes that from them"))
    }
    return findings
  }

  // MARK: The secret

  /// Whether commands that are repeated with their key would still be known.
  private static func secret(_ reader: StoreReader, _ directory: String) throws -> Finding {
    let path = directory + "/" + IdempotencySecret.fileName
    let found = IdempotencySecret.contents(of: path)
    let state = try SecretRows.state(reader.connection)
    if let problem = IdempotencySecret.problem(found, state.fingerprint, state.hasReplies) {
      return Finding(.wrong, "secret", "\(path) \(problem.text): \(problem.remedy)")
    }
    switch found {
    case .secret(let secret) where state.fingerprint == secret.fingerprint:
      return Finding(.fine, "secret", "it is the one by which the record remembers commands")
    case .secret:
      return Finding(.notice, "secret", "the record does not know it yet; the next start notes it")
    default:
      return Finding(.fine, "secret", "none yet; the next start makes one")
    }
  }

  // MARK: The record

  private static func record(_ reader: StoreReader) throws -> [Finding] {
    reader.loadSpatialFunctions()
    let version = try reader.number("PRAGMA user_version")
    let libraries =
      "SQLite \(String(cString: sqlite3_libversion())), "
      + "SpatiaLite \(try reader.text("SELECT spatialite_version()")), "
      + "GEOS \(try reader.text("SELECT geos_version()"))"
    var findings = [
      Finding(
        version == StoreSchema.version ? .fine : .notice, "versions",
        "schema \(version) of \(StoreSchema.version), \(libraries)")
    ]
    let problems = try integrity(reader.connection)
    findings.append(
      problems.isEmpty
        ? Finding(.fine, "integrity", "integrity_check found nothing")
        : Finding(.wrong, "integrity", problems.joined(separator: "; ") + ": " + remedy))
    guard problems.isEmpty else { return findings }
    return findings + (try consistency(reader))
  }

  static func integrity(_ connection: OpaquePointer) throws -> [String] {
    let rows = try SQLStatement(connection, "PRAGMA integrity_check(10)")
    var problems: [String] = []
    while try rows.step() { if rows.text(0) != "ok" { problems.append(rows.text(0)) } }
    return problems
  }

  /// What SQLite cannot know: that rows of different tables agree. In one snapshot.
  private static func consistency(_ reader: StoreReader) throws -> [Finding] {
    try executeSQL(reader.connection, "BEGIN")
    defer { try? executeSQL(reader.connection, "COMMIT") }
    var findings: [Finding] = []
    var held = 0
    var lost = 0
    let claim = try SQLStatement(
      reader.connection,
      """
      SELECT 1 FROM claims WHERE tenant = ?1 AND user_id = ?2 AND from_at = ?3 AND through_at = ?4
        AND kind = ?5 AND aggregate_id = ?6
      """)
    var parties = 0
    for (kind, table) in StoreSchema.tables {
      let rows = try SQLStatement(reader.connection, "SELECT tenant, id, held FROM \(table)")
      while try rows.step() {
        parties += 1
        for one in HeldClaims.decode(rows.blob(2)) {
          held += 1
          claim.bind(1, rows.text(0))
          claim.bind(2, one.userID)
          claim.bind(3, one.from)
          claim.bind(4, one.through)
          claim.bind(5, kind)
          claim.bind(6, rows.text(1))
          if try !claim.step() { lost += 1 }
          claim.reset()
        }
      }
    }
    let claims = Int(try reader.number("SELECT count(*) FROM claims"))
    findings.append(
      lost == 0 && claims == held
        ? Finding(.fine, "claims", "\(parties) parties and requests hold \(claims) claims")
        : Finding(
          .wrong, "claims",
          "\(lost) claims of parties are missing, \(max(0, claims - held + lost)) belong to none"))
    let events = try reader.number("SELECT count(*) FROM events")
    let gaps = try reader.number(
      """
      SELECT coalesce(sum(gap), 0) FROM (
        SELECT max(sequence) - min(sequence) + 1 - count(*) AS gap FROM events GROUP BY tenant)
      """)
    findings.append(
      gaps == 0
        ? Finding(.fine, "events", "\(events), without a gap")
        : Finding(.notice, "events", "\(events), \(gaps) sequences unused"))
    let index = try spatialIndexes(reader)
    findings.append(index)
    return findings
  }

  /// As many entries as geometries: `CheckSpatialIndex` would compare each, but wants to write.
  private static func spatialIndexes(_ reader: StoreReader) throws -> Finding {
    for table in StoreSchema.tables.values.sorted() {
      for column in ["origin", "destination"] {
        let wanted = try reader.number("SELECT count(*) FROM \(table) WHERE \(column) IS NOT NULL")
        let found = try reader.number("SELECT count(*) FROM idx_\(table)_\(column)")
        guard wanted == found else {
          return Finding(
            .wrong, "maps",
            "the spatial index of \(table).\(column) has \(found) entries for \(wanted) places")
        }
      }
    }
    return Finding(.fine, "maps", "spatial indexes are complete")
  }

  // MARK: Positions

  private static func positions(_ directory: String) -> [Finding] {
    let path = directory + "/" + PositionsSnapshot.fileName
    guard FileManager.default.fileExists(atPath: path) else {
      return [Finding(.fine, "positions", "no snapshot yet")]
    }
    do {
      let file = try StoreFile.inspect(path)
      guard Int64(file?.applicationID ?? 0) == PositionsSnapshot.applicationID else {
        return [Finding(.notice, "positions", "\(path) is not ours; the next start sets it aside")]
      }
      var handle: OpaquePointer?
      defer { sqlite3_close(handle) }
      let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil)
      guard code == SQLITE_OK, let handle else { throw SQLiteFailure(handle, code) }
      sqlite3_busy_timeout(handle, 5_000)
      let problems = try integrity(handle)
      let count = try StoreFile.number(handle, "SELECT count(*) FROM positions")
      return [
        problems.isEmpty
          ? Finding(.fine, "positions", "\(count) in the snapshot")
          : Finding(.notice, "positions", "damaged, will be begun anew: \(problems[0])")
      ]
    } catch {
      return [Finding(.notice, "positions", "cannot be read, will be begun anew: \(error)")]
    }
  }

  // MARK: Capacity

  /// Days of retention that the estimate counts with (the settings' defaults).
  static let partyDays = 90.0
  static let eventDays = 7.0
  static let replyDays = 1.0

  /// What the file will grow to if the tenants go on as in the days that the log covers.
  private static func capacity(_ reader: StoreReader, _ directory: String) throws -> [Finding] {
    let pages = try reader.number("PRAGMA page_count")
    let bytes = Double(pages) * Double(try reader.number("PRAGMA page_size"))
    let free = Double(try freeBytes(directory))
    var findings = [disk(directory, record: bytes, free: free)]
    let events = Double(try reader.number("SELECT count(*) FROM events"))
    let first = Double(try reader.number("SELECT coalesce(min(at), 0) FROM events"))
    let last = Double(try reader.number("SELECT coalesce(max(at), 0) FROM events"))
    let days = (last - first) / 86_400_000
    guard events >= 1_000, days >= 1.0 / 24 else {
      findings.append(
        Finding(.fine, "capacity", "too few events for an estimate: it takes 1,000 over an hour"))
      return findings
    }
    let created = Double(
      try reader.number("SELECT count(*) FROM events WHERE kind = 'party.created'"))
    let party = try average(
      reader, "SELECT avg(length(bytes) + length(held) + 500) FROM parties", 1_200)
    let event = try average(
      reader, "SELECT avg(length(body) + length(user_ids) + 120) FROM events", 400)
    let growth =
      created / days * partyDays * party * 1.4 + events / days * eventDays * event * 1.2
      + events / days * replyDays * 130
    findings.append(
      Finding(
        growth > bytes + free ? .wrong : .fine, "capacity",
        "\(Int(events / days)) events and \(Int(created / days)) parties a day: about "
          + "\(megabytes(growth)) with parties kept \(Int(partyDays)) days and events "
          + "\(Int(eventDays)), \(megabytes(bytes + free)) are to be had"))
    return findings
  }

  private static func average(_ reader: StoreReader, _ sql: String, _ standard: Double) throws
    -> Double
  {
    let row = try SQLStatement(reader.connection, sql)
    return try row.step() && !row.isNull(0) ? row.double(0) : standard
  }

  private static func freeBytes(_ directory: String) throws -> Int64 {
    let attributes = try FileManager.default.attributesOfFileSystem(forPath: directory)
    return (attributes[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
  }

  static func megabytes(_ bytes: Double) -> String {
    bytes < 1e9
      ? "\((bytes / 1e5).rounded() / 10) MB" : "\((bytes / 1e8).rounded() / 10) GB"
  }

  // MARK: Measuring

  /// Joins a second on this disk, in a directory made for it beside the record and removed after.
  package static func measure(
    dataDirectory: String, seconds: Double, batch: Int = 32, parties: Int = 10_000
  ) throws -> StoreMeasurement.Figures {
    let path = dataDirectory + "/" + StoreBackup.measureName + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try SQLiteStore(directory: path)
    defer { store.close() }
    try StoreMeasurement.fill(store, parties: parties)
    return try StoreMeasurement.join(store, parties: parties, batch: batch, seconds: seconds)
  }
}
