import ObjectModel
import SpatialIndexing

extension Layer {
  /// Reads positions as they are stored into updates of the index.
  ///
  /// - Parameters:
  ///   - positions: With valid values.
  ///   - count: How many they are at the most.
  ///   - isReceiptTime: Whether none of them can be stale.
  /// - Returns: The updates, and the tag summaries by rank where clusters want them.
  func updates(
    of positions: some Sequence<StoredPosition>, count: Int, isReceiptTime: Bool = false
  ) -> (updates: UpdateBatch, masks: [ObjectRank: UInt64]) {
    var updates = UpdateBatch(columnCount: columns.count)
    updates.reserveCapacity(count, bytes: count * 192)
    var masks: [ObjectRank: UInt64] = [:]
    let keepsMasks = feed.clusters != nil
    for position in positions {
      position.payload.withUnsafeBytes { payload in
        let tags = ObjectPayload.tags(in: payload)
        let attributes = ObjectPayload.attributes(in: payload)
        let values = columns.map { name -> Double in
          guard
            case .number(let number)? = ObjectPayload.value(of: name, inAttributes: attributes)
          else { return .nan }
          return number
        }
        var id = position.key.id
        id.withUTF8 { bytes in
          let id = UnsafeRawBufferPointer(bytes)
          updates.append(
            id: id, latitude: position.latitude, longitude: position.longitude, tags: tags,
            payload: payload, columns: values, observedAt: position.observedAt,
            expiresAt: position.expiresAt, isReceiptTime: isReceiptTime)
          if keepsMasks { masks[index.rank(of: id)] = TagMask.mask(tags) }
        }
      }
    }
    return (updates, masks)
  }
}
