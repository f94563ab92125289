import Crypto
package import LiveLayers
import NIOCore
import ObjectModel

/// Positions in a Redis Cluster. All keys of a partition have its hash tag, and so one slot:
///
/// ```
/// {mp:7}:o   hash    member -> value, as PositionRecordCoding spells them
/// {mp:7}:x   sorted set of the members that expire, by when
/// {mp:7}:f   stream  p = the entry before; then member, value of each change
/// {mp:7}:h   the id of the newest entry
/// {mp:7}:w   written behind a removal, to wait until a replica has both
/// ```
package final class RedisPositionLog: PositionLog {
  private let cluster: RedisCluster
  private let slots: [Int]
  private let keepMilliseconds: Int64
  private let sha: String
  private static let objectsPerPage = 512

  /// - Parameters:
  ///   - cluster: Where the log is.
  ///   - keepSeconds: How long an entry stays at least: a reader that stood still for less misses none.
  package init(cluster: RedisCluster, keepSeconds: Int = 60) {
    self.cluster = cluster
    keepMilliseconds = Int64(keepSeconds) * 1000
    slots = (0..<SharedPositions.partitionCount).map {
      RedisSlots.slot(of: Array(Self.key($0, "o").utf8))
    }
    sha = Insecure.SHA1.hash(data: Array(Self.script.utf8)).map { byte in
      let text = String(byte, radix: 16)
      return text.count < 2 ? "0" + text : text
    }.joined()
  }

  package func close() { cluster.close() }

  private static func key(_ partition: Int, _ kind: String) -> String {
    "{mp:\(partition)}:\(kind)"
  }

  /// Decides, stores and logs as one step. Of a report `observed` is empty where the server stamps it,
  /// `ends` is when it expires, or how long after that; of a removal `observed` is "-". Answers the new
  /// entry, the one before it, and of each change when it was observed, "s" for stale, "r" and "a" for
  /// removed and absent.
  static let script = """
    local t = redis.call('TIME')
    local now = t[1] * 1000 + math.floor(t[2] / 1000)
    for _, member in ipairs(redis.call('ZRANGE', KEYS[2], '-inf', now, 'BYSCORE', 'LIMIT', 0, 16)) do
      redis.call('HDEL', KEYS[1], member)
      redis.call('ZREM', KEYS[2], member)
    end
    local previous = redis.call('GET', KEYS[4]) or '0-0'
    local out, entry = {'', previous}, {}
    for i = 2, #ARGV, 4 do
      local member, observed, ends, body = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
      local stored = redis.call('HGET', KEYS[1], member)
      local at, expires
      if stored then
        at, expires = string.match(stored, '^(%-?%d+) (%S+) ')
        if not at or (expires ~= '-' and tonumber(expires) <= now) then at = nil end
        at = at and tonumber(at)
      end
      if observed == '-' then
        if stored then
          redis.call('HDEL', KEYS[1], member)
          redis.call('ZREM', KEYS[2], member)
          entry[#entry + 1] = member
          entry[#entry + 1] = '-'
        end
        out[#out + 1] = at and 'r' or 'a'
      elseif observed ~= '' and at and at > tonumber(observed) then
        out[#out + 1] = 's'
      else
        local from
        if observed == '' then
          from = math.max(now, at or now)
          if ends ~= '-' then ends = string.format('%.0f', from + tonumber(ends)) end
          observed = string.format('%.0f', from)
        end
        local value = observed .. ' ' .. ends .. ' ' .. body
        redis.call('HSET', KEYS[1], member, value)
        if ends ~= '-' then redis.call('ZADD', KEYS[2], ends, member)
        else redis.call('ZREM', KEYS[2], member) end
        entry[#entry + 1] = member
        entry[#entry + 1] = value
        out[#out + 1] = observed
      end
    end
    if #entry > 0 then
      local id = redis.call('XADD', KEYS[3], 'MINID', '~', string.format('%.0f', now - ARGV[1]),
        '*', 'p', previous, unpack(entry))
      redis.call('SET', KEYS[4], id)
      out[1] = id
    end
    return out
    """

  // MARK: - PositionLog

  package func append(
    _ changes: [PositionChange], to partition: Int,
    _ end: @escaping @Sendable (Result<PositionAppend, PositionLogFailure>) -> Void
  ) {
    let slot = slots[partition]
    cluster.send(command(changes, partition, isWhole: false), slot: slot) { [self] result, source in
      // A server that was not asked before does not have the script.
      if case .failure(.refused(let message)) = result, message.hasPrefix("NOSCRIPT") {
        return cluster.send(command(changes, partition, isWhole: true), slot: slot) {
          result, source in
          end(Self.read(result) { Self.append($0, of: changes, source) })
        }
      }
      end(Self.read(result) { Self.append($0, of: changes, source) })
    }
  }

  package func confirm(
    _ partition: Int, source: UInt64, _ end: @escaping @Sendable (PositionLogFailure?) -> Void
  ) {
    cluster.confirm(slot: slots[partition], key: Self.key(partition, "w"), source: source) {
      result in
      switch result {
      case .success: end(nil)
      case .failure(let failure): end(PositionLogFailure(failure))
      }
    }
  }

  package func read(
    _ partition: Int, from start: LogEntryID, includesStart: Bool, limit: Int,
    _ end: @escaping @Sendable (Result<[PositionLogEntry], PositionLogFailure>) -> Void
  ) {
    let command = RedisCommand([
      "XRANGE", Self.key(partition, "f"), (includesStart ? "" : "(") + start.text, "+", "COUNT",
      "\(limit)",
    ])
    cluster.send(command, slot: slots[partition]) { result in
      end(Self.read(result) { reply in reply.elements.flatMap(Self.entries) })
    }
  }

  package func newest(
    _ partition: Int,
    _ end: @escaping @Sendable (Result<PositionLogHead, PositionLogFailure>) -> Void
  ) {
    let command = RedisCommand(["GET", Self.key(partition, "h")])
    cluster.send(command, slot: slots[partition]) { result, source in
      end(
        Self.read(result) { reply in
          (reply == .null ? .zero : reply.text.flatMap { LogEntryID(text: $0) })
            .map { PositionLogHead(newest: $0, source: source) }
        })
    }
  }

  func objectCount(
    _ partition: Int, _ end: @escaping @Sendable (Result<Int, PositionLogFailure>) -> Void
  ) {
    cluster.send(RedisCommand(["HLEN", Self.key(partition, "o")]), slot: slots[partition]) {
      result in end(Self.read(result) { reply in reply.integerValue.map { Int($0) } })
    }
  }

  package func scan(
    _ partition: Int, cursor: String?,
    _ end: @escaping @Sendable (Result<PositionPage, PositionLogFailure>) -> Void
  ) {
    let command = RedisCommand([
      "HSCAN", Self.key(partition, "o"), cursor ?? "0", "COUNT", "\(Self.objectsPerPage)",
    ])
    cluster.send(command, slot: slots[partition]) { result, source in
      end(
        Self.read(result, Self.page).map { page in
          var page = page
          page.source = source
          return page
        })
    }
  }

  // MARK: - Words

  private func command(_ changes: [PositionChange], _ partition: Int, isWhole: Bool)
    -> RedisCommand
  {
    var command = RedisCommand(count: 8 + 4 * changes.count)
    command.append(isWhole ? "EVAL" : "EVALSHA")
    command.append(isWhole ? Self.script : sha)
    command.append("4")
    for kind in ["o", "x", "f", "h"] { command.append(Self.key(partition, kind)) }
    command.append("\(keepMilliseconds)")
    for change in changes {
      command.append(PositionRecordCoding.member(change.key))
      switch change {
      case .remove:
        command.append("-")
        command.append("-")
        command.append("")
      case .put(let position, let isReceiptTime):
        command.append(isReceiptTime ? "" : "\(position.observedAt.milliseconds)")
        if position.expiresAt == .distantFuture {
          command.append("-")
        } else if isReceiptTime {
          command.append("\(position.expiresAt.milliseconds(since: position.observedAt))")
        } else {
          command.append("\(position.expiresAt.milliseconds)")
        }
        command.append(PositionRecordCoding.body(position))
      }
    }
    return command
  }

  // MARK: - Answers

  private static func read<Value>(
    _ result: Result<RESPReply, RedisFailure>, _ value: (RESPReply) -> Value?
  ) -> Result<Value, PositionLogFailure> {
    switch result {
    case .failure(let failure): return .failure(PositionLogFailure(failure))
    case .success(let reply):
      return value(reply).map { .success($0) } ?? .failure(.unavailable("an answer is damaged"))
    }
  }

  static func append(
    _ reply: RESPReply, of changes: [PositionChange], _ source: UInt64 = 0
  ) -> PositionAppend? {
    guard let parts = reply.elements, parts.count == changes.count + 2,
      let id = parts[0].text, let previous = parts[1].text.flatMap({ LogEntryID(text: $0) })
    else { return nil }
    var decisions: [PositionDecision] = []
    for (part, change) in zip(parts.dropFirst(2), changes) {
      switch (part.text, change) {
      case ("s"?, _): decisions.append(.stale)
      case ("r"?, _): decisions.append(.removed(wasThere: true))
      case ("a"?, _): decisions.append(.removed(wasThere: false))
      case (let text?, .put(let position, let isReceiptTime)):
        guard let milliseconds = Int64(text) else { return nil }
        let observed = Instant(milliseconds: milliseconds)
        let lifetime = position.expiresAt.milliseconds(since: position.observedAt)
        let isShifted = isReceiptTime && position.expiresAt != .distantFuture
        decisions.append(
          .stored(
            observedAt: observed,
            expiresAt: isShifted ? observed.advanced(milliseconds: lifetime) : position.expiresAt))
      default: return nil
      }
    }
    guard !id.isEmpty else {
      return PositionAppend(id: nil, previous: previous, decisions: decisions, source: source)
    }
    guard let entry = LogEntryID(text: id) else { return nil }
    return PositionAppend(id: entry, previous: previous, decisions: decisions, source: source)
  }

  static func entries(_ replies: [RESPReply]) -> [PositionLogEntry]? {
    var out: [PositionLogEntry] = []
    for reply in replies {
      guard let parts = reply.elements, parts.count == 2,
        let id = parts[0].text.flatMap({ LogEntryID(text: $0) }), let fields = parts[1].elements,
        fields.count >= 2, fields.count % 2 == 0, fields[0].text == "p",
        let previous = fields[1].text.flatMap({ LogEntryID(text: $0) })
      else { return nil }
      out.append(
        PositionLogEntry(id: id, previous: previous, records: records(fields.dropFirst(2))))
    }
    return out
  }

  /// What cannot be read was written by somebody else: it is left out.
  private static func records(_ fields: ArraySlice<RESPReply>) -> [PositionRecord] {
    var records: [PositionRecord] = []
    var i = fields.startIndex
    while i + 1 < fields.endIndex {
      if let member = fields[i].text, let key = PositionRecordCoding.key(member: member),
        case .bulk(let value) = fields[i + 1],
        let record = PositionRecordCoding.record(key, value: value.readableBytesView)
      {
        records.append(record)
      }
      i += 2
    }
    return records
  }

  static func page(_ reply: RESPReply) -> PositionPage? {
    guard let parts = reply.elements, parts.count == 2, let cursor = parts[0].text,
      let fields = parts[1].elements
    else { return nil }
    let positions = records(fields[...]).compactMap { record -> StoredPosition? in
      if case .position(let position) = record { position } else { nil }
    }
    return PositionPage(positions: positions, next: cursor == "0" ? nil : cursor)
  }
}

extension PositionLogFailure {
  fileprivate init(_ failure: RedisFailure) {
    switch failure {
    case .overloaded: self = .overloaded
    case .unreachable(let reason), .refused(let reason): self = .unavailable(reason)
    }
  }
}
