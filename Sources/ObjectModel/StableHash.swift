/// XXH64 (Y. Collet, xxHash specification 0.1.1): the same on every machine and in every process,
/// so that what is ranked by it can be stored and compared. Not for untrusted hash tables.
public enum StableHash {
  @usableFromInline static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  @usableFromInline static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  @usableFromInline static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  @usableFromInline static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  @usableFromInline static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  /// XXH64 of a string's UTF-8 bytes.
  public static func hash64(_ text: String, seed: UInt64 = 0) -> UInt64 {
    var copy = text
    return copy.withUTF8 { hash64(UnsafeRawBufferPointer($0), seed: seed) }
  }

  /// XXH64 of a number's eight bytes, the lowest first.
  public static func hash64(_ number: UInt64, seed: UInt64) -> UInt64 {
    let h = (seed &+ prime5 &+ 8) ^ round(0, number)
    return avalanche(rotate(h, 27) &* prime1 &+ prime4)
  }

  /// XXH64 of bytes.
  public static func hash64(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    var p = 0
    let count = bytes.count
    var h: UInt64
    if count >= 32 {
      var v1 = seed &+ prime1 &+ prime2
      var v2 = seed &+ prime2
      var v3 = seed
      var v4 = seed &- prime1
      while p + 32 <= count {
        v1 = round(v1, load64(bytes, p))
        v2 = round(v2, load64(bytes, p + 8))
        v3 = round(v3, load64(bytes, p + 16))
        v4 = round(v4, load64(bytes, p + 24))
        p += 32
      }
      h = rotate(v1, 1) &+ rotate(v2, 7) &+ rotate(v3, 12) &+ rotate(v4, 18)
      for v in [v1, v2, v3, v4] { h = (h ^ round(0, v)) &* prime1 &+ prime4 }
    } else {
      h = seed &+ prime5
    }
    h &+= UInt64(count)
    while p + 8 <= count {
      h = rotate(h ^ round(0, load64(bytes, p)), 27) &* prime1 &+ prime4
      p += 8
    }
    if p + 4 <= count {
      let word = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: p, as: UInt32.self))
      h = rotate(h ^ UInt64(word) &* prime1, 23) &* prime2 &+ prime3
      p += 4
    }
    while p < count {
      h = rotate(h ^ UInt64(bytes[p]) &* prime5, 11) &* prime1
      p += 1
    }
    return avalanche(h)
  }

  @inline(__always)
  private static func avalanche(_ hash: UInt64) -> UInt64 {
    var h = (hash ^ hash >> 33) &* prime2
    h = (h ^ h >> 29) &* prime3
    return h ^ h >> 32
  }

  @inline(__always)
  private static func load64(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
  @inline(__always)
  private static func rotate(_ value: UInt64, _ by: UInt64) -> UInt64 {
    value << by | value >> (64 - by)
  }
  @inline(__always)
  private static func round(_ accumulator: UInt64, _ input: UInt64) -> UInt64 {
    rotate(accumulator &+ input &* prime2, 31) &* prime1
  }
}
