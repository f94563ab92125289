import ObjectModel
import Testing

@Suite struct KeyedHashTests {
  /// The first vectors of SipHash-1-3 for the key 00 01 ... 0f and the bytes 00 01 ... (n - 1), as
  /// other implementations publish them (Rust's `core::hash::sip` tests).
  @Test func sipHash13MatchesItsVectors() {
    let hash = KeyedHash(key: .publicKey)
    let wanted: [UInt64] = [
      0xabac_0158_050f_c4dc, 0xc9f4_9bf3_7d57_ca93, 0x82cb_9b02_4dc7_d44d, 0x8bf8_0ab8_e7dd_f7fb,
    ]
    let bytes = (0..<wanted.count).map { UInt8($0) }
    for (count, value) in wanted.enumerated() {
      #expect(bytes.prefix(count).withUnsafeBytes { hash($0) } == value, "\(count) bytes")
    }
  }

  @Test func everyByteAndTheKeyCount() {
    let a = KeyedHash(key: HashKey(1, 2))
    let b = KeyedHash(key: HashKey(1, 3))
    let bytes = (0..<41).map { UInt8($0) }
    var seen: Set<UInt64> = []
    var ranks: Set<ObjectRank> = []
    for count in 0...41 {
      bytes.prefix(count).withUnsafeBytes { slice in
        #expect(a(slice) != b(slice) && a.rank(of: slice) != b.rank(of: slice))
        seen.insert(a(slice))
        ranks.insert(a.rank(of: slice))
      }
    }
    #expect(seen.count == 42 && ranks.count == 42)
    #expect(Set(ranks.map(\.high)).count == 42 && Set(ranks.map(\.low)).count == 42)
  }

  /// These two ids have one XXH64; whoever ranks by a keyed hash tells them apart.
  @Test func idsThatCollideWithoutAKeyHaveRanksOfTheirOwn() {
    let ids = ["victim-taxi-0001", "00006934Sw3-8y{N"]
    #expect(StableHash.hash64(ids[0]) == StableHash.hash64(ids[1]))
    let hash = KeyedHash(key: .publicKey)
    #expect(hash.rank(of: ids[0]).high != hash.rank(of: ids[1]).high)
  }
}
