import CSpatiaLite
import Synchronization

/// The caches of one database's connections.
final class SpatiaLiteCaches: Sendable {
  // Held as bit patterns: nothing is read through them here.
  private let addresses = Mutex<[UInt]>([])

  func load(_ connection: OpaquePointer?) {
    guard let cache = unsafe spatialite_alloc_connection() else { return }
    unsafe spatialite_init_ex(connection, cache, 0)
    let address = UInt(bitPattern: cache)
    addresses.withLock { $0.append(address) }
  }

  func free() {
    let all = addresses.withLock { addresses in
      defer { addresses = [] }
      return addresses
    }
    for address in all {
      unsafe spatialite_cleanup_ex(UnsafeMutableRawPointer(bitPattern: address))
    }
  }
}
