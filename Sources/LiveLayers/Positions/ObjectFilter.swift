import GeoMath
package import ObjectModel
package import SpatialIndexing

/// The conditions that an object must meet to be found. All of them act before the limit.
package struct ObjectFilter: Sendable {
  /// The wanted tags, normalised.
  package var tags: [String] = []
  package var tagMatch: TagMatch = .all
  /// The tags, normalised, of which an object may carry none.
  package var notTags: [String] = []
  package var excludedIDs: [String] = []
  package var conditions: [AttributeCondition] = []
  /// The greatest age of an observation; older ones are left out.
  package var maximumAgeMilliseconds: Int64?

  package init() {}

  /// Whether there is no condition, so that everything passes.
  package var isEmpty: Bool {
    tags.isEmpty && notTags.isEmpty && excludedIDs.isEmpty && conditions.isEmpty
      && maximumAgeMilliseconds == nil
  }

  /// Returns whether the tags and attributes of a stored payload pass. Ids and ages are not tested.
  func matches(payload: UnsafeRawBufferPointer) -> Bool {
    func carries(_ tag: String) -> Bool { ObjectPayload.carries(tag, in: payload) }
    switch tagMatch {
    case .all: guard tags.allSatisfy(carries) else { return false }
    case .any: guard tags.isEmpty || tags.contains(where: carries) else { return false }
    }
    guard !notTags.contains(where: carries) else { return false }
    guard !conditions.isEmpty else { return true }
    let attributes = ObjectPayload.attributes(in: payload)
    return conditions.allSatisfy {
      $0.holds(for: ObjectPayload.value(of: $0.attribute, inAttributes: attributes))
    }
  }

  /// Returns the filter as the index takes it: conditions on columns become ranges, the others a
  /// predicate.
  func searchFilter(
    columns: [String], area: SearchArea?, now: ObjectModel.Instant,
    seen: SeenAttributes? = nil
  ) -> SearchFilter {
    guard !isEmpty else { return SearchFilter(area: area) }
    var filter = SearchFilter()
    filter.tags = tags
    filter.tagMatch = tagMatch
    filter.notTags = notTags
    filter.excludedIDs = excludedIDs
    filter.area = area
    filter.observedNotBefore = maximumAgeMilliseconds.map { now.advanced(milliseconds: -$0) }
    var remaining: [AttributeCondition] = []
    for condition in conditions {
      if let range = condition.columnRange(in: columns) {
        filter.columnRanges.append(range)
      } else {
        remaining.append(condition)
      }
    }
    if !remaining.isEmpty {
      seen?.expect(remaining.map(\.attribute))
      filter.payloadPredicate = { [remaining, seen] payload in
        let attributes = ObjectPayload.attributes(in: payload)
        for (i, condition) in remaining.enumerated() {
          let value = ObjectPayload.value(of: condition.attribute, inAttributes: attributes)
          seen?.note(i, isPresent: value != nil)
          guard condition.holds(for: value) else { return false }
        }
        return true
      }
    }
    return filter
  }

  /// A number that stands for the filter and is the same in every process.
  package var fingerprint: UInt64 {
    var fingerprint = QueryFingerprint()
    addFingerprint(to: &fingerprint)
    return fingerprint.value
  }

  func addFingerprint(to fingerprint: inout QueryFingerprint) {
    fingerprint.add(unordered: tags)
    fingerprint.add(tagMatch == .all ? 0 : 1)
    fingerprint.add(unordered: notTags)
    fingerprint.add(unordered: excludedIDs)
    fingerprint.add(conditions.count)
    for condition in conditions { condition.addFingerprint(to: &fingerprint) }
    fingerprint.add(maximumAgeMilliseconds.map(Int.init) ?? -1)
  }
}

extension Layer {
  /// Returns a filter as the layer's index takes it.
  package func searchFilter(_ filter: ObjectFilter, now: ObjectModel.Instant) -> SearchFilter {
    filter.searchFilter(columns: columns, area: nil, now: now)
  }
}

extension AttributeCondition {
  fileprivate func columnRange(in columns: [String]) -> ColumnRange? {
    guard let column = columns.firstIndex(of: attribute) else { return nil }
    switch test {
    case .equals(.number(let number)):
      return ColumnRange(column: column, minimum: number, maximum: number)
    case .equals: return nil
    case .range(let minimum, let maximum):
      return ColumnRange(column: column, minimum: minimum, maximum: maximum)
    }
  }

  fileprivate func addFingerprint(to fingerprint: inout QueryFingerprint) {
    fingerprint.add(attribute)
    switch test {
    case .equals(.number(let number)):
      fingerprint.add(1)
      fingerprint.add(number)
    case .equals(.string(let text)):
      fingerprint.add(2)
      fingerprint.add(text)
    case .equals(.bool(let flag)): fingerprint.add(flag ? 3 : 4)
    case .range(let minimum, let maximum):
      fingerprint.add(5)
      fingerprint.add(minimum)
      fingerprint.add(maximum)
    }
  }
}

extension SearchArea {
  func addFingerprint(to fingerprint: inout QueryFingerprint) {
    switch self {
    case .box(let box):
      for edge in [box.west, box.south, box.east, box.north] { fingerprint.add(edge) }
    case .polygon(let polygon):
      fingerprint.add(polygon.corners.count)
      for corner in polygon.corners {
        fingerprint.add(corner.latitude)
        fingerprint.add(corner.longitude)
      }
    }
  }
}
