import Foundation

/// Processor time used so far, in seconds; the machine's on Linux only (/proc).
struct ProcessorTimes: Sendable {
  var server: Double?
  var own: Double
  /// All processes and the kernel.
  var machine: Double?

  /// Ticks a second of /proc; 100 on every Linux in use.
  private static let ticksPerSecond = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
  static let processorCount = ProcessInfo.processInfo.activeProcessorCount

  static func now(serverID: Int32?) -> ProcessorTimes {
    var spent = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent)
    return ProcessorTimes(
      server: serverID.flatMap { ofProcess($0) },
      own: Double(spent.tv_sec) + Double(spent.tv_nsec) / 1e9, machine: ofMachine())
  }

  /// User and system time of a process, all its threads, by the clock that
  /// clock_getcpuclockid(3) names: no coarser than the scheduler's own account.
  static func ofProcess(_ id: Int32) -> Double? {
    var clock = clockid_t()
    var spent = timespec()
    // Asked first whether there is such a process: of 2^31 - 1 the clock's number is that of our own.
    guard id > 0, kill(id, 0) == 0 || errno == EPERM,
      clock_getcpuclockid(id, &clock) == 0, clock_gettime(clock, &spent) == 0
    else {
      return nil
    }
    return Double(spent.tv_sec) + Double(spent.tv_nsec) / 1e9
  }

  private static func ofMachine() -> Double? {
    guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8),
      let line = text.split(separator: "\n").first, line.hasPrefix("cpu ")
    else { return nil }
    let ticks = line.split(separator: " ").dropFirst().compactMap { Double($0) }
    guard ticks.count >= 8 else { return nil }
    // user, nice, system, (idle, iowait,) irq, softirq, steal.
    return (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]) / ticksPerSecond
  }
}
