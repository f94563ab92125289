import Foundation

/// Processor time used so far, in seconds; Linux only (/proc), elsewhere absent.
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

  /// User and system time of a process (proc(5), stat fields 14 and 15).
  static func ofProcess(_ id: Int32) -> Double? {
    guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
      // The second field is a name in parentheses that may hold anything.
      let end = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      return nil
    }
    return (user + system) / ticksPerSecond
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
