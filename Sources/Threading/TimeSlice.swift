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
}
