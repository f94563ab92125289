import ObjectModel

/// The claims an aggregate holds, as they stand in its row: so that a change touches only the
/// claims that differ, and no second index on the table of claims is needed.
/// ```
/// repeated: length of the id 2 | id | from 8 | through 8      (little endian)
/// ```
enum HeldClaims {
  struct Claim: Hashable {
    var userID: String
    var from: Int64
    var through: Int64
  }

  static func encode(_ claims: [Claim]) -> [UInt8] {
    var out: [UInt8] = []
    for claim in claims {
      let id = Array(claim.userID.utf8)
      append(UInt64(id.count), bytes: 2, to: &out)
      out += id
      append(UInt64(bitPattern: claim.from), bytes: 8, to: &out)
      append(UInt64(bitPattern: claim.through), bytes: 8, to: &out)
    }
    return out
  }

  static func decode(_ bytes: [UInt8]) -> [Claim] {
    var out: [Claim] = []
    var at = 0
    while at + 18 <= bytes.count {
      let length = Int(word(bytes, at, 2))
      guard at + 18 + length <= bytes.count else { break }
      out.append(
        Claim(
          userID: String(decoding: bytes[(at + 2)..<(at + 2 + length)], as: UTF8.self),
          from: Int64(bitPattern: word(bytes, at + 2 + length, 8)),
          through: Int64(bitPattern: word(bytes, at + 10 + length, 8))))
      at += 18 + length
    }
    return out
  }

  private static func append(_ value: UInt64, bytes: Int, to out: inout [UInt8]) {
    for index in 0..<bytes { out.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
  }

  private static func word(_ bytes: [UInt8], _ at: Int, _ count: Int) -> UInt64 {
    (0..<count).reduce(0) { $0 | UInt64(bytes[at + $1]) << UInt64(8 * $1) }
  }
}
