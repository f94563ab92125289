import GeoMath
import ObjectModel

@testable import SpatialIndexing

/// One report as the tests write it down.
struct TestReport {
  var id: String
  var latitude: Double
  var longitude: Double
  var tags: [String] = []
  var payload: [UInt8] = []
  var columns: [Double] = []
  var observedAt: Instant
  var expiresAt: Instant
}

extension UpdateBatch {
  mutating func append(_ report: TestReport) {
    append(
      id: report.id, latitude: report.latitude, longitude: report.longitude, tags: report.tags,
      payload: report.payload, columns: report.columns, observedAt: report.observedAt,
      expiresAt: report.expiresAt)
  }
}

/// A hit as both sides give it.
struct TestHit: Hashable, CustomStringConvertible {
  var id: String
  var latitude: Double
  var longitude: Double
  var distance: Int64
  var code: UInt64
  var payload: [UInt8]
  var observedAt: Instant
  var expiresAt: Instant

  init(_ hit: HitView) {
    id = hit.idString
    latitude = hit.latitude
    longitude = hit.longitude
    distance = hit.distanceMillimeters
    code = hit.mortonCode
    payload = Array(hit.payload)
    observedAt = hit.observedAt
    expiresAt = hit.expiresAt
  }

  init(contentsOf hit: HitView) {
    self.init(hit)
    let contents = hit.contents
    id = String(decoding: contents.id, as: UTF8.self)
    payload = Array(contents.payload)
    latitude = contents.latitude
    longitude = contents.longitude
    observedAt = contents.observedAt
  }

  init(_ report: TestReport, distance: Int64) {
    id = report.id
    latitude = report.latitude
    longitude = report.longitude
    self.distance = distance
    code = report.code
    payload = report.payload
    observedAt = report.observedAt
    expiresAt = report.expiresAt
  }

  var description: String { "\(id)@\(distance)mm/\(code)" }
}

extension TestReport {
  var code: UInt64 {
    MortonCode(MercatorPoint(latitude: latitude, longitude: longitude)).rawValue
  }
}

/// The oracle: a dictionary that is looked through from end to end.
struct BruteForceIndex {
  var objects: [String: TestReport] = [:]

  mutating func apply(_ reports: [TestReport], now: Instant) -> [UpdateOutcome] {
    reports.map { report in
      if let old = objects[report.id], old.expiresAt > now {
        if old.observedAt > report.observedAt { return .stale }
        objects[report.id] = report
        return .updated
      }
      objects[report.id] = report
      return .inserted
    }
  }

  func matches(_ o: TestReport, _ f: SearchFilter, now: Instant) -> Bool {
    guard o.expiresAt > now else { return false }
    if !f.tags.isEmpty {
      let carried =
        f.tagMatch == .all
        ? f.tags.allSatisfy { o.tags.contains($0) } : f.tags.contains { o.tags.contains($0) }
      if !carried { return false }
    }
    if f.notTags.contains(where: { o.tags.contains($0) }) { return false }
    if f.excludedIDs.contains(o.id) { return false }
    if let area = f.area, !Self.contains(area, o) { return false }
    for range in f.columnRanges {
      guard range.column < o.columns.count else { return false }
      let value = o.columns[range.column]
      guard value >= range.minimum && value <= range.maximum else { return false }
    }
    if let bound = f.observedNotBefore, o.observedAt < bound { return false }
    if let predicate = f.payloadPredicate {
      guard o.payload.withUnsafeBytes({ predicate($0) }) else { return false }
    }
    return true
  }

  static func contains(_ area: SearchArea, _ o: TestReport) -> Bool {
    switch area {
    case .box(let box): box.contains(latitude: o.latitude, longitude: o.longitude)
    case .polygon(let polygon): polygon.contains(latitude: o.latitude, longitude: o.longitude)
    }
  }

  private static func precedes(_ a: String, _ b: String) -> Bool {
    a.utf8.lexicographicallyPrecedes(b.utf8)
  }

  func nearest(_ q: NearestQuery, now: Instant) -> [TestHit] {
    let origin = DistanceOrigin(latitude: q.latitude, longitude: q.longitude)
    var hits: [TestHit] = []
    for o in objects.values where matches(o, q.filter, now: now) {
      let d = origin.millimeters(latitude: o.latitude, longitude: o.longitude)
      if let bound = q.maximumDistanceMillimeters, d > bound { continue }
      if let after = q.after {
        guard
          d > after.distanceMillimeters
            || (d == after.distanceMillimeters && Self.precedes(after.id, o.id))
        else { continue }
      }
      hits.append(TestHit(o, distance: d))
    }
    hits.sort {
      $0.distance != $1.distance ? $0.distance < $1.distance : Self.precedes($0.id, $1.id)
    }
    return Array(hits.prefix(max(0, q.limit)))
  }

  func within(_ q: WithinQuery, now: Instant) -> [TestHit] {
    var hits: [TestHit] = []
    for o in objects.values where matches(o, q.filter, now: now) && Self.contains(q.area, o) {
      if let after = q.after {
        guard
          o.code > after.mortonCode
            || (o.code == after.mortonCode && Self.precedes(after.id, o.id))
        else { continue }
      }
      hits.append(TestHit(o, distance: 0))
    }
    hits.sort { $0.code != $1.code ? $0.code < $1.code : Self.precedes($0.id, $1.id) }
    return Array(hits.prefix(max(0, q.limit)))
  }

  func tagHistogram(area: SearchArea?, filter: SearchFilter, limit: Int, now: Instant) -> [String] {
    var counts: [String: Int] = [:]
    for o in objects.values where matches(o, filter, now: now) {
      if let area, !Self.contains(area, o) { continue }
      for tag in Set(o.tags) { counts[tag, default: 0] += 1 }
    }
    return counts.sorted {
      $0.value != $1.value ? $0.value > $1.value : Self.precedes($0.key, $1.key)
    }
    .prefix(max(0, limit)).map { "\($0.key)=\($0.value)" }
  }
}

extension SharedLiveIndex {
  func nearestHits(_ query: NearestQuery, now: Instant) -> [TestHit] {
    var hits: [TestHit] = []
    let count = nearest(query, now: now) { hits.append(TestHit($0)) }
    // With records brought close ahead, and read in one step, it must be the same.
    var ahead = query
    ahead.readsRecords = true
    var again: [TestHit] = []
    nearest(ahead, now: now) { again.append(TestHit(contentsOf: $0)) }
    return count == hits.count && again == hits ? hits : []
  }

  func withinHits(_ query: WithinQuery, now: Instant) -> [TestHit] {
    var hits: [TestHit] = []
    let count = within(query, now: now) { hits.append(TestHit($0)) }
    var ahead = query
    ahead.readsRecords = true
    var again: [TestHit] = []
    within(ahead, now: now) { again.append(TestHit(contentsOf: $0)) }
    return count == hits.count && again == hits ? hits : []
  }
}
