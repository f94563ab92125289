import ObjectModel

/// The newest replies by key, at most so many.
struct ReplyTable {
  private var replies: [IdempotencyHash: StoredReply] = [:]
  /// Keys in the order of their arrival, from `first` on.
  private var order: [IdempotencyHash] = []
  private var first = 0
  private let limit: Int
  /// Whether a key that is not here may be known to the store.
  private(set) var isTruncated = false

  init(limit: Int) { self.limit = max(1, limit) }

  var count: Int { replies.count }

  subscript(key: IdempotencyHash) -> StoredReply? { replies[key] }

  mutating func insert(_ reply: StoredReply) {
    guard replies.updateValue(reply, forKey: reply.key) == nil else { return }
    order.append(reply.key)
    while replies.count > limit {
      replies[order[first]] = nil
      first += 1
      isTruncated = true
    }
    compact()
  }

  /// Gives an aggregate another id.
  mutating func rename(_ id: String, to other: String, tenant: String) {
    for (key, reply) in replies where reply.aggregateID == id && reply.tenant == tenant {
      replies[key]?.aggregateID = other
    }
  }

  /// Drops what came before a moment, as far as it came in order.
  mutating func removeAll(before moment: Instant) {
    while first < order.count, let oldest = replies[order[first]], oldest.at < moment {
      replies[order[first]] = nil
      first += 1
    }
    compact()
  }

  private mutating func compact() {
    guard first > 1024, first * 2 > order.count else { return }
    order.removeFirst(first)
    first = 0
  }
}
