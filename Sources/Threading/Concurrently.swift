import Dispatch

/// Runs pieces of work at the same time, each on a thread of its own, and returns when all are
/// done. The last piece runs on the calling thread.
///
/// `DispatchQueue.concurrentPerform` runs one piece after the other when it is called from a task,
/// which is where a daemon starts.
package func concurrently(_ pieces: [@Sendable () -> Void]) {
  guard let last = pieces.last else { return }
  // DispatchSemaphore is thread-safe.
  let done = DispatchSemaphore(value: 0)
  for piece in pieces.dropLast() {
    WorkerThread.start(name: "moyeo-parallel", stackBytes: 4 << 20) {
      piece()
      done.signal()
    }
  }
  last()
  for _ in pieces.dropLast() { done.wait() }
}

/// Maps neighbouring inputs together on `threadCount` threads. The outputs are in the order of the
/// inputs.
///
/// - Throws: What `transform` throws for the first input, in order, that it fails for within its
///   run of neighbours.
package func concurrentlyMap<Input: Sendable, Output: Sendable, Failure: Error>(
  _ inputs: [Input], threadCount: Int,
  _ transform: @escaping @Sendable (Input) throws(Failure) -> Output
) throws(Failure) -> [Output] {
  let size = max(1, (inputs.count + max(1, threadCount) - 1) / max(1, threadCount))
  let starts = Array(stride(from: 0, to: inputs.count, by: size))
  let results = StateLock([Result<[Output], Failure>?](repeating: nil, count: starts.count))
  concurrently(
    starts.indices.map { part in
      { @Sendable in
        var outputs: [Output] = []
        outputs.reserveCapacity(size)
        var result: Result<[Output], Failure>?
        for input in inputs[starts[part]..<min(inputs.count, starts[part] + size)] {
          do throws(Failure) {
            outputs.append(try transform(input))
          } catch {
            result = .failure(error)
            break
          }
        }
        let outcome = result ?? .success(outputs)
        results.withLock { $0[part] = outcome }
      }
    })
  var all: [Output] = []
  all.reserveCapacity(inputs.count)
  for case let result? in results.withLock({ $0 }) { all += try result.get() }
  return all
}
