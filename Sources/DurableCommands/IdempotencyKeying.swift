import ObjectModel

/// Turns the keys of callers into hashes under a secret of this record, so that nobody can make
/// two keys collide.
///
/// 2 x XXH64 under two halves of a 128-bit secret. Stable across restarts with the same secret.
package struct IdempotencyKeying: Sendable {
  private let high: UInt64
  private let low: UInt64

  package init(secret: (UInt64, UInt64)) {
    high = secret.0
    low = secret.1
  }

  package func hash(
    tenant: String, caller: String, method: String, path: String, key: String
  ) -> IdempotencyHash {
    var bytes: [UInt8] = []
    for part in [tenant, caller, method, path, key] {
      withUnsafeBytes(of: UInt32(part.utf8.count).littleEndian) { bytes.append(contentsOf: $0) }
      bytes.append(contentsOf: part.utf8)
    }
    return bytes.withUnsafeBytes { raw in
      let a = StableHash.hash64(raw, seed: high)
      return IdempotencyHash(high: a, low: StableHash.hash64(raw, seed: low ^ a))
    }
  }
}
