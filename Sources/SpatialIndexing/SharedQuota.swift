import Synchronization

/// A bound on the objects, and on the bytes of their records, that several indexes hold together.
///
/// The counts are exact at any time: an index takes what an object needs before it stores it, and
/// gives back what the object took when it leaves. Safe to use from any thread.
public final class SharedQuota: Sendable {
  /// The most objects of all indexes together; those that have expired but are not yet reclaimed
  /// count.
  public let maximumObjects: Int
  /// The most bytes of their records (ids, tags, payloads), rounded as the arena rounds them.
  public let maximumBytes: Int
  private let objectsTaken = Atomic(0)
  private let bytesTaken = Atomic(0)

  /// Makes a quota of which nothing is taken.
  public init(maximumObjects: Int, maximumBytes: Int) {
    self.maximumObjects = maximumObjects
    self.maximumBytes = maximumBytes
  }

  /// The number of objects that are held now.
  public var objects: Int { objectsTaken.load(ordering: .relaxed) }
  /// The number of record bytes that are held now.
  public var bytes: Int { bytesTaken.load(ordering: .relaxed) }

  /// Takes objects and bytes from the quota, or nothing when either exceeds it.
  ///
  /// - Returns: Whether they were taken.
  func take(objects: Int, bytes: Int) -> Bool {
    guard Self.add(objects, to: objectsTaken, atMost: maximumObjects) else { return false }
    guard Self.add(bytes, to: bytesTaken, atMost: maximumBytes) else {
      giveBack(objects: objects, bytes: 0)
      return false
    }
    return true
  }

  func giveBack(objects: Int, bytes: Int) {
    objectsTaken.subtract(objects, ordering: .relaxed)
    bytesTaken.subtract(bytes, ordering: .relaxed)
  }

  private static func add(_ count: Int, to taken: borrowing Atomic<Int>, atMost most: Int) -> Bool {
    var now = taken.load(ordering: .relaxed)
    while true {
      guard count <= most - now else { return count == 0 }
      let (done, found) = taken.weakCompareExchange(
        expected: now, desired: now + count, ordering: .relaxed)
      if done { return true }
      now = found
    }
  }
}

extension LiveIndex {
  /// Takes what storing an upsert needs at most.
  ///
  /// - Returns: The bytes that were taken, `nil` where the quota does not hold them.
  func takeQuota(_ upsert: UpsertView, objects: Int) -> Int? {
    guard let quota = configuration.quota else { return 0 }
    let header = unsafe RecordHeader(
      idLength: UInt16(upsert.id.count), tagCount: UInt16(upsert.tagCount),
      payloadLength: UInt32(upsert.payload.count))
    let bytes = arena.roundedSize(header.size)
    return quota.take(objects: objects, bytes: bytes) ? bytes : nil
  }

  /// Gives back what was taken and not used. `before` is the arena's bytes in use at that time.
  func settleQuota(taken: Int, since before: Int) {
    configuration.quota?.giveBack(objects: 0, bytes: taken - (arena.bytesInUse - before))
  }
}
