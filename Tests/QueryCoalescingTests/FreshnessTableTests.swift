import ObjectModel
import QueryCoalescing
import Testing
import Threading

/// A table that expectations may change.
private final class TableBox {
  private var table: FreshnessTable<Int, Int>

  init(capacityBytes: Int, renewalPatience: Nanoseconds = 1) {
    table = FreshnessTable(capacityBytes: capacityBytes, renewalPatience: renewalPatience)
  }

  func value(_ key: Int, freshness: Freshness, at now: Nanoseconds) -> Int? {
    if case .hit(let value, _, _) = lookup(key, freshness: freshness, at: now) { return value }
    return nil
  }

  func lookup(
    _ key: Int, freshness: Freshness, at now: Nanoseconds, renewAfter: Nanoseconds = .max
  ) -> FreshnessTable<Int, Int>.Lookup {
    table.lookup(key, freshness: freshness, at: now, renewAfter: renewAfter)
  }

  @discardableResult
  func insert(_ key: Int, _ value: Int, reading: Reading, bytes: Int) -> Bool {
    table.insert(key, value, reading: reading, bytes: bytes)
  }
}

@Suite struct FreshnessTableTests {
  typealias Table = FreshnessTable<Int, Int>
  let overhead = Table.overheadBytes

  @Test func theBoundIsTheCallers() {
    let table = TableBox(capacityBytes: 10_000)
    table.insert(1, 10, reading: Reading(time: 100, version: 5), bytes: 8)
    #expect(table.value(1, freshness: Freshness(maximumAge: 50), at: 150) == 10)
    #expect(table.value(1, freshness: Freshness(maximumAge: 49), at: 150) == nil)
    #expect(table.value(1, freshness: .current, at: 100) == 10)
    #expect(table.value(1, freshness: .current, at: 101) == nil)
    #expect(table.value(1, freshness: .unlimited, at: .max) == 10)
    // Versions: a current one is fresh at any age, a minimum is never undercut.
    #expect(table.value(1, freshness: Freshness(sufficientVersion: 5), at: 900) == 10)
    #expect(table.value(1, freshness: Freshness(sufficientVersion: 6), at: 900) == nil)
    let floor = Freshness(maximumAge: .max, minimumVersion: 6)
    #expect(table.value(1, freshness: floor, at: 100) == nil)
    #expect(table.value(2, freshness: .unlimited, at: 100) == nil)
  }

  @Test func oneOfManyIsAskedToRenew() {
    let table = TableBox(capacityBytes: 10_000, renewalPatience: 100)
    table.insert(1, 10, reading: Reading(time: 0), bytes: 8)
    func renewals(at now: Nanoseconds) -> Int {
      (0..<10).reduce(0) { sum, _ in
        let found = table.lookup(1, freshness: .unlimited, at: now, renewAfter: 50)
        if case .hit(_, _, renew: true) = found { return sum + 1 }
        return sum
      }
    }
    #expect(renewals(at: 50) == 0)
    #expect(renewals(at: 51) == 1)
    #expect(renewals(at: 150) == 0)
    // The first who was asked has failed.
    #expect(renewals(at: 151) == 1)
    table.insert(1, 11, reading: Reading(time: 160), bytes: 8)
    #expect(renewals(at: 170) == 0)
  }

  @Test func anOlderAnswerNeverReplacesANewer() {
    let table = TableBox(capacityBytes: 10_000)
    #expect(table.insert(1, 10, reading: Reading(time: 100, version: 5), bytes: 8))
    #expect(!table.insert(1, 9, reading: Reading(time: 200, version: 4), bytes: 8))
    #expect(!table.insert(1, 8, reading: Reading(time: 99), bytes: 8))
    #expect(table.value(1, freshness: .unlimited, at: 100) == 10)
    #expect(table.insert(1, 11, reading: Reading(time: 100, version: 6), bytes: 8))
    #expect(table.value(1, freshness: .unlimited, at: 100) == 11)
  }

  @Test func rareKeysLeaveBeforePopularOnes() {
    var table = Table(capacityBytes: 4 * (overhead + 10))
    for key in 1...4 { table.insert(key, key, reading: Reading(time: 0), bytes: 10) }
    _ = table.lookup(1, freshness: .unlimited, at: 0)
    _ = table.lookup(3, freshness: .unlimited, at: 0)
    table.insert(5, 5, reading: Reading(time: 0), bytes: 10)
    #expect(table.keys == [5, 4, 3, 1])
    table.insert(6, 6, reading: Reading(time: 0), bytes: 10)
    #expect(table.keys == [6, 5, 3, 1])
    // Too large for the whole table: not kept, nothing else is driven out.
    for bytes in [4 * (overhead + 10), .max] {
      let isKept = table.insert(7, 7, reading: Reading(time: 0), bytes: bytes)
      #expect(!isKept)
    }
    #expect(table.keys == [6, 5, 3, 1])
    var none = Table(capacityBytes: 0)
    let isKept = none.insert(1, 1, reading: Reading(time: 0), bytes: 0)
    #expect(!isKept && none.bytes == 0)
  }

  /// Random operations against a dictionary: what is found is what was put in last, the bytes are
  /// those of the keys present and never above the bound, nothing is older than asked for.
  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func model(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let capacity = 20 * (overhead + 50)
    var table = Table(capacityBytes: capacity)
    var model: [Int: (value: Int, reading: Reading, bytes: Int)] = [:]
    var now: Nanoseconds = 0
    for step in 0..<5_000 {
      now += Nanoseconds(random.below(20))
      let key = random.below(60)
      switch random.below(10) {
      case 0..<4:
        let reading = Reading(
          time: now - Nanoseconds(random.below(40)),
          version: random.below(2) == 0 ? nil : UInt64(random.below(9)))
        let bytes = random.below(120)
        let before = table.keys
        let old = before.contains(key) ? model[key]?.reading : nil
        let kept = table.insert(key, step, reading: reading, bytes: bytes)
        #expect(kept == !(old?.isNewer(than: reading) ?? false))
        if kept { model[key] = (step, reading, bytes) }
        if kept { #expect(table.keys.first == key) }
      case 4:
        table.remove(key)
        #expect(!table.keys.contains(key))
      case 5 where random.below(50) == 0:
        table.removeAll { key, _ in key % 7 == 0 }
        #expect(table.keys.allSatisfy { $0 % 7 != 0 })
      default:
        let freshness = Freshness(
          maximumAge: Nanoseconds(random.below(100)),
          minimumVersion: random.below(4) == 0 ? UInt64(random.below(9)) : nil,
          sufficientVersion: random.below(4) == 0 ? UInt64(random.below(9)) : nil)
        let isThere = table.keys.contains(key)
        switch table.lookup(key, freshness: freshness, at: now) {
        case .hit(let value, let reading, _):
          #expect(isThere && model[key]?.value == value && model[key]?.reading == reading)
          let isSufficient =
            freshness.sufficientVersion.flatMap { s in reading.version.map { $0 >= s } } ?? false
          #expect(isSufficient || now - reading.time <= freshness.maximumAge)
          if let floor = freshness.minimumVersion { #expect((reading.version ?? 0) >= floor) }
        case .miss:
          if isThere, let reading = model[key]?.reading {
            #expect(!freshness.accepts(reading, at: now))
          }
        }
      }
      let keys = table.keys
      #expect(Set(keys).count == keys.count && keys.count == table.count)
      #expect(table.bytes == keys.reduce(0) { $0 + overhead + (model[$1]?.bytes ?? 0) })
      #expect(table.bytes <= capacity)
    }
    #expect(table.statistics.evictions > 0 && table.statistics.hits > 0)
  }
}
