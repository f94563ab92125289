import Logging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a limited address space (`ulimit -v`) leaves for layers.
enum AddressSpaceLimit {
  /// Address space that a layer reserves for each object that it may hold.
  private static let bytesPerObject: UInt64 = 6 << 10

  /// The objects of one layer: as configured, or as many as a quarter of a limited address space
  /// holds, so that the daemon starts and a layer too many is refused.
  static func objectsPerLayer(_ configured: Int, logger: Logger) -> Int {
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
    #else
      let resource = RLIMIT_AS
    #endif
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < 1 << 46 else { return configured }
    let possible = max(1024, Int(UInt64(limit.rlim_cur) / 4 / bytesPerObject))
    guard possible < configured else { return configured }
    logger.warning(
      "the address space is limited (ulimit -v): layers hold fewer objects than configured",
      metadata: ["objectsPerLayer": "\(possible)"])
    return possible
  }
}
