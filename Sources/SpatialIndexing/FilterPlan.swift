import GeoMath
import ObjectModel

/// A ``SearchFilter`` resolved against the index: tags are ids instead of names, and cheap tests
/// come first.
@safe struct FilterPlan {
  /// Whether nothing can match, because nobody carries a wanted tag.
  var isImpossible = false
  /// Whether there is no condition at all.
  var isTrivial = true
  /// The tags that a match must all carry, the rarest first.
  var allTags: [UInt32] = []
  /// The tags of which a match must carry at least one.
  var anyTags: [UInt32] = []
  var notTags: [UInt32] = []
  /// The signature bits that must all be set.
  var signatureAll: UInt32 = 0
  /// The signature bits of which one must be set; 0 stands for no such condition.
  var signatureAny: UInt32 = 0
  /// The signature bits of which none may be set; each belongs to one tag alone.
  var signatureNot: UInt32 = 0
  /// Whether a signature that passes must be verified in the record, since tags share its bits.
  var verifiesTags = false
  /// The slots that never match, in ascending order.
  var excluded: [UInt32] = []
  var area: PreparedArea?
  /// The conditions that need neither the record nor the place.
  var columns = ColumnTest()
  var predicate: ((UnsafeRawBufferPointer) -> Bool)?
  /// The number of points that a search by place may test. Beyond it, reading the columns from end
  /// to end is cheaper.
  var scanBudget = Int.max

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
    resolveTags(filter, index)
    excluded = filter.excludedIDs.compactMap { index.findSlot($0) }.sorted()
    area = prepared ?? filter.area.map(PreparedArea.init)
    columns = ColumnTest(
      ranges: filter.columnRanges, count: index.configuration.columnCount,
      observedNotBefore: filter.observedNotBefore?.milliseconds)
    if columns.ranges.contains(where: { !(0..<columns.count).contains($0.column) }) {
      isImpossible = true
    }
    unsafe predicate = unsafe filter.payloadPredicate
    if !columns.isEmpty {
      scanBudget = max(4096, index.count / 32)
    }
    isTrivial =
      unsafe allTags.isEmpty && anyTags.isEmpty && notTags.isEmpty && excluded.isEmpty
      && area == nil
      && columns.isEmpty && predicate == nil && !isImpossible
  }

  private mutating func resolveTags(_ filter: borrowing SearchFilter, _ index: borrowing LiveIndex)
  {
    if !filter.tags.isEmpty {
      let wanted = filter.tags.map { index.tags.find($0) }
      let known = Array(Set(wanted.compactMap { $0 }))
      if filter.tagMatch == .all || Set(filter.tags).count == 1 {
        if wanted.contains(nil) { isImpossible = true }
        allTags = known.sorted { index.tags[$0].count < index.tags[$1].count }
        for id in known { signatureAll |= index.tags[id].signature }
        verifiesTags = known.contains { !index.tags[$0].isExact }
      } else {
        if known.isEmpty { isImpossible = true }
        anyTags = known
        for id in known { signatureAny |= index.tags[id].signature }
        verifiesTags = known.contains { !index.tags[$0].isExact }
      }
    }
    notTags = Array(Set(filter.notTags.compactMap { index.tags.find($0) }))
    for id in notTags {
      if index.tags[id].isExact {
        signatureNot |= index.tags[id].signature
      } else {
        verifiesTags = true
      }
    }
  }

  /// Returns whether a signature, or a union of signatures, may belong to a match.
  @inline(__always)
  func admits(_ signature: UInt32) -> Bool { signatures.admits(signature) }

  @inline(__always)
  var signatures: SignatureTest {
    SignatureTest(all: signatureAll, any: signatureAny, none: signatureNot)
  }

  /// Whether the signature alone decides which points match.
  var isSignatureOnly: Bool { isTrivial || (!verifiesTags && !needsRest) }

  /// Returns the share of all points that carry the wanted tags, as far as the tags' counts tell.
  /// It is `nil` without a condition on tags, or when other conditions may exclude carriers.
  func tagShare(_ index: borrowing LiveIndex) -> Double? {
    guard !needsRest, notTags.isEmpty, allTags.count <= 1, !(allTags.isEmpty && anyTags.isEmpty)
    else { return nil }
    var carriers: UInt32 = 0
    for tag in allTags.isEmpty ? anyTags : allTags {
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
    guard admits(signature), signature & signatureNot == 0 else { return false }
    return matchesRest(slot, index)
  }

  /// Tests every condition except expiry, for a carrier from the posting list of ``postingTags``.
  func isAnswered(byPosting slot: UInt32, _ index: borrowing LiveIndex) -> Bool {
    if allTags.count <= 1 && notTags.isEmpty && !needsRest { return true }
    return matches(slot, signature: index.signature(slot), index)
  }

  /// Whether there is a condition other than one on tags.
  private var needsRest: Bool {
    unsafe !excluded.isEmpty || area != nil || !columns.isEmpty
      || predicate != nil
  }

  @inline(never)
  private func matchesRest(_ slot: UInt32, _ index: borrowing LiveIndex) -> Bool {
    guard columns.admits(slot, index) else { return false }
    if !excluded.isEmpty && contains(excluded, slot) { return false }
    if verifiesTags && !verifyTags(slot, index) { return false }
    if let area {
      let entry = index.slots[slot]
      guard area.contains(latitude: entry.latitude, longitude: entry.longitude) else {
        return false
      }
    }
    if let predicate = unsafe predicate, unsafe !predicate(index.payload(slot)) { return false }
    return true
  }

  private func contains(_ sorted: [UInt32], _ slot: UInt32) -> Bool {
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < slot { low = middle + 1 } else { high = middle }
    }
    return low < sorted.count && sorted[low] == slot
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
