import Foundation

/// What the process itself uses, under the names that Prometheus's own libraries have for it
/// (Linux; elsewhere there is nothing).
enum ProcessFigures {
  static func text() -> String {
    var out = ""
    func add(_ name: String, _ kind: String, _ value: some Numeric) {
      out += "# TYPE \(name) \(kind)\n\(name) \(value)\n"
    }
    if let pages = field(1, of: "/proc/self/statm") {
      add("process_resident_memory_bytes", "gauge", pages * sysconf(Int32(_SC_PAGESIZE)))
    }
    if let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
      // The listing itself has one open.
      add("process_open_fds", "gauge", max(0, open.count - 1))
    }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      add("process_max_fds", "gauge", Int(clamping: limit.rlim_cur))
    }
    var usage = rusage()
    if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
      let times = [usage.ru_utime, usage.ru_stime]
      let seconds = times.reduce(0.0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
      add("process_cpu_seconds_total", "counter", seconds)
    }
    return out
  }

  /// A number of a file that holds several, with blanks between them.
  private static func field(_ index: Int, of path: String) -> Int? {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
    let words = text.split(separator: " ")
    return words.count > index ? Int(words[index]) : nil
  }
}
