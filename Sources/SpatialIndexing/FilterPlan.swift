import GeoMath
import ObjectModel

/// A ``SearchFilter`` resolved against the index: tags are ids instead of names, and cheap tests
/// come first.
@safe struct FilterPlan {
  /// Whether nothing can match, because nobody carries a wanted tag.
  private(set) var isImpossible = false
  /// Whether there is no condition at all.
  private(set) var isTrivial = true
  /// The signature bits of the conditions on tags.
  private(set) var signatures = SignatureTest()
  /// Whether a signature that passes must be verified in the record, since tags share its bits.
  private var verifiesTags = false
  /// Whether there is a condition other than one on tags.
  private var needsRest = false
  /// The number of points that a search by place may test. Beyond it, reading the columns from end
  /// to end is cheaper.
  private(set) var scanBudget = Int.max
  /// The conditions themselves; most queries have none. They are one object, because a plan is
  /// copied with its search wherever that is passed.
  private var conditions: Conditions?

  /// - Parameters:
  ///   - filter: The conditions.
  ///   - index: Where their names are looked up; the plan holds until the index changes.
  ///   - prepared: The filter's area if it is prepared already.
  init(
    _ filter: borrowing SearchFilter, _ index: borrowing LiveIndex,
    area prepared: PreparedArea? = nil
  ) {
    if unsafe filter.tags.isEmpty && filter.notTags.isEmpty && filter.excludedIDs.isEmpty
      && filter.columnRanges.isEmpty && filter.area == nil && filter.observedNotBefore == nil
      && filter.payloadPredicate == nil
    {
      return
    }
    let conditions = Conditions(filter, index, area: prepared)
    resolveTags(filter, index, conditions)
    let columns = conditions.columns
    if columns.ranges.contains(where: { !(0..<columns.count).contains($0.column) }) {
      isImpossible = true
    }
    if !columns.isEmpty {
      scanBudget = max(4096, index.count / 32)
    }
    needsRest =
      unsafe !conditions.excluded.isEmpty || conditions.area != nil || !columns.isEmpty
      || conditions.predicate != nil
    isTrivial =
      conditions.allTags.isEmpty && conditions.anyTags.isEmpty && conditions.notTags.isEmpty
      && !needsRest && !isImpossible
    self.conditions = conditions
  }

  private mutating func resolveTags(
    _ filter: borrowing SearchFilter, _ index: borrowing LiveIndex, _ conditions: Conditions
  ) {
    if !filter.tags.isEmpty {
      let wanted = filter.tags.map { index.tags.find($0) }
      let known = Array(Set(wanted.compactMap { $0 }))
      if filter.tagMatch == .all || Set(filter.tags).count == 1 {
        if wanted.contains(nil) { isImpossible = true }
        conditions.allTags = known.sorted { index.tags[$0].count < index.tags[$1].count }
        for id in known { signatures.all |= index.tags[id].signature }
        verifiesTags = known.contains { !index.tags[$0].isExact }
      } else {
        if known.isEmpty { isImpossible = true }
        conditions.anyTags = known
        for id in known { signatures.any |= index.tags[id].signature }
        verifiesTags = known.contains { !index.tags[$0].isExact }
      }
    }
    conditions.notTags = Array(Set(filter.notTags.compactMap { index.tags.find($0) }))
    for id in conditions.notTags {
      if index.tags[id].isExact {
        signatures.none |= index.tags[id].signature
      } else {
        verifiesTags = true
      }
    }
  }

  /// The tags that a match must all carry, the rarest first.
  var allTags: [UInt32] { conditions?.allTags ?? [] }
  /// The tags of which a match must carry at least one.
  var anyTags: [UInt32] { conditions?.anyTags ?? [] }
  /// The conditions that need neither the record nor the place.
  var columns: ColumnTest { conditions?.columns ?? ColumnTest() }

  /// Returns whether a signature, or a union of signatures, may belong to a match.
  @inline(__always)
  func admits(_ signature: UInt32) -> Bool { signatures.admits(signature) }

  /// Whether the signature alone decides which points match.
  var isSignatureOnly: Bool { isTrivial || (!verifiesTags && !needsRest) }

  /// Returns the share of all points that carry the wanted tags, as far as the tags' counts tell.
  /// It is `nil` without a condition on tags, or when other conditions may exclude carriers.
  func tagShare(_ index: borrowing LiveIndex) -> Double? {
    guard !needsRest, let conditions, conditions.notTags.isEmpty, conditions.allTags.count <= 1,
      !(conditions.allTags.isEmpty && conditions.anyTags.isEmpty)
    else { return nil }
    var carriers: UInt32 = 0
    for tag in conditions.allTags.isEmpty ? conditions.anyTags : conditions.allTags {
      carriers = max(carriers, index.tags[tag].count)
    }
    return Double(max(1, carriers)) / Double(max(1, index.count))
  }

