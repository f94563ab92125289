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

/// Maps inputs in runs of neighbours, on a second thread while the calling one still produces more;
/// then on both.
///
/// - Parameters:
///   - runLength: Inputs that are mapped together.
///   - produce: Calls its argument with each input; runs on the calling thread.
///   - transform: Makes an output of an input.
/// - Returns: The outputs, in the order of the inputs.
/// - Throws: What `produce` throws, with the outputs of what came before it lost: who wants them
///   keeps the error and returns.
package func concurrentlyMap<Input: Sendable, Output: Sendable, Failure: Error>(
  runLength: Int = 512,
  produce: ((Input) -> Void) throws(Failure) -> Void,
  _ transform: @escaping @Sendable (Input) -> Output
) throws(Failure) -> [Output] {
  let runs = ProducedRuns<Input, Output>()
  WorkerThread.start(name: "moyeo-parallel", stackBytes: 4 << 20) {
    while runs.mapOne(transform, waits: true) {}
    runs.workerIsDone.signal()
  }
  var next: [Input] = []
  next.reserveCapacity(runLength)
  let result = Result { () throws(Failure) in
    try produce { input in
      next.append(input)
      if next.count == runLength {
        runs.add(next)
        next.removeAll(keepingCapacity: true)
      }
    }
  }
  runs.add(next)
  runs.end()
  while runs.mapOne(transform, waits: false) {}
  runs.workerIsDone.wait()
  try result.get()
  return runs.outputs
}

/// Runs of inputs on their way to two threads.
private final class ProducedRuns<Input: Sendable, Output: Sendable>: Sendable {
  private struct State {
    var inputs: [[Input]] = []
    var outputs: [[Output]] = []
    var taken = 0
  }

  private let state = StateLock(State())
  /// Signalled for each run, and once for the end. DispatchSemaphore is thread-safe.
  private let arrivals = DispatchSemaphore(value: 0)
  let workerIsDone = DispatchSemaphore(value: 0)

  func add(_ run: [Input]) {
    state.withLock {
      $0.inputs.append(run)
      $0.outputs.append([])
    }
    arrivals.signal()
  }

  /// Says that no run follows.
  func end() { arrivals.signal() }

  /// Maps the next run, if there is one; `waits` for it, or for the end.
  func mapOne(_ transform: (Input) -> Output, waits: Bool) -> Bool {
    if waits { arrivals.wait() }
    let taken = state.withLock { state -> (place: Int, run: [Input])? in
      guard state.taken < state.inputs.count else { return nil }
      let place = state.taken
      state.taken += 1
      defer { state.inputs[place] = [] }
      return (place, state.inputs[place])
    }
    guard let (place, run) = taken else { return false }
    let outputs = run.map(transform)
    state.withLock { $0.outputs[place] = outputs }
    return true
  }

  var outputs: [Output] { state.withLock { Array($0.outputs.joined()) } }
}
