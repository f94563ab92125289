import Foundation
import MoyeoAPI
import SwiftProtobuf

/// Where a redis-server is.
struct RedisAddress: Hashable {
  let host: String
  let port: Int

  /// Reads `HOST:PORT`, an IPv6 address in brackets, or `redis://HOST:PORT`; `nil` for anything else,
  /// such as TLS or a password in the address, which other users of the machine would see.
  init?(_ text: String) {
    var rest = text[...]
    if rest.hasPrefix("redis://") { rest = rest.dropFirst(8) }
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    guard let colon = rest.lastIndex(of: ":"), let port = Int(rest[rest.index(after: colon)...]),
      (1...65_535).contains(port)
    else { return nil }
    var host = rest[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty, !host.contains(where: { "/@[] ".contains($0) }) else { return nil }
    self.host = String(host)
    self.port = port
  }

  /// Connects and looks whether the key is there; user and password come from the environment.
  ///
  /// - Throws: ``CommandFailure``.
  func open(
    key: String, timeout: Double, ttlSeconds: Double,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(CommandFailure) -> RedisImport {
    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    do throws(RedisImportError) {
      return try RedisImport(
        RedisConnection(host: host, port: port, timeout: timeout), key: key,
        user: variable("MOYEO_REDIS_USER"), password: variable("MOYEO_REDIS_PASSWORD"),
        ttlSeconds: ttlSeconds)
    } catch {
      if case .unreachable = error {
        throw CommandFailure(message: "\(error)", code: CommandExit.unreachable)
      }
      throw CommandFailure(message: "\(error)")
    }
  }
}

/// The members of a key of a redis-server with the places that GEOADD gave them.
///
/// Pages of ZSCAN, and GEOPOS for each page, so that memory stays with a page and the server is
/// never held up. As ZSCAN promises, a member that is there from beginning to end is met, some twice;
/// the later report is the same.
struct RedisImport: ImportSource {
  /// Members that are asked for at once.
  static let pageSize = 500

  private let connection: RedisConnection
  private let key: [UInt8]
  private let ttlSeconds: Double
  private var cursor: [UInt8]? = Array("0".utf8)
  private var page: [ImportItem] = []
  private var position = 0
  private var row = 0

  /// Members when the import began.
  let count: Int
  /// Members handed out.
  var bytesRead: Int { row - (page.count - position) }

  /// Looks whether the key is there.
  ///
  /// - Parameters:
  ///   - connection: To the server.
  ///   - key: The key.
  ///   - user: For AUTH, beside a password.
  ///   - password: For AUTH; `nil` to call without.
  ///   - ttlSeconds: The time to live of the positions.
  /// - Throws: ``RedisImportError``.
  init(
    _ connection: RedisConnection, key: String, user: String?, password: String?,
    ttlSeconds: Double
  ) throws(RedisImportError) {
    self.connection = connection
    self.key = Array(key.utf8)
    self.ttlSeconds = ttlSeconds
    if let password {
      if let user {
        _ = try connection.call("AUTH", user, password)
      } else {
        _ = try connection.call("AUTH", password)
      }
    }
    let type = try connection.call("TYPE", key)
    guard case .text(let name) = type else { throw Self.unexpected("TYPE") }
    switch String(decoding: name, as: UTF8.self) {
    case "zset": break
    case "none": throw .missingKey(key)
    case let other: throw .wrongType(key: key, type: other)
    }
    guard case .number(let count) = try connection.call("ZCARD", key) else {
      throw Self.unexpected("ZCARD")
    }
    self.count = Int(clamping: count)
  }

  private static func unexpected(_ command: String) -> RedisImportError {
    .refused("\(command) is answered in a way that was not expected")
  }

  mutating func next() throws -> ImportItem? {
    while position == page.count {
      guard let asked = cursor else { return nil }
      try readPage(from: asked)
    }
    defer { position += 1 }
    return page[position]
  }

  private mutating func readPage(from asked: [UInt8]) throws(RedisImportError) {
    let answer = try connection.call([
      Array("ZSCAN".utf8), key, asked, Array("COUNT".utf8), Array("\(Self.pageSize)".utf8),
    ])
    guard case .list(let parts) = answer, parts.count == 2, case .text(let next) = parts[0],
      case .list(let pairs) = parts[1], pairs.count.isMultiple(of: 2)
    else { throw Self.unexpected("ZSCAN") }
    var members: [[UInt8]] = []
    for i in stride(from: 0, to: pairs.count, by: 2) {
      guard case .text(let member) = pairs[i] else { throw Self.unexpected("ZSCAN") }
      members.append(member)
    }
    cursor = next == Array("0".utf8) ? nil : next
    (page, position) = ([], 0)
    guard !members.isEmpty else { return }
    guard
      case .list(let places) = try connection.call([Array("GEOPOS".utf8), key] + members),
      places.count == members.count
    else { throw Self.unexpected("GEOPOS") }
    for (member, place) in zip(members, places) {
      row += 1
      // A member that went meanwhile has no place, and is not there to be brought over.
      if case .absent = place { continue }
      page.append(item(member, place))
    }
  }

  private func item(_ member: [UInt8], _ place: RedisConnection.Value) -> ImportItem {
    guard let id = String(validating: member, as: UTF8.self) else {
      return refused(
        String(decoding: member, as: UTF8.self), "not_utf8", "the member is not UTF-8 text")
    }
    guard case .list(let pair) = place, pair.count == 2, case .text(let longitude) = pair[0],
      case .text(let latitude) = pair[1],
      let x = NumberText.parse(String(decoding: longitude, as: UTF8.self)),
      let y = NumberText.parse(String(decoding: latitude, as: UTF8.self))
    else { return refused(id, "not_a_number", "the member has no place in numbers") }
    var position = Moyeo_V1_Position()
    position.id = id
    position.latitude = y
    position.longitude = x
    position.ttlSeconds = ttlSeconds
    return .row(ImportRow(line: row, position: position))
  }

  private func refused(_ id: String, _ reason: String, _ message: String) -> ImportItem {
    .refused(
      RefusedRow(
        line: row, id: TextTable.printable(id), field: "id", reason: reason, message: message))
  }
}
