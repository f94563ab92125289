/// 128 secret bits that key a hash.
///
/// A service reads them from its data directory, so that what is ordered by the hash keeps its
/// order over restarts and nobody outside can choose inputs whose hashes collide.
public struct HashKey: Hashable, Sendable {
  /// The first eight bytes, little-endian.
  public let first: UInt64
  /// The last eight bytes, little-endian.
  public let second: UInt64

  /// Makes a key of two halves.
  @inlinable
  public init(_ first: UInt64, _ second: UInt64) {
    self.first = first
    self.second = second
  }

  /// Makes a key of two draws from a random source.
  public init(using random: inout some RandomNumberGenerator) {
    self.init(random.next(), random.next())
  }

  /// A key that everybody knows, for tests and for tools that read trusted input only.
  public static let publicKey = HashKey(0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908)
}

/// SipHash-1-3 (J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast short-input PRF", 2012) of bytes:
/// who does not know the key cannot choose inputs that collide or that come in a wanted order.
public struct KeyedHash: Sendable {
  @usableFromInline let key: HashKey

  /// Makes the function for a key.
  @inlinable
  public init(key: HashKey) { self.key = key }

  /// Returns the 64-bit SipHash-1-3 of some bytes.
  @inlinable @inline(__always)
  public func callAsFunction(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var state = SipState(key)
    state.absorb(bytes)
    state.v2 ^= 0xff
    return state.finished()
  }

  /// Returns the rank of an object: the 128-bit SipHash-1-3 of its id's bytes.
  @inlinable @inline(__always)
  public func rank(of bytes: UnsafeRawBufferPointer) -> ObjectRank {
    var state = SipState(key)
    state.v1 ^= 0xee
    state.absorb(bytes)
    state.v2 ^= 0xee
    let high = state.finished()
    state.v1 ^= 0xdd
    return ObjectRank(high: high, low: state.finished())
  }

  /// Returns the rank of an object by its id.
  public func rank(of id: String) -> ObjectRank {
    var copy = id
    return copy.withUTF8 { rank(of: UnsafeRawBufferPointer($0)) }
  }
}

/// The four words that SipHash mixes.
@usableFromInline
struct SipState {
  @usableFromInline var v0: UInt64
  @usableFromInline var v1: UInt64
  @usableFromInline var v2: UInt64
  @usableFromInline var v3: UInt64

  @inlinable @inline(__always)
  init(_ key: HashKey) {
    v0 = key.first ^ 0x736f_6d65_7073_6575
    v1 = key.second ^ 0x646f_7261_6e64_6f6d
    v2 = key.first ^ 0x6c79_6765_6e65_7261
    v3 = key.second ^ 0x7465_6462_7974_6573
  }

  @inlinable @inline(__always)
  mutating func absorb(_ bytes: UnsafeRawBufferPointer) {
    let count = bytes.count
    var p = 0
    while p + 8 <= count {
      absorb(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: p, as: UInt64.self)))
      p += 8
    }
    var tail = UInt64(truncatingIfNeeded: count) << 56
    var shift: UInt64 = 0
    while p < count {
      tail |= UInt64(bytes[p]) &<< shift
      shift &+= 8
      p += 1
    }
    absorb(tail)
  }

  @inlinable @inline(__always)
  mutating func absorb(_ word: UInt64) {
    v3 ^= word
    mix()
    v0 ^= word
  }

  /// Mixes three times and folds the words into one.
  @inlinable @inline(__always)
  mutating func finished() -> UInt64 {
    mix()
    mix()
    mix()
    return v0 ^ v1 ^ v2 ^ v3
  }

  @inlinable @inline(__always)
  mutating func mix() {
    v0 = v0 &+ v1
    v2 = v2 &+ v3
    v1 = (v1 &<< 13 | v1 &>> 51) ^ v0
    v3 = (v3 &<< 16 | v3 &>> 48) ^ v2
    v0 = v0 &<< 32 | v0 &>> 32
    v2 = v2 &+ v1
    v0 = v0 &+ v3
    v1 = (v1 &<< 17 | v1 &>> 47) ^ v2
    v3 = (v3 &<< 21 | v3 &>> 43) ^ v0
    v2 = v2 &<< 32 | v2 &>> 32
  }
}
