package import Threading

/// The allowances of any number of callers, in bounded memory.
///
/// A bucket that is full again is no different from one that never was, so that it can be forgotten
/// without loss. When every bucket where a new caller belongs still owes something, the one that owes
/// least is forgotten: whoever floods is remembered longest, and inventing callers grows nothing and
/// gives nobody more than the burst they would have after a short rest.
///
/// A caller's key picks eight places, as in an associative cache; the places are split among locks.
package final class AllowanceTable: Sendable {
  private struct Bucket {
    var key: UInt64 = 0
    /// As in ``RateAllowance``; the least of all moments where nobody stands.
    var fullAt: Nanoseconds = .min
  }

  private struct Part {
    var buckets: [Bucket]
    var forgottenDebts: UInt64 = 0
  }

  private static let ways = 8
  private static let partCount = 16
  private let parts: [StateLock<Part>]
  private let setsOfPart: UInt64

  /// - Parameter capacity: Buckets that are remembered; rounded up to whole sets.
  package init(capacity: Int) {
    let sets = max(1, (capacity + Self.ways * Self.partCount - 1) / (Self.ways * Self.partCount))
    setsOfPart = UInt64(sets)
    parts = (0..<Self.partCount).map { _ in
      StateLock(Part(buckets: Array(repeating: Bucket(), count: sets * Self.ways)))
    }
  }

  /// Buckets that there is room for.
  package var capacity: Int { Self.partCount * Self.ways * Int(setsOfPart) }

  /// How often a bucket was forgotten that was not full yet.
  package var forgottenDebts: UInt64 {
    parts.reduce(0) { sum, part in sum + part.withLock { $0.forgottenDebts } }
  }

  /// Takes one event of a caller if it is allowed.
  ///
  /// - Parameters:
  ///   - key: Of the caller and of what is counted: a hash that callers cannot choose.
  ///   - rate: How much each has, full.
  ///   - now: The present moment.
  /// - Returns: How long to wait, above 0; nil: the event is allowed.
  package func take(_ key: UInt64, _ rate: RateAllowance, at now: Nanoseconds) -> Nanoseconds? {
    let (part, first) = place(of: key)
    return part.withLock { part in
      var found = first
      for index in first..<first + Self.ways {
        if part.buckets[index].key == key {
          found = index
          break
        }
        if part.buckets[index].fullAt < part.buckets[found].fullAt { found = index }
      }
      var allowance = rate
      if part.buckets[found].key == key {
        allowance.fullAt = part.buckets[found].fullAt
      } else if part.buckets[found].fullAt > now {
        part.forgottenDebts += 1
      }
      let wait = allowance.take(at: now)
      if wait == nil { part.buckets[found] = Bucket(key: key, fullAt: allowance.fullAt) }
      return wait
    }
  }

  /// Gives an event back that was taken and then not used.
  package func giveBack(_ key: UInt64, _ rate: RateAllowance) {
    let (part, first) = place(of: key)
    part.withLock { part in
      for index in first..<first + Self.ways where part.buckets[index].key == key {
        let (earlier, underflow) = part.buckets[index].fullAt
          .subtractingReportingOverflow(rate.interval)
        part.buckets[index].fullAt = underflow ? .min : earlier
        return
      }
    }
  }

  private func place(of key: UInt64) -> (part: StateLock<Part>, first: Int) {
    let set = (key >> 8) % setsOfPart
    return (parts[Int(key % UInt64(Self.partCount))], Int(set) * Self.ways)
  }
}