  /// Tests every condition that a matching signature leaves open, except expiry.
  @inline(__always)
  func matchesBeyondSignature(_ slot: UInt32, _ index: borrowing LiveIndex) -> Bool {
    isSignatureOnly || matchesRest(slot, index)
  }

  /// Tests every condition except expiry.
  @inline(__always)
  func matches(_ slot: UInt32, signature: UInt32, _ index: borrowing LiveIndex) -> Bool {
    if isTrivial { return true }
    guard admits(signature), signature & signatures.none == 0 else { return false }
    return matchesRest(slot, index)
  }

  /// Tests every condition except expiry, for a carrier from the posting list of ``postingTags``.
  func isAnswered(byPosting slot: UInt32, _ index: borrowing LiveIndex) -> Bool {
    if !needsRest, let conditions, conditions.allTags.count <= 1, conditions.notTags.isEmpty {
      return true
    }
    return matches(slot, signature: index.signature(slot), index)
  }

  @inline(__always)
  private func matchesRest(_ slot: UInt32, _ index: borrowing LiveIndex) -> Bool {
    conditions?.admits(slot, index, verifyingTags: verifiesTags) ?? true
  }
}

/// What a filter demands, in the terms of the index that it was made for.
@safe private final class Conditions {
  /// The tags that a match must all carry, the rarest first.
  var allTags: [UInt32] = []
  /// The tags of which a match must carry at least one.
  var anyTags: [UInt32] = []
  /// The tags of which a match may carry none.
  var notTags: [UInt32] = []
  /// The slots that never match, in ascending order.
  let excluded: [UInt32]
  let area: PreparedArea?
  /// The conditions that need neither the record nor the place.
  let columns: ColumnTest
  let predicate: ((UnsafeRawBufferPointer) -> Bool)?

  /// Takes over all conditions but those on tags.
  init(
    _ filter: borrowing SearchFilter, _ index: borrowing LiveIndex, area prepared: PreparedArea?
  ) {
    excluded = filter.excludedIDs.compactMap { index.findSlot($0) }.sorted()
    area = prepared ?? filter.area.map(PreparedArea.init)
    columns = ColumnTest(
      ranges: filter.columnRanges, count: index.configuration.columnCount,
      observedNotBefore: filter.observedNotBefore?.milliseconds)
    unsafe predicate = unsafe filter.payloadPredicate
  }

  /// Tests what a signature leaves open, except expiry.
  @inline(never)
  func admits(_ slot: UInt32, _ index: borrowing LiveIndex, verifyingTags: Bool) -> Bool {
    guard columns.admits(slot, index) else { return false }
    if !excluded.isEmpty && excludes(slot) { return false }
    if verifyingTags && !verifyTags(slot, index) { return false }
    if let area {
      let entry = index.slots[slot]
      guard area.contains(latitude: entry.latitude, longitude: entry.longitude) else {
        return false
      }
    }
    if let predicate = unsafe predicate, unsafe !predicate(index.payload(slot)) { return false }
    return true
  }

  private func excludes(_ slot: UInt32) -> Bool {
    var low = 0
    var high = excluded.count
    while low < high {
      let middle = (low + high) / 2
      if excluded[middle] < slot { low = middle + 1 } else { high = middle }
    }
    return low < excluded.count && excluded[low] == slot
  }

  private func verifyTags(_ slot: UInt32, _ index: borrowing LiveIndex) -> Bool {
    let carried = unsafe index.recordTags(index.record(slot))
    for wanted in allTags where unsafe !carried.contains(where: { $0.id == wanted }) {
      return false
    }
    for unwanted in notTags where unsafe carried.contains(where: { $0.id == unwanted }) {
      return false
    }
    return anyTags.isEmpty
      || anyTags.contains { wanted in unsafe carried.contains { $0.id == wanted } }
  }
}

/// The conditions of a filter that are tested on the columns and times alone. A scan of all slots
/// takes it out of its plan before it begins: the plan as a whole is copied wherever it is passed.
struct ColumnTest {
  var ranges: [ColumnRange] = []
  /// The number of columns that every slot has.
  var count = 0
  /// In milliseconds.
  var observedNotBefore: Int64?

  var isEmpty: Bool { ranges.isEmpty && observedNotBefore == nil }

  @inline(__always)
  func admits(_ slot: UInt32, _ index: borrowing LiveIndex) -> Bool {
    for i in ranges.indices {
      // Safe: the plan admits columns below the count only, and all of them stand in memory.
      let value = unsafe index.columns.base[Int(slot) &* count &+ ranges[i].column]
      guard value >= ranges[i].minimum && value <= ranges[i].maximum else { return false }
    }
    if let observedNotBefore, index.observedAt(slot) < observedNotBefore { return false }
    return true
  }
}
