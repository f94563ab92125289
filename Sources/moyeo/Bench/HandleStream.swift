import MoyeoAPI
import MoyeoClient
import Synchronization

/// One report stream: handles for a set of points, then packed columns, each message awaited.
final class HandleStream: Sendable {
  private struct Waiting {
    var nextSequence: Int64 = 1
    var continuations: [Int64: CheckedContinuation<Moyeo_V1_StreamReportsResponse, any Error>] = [:]
    var failure: (any Error)?
  }

  private let waiting = Mutex(Waiting())
  private let messages: AsyncStream<Moyeo_V1_StreamReportsRequest>
  private let outgoing: AsyncStream<Moyeo_V1_StreamReportsRequest>.Continuation
  private let handles = Mutex<[(index: Int, handle: UInt64)]>([])

  init() { (messages, outgoing) = AsyncStream.makeStream() }

  /// Keeps the stream open until ``finish()``.
  func run(_ client: MoyeoClient) async {
    do {
      try await client.streamReports { [messages] writer in
        for await message in messages { try await writer.write(message) }
      } onAnswer: { [weak self] answer in
        self?.answered(answer)
      }
      fail(CancellationError())
    } catch { fail(error) }
  }

  func finish() { outgoing.finish() }

  /// Registers the points of this stream; they must have been reported before.
  func register(_ indices: [Int], _ workload: BenchWorkload, layer: String) async throws {
    var first = Moyeo_V1_StreamReportsRequest()
    first.layer = layer
    var isFirst = true
    for start in stride(from: 0, to: indices.count, by: 1000) {
      let part = indices[start..<min(indices.count, start + 1000)]
      var message = isFirst ? first : Moyeo_V1_StreamReportsRequest()
      isFirst = false
      message.register.ids = part.map { workload.points[$0].id }
      let answer = try await send(message)
      guard answer.handles.count == part.count, !answer.handles.contains(0) else {
        throw CommandFailure(
          message: "points are not in the layer: load them first (without --no-load)")
      }
      handles.withLock { $0 += zip(part, answer.handles).map { ($0, $1) } }
    }
  }

  /// Moves a batch of this stream's points. - Returns: Positions accepted.
  func report(
    _ number: Int, _ workload: BenchWorkload, _ size: Int, _ stepMeters: Double
  ) async throws -> Int {
    var message = Moyeo_V1_StreamReportsRequest()
    handles.withLock { handles in
      for at in BenchOperation.indices(number, size, handles.count) {
        let (index, handle) = handles[at]
        let (latitude, longitude) = workload.moved(
          index, round: UInt64(number), stepMeters: stepMeters)
        message.packed.handles.append(handle)
        message.packed.latitudeE7.append(Int32((latitude * 1e7).rounded()))
        message.packed.longitudeE7.append(Int32((longitude * 1e7).rounded()))
      }
    }
    message.packed.ttlSeconds = 0
    let answer = try await send(message)
    if let rejection = answer.rejections.first {
      throw MoyeoError.refused(
        Refusal(
          code: "INVALID_ARGUMENT", reason: rejection.reason, message: rejection.message))
    }
    return Int(answer.accepted)
  }

  private func send(_ message: Moyeo_V1_StreamReportsRequest) async throws
    -> Moyeo_V1_StreamReportsResponse
  {
    try await withCheckedThrowingContinuation { continuation in
      let failure: (any Error)? = waiting.withLock { waiting in
        if let failure = waiting.failure { return failure }
        var numbered = message
        numbered.sequence = waiting.nextSequence
        waiting.nextSequence += 1
        waiting.continuations[numbered.sequence] = continuation
        // Inside the lock, so that messages leave in the order of their numbers.
        outgoing.yield(numbered)
        return nil
      }
      if let failure { continuation.resume(throwing: failure) }
    }
  }

  private func answered(_ answer: Moyeo_V1_StreamReportsResponse) {
    waiting.withLock { $0.continuations.removeValue(forKey: answer.sequence) }?
      .resume(returning: answer)
  }

  private func fail(_ error: any Error) {
    let left = waiting.withLock { waiting in
      waiting.failure = error
      defer { waiting.continuations = [:] }
      return Array(waiting.continuations.values)
    }
    for continuation in left { continuation.resume(throwing: error) }
  }
}
