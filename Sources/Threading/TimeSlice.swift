import CThreads

/// How long threads run at a time while others wait for their core.
package enum TimeSlice {
  /// Lets the calling thread run as soon as it wakes, before threads that stand behind others
  /// (``WorkerThread/start(name:stackBytes:courtesy:_:)``): for what answers in microseconds, such as an event
  /// loop. In return its turns are short, 0.1 ms, the least that Linux takes; with nobody waiting that
  /// changes nothing.
  ///
  /// Linux's scheduler (EEVDF) knows turns of a thread's own from 6.12 on; elsewhere nothing happens.
  package static func beShort() { _ = moyeo_set_time_slice(100_000) }

  /// Lets the threads that wait for the core of the calling thread run, where it has not done so for 0.25 ms:
  /// for what takes longer, every few hundred steps.
  ///
  /// Linux's scheduler lets a thread that wakes run before another only if it has not had more than its share
  /// of the core. One that has, be it by microseconds, as an event loop has after an answer, would
  /// otherwise wait until the other one sleeps, or for the scheduler's next tick, 4 ms at 250 Hz.
  package static func stepAside() { moyeo_step_aside() }
}
