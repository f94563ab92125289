import Foundation
import DurableCommands
import ObjectModel

/// Where each reply that is kept stands on disk, by key: 40 bytes of memory a reply instead of an
/// index whose every page a commit would write.
///
/// Shards keep the growth of a table from holding up a commit.
final class ReplyIndex: @unchecked Sendable {
  struct Place: Hashable {
    var hour: Int64
    var row: Int64
  }

  private static let shardCount = 64
  /// Guards `hours`.
  private let lock = NSLock()
  private var hours: [(hour: Int64, shards: [[IdempotencyHash: UInt32]])] = []

  static func hour(of moment: Instant) -> Int64 {
    let (quotient, remainder) = moment.milliseconds.quotientAndRemainder(dividingBy: 3_600_000)
    return remainder < 0 ? quotient - 1 : quotient
  }

  func insert(_ key: IdempotencyHash, at place: Place) {
    lock.withLock {
      var index = hours.count - 1
      // The newest hour stands last and is the usual one.
      while index >= 0, hours[index].hour > place.hour { index -= 1 }
      if index < 0 || hours[index].hour != place.hour {
        index += 1
        hours.insert((place.hour, Array(repeating: [:], count: Self.shardCount)), at: index)
      }
      hours[index].shards[Self.shard(of: key)][key] = UInt32(truncatingIfNeeded: place.row)
    }
  }

  func place(of key: IdempotencyHash) -> Place? {
    let shard = Self.shard(of: key)
    return lock.withLock {
      for entry in hours.reversed() {
        if let row = entry.shards[shard][key] { return Place(hour: entry.hour, row: Int64(row)) }
      }
      return nil
    }
  }

  func removeHours(before hour: Int64) {
    lock.withLock { hours.removeAll { $0.hour < hour } }
  }

  func removeAll() { lock.withLock { hours = [] } }

  var count: Int {
    lock.withLock { hours.reduce(0) { $0 + $1.shards.reduce(0) { $0 + $1.count } } }
  }

  private static func shard(of key: IdempotencyHash) -> Int {
    Int(truncatingIfNeeded: (key.high ^ key.low) & UInt64(shardCount - 1))
  }
}
