public import Synchronization

extension SingleFlight {
  /// One computation: what its work sees of it, and the handle that cancels it.
  public final class Flight: Sendable {
    @usableFromInline
    enum Phase {
      case starting
      case running(Task<Void, Never>)
      case cancelled
      case ended(WaiterBox<Value>.Answer)
    }

    @usableFromInline let key: Key
    @usableFromInline let id: UInt64
    @usableFromInline let owner: SingleFlight<Key, Value>
    @usableFromInline let work: @Sendable (Flight) async throws -> Value
    @usableFromInline let phase = Mutex(Phase.starting)

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
    /// - Returns: the reading its answer will carry.
    @discardableResult
    public func willRead(version: UInt64? = nil) -> Reading {
      let reading = Reading(time: owner.clock.now(), version: version)
      owner.machine.withLock { $0.mark(key, flight: id, reading: reading) }
      return reading
    }

    /// What the work reads; `nil` while it has not said so.
    public var reading: Reading? {
      owner.machine.withLock { $0.reading(key, flight: id) }
    }

    /// Runs the work on this thread until it first waits, detached from the caller.
    /// - Returns: the answer if it has ended already.
    @inlinable
    func startHere() -> WaiterBox<Value>.Answer? {
      let task = Task.immediateDetached { [self] in await run() }
      return started(task)
    }

    /// Runs the work on another thread.
    @usableFromInline
    func startElsewhere() {
      _ = started(Task.detached { [self] in await run() })
    }

    @inlinable
    func started(_ task: Task<Void, Never>) -> WaiterBox<Value>.Answer? {
      let (answer, isCancelled) = phase.withLock { phase in
        switch phase {
        case .starting:
          phase = .running(task)
          return (WaiterBox<Value>.Answer?.none, false)
        case .ended(let answer): return (answer, false)
        case .cancelled: return (nil, true)
        case .running: return (nil, false)
        }
      }
      if isCancelled { task.cancel() }
      return answer
    }

    @inlinable
    func run() async {
      do {
        owner.finish(self, .success(try await work(self)))
      } catch {
        owner.finish(self, .failure(error))
      }
    }

    @inlinable
    func end(_ answer: WaiterBox<Value>.Answer) { phase.withLock { $0 = .ended(answer) } }

    @inlinable var answer: WaiterBox<Value>.Answer? {
      phase.withLock { phase in
        if case .ended(let answer) = phase { return answer }
        return nil
      }
    }

    func cancel() {
      let task: Task<Void, Never>? = phase.withLock { phase in
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

/// Where an answer and the one who waits for it meet, whichever comes first.
public final class WaiterBox<Value: Sendable>: Sendable {
  @usableFromInline typealias Answer = Result<(Value, Reading), any Error>

  private enum State {
    case empty
    case waiting(CheckedContinuation<(Value, Reading), any Error>)
    case answered(Answer)
    case taken
  }

  private let state = Mutex(State.empty)

  @usableFromInline
  init() {}

  /// Called once, by whoever took the waiter out of the machine.
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
