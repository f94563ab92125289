public import Threading

extension SingleFlight {
  /// One computation: what its work sees of it, and the handle that cancels it.
  public final class Flight: @unchecked Sendable {
    @usableFromInline
    enum Phase {
      case starting
      case running(Task<Void, Never>)
      case cancelled
      case ended
    }

    @usableFromInline let key: Key
    @usableFromInline let id: UInt64
    @usableFromInline let owner: SingleFlight<Key, Value>
    @usableFromInline let work: @Sendable (Flight) async throws -> Value
    // Sendable is true because these two are touched only under the owner's lock.
    @usableFromInline var phase = Phase.starting
    /// The answer, for a leader that may come too late to be told.
    @usableFromInline var answer: WaiterBox<Value>.Answer?

    @inlinable
    init(
      key: Key, id: UInt64, owner: SingleFlight<Key, Value>,
      work: @escaping @Sendable (Flight) async throws -> Value
    ) {
      self.key = key
      self.id = id
      self.owner = owner
      self.work = work
    }

    /// Says that the work is about to read live state, and what version that state has reached.
    ///
    /// - Returns: The reading that the work's answer will carry.
    @discardableResult
    public func willRead(version: UInt64? = nil) -> Reading {
      let reading = Reading(time: owner.clock.now(), version: version)
      owner.machine.withLock { $0.mark(key, flight: id, reading: reading) }
      return reading
    }

    /// The reading of the work; `nil` while it has not said when it reads.
    public var reading: Reading? {
      owner.machine.withLock { $0.reading(key, flight: id) }
    }

    /// Runs the work on this thread until it first waits, detached from the caller.
    ///
    /// - Returns: The answer if the work has ended already.
    @inlinable
    func startHere() -> WaiterBox<Value>.Answer? {
      started(Task.immediateDetached { [self] in await run() })
    }

    /// Runs the work on another thread.
    @usableFromInline
    func startElsewhere() {
      _ = started(Task.detached { [self] in await run() })
    }

    @inlinable
    func started(_ task: Task<Void, Never>) -> WaiterBox<Value>.Answer? {
      let (found, isCancelled) = owner.machine.withLock { _ in
        switch phase {
        case .starting:
          phase = .running(task)
          return (WaiterBox<Value>.Answer?.none, false)
        case .ended: return (takeAnswer(), false)
        case .cancelled: return (nil, true)
        case .running: return (nil, false)
        }
      }
      if isCancelled { task.cancel() }
      return found
    }

    @inlinable
    func run() async {
      do {
        owner.finish(self, .success(try await work(self)))
      } catch {
        owner.finish(self, .failure(error))
      }
    }

    /// Sets the answer; it is called under the owner's lock.
    @inlinable
    func takeAnswer() -> WaiterBox<Value>.Answer? {
      defer { answer = nil }
      return answer
    }

    func cancel() {
      let task: Task<Void, Never>? = owner.machine.withLock { _ in
        switch phase {
        case .running(let task):
          phase = .cancelled
          return task
        case .starting:
          phase = .cancelled
          return nil
        case .cancelled, .ended: return nil
        }
      }
      task?.cancel()
    }
  }
}

/// Brings an answer and the caller who waits for it together, whichever comes first.
@usableFromInline
final class WaiterBox<Value: Sendable>: Sendable {
  @usableFromInline typealias Answer = Result<(Value, Reading), any Error>

  private enum State {
    case empty
    case waiting(CheckedContinuation<(Value, Reading), any Error>)
    case answered(Answer)
    case taken
  }

  private let state = StateLock(State.empty)

  @usableFromInline
  init() {}

  /// Hands the answer over; whoever took the waiter out of the machine calls it once.
  func answer(_ answer: Answer) {
    let continuation = state.withLock { state in
      if case .waiting(let continuation) = state {
        state = .taken
        return Optional(continuation)
      }
      state = .answered(answer)
      return nil
    }
    continuation?.resume(with: answer)
  }

  func take() -> Answer? {
    state.withLock { state in
      guard case .answered(let answer) = state else { return nil }
      state = .taken
      return answer
    }
  }

  func wait(_ continuation: CheckedContinuation<(Value, Reading), any Error>) {
    let answer: Answer? = state.withLock { state in
      if case .answered(let answer) = state {
        state = .taken
        return answer
      }
      state = .waiting(continuation)
      return nil
    }
    if let answer { continuation.resume(with: answer) }
  }
}
