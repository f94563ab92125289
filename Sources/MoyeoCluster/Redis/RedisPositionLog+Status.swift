import Dispatch
import LiveLayers
import Threading

/// What a Redis Cluster has of positions, for an operator.
package struct RedisPositionStatus: Hashable, Sendable {
  /// Partitions of the log whose servers answered.
  package var answering = 0
  package var partitions = SharedPositions.partitionCount
  /// Objects that are stored, some of which may have expired.
  package var objects = 0
  /// The time of the newest entry, in milliseconds since 1970; 0 without entries.
  package var newestMilliseconds: UInt64 = 0
  /// Why a partition did not answer.
  package var failure: String?
}

extension RedisPositionLog {
  /// Asks every partition; it blocks, until all have answered or for `waitMilliseconds` while none of
  /// the servers can be reached.
  package func status(waitMilliseconds: Int64 = 3000) -> RedisPositionStatus {
    let clock = SystemMonotonicClock()
    let end = clock.now() + waitMilliseconds * 1_000_000
    let pause = MonotonicSemaphore(value: 0)
    while true {
      let status = askOnce()
      guard status.answering < status.partitions, clock.now() < end else { return status }
      _ = pause.wait(milliseconds: 100)
    }
  }

  private func askOnce() -> RedisPositionStatus {
    let state = StateLock(RedisPositionStatus())
    let group = DispatchGroup()
    for partition in 0..<SharedPositions.partitionCount {
      group.enter()
      newest(partition) { [self] newest in
        objectCount(partition) { objects in
          state.withLock { status in
            switch (newest, objects) {
            case (.success(let head), .success(let objects)):
              status.answering += 1
              status.objects += objects
              status.newestMilliseconds = max(status.newestMilliseconds, head.newest.milliseconds)
            case (.failure(let failure), _), (_, .failure(let failure)):
              if case .unavailable(let reason) = failure { status.failure = reason }
            }
          }
          group.leave()
        }
      }
    }
    group.wait()
    return state.withLock { $0 }
  }
}
