import GRPCServerTransport
import Threading

/// Why a command was refused, as metrics tell it.
enum RefusalReason: String, CaseIterable, Sendable {
  /// A word is wrong, missing or out of range.
  case badArguments = "bad_arguments"
  case wrongArity = "wrong_arity"
  case unknownCommand = "unknown_command"
  /// Bytes that are no RESP, or a command beyond its bounds; the connection ends.
  case protocolError = "protocol_error"
  /// As many layers, objects or bytes as there may be.
  case quotaExceeded = "quota_exceeded"
  /// More commands in a second than clients may send.
  case rateLimited = "rate_limited"
  case tooMuchWork = "too_much_work"
  case answerTooLarge = "answer_too_large"
  /// Too many long commands wait.
  case overloaded
  /// A command that is refused on purpose, such as MULTI.
  case notServed = "not_served"
  /// No password yet, a wrong one, or one that holds no more.
  case notAuthenticated = "unauthenticated"
  case notPermitted = "forbidden"
}

/// Counts of one connection, handed to ``DoorFigures`` once a turn.
struct CommandTally {
  /// By the number of the command; the last is for unknown ones.
  private(set) var counts = [Int](repeating: 0, count: CommandTally.length)
  private(set) var total = 0
  /// A bit for each command that came; there are fewer than 64.
  private var seen: UInt64 = 0

  static let unknown = CommandName.allCases.count
  static var length: Int { unknown + 1 }

  mutating func count(_ command: Int) {
    counts[command] += 1
    total += 1
    seen |= 1 << UInt64(command)
  }

  mutating func clear() {
    while seen != 0 {
      counts[seen.trailingZeroBitCount] = 0
      seen &= seen - 1
    }
    total = 0
  }

  /// Shows each command that came, and how often.
  func forEach(_ body: (_ command: Int, _ count: Int) -> Void) {
    var left = seen
    while left != 0 {
      let command = left.trailingZeroBitCount
      body(command, counts[command])
      left &= left - 1
    }
  }
}

/// What came over the door, and what was refused. Their names come from tables of the program, so
/// that their number is bounded whatever clients send.
final class DoorFigures: Sendable {
  private struct Counts {
    var commands = [Int](repeating: 0, count: CommandTally.length)
    var refusals: [RefusalReason: Int] = [:]
    var total = 0
  }

  private let counts = StateLock(Counts())
  /// What ended connections: `idle`, `not_a_client_of_redis`, and those of TLS.
  let events = TransportEvents()

  var commandsProcessed: Int { counts.withLock { $0.total } }

  func add(_ tally: CommandTally) {
    counts.withLock { counts in
      tally.forEach { command, count in counts.commands[command] += count }
      counts.total += tally.total
    }
  }

  func refused(_ reason: RefusalReason) { counts.withLock { $0.refusals[reason, default: 0] += 1 } }

  /// The figures as Prometheus text; a command has a line once it came.
  func text() -> String {
    let (commands, refusals) = counts.withLock { ($0.commands, $0.refusals) }
    var out = "# TYPE moyeo_resp_commands_total counter\n"
    for row in CommandTable.rows where commands[row.command.rawValue] > 0 {
      let count = commands[row.command.rawValue]
      out += "moyeo_resp_commands_total{command=\"\(row.name)\"} \(count)\n"
    }
    if commands[CommandTally.unknown] > 0 {
      out += "moyeo_resp_commands_total{command=\"unknown\"} \(commands[CommandTally.unknown])\n"
    }
    out += "# TYPE moyeo_resp_refusals_total counter\n"
    for reason in RefusalReason.allCases {
      guard let count = refusals[reason] else { continue }
      out += "moyeo_resp_refusals_total{reason=\"\(reason.rawValue)\"} \(count)\n"
    }
    out += "# TYPE moyeo_resp_connection_events_total counter\n"
    for (event, count) in events.all.sorted(by: { $0.key < $1.key }) {
      out += "moyeo_resp_connection_events_total{event=\"\(event)\"} \(count)\n"
    }
    return out
  }
}
