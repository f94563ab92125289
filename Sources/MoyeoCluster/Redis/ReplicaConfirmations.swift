import NIOCore

/// Waits until a replica of a master has all that was written there so far, on a connection of its own for each
/// master: WAIT keeps what is sent behind it on its connection waiting, too.
///
/// Of those who ask while one is under way, all share the next one. It is touched on the client's event loop alone.
final class ReplicaConfirmations {
  typealias End = (Result<Void, RedisFailure>) -> Void

  private struct Master {
    var connection: RedisConnection?
    var isAsked = false
    var waiting: [(key: String, end: End)] = []
  }

  private let loop: any EventLoop
  private let options: RedisCluster.Options
  private var masters: [RedisAddress: Master] = [:]

  /// For how long a replica may take; a link within one place takes a hundredth of it.
  private static let waitMilliseconds = 250
  /// What is written to be waited for is gone after as many milliseconds.
  private static let keepMilliseconds = 60_000

  init(loop: any EventLoop, options: RedisCluster.Options) {
    self.loop = loop
    self.options = options
  }

  func close() {
    for master in masters.values { master.connection?.close("closed") }
  }

  func checkDeadlines(_ now: NIODeadline) {
    for master in Array(masters.values) { master.connection?.checkDeadlines(now) }
  }

  /// Asks once more.
  ///
  /// - Parameters:
  ///   - address: The master.
  ///   - key: One of its slots, to which nothing else is written: WAIT looks at what its own connection wrote, which
  ///     is behind all that others wrote before.
  ///   - end: Is called once. Without a replica that has it in time it is a failure.
  func confirm(_ address: RedisAddress, key: String, _ end: @escaping End) {
    masters[address, default: Master()].waiting.append((key, end))
    askNext(address)
  }

  private func askNext(_ address: RedisAddress) {
    guard var master = masters[address], !master.isAsked, let first = master.waiting.first else {
      return
    }
    let all = master.waiting.map(\.end)
    master.waiting = []
    master.isAsked = true
    let connection = master.connection ?? connect(address)
    master.connection = connection
    masters[address] = master
    let written = Written()
    connection.send(
      RedisCommand(["SET", first.key, "1", "PX", "\(Self.keepMilliseconds)"]).bytes,
      .init(bytes: 0, deadline: .now() + options.answerTime) { written.result = $0 })
    connection.send(
      RedisCommand(["WAIT", "1", "\(Self.waitMilliseconds)"]).bytes,
      .init(
        bytes: 0,
        deadline: .now() + options.answerTime + .milliseconds(Int64(Self.waitMilliseconds))
      ) { [self] waited in
        masters[address]?.isAsked = false
        let outcome = Self.outcome(written.result, waited, address)
        for end in all { end(outcome) }
        askNext(address)
      })
  }

  /// What came of the write; it is answered before WAIT is.
  private final class Written {
    var result: Result<RESPReply, RedisFailure>?
  }

  private static func outcome(
    _ written: Result<RESPReply, RedisFailure>?, _ waited: Result<RESPReply, RedisFailure>,
    _ address: RedisAddress
  ) -> Result<Void, RedisFailure> {
    switch (written, waited) {
    case (.success(.error(let message)), _), (_, .success(.error(let message))):
      return .failure(.refused(message))
    case (.failure(let failure), _), (_, .failure(let failure)): return .failure(failure)
    case (_, .success(let reply)):
      guard let replicas = reply.integerValue, replicas > 0 else {
        return .failure(.unreachable("no replica of \(address) has taken it in time"))
      }
      return .success(())
    }
  }

  private func connect(_ address: RedisAddress) -> RedisConnection {
    let connection = RedisConnection(address, number: 0, loop: loop, options: options) {
      [self] ended in
      if masters[address]?.connection === ended { masters[address]?.connection = nil }
    }
    connection.connect()
    return connection
  }
}
