import ObjectModel
import Threading

/// Callers by the tokens that have been verified: bounded, and keyed by a hash of the token under a
/// secret of this process, so that nobody can choose two tokens that meet.
///
/// It is split by the hash, because every event loop asks for every call. Each part keeps two
/// generations: when the younger one is full it becomes the older one, and what is asked for again
/// moves over. So neither a lookup nor a flood of tokens that are seen once costs more than its own.
final class TokenCache: Sendable {
  private struct Part {
    var young: [ObjectRank: Caller] = [:]
    var old: [ObjectRank: Caller] = [:]
  }

  private static let partCount = 16
  private let parts: [StateLock<Part>]
  private let generationSize: Int
  private let hash: KeyedHash

  /// - Parameter capacity: Tokens that are remembered, about.
  init(capacity: Int) {
    var random = SystemRandomNumberGenerator()
    hash = KeyedHash(key: HashKey(using: &random))
    generationSize = max(1, capacity / (2 * Self.partCount))
    parts = (0..<Self.partCount).map { _ in StateLock(Part()) }
  }

  func key(of token: String) -> ObjectRank { hash.rank(of: token) }

  func caller(_ key: ObjectRank) -> Caller? {
    part(of: key).withLock { part in
      if let known = part.young[key] { return known }
      guard let known = part.old[key] else { return nil }
      keep(known, key, &part)
      return known
    }
  }

  func insert(_ caller: Caller, _ key: ObjectRank) {
    part(of: key).withLock { keep(caller, key, &$0) }
  }

  func remove(_ key: ObjectRank) {
    part(of: key).withLock { part in
      part.young[key] = nil
      part.old[key] = nil
    }
  }

  /// Tokens that are remembered now.
  var count: Int {
    parts.reduce(0) { sum, part in
      sum + part.withLock { Set($0.young.keys).union($0.old.keys).count }
    }
  }

  private func keep(_ caller: Caller, _ key: ObjectRank, _ part: inout Part) {
    if part.young.count >= generationSize {
      part.old = part.young
      part.young = [:]
    }
    part.young[key] = caller
  }

  private func part(of key: ObjectRank) -> StateLock<Part> {
    parts[Int(truncatingIfNeeded: key.high % UInt64(Self.partCount))]
  }
}
