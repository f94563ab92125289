import NIOCore

/// Why a request has no answer: a reason of the API, a status, or what happened to the connection.
struct LoadFailure: Error, Hashable, Sendable {
  var name: String

  init(_ name: String) { self.name = name }

  static let unreachable = LoadFailure("unreachable")
  static let timedOut = LoadFailure("timed_out")
  static let unexpectedAnswer = LoadFailure("unexpected_answer")
}

/// One connection of a load test, used on its event loop only.
///
/// It has no object for each call: requests are written as frames, and an answer finds what is told
/// of it by the call's number. A call costs the sender 5-10 us this way, ten times less than a
/// client with tasks, so that one core can load what the other serves.
protocol LoadConnection: AnyObject {
  typealias Completion = (Result<ByteBuffer, LoadFailure>) -> Void

  /// Whether another request may leave now.
  var hasRoom: Bool { get }
  /// Writes a request; it leaves with the next ``flush()``. `completion` is called once, at once
  /// when there is no connection.
  func send(_ request: BenchRequests.Prepared, _ completion: @escaping Completion)
  func flush()
  func close()
}
