#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Address space that the system did not grant.
public struct AddressSpaceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Bytes that were asked for.
  public let bytes: Int

  /// Names how much was asked for.
  public init(bytes: Int) { self.bytes = bytes }

  /// A sentence for people: what was asked for, and what helps.
  public var description: String {
    "the system granted no \(bytes >> 20) MiB of address space: lower the quota of objects of a "
      + "layer, or raise the limit of the process (ulimit -v)"
  }
}

/// One reservation of address space, out of which a structure's arrays take their parts.
///
///     start | part | part | … | never taken |        no memory until a part is made accessible
///
/// All of it is granted or refused at once, before the structure exists, so that a structure never
/// finds itself half made. Parts begin at huge pages. They are given back together, when nothing
/// holds the reservation any more.
///
/// `@unchecked Sendable`: parts are taken by one thread, while the structure is made.
package final class AddressSpace: @unchecked Sendable {
  /// Bytes of a huge page.
  package static let hugePage = 2 << 20
  private let start: UnsafeMutableRawPointer
  private let reservedBytes: Int
  private var next: Int

  /// `bytes`: The sum of what `rounded` makes of the parts.
  package init(bytes: Int) throws(AddressSpaceError) {
    reservedBytes = bytes + Self.hugePage
    #if canImport(Glibc)
      let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    #else
      let flags = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE
    #endif
    guard let start = mmap(nil, reservedBytes, PROT_NONE, flags, -1, 0), start != MAP_FAILED else {
      throw AddressSpaceError(bytes: bytes)
    }
    self.start = start
    let page = Self.hugePage
    next = (page - Int(bitPattern: start) % page) % page
  }

  deinit { munmap(start, reservedBytes) }

  /// The bytes that a part takes: whole huge pages.
  package static func rounded(_ bytes: Int) -> Int { (bytes + hugePage - 1) / hugePage * hugePage }

  /// Takes a part. It may not be read or written before it is made accessible.
  package func take(_ bytes: Int) -> UnsafeMutableRawPointer {
    let part = start + next
    next += Self.rounded(bytes)
    precondition(next <= reservedBytes, "a structure takes more address space than it reserved")
    return part
  }
}
