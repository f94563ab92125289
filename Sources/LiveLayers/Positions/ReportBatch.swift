package import ObjectModel
import SpatialIndexing

/// Validated reports for one layer, collected without an allocation for each.
///
/// ``Layer/reportBatch(now:limits:)`` makes a batch, and ``Layer/apply(_:)`` stores its reports.
package struct ReportBatch: ~Copyable, Sendable {
  /// What a batch has collected. Its memory may serve the next batch, of whichever layer.
  package struct Contents: ~Copyable, Sendable {
    var updates = UpdateBatch()
    /// The tag summaries by rank. Of two reports with one id the later counts, as in the index.
    var masks: [ObjectRank: UInt64] = [:]
    /// The outcome of each report. The layer fills in those of the reports in `updates`.
    var outcomes: [ReportOutcome] = []
    /// The index into `outcomes` of each entry of `updates`.
    var positions: [Int] = []
    fileprivate var payload: [UInt8] = []
    fileprivate var columnValues: [Double] = []

    package init() {}

    /// The memory for ids, tags and attributes, in bytes.
    package var byteCapacity: Int { updates.byteCapacity + payload.capacity }

    /// Empties it for a layer of so many columns, and keeps the memory.
    fileprivate mutating func clear(columnCount: Int) {
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
  }

  private(set) var contents: Contents
  let now: Instant
  private let layer: Layer
  private let limits: LayerLimits
  private let keepsMasks: Bool

  init(layer: Layer, now: Instant, limits: LayerLimits, in contents: consuming Contents) {
    self.layer = layer
    self.now = now
    self.limits = limits
    contents.clear(columnCount: layer.columns.count)
    self.contents = contents
    keepsMasks = layer.feed.clusters != nil
  }

  package var count: Int { contents.outcomes.count }

  /// Ends the batch. - Returns: Its contents, whose memory another one may have.
  package consuming func takeContents() -> Contents { contents }

  package mutating func reserveCapacity(_ count: Int) {
    contents.updates.reserveCapacity(count, bytes: count * 160)
    contents.outcomes.reserveCapacity(count)
    contents.positions.reserveCapacity(count)
    if keepsMasks { contents.masks.reserveCapacity(count) }
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
    let times = layer.times(
      observedAt: observedAt, ttlMilliseconds: ttlMilliseconds, now: now, limits: limits)
    guard times.expiresAt > now else {
      contents.outcomes.append(.alreadyExpired)
      return
    }
    contents.payload.removeAll(keepingCapacity: true)
    ObjectPayload.append(tags: tags, attributes: attributes, to: &contents.payload)
    fillColumns(from: attributes)
    contents.payload.withUnsafeBytes { bytes in
      contents.updates.append(
        id: id, latitude: latitude, longitude: longitude, tags: tags, payload: bytes,
        columns: contents.columnValues, observedAt: times.observedAt, expiresAt: times.expiresAt,
        isReceiptTime: times.isReceiptTime)
    }
    if keepsMasks { contents.masks[layer.index.rank(of: id)] = TagMask.mask(tags) }
    contents.positions.append(contents.outcomes.count)
    contents.outcomes.append(.accepted)
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

  private mutating func fillColumns(from attributes: UnsafeRawBufferPointer) {
    for (i, name) in layer.columns.enumerated() {
      if case .number(let number)? = ObjectPayload.value(of: name, inAttributes: attributes) {
        contents.columnValues[i] = number
      } else {
        contents.columnValues[i] = .nan
      }
    }
  }
}
