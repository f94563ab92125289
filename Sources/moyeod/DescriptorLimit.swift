#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How many files and connections the process may have open.
enum DescriptorLimit {
  /// Raises the soft limit to the hard one.
  /// - Returns: The limit that is in force now.
  static func raise() -> Int {
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &limit) == 0 else { return Int.max }
    if limit.rlim_cur < limit.rlim_max {
      var raised = limit
      raised.rlim_cur = limit.rlim_max
      if setrlimit(resource, &raised) == 0 { limit = raised }
    }
    return Int(clamping: limit.rlim_cur)
  }

  /// What the daemon itself needs before the first connection: standard streams, ports and the
  /// record's five connections with their logs (64), and four for each event loop.
  static func least(eventLoops: Int) -> Int { 64 + 4 * eventLoops + 16 }

  /// - Throws: ``StartFailure`` when not even a few connections could be served.
  static func require(eventLoops: Int) throws -> Int {
    let limit = raise()
    let least = least(eventLoops: eventLoops)
    guard limit >= least else {
      throw StartFailure.failed(
        "at most \(limit) files and connections may be open, and at least \(least) are needed: "
          + "raise the limit (ulimit -Hn, or LimitNOFILE= of systemd)")
    }
    return limit
  }
}
