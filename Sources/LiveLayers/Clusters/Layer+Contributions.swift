package import ObjectModel
package import PointClustering
import SpatialIndexing

/// An object that the service itself keeps in a layer, such as an open party, with what it adds to
/// the aggregates of its clusters.
package struct ContributingObject: Sendable {
  package var id: String
  package var latitude: Double
  package var longitude: Double
  /// The normalised tags, without repetitions.
  package var tags: [String]
  /// The bytes of a `google.protobuf.Struct`, with map entries in the order of their keys.
  package var attributes: [UInt8]
  /// The moment at which the object leaves by itself; `.distantFuture` for never.
  package var expiresAt: Instant
  package var contribution: ClusterContribution

  package init(
    id: String, latitude: Double, longitude: Double, tags: [String] = [],
    attributes: [UInt8] = [], expiresAt: Instant = .distantFuture,
    contribution: ClusterContribution
  ) {
    self.id = id
    self.latitude = latitude
    self.longitude = longitude
    self.tags = tags
    self.attributes = attributes
    self.expiresAt = expiresAt
    self.contribution = contribution
  }
}

extension Layer {
  /// Inserts objects, or updates their position, tags, attributes, expiry and contribution
  /// together. An object whose `expiresAt` is not after `now` is removed. Of two with one id the
  /// later counts.
  ///
  /// What the caller passes counts as newer than what is stored, even after a clock that went back.
  /// It is called from one thread at a time; ``remove(id:now:)`` removes an object.
  ///
  /// - Parameters:
  ///   - objects: Objects with ids of 1 byte or more and valid coordinates.
  ///   - now: The time by which objects have expired or not.
  /// - Returns: The version that shows the objects, which a reader passes as `minVersion`.
  @discardableResult
  package func upsert(_ objects: [ContributingObject], now: Instant) -> LayerVersion {
    var last: [String: Int] = [:]
    for (n, object) in objects.enumerated() { last[object.id] = n }
    let current = objects.enumerated().filter { last[$1.id] == $0 }.map(\.element)
    let ended = current.filter { $0.expiresAt <= now }.map(\.id)
    if !ended.isEmpty { _ = index.remove(ids: ended, now: now, changes: publishing([:], now: now)) }
    var living = current.filter { $0.expiresAt > now }
    let outcomes = store(living, now: now)
    living = zip(living, outcomes).filter { $1 == .stale }.map(\.0)
    if !living.isEmpty {
      // They are stored under a later time than now, so that they are removed and inserted anew.
      _ = index.remove(ids: living.map(\.id), now: now, changes: publishing([:], now: now))
      _ = store(living, now: now)
    }
    return version
  }

  /// Inserts and removes very many objects, a slice at a time, so that readers run in between.
  package func replace(
    with objects: [ContributingObject], removing gone: [String], now: Instant
  ) {
    for id in gone { _ = remove(id: id, now: now) }
    for start in stride(from: 0, to: objects.count, by: 1024) {
      upsert(Array(objects[start..<min(objects.count, start + 1024)]), now: now)
    }
  }

  private func store(_ objects: [ContributingObject], now: Instant) -> [UpdateOutcome] {
    guard !objects.isEmpty else { return [] }
    let columns = self.columns
    var updates = UpdateBatch(columnCount: columns.count)
    updates.reserveCapacity(
      objects.count, bytes: objects.reduce(0) { $0 + $1.attributes.count + 192 })
    var masks: [ObjectRank: UInt64] = [:]
    var contributions: [ObjectRank: ClusterContribution] = [:]
    masks.reserveCapacity(objects.count)
    contributions.reserveCapacity(objects.count)
    var payload: [UInt8] = []
    for object in objects {
      payload.removeAll(keepingCapacity: true)
      ObjectPayload.append(tags: object.tags, attributes: object.attributes, to: &payload)
      let values = object.attributes.withUnsafeBytes { attributes in
        columns.map { name -> Double in
          guard case .number(let number)? = ObjectPayload.value(of: name, inAttributes: attributes)
          else { return .nan }
          return number
        }
      }
      updates.append(
        id: object.id, latitude: object.latitude, longitude: object.longitude, tags: object.tags,
        payload: payload, columns: values, observedAt: now, expiresAt: object.expiresAt)
      let rank = index.rank(of: object.id)
      masks[rank] = TagMask.mask(object.tags)
      contributions[rank] = object.contribution
    }
    var outcomes: [UpdateOutcome] = []
    feed.stage(contributions)
    index.apply(updates, now: now, outcomes: &outcomes, changes: publishing(masks, now: now))
    feed.stage([:])
    return outcomes
  }
}
