import GeoMath
import ObjectModel

/// A ``SearchFilter`` resolved against the index: ids instead of names, cheap tests first.
@safe struct FilterPlan {
  /// Nothing can match: a wanted tag that nobody carries.
  var isImpossible = false
  /// No condition at all.
  var isTrivial = true
  /// Tags all of which must be carried, rarest first.
  var allTags: [UInt32] = []
  /// Tags one of which must be carried.
  var anyTags: [UInt32] = []
  var notTags: [UInt32] = []
  /// Bits that must all be set.
  var signatureAll: UInt32 = 0
  /// Bits of which one must be set; 0: no such condition.
  var signatureAny: UInt32 = 0
  /// Exact bits none of which may be set.
  var signatureNot: UInt32 = 0
  /// Whether a passing signature must be verified in the record.
  var verifiesTags = false
  /// Ascending.
  var excluded: [UInt32] = []
  var area: PreparedArea?
  var columnRanges: [ColumnRange] = []
  var observedNotBefore: Int64?
  var predicate: ((UnsafeRawBufferPointer) -> Bool)?
  var columnCount = 0
  /// Points that a search by place may look at before it is worth reading the columns from end
  /// to end instead.
  var scanBudget = Int.max

  /// - Parameters:
  ///   - filter: The conditions.
  ///   - index: Where their names are looked up; the plan holds until the index changes.
  ///   - prepared: The filter's area if it is prepared already.
  init(_ filter: SearchFilter, _ index: borrowing LiveIndex, area prepared: PreparedArea? = nil) {
    if unsafe filter.tags.isEmpty && filter.notTags.isEmpty && filter.excludedIDs.isEmpty
      && filter.columnRanges.isEmpty && filter.area == nil && filter.observedNotBefore == nil
      && filter.payloadPredicate == nil
    {
      return
    }
    columnCount = index.configuration.columnCount
    resolveTags(filter, index)
    excluded = filter.excludedIDs.compactMap { index.findSlot($0) }.sorted()
    area = prepared ?? filter.area.map(PreparedArea.init)
    columnRanges = filter.columnRanges
    if columnRanges.contains(where: { !(0..<columnCount).contains($0.column) }) {
      isImpossible = true
    }
    observedNotBefore = filter.observedNotBefore?.milliseconds
    unsafe predicate = unsafe filter.payloadPredicate
    if !columnRanges.isEmpty || observedNotBefore != nil {
      scanBudget = max(4096, index.count / 32)
    }
    isTrivial =
      unsafe allTags.isEmpty && anyTags.isEmpty && notTags.isEmpty && excluded.isEmpty
      && area == nil
      && columnRanges.isEmpty && observedNotBefore == nil && predicate == nil && !isImpossible
  }

  private mutating func resolveTags(_ filter: SearchFilter, _ index: borrowing LiveIndex) {
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

  /// Whether a signature or a union of signatures may belong to a match.
  @inline(__always)
  func admits(_ signature: UInt32) -> Bool { signatures.admits(signature) }

  @inline(__always)
  var signatures: SignatureTest {
    SignatureTest(all: signatureAll, any: signatureAny, none: signatureNot)
  }

  /// Whether a signature alone decides.
  var isSignatureOnly: Bool { isTrivial || (!verifiesTags && !needsRest) }

  /// The part of all points that carry what is wanted by tags, as far as counts tell; `nil` without
  /// such a condition, or when other conditions may thin out the carriers.
  func tagShare(_ index: borrowing LiveIndex) -> Double? {
    guard !needsRest, notTags.isEmpty, allTags.count <= 1, !(allTags.isEmpty && anyTags.isEmpty)
    else { return nil }
    var carriers: UInt32 = 0
    for tag in allTags.isEmpty ? anyTags : allTags {
      carriers = max(carriers, index.tags[tag].count)
    }
    return Double(max(1, carriers)) / Double(max(1, index.count))
  }

  /// Every condition that a signature and expiry leave open.
  @inline(__always)
  func matchesBeyondSignature(_ slot: UInt32, _ index: borrowing LiveIndex) -> Bool {
    isSignatureOnly || matchesRest(slot, index)
  }

  /// Every condition but expiry.
  @inline(__always)
  func matches(_ slot: UInt32, signature: UInt32, _ index: borrowing LiveIndex) -> Bool {
    if isTrivial { return true }
    guard admits(signature), signature & signatureNot == 0 else { return false }
    return matchesRest(slot, index)
  }

  /// Every condition but expiry, for a carrier found in the posting list of ``postingTags``.
  func isAnswered(byPosting slot: UInt32, _ index: borrowing LiveIndex) -> Bool {
    if allTags.count <= 1 && notTags.isEmpty && !needsRest { return true }
    return matches(slot, signature: index.signature(slot), index)
  }

  /// Whether there is a condition besides tags.
  private var needsRest: Bool {
    unsafe !excluded.isEmpty || area != nil || !columnRanges.isEmpty || observedNotBefore != nil
      || predicate != nil
  }

  @inline(never)
  private func matchesRest(_ slot: UInt32, _ index: borrowing LiveIndex) -> Bool {
    guard matchesColumns(slot, index) else { return false }
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

  /// The conditions that need no record and no place.
  @inline(__always)
  func matchesColumns(_ slot: UInt32, _ index: borrowing LiveIndex) -> Bool {
    for range in columnRanges {
      let value = unsafe index.columns.base[Int(slot) * columnCount + range.column]
      guard value >= range.minimum && value <= range.maximum else { return false }
    }
    if let observedNotBefore, index.observedAt(slot) < observedNotBefore { return false }
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
