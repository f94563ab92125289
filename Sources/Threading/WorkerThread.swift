import CThreads

/// Starts an operating-system thread for work that blocks.
///
/// `Foundation.Thread` does the same; this module stays below Foundation so that the core can be
/// embedded without it.
package enum WorkerThread {
  /// Runs `body` on a new detached thread.
  ///
  /// - Parameters:
  ///   - name: What debuggers and `top -H` show; Linux keeps the first 15 bytes.
  ///   - stackBytes: The size of the thread's stack, at least 16 KiB.
  ///   - courtesy: How far the thread stands behind others when there are fewer cores than threads
  ///     that have work: steps of nice(2), 0 to 19. From 1 on, `body` calls
  ///     ``TimeSlice/stepAside()`` often.
  ///   - body: Runs once; the thread ends with it.
  package static func start(
    name: String, stackBytes: Int = 1 << 20, courtesy: Int32 = 0,
    _ body: @escaping @Sendable () -> Void
  ) {
    precondition(stackBytes >= 16 << 10, "a thread's stack must have at least 16 KiB")
    let argument = Unmanaged.passRetained(ThreadBody(run: body)).toOpaque()
    let code = moyeo_start_thread(
      name, stackBytes, courtesy,
      { argument in
        guard let argument else { return }
        Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
      }, argument)
    precondition(code == 0, "the system starts no thread: pthread_create returned \(code)")
  }
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(run: @escaping @Sendable () -> Void) { self.run = run }
}
