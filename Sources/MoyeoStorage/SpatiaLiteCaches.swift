import CSpatiaLite
import Threading

/// The caches of one database's connections.
///
/// SpatiaLite says that it must be initialized first of all; the libraries below it set up shared
/// state when a connection is made, so one is made at a time.
final class SpatiaLiteCaches: Sendable {
  // Held as bit patterns: nothing is read through them here.
  private let addresses = StateLock<[UInt]>([])

  private static let guarding = StateLock<Bool>(false)

  func load(_ connection: OpaquePointer?) {
    let handle = UInt(bitPattern: connection)
    let address = Self.guarding.withLock { isInitialized in
      if !isInitialized { spatialite_initialize() }
      isInitialized = true
      guard let cache = unsafe spatialite_alloc_connection() else { return UInt(0) }
      unsafe spatialite_init_ex(OpaquePointer(bitPattern: handle), cache, 0)
      return UInt(bitPattern: cache)
    }
    if address != 0 { addresses.withLock { $0.append(address) } }
  }

  func free() {
    let all = addresses.withLock { addresses in
      defer { addresses = [] }
      return addresses
    }
    Self.guarding.withLock { _ in
      for address in all {
        unsafe spatialite_cleanup_ex(UnsafeMutableRawPointer(bitPattern: address))
      }
    }
  }
}
