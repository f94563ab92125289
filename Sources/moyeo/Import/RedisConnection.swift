import Foundation

/// One connection to a redis-server, for commands one after another.
///
/// It reads answers of RESP2 as far as an import needs them, and believes no length that the other
/// side names: an answer is bounded, and a peer that stops talking ends the import.
final class RedisConnection {
  /// An answer.
  enum Value {
    case text([UInt8])
    case number(Int64)
    case list([Value])
    case absent
  }

  /// The most bytes of one answer; a page of members has some tens of kilobytes.
  static let maximumAnswerBytes = 64 << 20

  #if canImport(Glibc)
    private static let streamType = Int32(SOCK_STREAM.rawValue)
    /// A peer that has gone is told by an error, not by a signal.
    private static let sendFlags = Int32(MSG_NOSIGNAL)
  #else
    private static let streamType = SOCK_STREAM
    private static let sendFlags: Int32 = 0
  #endif

  private let address: String
  private let descriptor: Int32
  private var buffer = [UInt8](repeating: 0, count: 64 << 10)
  private var start = 0
  private var end = 0
  private var answerBytes = 0

  /// Connects.
  ///
  /// - Parameters:
  ///   - host: A name or an address.
  ///   - port: The port.
  ///   - timeout: The most seconds that anything waits.
  /// - Throws: ``RedisImportError``.
  init(host: String, port: Int, timeout: Double) throws(RedisImportError) {
    address = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    var hints = addrinfo()
    hints.ai_socktype = RedisConnection.streamType
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, "\(port)", &hints, &found)
    guard code == 0 else {
      throw .unreachable(address, String(cString: gai_strerror(code)))
    }
    defer { freeaddrinfo(found) }
    var reason = "there is no such address"
    var next = found
    while let entry = next?.pointee {
      switch RedisConnection.dial(entry, timeout) {
      case .success(let connected):
        descriptor = connected
        return
      case .failure(let problem): reason = problem.text
      }
      next = entry.ai_next
    }
    throw .unreachable(address, reason)
  }

  deinit { close(descriptor) }

  private struct Problem: Error {
    let text: String

    /// The system's words for what went wrong last.
    static var last: Problem {
      let code = errno
      return Problem(text: String(cString: strerror(code)))
    }
  }

  private static func dial(_ entry: addrinfo, _ timeout: Double) -> Result<Int32, Problem> {
    let made = socket(entry.ai_family, entry.ai_socktype, entry.ai_protocol)
    guard made >= 0 else { return .failure(.last) }
    var limit = timeval()
    limit.tv_sec = Int(timeout)
    limit.tv_usec = suseconds_t((timeout - timeout.rounded(.down)) * 1e6)
    let size = socklen_t(MemoryLayout<timeval>.size)
    // On Linux the time to send bounds that to connect too.
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      _ = setsockopt(made, SOL_SOCKET, option, &limit, size)
    }
    guard connect(made, entry.ai_addr, entry.ai_addrlen) == 0 else {
      let problem = errno == EINPROGRESS ? Problem(text: "it does not answer") : Problem.last
      close(made)
      return .failure(problem)
    }
    return .success(made)
  }

  /// Sends a command and waits for its answer.
  ///
  /// - Parameter words: Name and arguments.
  /// - Returns: The answer, no error.
  /// - Throws: ``RedisImportError/refused(_:)`` for an error of the server.
  func call(_ words: [[UInt8]]) throws(RedisImportError) -> Value {
    var bytes = Array("*\(words.count)\r\n".utf8)
    for word in words {
      bytes += Array("$\(word.count)\r\n".utf8)
      bytes += word
      bytes += [13, 10]
    }
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        send(descriptor, $0.baseAddress! + sent, $0.count - sent, Self.sendFlags)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .broken(address, Self.silence()) }
      sent += count
    }
    answerBytes = 0
    return try nextValue(depth: 0)
  }

  /// The same with text.
  func call(_ words: String...) throws(RedisImportError) -> Value {
    try call(words.map { Array($0.utf8) })
  }

  /// Why nothing went or came.
  private static func silence() -> String {
    let isLate = errno == EAGAIN || errno == EWOULDBLOCK
    return isLate ? "it does not answer in time (--timeout)" : Problem.last.text
  }

  // MARK: - Answers

  private func nextValue(depth: Int) throws(RedisImportError) -> Value {
    let line = try nextLine()
    guard let mark = line.first, depth < 8 else { throw .notRedis(address) }
    let rest = String(decoding: line.dropFirst(), as: UTF8.self)
    switch mark {
    case UInt8(ascii: "+"): return .text(Array(line.dropFirst()))
    case UInt8(ascii: "-"): throw .refused(rest)
    case UInt8(ascii: ":"):
      guard let number = Int64(rest) else { throw .notRedis(address) }
      return .number(number)
    case UInt8(ascii: "$"):
      guard let count = Int(rest) else { throw .notRedis(address) }
      guard count >= 0 else { return .absent }
      return .text(try nextBytes(count))
    case UInt8(ascii: "*"):
      guard let count = Int(rest) else { throw .notRedis(address) }
      guard count >= 0 else { return .absent }
      guard count <= Self.maximumAnswerBytes / 4 else { throw .answerTooLarge(address) }
      var list: [Value] = []
      list.reserveCapacity(min(count, 4096))
      for _ in 0..<count { list.append(try nextValue(depth: depth + 1)) }
      return .list(list)
    default: throw .notRedis(address)
    }
  }

  private func nextLine() throws(RedisImportError) -> [UInt8] {
    var out: [UInt8] = []
    while true {
      let byte = try nextByte()
      if byte == 10, out.last == 13 {
        out.removeLast()
        return out
      }
      out.append(byte)
      guard out.count <= 65_536 else { throw .notRedis(address) }
    }
  }

  private func nextBytes(_ count: Int) throws(RedisImportError) -> [UInt8] {
    guard count <= Self.maximumAnswerBytes - answerBytes else { throw .answerTooLarge(address) }
    var out: [UInt8] = []
    out.reserveCapacity(min(count, 65_536))
    while out.count < count {
      if start == end { try fill() }
      let taken = min(count - out.count, end - start)
      out += buffer[start..<start + taken]
      start += taken
      answerBytes += taken
    }
    guard try nextByte() == 13, try nextByte() == 10 else { throw .notRedis(address) }
    return out
  }

  private func nextByte() throws(RedisImportError) -> UInt8 {
    if start == end { try fill() }
    defer { start += 1 }
    answerBytes += 1
    guard answerBytes <= Self.maximumAnswerBytes else { throw .answerTooLarge(address) }
    return buffer[start]
  }

  private func fill() throws(RedisImportError) {
    while true {
      let count = buffer.withUnsafeMutableBytes {
        recv(descriptor, $0.baseAddress!, $0.count, 0)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .broken(address, Self.silence()) }
      guard count > 0 else { throw .broken(address, "it ended the connection") }
      (start, end) = (0, count)
      return
    }
  }
}

