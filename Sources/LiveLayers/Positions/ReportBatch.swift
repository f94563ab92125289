package import ObjectModel
import SpatialIndexing

/// Validated reports for one layer, collected without an allocation for each.
///
/// ``Layer/reportBatch(now:limits:)`` makes a batch, and ``Layer/apply(_:)`` stores its reports. One
/// that is kept, for its memory, belongs to a layer from ``begin(for:now:clockSkewMilliseconds:)`` to
/// ``end()``.
package struct ReportBatch: ~Copyable, Sendable {
  private(set) var updates = UpdateBatch()
  /// The tag summaries by rank. Of two reports with one id the later counts, as in the index.
  private(set) var masks: [ObjectRank: UInt64] = [:]
  /// The outcome of each report. The layer fills in those of the reports in `updates`.
  private(set) var outcomes: [ReportOutcome] = []
  /// The index into `outcomes` of each entry of `updates`.
  private(set) var positions: [Int] = []
  private(set) var now = Instant(milliseconds: 0)
  private var payload: [UInt8] = []
  private var columnValues: [Double] = []
  private var layer: Layer?
  private var clockSkewMilliseconds: Int64 = 0
  private var keepsMasks = false

  /// Makes a batch that belongs to no layer yet.
  package init() {}

  package var count: Int { outcomes.count }

  /// The memory for ids, tags and attributes, in bytes.
  package var byteCapacity: Int { updates.byteCapacity + payload.capacity }

  /// Begins a batch in the memory of the one before.
  ///
  /// - Parameters:
  ///   - layer: Whose reports follow.
  ///   - now: The time of receipt.
  ///   - clockSkewMilliseconds: How far ahead of `now` an observation may lie.
  package mutating func begin(for layer: Layer, now: Instant, clockSkewMilliseconds: Int64) {
    self.layer = layer
    self.now = now
    self.clockSkewMilliseconds = clockSkewMilliseconds
    keepsMasks = layer.feed.clusters != nil
    let columnCount = layer.columns.count
    if updates.columnCount == columnCount {
      updates.removeAll()
    } else {
      updates = UpdateBatch(columnCount: columnCount)
      columnValues = [Double](repeating: .nan, count: columnCount)
    }
    if !masks.isEmpty { masks = [:] }
    outcomes.removeAll(keepingCapacity: true)
    positions.removeAll(keepingCapacity: true)
  }

  /// Lets go of the layer, which may have been deleted, and keeps the memory.
  package mutating func end() { layer = nil }

  package mutating func reserveCapacity(_ count: Int) {
    updates.reserveCapacity(count, bytes: count * 160)
    outcomes.reserveCapacity(count)
    positions.reserveCapacity(count)
    if keepsMasks { masks.reserveCapacity(count) }
  }

  /// Appends a report. A report that has expired by the batch's time is not applied.
  ///
  /// - Parameters:
  ///   - id: Valid UTF-8.
  ///   - latitude: Valid degrees.
  ///   - longitude: Valid degrees.
  ///   - tags: Normalised tags without repetitions.
  ///   - attributes: A `google.protobuf.Struct` with entries in the order of their keys.
  ///   - ttlMilliseconds: The time to live: `nil` for the layer's default, 0 for ever.
  ///   - observedAt: The moment of the observation: `nil` for the time of receipt.
  package mutating func append(
    id: UnsafeRawBufferPointer, latitude: Double, longitude: Double, tags: [String],
    attributes: UnsafeRawBufferPointer, ttlMilliseconds: Int64?, observedAt: Instant?
  ) {
    guard let layer else { preconditionFailure("the batch belongs to no layer") }
    let times = layer.times(
      observedAt: observedAt, ttlMilliseconds: ttlMilliseconds, now: now,
      clockSkewMilliseconds: clockSkewMilliseconds)
    guard times.expiresAt > now else {
      outcomes.append(.alreadyExpired)
      return
    }
    payload.removeAll(keepingCapacity: true)
    ObjectPayload.append(tags: tags, attributes: attributes, to: &payload)
    fillColumns(of: layer, from: attributes)
    payload.withUnsafeBytes { bytes in
      updates.append(
        id: id, latitude: latitude, longitude: longitude, tags: tags, payload: bytes,
        columns: columnValues, observedAt: times.observedAt, expiresAt: times.expiresAt,
        isReceiptTime: times.isReceiptTime)
    }
    if keepsMasks { masks[layer.index.rank(of: id)] = TagMask.mask(tags) }
    positions.append(outcomes.count)
    outcomes.append(.accepted)
  }

  package mutating func append(_ report: PositionReport) {
    var id = report.id
    id.withUTF8 { utf8 in
      report.attributes.withUnsafeBytes { attributes in
        append(
          id: UnsafeRawBufferPointer(utf8), latitude: report.latitude,
          longitude: report.longitude, tags: report.tags, attributes: attributes,
          ttlMilliseconds: report.ttlMilliseconds, observedAt: report.observedAt)
      }
    }
  }

  private mutating func fillColumns(of layer: Layer, from attributes: UnsafeRawBufferPointer) {
    for (i, name) in layer.columns.enumerated() {
      if case .number(let number)? = ObjectPayload.value(of: name, inAttributes: attributes) {
        columnValues[i] = number
      } else {
        columnValues[i] = .nan
      }
    }
  }
}
