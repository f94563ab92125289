package import ObjectModel
import Threading

/// What could be read of a tenant's aggregates of one kind.
package struct RecordReading<Value: Sendable>: Sendable {
  package var values: [Value] = []
  /// The first thing that could not be read; nil: all is there.
  package var failure: StoreFailure?
}

extension AggregateStore {
  /// Reads and decodes all of a tenant's aggregates of one kind, those that can be: the first are decoded
  /// while the others are still read. Values are moved about, so let large ones be references.
  ///
  /// - Parameters:
  ///   - kind: Of the aggregates.
  ///   - tenant: Whose they are.
  ///   - decode: Makes a value of an aggregate's bytes; runs on two threads.
  /// - Returns: The values in the store's order, and why not all are there.
  package func read<Value: Sendable>(
    _ kind: AggregateKind, tenant: String,
    _ decode: @escaping @Sendable ([UInt8]) throws -> Value
  ) -> RecordReading<Value> {
    var reading = RecordReading<Value>()
    var unread: StoreFailure?
    let results = concurrentlyMap(
      produce: { (row: (StoredAggregate) -> Void) in
        do throws(StoreFailure) {
          try loadAggregates(kind: kind) { if $0.key.tenant == tenant { row($0) } }
        } catch {
          unread = error
        }
      },
      { stored -> Result<Value, StoreFailure> in
        do {
          return .success(try decode(stored.bytes))
        } catch {
          return .failure(
            StoreFailure(
              "\(kind.rawValue) \(stored.key.id) cannot be read: \(error)", isDamage: true))
        }
      })
    reading.failure = unread
    reading.values.reserveCapacity(results.count)
    for result in results {
      switch result {
      case .success(let value): reading.values.append(value)
      case .failure(let failure): reading.failure = reading.failure ?? failure
      }
    }
    return reading
  }
}

/// Why not all of a record is in memory, known to a model and its readers.
package final class RecordGap: Sendable {
  private let reason = StateLock<String?>(nil)

  package init() {}

  /// Nil: all of it was read.
  package func set(_ failure: StoreFailure?) { reason.withLock { $0 = failure?.reason } }

  /// What is said of something that is not in memory, since it may stand where the record cannot be
  /// read; nil: all is in memory.
  package var refusal: CommitFailure? {
    reason.withLock { $0 }.map {
      .unreadable(reason: "not all of it is in memory (\($0))")
    }
  }
}