/// Why a key of a redis-server cannot be read.
enum RedisImportError: Error, Hashable, CustomStringConvertible {
  case unreachable(String, String)
  case broken(String, String)
  /// Its error, in its words.
  case refused(String)
  case notRedis(String)
  case answerTooLarge(String)
  case missingKey(String)
  case wrongType(key: String, type: String)

  var description: String {
    switch self {
    case .unreachable(let address, let reason): "\(address) cannot be reached: \(reason)"
    case .broken(let address, let reason): "the connection to \(address) broke: \(reason)"
    case .refused(let text):
      text.hasPrefix("NOAUTH") || text.hasPrefix("WRONGPASS")
        ? "redis refuses: \(TextTable.printable(String(text.prefix(200)))) "
          + "(set MOYEO_REDIS_PASSWORD, and MOYEO_REDIS_USER where users have names)"
        : "redis refuses: \(TextTable.printable(String(text.prefix(200))))"
    case .notRedis(let address):
      "\(address) does not speak as redis-server does (a port with TLS needs a tunnel in front)"
    case .answerTooLarge(let address): "an answer of \(address) has more than 64 MiB"
    case .missingKey(let key): "redis has no key \(excerpt(key))"
    case .wrongType(let key, let type):
      "the key \(excerpt(key)) holds a \(excerpt(type)), no members with places (GEOADD)"
    }
  }
}
