import CPostgres
import Threading

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One connection to PostgreSQL, by libpq. Belongs to one thread at a time, which it blocks, at most
/// as long as it is told.
///
/// Statements of a ``run(_:milliseconds:)`` go out together (libpq's pipeline mode) and cost one round
/// trip; each is prepared when it is first met. After a failure of kind `lost` the connection is of no
/// more use.
final class PostgresConnection {
  private let handle: OpaquePointer
  private let clock = SystemMonotonicClock()
  /// By text, the names of statements that the server has prepared.
  private var prepared: [String: String] = [:]
  private var preparations = 0
  private(set) var isLost = false
  /// Whether the server gave up waiting for a standby while it committed, in the last run: what is on
  /// this server may not be on another one.
  private(set) var gaveUpReplication = false

  /// Connects to the first of the string's hosts that takes writes.
  ///
  /// - Parameters:
  ///   - string: As libpq takes it: `host=a,b dbname=…` or `postgresql://a,b/…`.
  ///   - connectSeconds: How long each host is tried.
  /// - Throws: ``PostgresFailure`` when no host takes writes.
  init(_ string: String, connectSeconds: Int) throws(PostgresFailure) {
    // Later ones win: the string may name another timeout or none, but not the encoding.
    let options: [(String, String)] = [
      ("connect_timeout", "\(connectSeconds)"), ("target_session_attrs", "read-write"),
      ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
      ("tcp_user_timeout", "10000"), ("fallback_application_name", "moyeod"), ("dbname", string),
      ("client_encoding", "UTF8"),
    ]
    let made = Self.withCStrings(options.map(\.0)) { names in
      Self.withCStrings(options.map(\.1)) { values in PQconnectdbParams(names, values, 1) }
    }
    guard let made else { throw PostgresFailure(.lost, "there is no memory for a connection") }
    handle = made
    guard PQstatus(made) == CONNECTION_OK, PQsetnonblocking(made, 1) == 0,
      PQenterPipelineMode(made) == 1
    else {
      // `deinit` ends it.
      throw PostgresFailure(.lost, String(cString: PQerrorMessage(made)))
    }
    PQsetNoticeReceiver(
      made,
      { context, result in
        guard let context, let result else { return }
        Unmanaged<PostgresConnection>.fromOpaque(context).takeUnretainedValue().take(result)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { PQfinish(handle) }

  /// What libpq says against a connection string; nil for one that it can read.
  static func problem(in string: String) -> String? {
    // Anything else is taken for the name of a database.
    guard string.contains("=") || string.contains("://") else {
      return "it names neither a host nor a service"
    }
    var message: UnsafeMutablePointer<CChar>?
    let parsed = PQconninfoParse(string, &message)
    defer {
      PQconninfoFree(parsed)
      PQfreemem(message)
    }
    guard parsed == nil else { return nil }
    return message.map { PostgresFailure(.refused, String(cString: $0)).reason }
      ?? "there is no memory to read it"
  }

  /// `<major><minor>`, such as 150018.
  var serverVersion: Int { Int(PQserverVersion(handle)) }

  /// The server's host and port, for people.
  var serverName: String {
    "\(String(cString: PQhost(handle))):\(String(cString: PQport(handle)))"
  }

  /// A message beside the answers. The server has no code of its own for a commit that is not
  /// replicated: any warning without a code of its own counts.
  private func take(_ notice: OpaquePointer) {
    let severity = Self.field(notice, moyeo_pg_diag_severity())
    let state = Self.field(notice, moyeo_pg_diag_sqlstate())
    if severity == "WARNING", state == "01000" || state == "57P01" { gaveUpReplication = true }
  }

  // MARK: Statements

  /// Runs statements in one round trip, outside of a transaction block as one transaction.
  ///
  /// - Parameters:
  ///   - statements: In this order; those behind one that is refused do nothing.
  ///   - milliseconds: How long all of it may take.
  /// - Returns: The rows of each.
  /// - Throws: ``PostgresFailure``: that of the first statement that was refused, or of the connection.
  func run(
    _ statements: [PostgresStatement], milliseconds: Int
  ) throws(PostgresFailure) -> [PostgresRows] {
    guard !isLost else { throw PostgresFailure(.lost, "the connection is gone") }
    let deadline = clock.now() + Int64(milliseconds) * 1_000_000
    gaveUpReplication = false
    do throws(PostgresFailure) {
      var expected: [Expected] = []
      for statement in statements { try send(statement, &expected) }
      guard PQpipelineSync(handle) == 1 else { throw lost() }
      return try receive(expected, deadline)
    } catch {
      if error.kind == .lost { isLost = true }
      throw error
    }
  }

  private enum Expected {
    case preparation(of: String, name: String)
    case rows
  }

  private func send(
    _ statement: PostgresStatement, _ expected: inout [Expected]
  ) throws(PostgresFailure) {
    let parameters = statement.parameters
    let name: String
    if let known = prepared[statement.sql] {
      name = known
    } else {
      preparations += 1
      name = "moyeo_\(preparations)"
      // Twice in one run: under the name of the first.
      prepared[statement.sql] = name
      let types = parameters.map { Oid($0.type) }
      guard PQsendPrepare(handle, name, statement.sql, Int32(types.count), types) == 1 else {
        throw lost()
      }
      expected.append(.preparation(of: statement.sql, name: name))
    }
    let bytes = parameters.flatMap(\.bytes)
    var lengths: [Int32] = []
    var offsets: [Int] = []
    var offset = 0
    for parameter in parameters {
      offsets.append(offset)
      lengths.append(Int32(parameter.bytes.count))
      offset += parameter.bytes.count
    }
    let formats = [Int32](repeating: 1, count: parameters.count)
    // One byte more: an empty parameter is no null.
    let sent = (bytes + [0]).withUnsafeBufferPointer { buffer -> Int32 in
      buffer.withMemoryRebound(to: CChar.self) { characters in
        let values = offsets.map { characters.baseAddress.map { [offset = $0] in $0 + offset } }
        return PQsendQueryPrepared(
          handle, name, Int32(parameters.count), values, lengths, formats, 1)
      }
    }
    guard sent == 1 else { throw lost() }
    expected.append(.rows)
  }

  private func receive(
    _ expected: [Expected], _ deadline: Nanoseconds
  ) throws(PostgresFailure) -> [PostgresRows] {
    var found: [PostgresRows] = []
    var failure: PostgresFailure?
    var answered = 0
    var unmet = expected[...]
    while true {
      try wait(until: deadline)
      // Null ends the answer of a statement.
      guard let result = PQgetResult(handle) else {
        guard PQstatus(handle) == CONNECTION_OK else { throw failure?.asLost ?? lost() }
        answered += 1
        guard answered <= expected.count + 1 else { throw lost() }
        continue
      }
      switch PQresultStatus(result) {
      case PGRES_PIPELINE_SYNC:
        PQclear(result)
        if let failure {
          for case .preparation(let sql, _) in unmet { prepared[sql] = nil }
          throw failure
        }
        return found
      case PGRES_TUPLES_OK:
        found.append(PostgresRows(result))
        unmet = unmet.dropFirst()
      case PGRES_COMMAND_OK:
        if case .rows? = unmet.first { found.append(PostgresRows(result)) } else { PQclear(result) }
        unmet = unmet.dropFirst()
      case PGRES_PIPELINE_ABORTED: PQclear(result)
      default:
        let text = String(cString: PQresultErrorMessage(result))
        failure =
          failure
          ?? PostgresFailure(
            .refused, Self.field(result, moyeo_pg_diag_message()).nonEmpty ?? text,
            state: Self.field(result, moyeo_pg_diag_sqlstate()))
        PQclear(result)
        guard PQstatus(handle) == CONNECTION_OK else { throw failure?.asLost ?? lost() }
      }
    }
  }

  /// Returns when a result can be taken without blocking.
  private func wait(until deadline: Nanoseconds) throws(PostgresFailure) {
    while true {
      let unsent = PQflush(handle)
      guard unsent >= 0 else { throw lost() }
      guard unsent == 1 || PQisBusy(handle) == 1 else { return }
      let left = (deadline - clock.now()) / 1_000_000
      guard left > 0 else { throw PostgresFailure(.lost, "the server gives no answer in time") }
      var descriptor = pollfd(
        fd: PQsocket(handle), events: Int16(POLLIN | (unsent == 1 ? POLLOUT : 0)), revents: 0)
      let ready = poll(&descriptor, 1, Int32(clamping: left))
      guard ready >= 0 || errno == EINTR else { throw lost() }
      if ready > 0, descriptor.revents & Int16(POLLOUT) != descriptor.revents,
        PQconsumeInput(handle) == 0
      {
        throw lost()
      }
      if unsent == 0, PQisBusy(handle) == 0 { return }
    }
  }

  private func lost() -> PostgresFailure {
    let reason = String(cString: PQerrorMessage(handle))
    return PostgresFailure(.lost, reason.isEmpty ? "the connection is gone" : reason)
  }

  private static func field(_ result: OpaquePointer, _ code: Int32) -> String {
    PQresultErrorField(result, code).map { String(cString: $0) } ?? ""
  }

  /// The null-terminated array of C strings that libpq takes.
  private static func withCStrings<T>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> T
  ) -> T {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    let pointers = copies.map { $0.map { UnsafePointer<CChar>($0) } } + [nil]
    return pointers.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("an array without memory") }
      return body(base)
    }
  }
}

extension PostgresFailure {
  fileprivate var asLost: PostgresFailure { PostgresFailure(.lost, reason, state: state) }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
