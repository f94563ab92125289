import Dispatch
import Foundation
import QueryCoalescing

/// Work on threads of its own. `DispatchQueue.concurrentPerform` runs one piece after the other
/// when it is called from a task, which is where a daemon starts.
enum SideBySide {
  /// Runs all pieces at the same time, the last one on this thread; returns once all are done.
  static func run(_ pieces: [@Sendable () -> Void]) {
    guard let last = pieces.last else { return }
    // DispatchSemaphore is thread-safe.
    let done = DispatchSemaphore(value: 0)
    for piece in pieces.dropLast() {
      let thread = Thread {
        piece()
        done.signal()
      }
      thread.stackSize = 4 << 20
      thread.start()
    }
    last()
    for _ in pieces.dropLast() { done.wait() }
  }

  /// Maps in `count` runs of neighbours, each on a thread of its own; the order stays.
  static func map<Input: Sendable, Output: Sendable, Failure: Error>(
    _ inputs: [Input], in count: Int,
    _ transform: @escaping @Sendable (Input) throws(Failure) -> Output
  ) throws(Failure) -> [Output] {
    let size = max(1, (inputs.count + max(1, count) - 1) / max(1, count))
    let starts = Array(stride(from: 0, to: inputs.count, by: size))
    let results = StateLock([Result<[Output], Failure>?](repeating: nil, count: starts.count))
    run(
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
}
