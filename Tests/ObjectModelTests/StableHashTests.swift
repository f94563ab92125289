import ObjectModel
import Testing

@Suite struct StableHashTests {
  @Test func publishedVectors() {
    #expect(StableHash.hash64("") == 0xEF46_DB37_51D8_E999)
    #expect(StableHash.hash64("a") == 0xD24E_C4F1_A98C_6E5B)
    #expect(StableHash.hash64("abc") == 0x44BC_2CF5_AD77_0999)
    #expect(
      StableHash.hash64("Nobody inspects the spammish repetition") == 0xFBCE_A83C_8A37_8BF1)
  }

  /// The sanity buffer of the reference implementation (xxhash, cli/xsum_sanity_check.c).
  @Test func referenceSanityBuffer() {
    let prime32: UInt64 = 2_654_435_761
    var generator = prime32
    let buffer = (0..<256).map { _ -> UInt8 in
      defer { generator = generator &* 11_400_714_785_074_694_797 }
      return UInt8(generator >> 56)
    }
    let vectors: [(Int, UInt64, UInt64)] = [
      (0, 0, 0xEF46_DB37_51D8_E999), (0, prime32, 0xAC75_FDA2_929B_17EF),
      (1, 0, 0xE934_A84A_DB05_2768), (1, prime32, 0x5014_6076_43A9_B4C3),
      (4, 0, 0x9136_A0DC_A574_57EE), (14, 0, 0x8282_DCC4_994E_35C8),
      (14, prime32, 0xC3BD_6BF6_3DEB_6DF0), (222, 0, 0xB641_AE8C_B691_C174),
      (222, prime32, 0x20CB_8AB7_AE10_C14A),
    ]
    for (count, seed, hash) in vectors {
      let found = buffer[..<count].withUnsafeBytes { StableHash.hash64($0, seed: seed) }
      #expect(found == hash, "\(count) bytes, seed \(seed)")
    }
  }

  @Test func aNumberHashesItsBytes() {
    var random = SplitMix64(seed: 11)
    for _ in 0..<1000 {
      let (number, seed) = (random.next(), random.next())
      let bytes = withUnsafeBytes(of: number.littleEndian) { StableHash.hash64($0, seed: seed) }
      #expect(StableHash.hash64(number, seed: seed) == bytes)
    }
  }

  @Test func stringsHashTheirBytesAndEveryLengthDiffers() {
    #expect(StableHash.hash64("café") != StableHash.hash64("cafe\u{301}"))
    let hashes = (0..<200).map { StableHash.hash64(String(repeating: "x", count: $0)) }
    #expect(Set(hashes).count == 200)
    #expect(StableHash.hash64("x", seed: 1) != StableHash.hash64("x", seed: 2))
  }
}
