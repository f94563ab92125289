import GeoMath
import ObjectModel
import Testing

@testable import SpatialIndexing

@Suite struct StorageTests {
  static let now = Instant(milliseconds: 1_760_000_000_000)

  /// Objects of changing sizes come and go: memory stays within what the greatest crowd took.
  @Test func memoryIsReusedAsObjectsComeAndGo() throws {
    let index = SharedLiveIndex(configuration: .init(columnCount: 1))
    var g = SplitMix64(seed: 8)
    var outcomes: [UpdateOutcome] = []
    var peak = 0
    for round in 0..<30 {
      var batch = UpdateBatch(columnCount: 1)
      for i in 0..<400 {
        let size = round % 3 == 0 ? 6000 : Int.random(in: 0...200, using: &g)
        batch.append(
          id: "round-\(round)-\(i)", latitude: .random(in: 30...40, using: &g), longitude: 127,
          tags: ["tag-\(i % 50)-\(round)"],
          payload: [UInt8](repeating: UInt8(i & 255), count: size),
          columns: [Double(i)], observedAt: Self.now, expiresAt: .distantFuture)
      }
      index.apply(batch, now: Self.now, outcomes: &outcomes)
      index.withObject(id: "round-\(round)-7", now: Self.now) { hit in
        #expect(hit.payload.allSatisfy { $0 == 7 })
      }
      if round <= 5 { peak = max(peak, index.statistics().totalBytes) }
      if round > 5 { #expect(index.statistics().totalBytes <= peak * 11 / 10) }
      try index.checkInvariants()
      let gone = index.remove(ids: (0..<400).map { "round-\(round)-\($0)" }, now: Self.now)
      #expect(gone.allSatisfy { $0 })
      #expect(index.statistics().objectCount == 0)
      #expect(index.statistics().distinctTagCount == 0)
    }
    #expect(index.statistics().recordBytes < 1 << 16)
  }

  @Test func recordsKeepTheirBytes() throws {
    let space = try AddressSpace(
      bytes: RecordArena.addressSpace(maximumBytes: 1 << 30, maximumHugeCount: 100_000))
    var arena = RecordArena(maximumBytes: 1 << 30, maximumHugeCount: 100_000, in: space)
    var g = SplitMix64(seed: 3)
    var live: [(reference: UInt32, count: Int, byte: UInt8)] = []
    for step in 0..<20_000 {
      if live.count > 300 || (live.count > 0 && step % 3 == 0) {
        let record = live.remove(at: Int.random(in: 0..<live.count, using: &g))
        let bytes = UnsafeRawBufferPointer(
          start: arena.pointer(record.reference), count: record.count)
        #expect(bytes.allSatisfy { $0 == record.byte })
        arena.free(record.reference, count: record.count)
      } else {
        let count = Int.random(in: 1...(step % 50 == 0 ? 9000 : 300), using: &g)
        let byte = UInt8.random(in: 0...255, using: &g)
        let reference = arena.allocate(count)
        arena.pointer(reference).initializeMemory(as: UInt8.self, repeating: byte, count: count)
        live.append((reference, count, byte))
      }
    }
    for record in live { arena.free(record.reference, count: record.count) }
    #expect(arena.bytesInUse == 0)
    #expect(arena.bytesReserved == 0)
  }

  @Test func idMapFollowsADictionary() throws {
    let space = try AddressSpace(bytes: IdentifierMap.addressSpace(1 << 20))
    var map = IdentifierMap(maximumCount: 1 << 20, in: space)
    var model: [UInt32: UInt64] = [:]
    var g = SplitMix64(seed: 6)
    for step in 0..<40_000 {
      let slot = UInt32.random(in: 0..<8000, using: &g)
      if let hash = model[slot] {
        #expect(map.find(hash) { $0 == slot } == slot)
        if step % 2 == 0 {
          map.remove(hash, slot: slot)
          model[slot] = nil
          #expect(map.find(hash) { $0 == slot } == nil)
        }
      } else {
        // Few different low bits, so that runs are long and wrap.
        let hash = (g.next() << 36) | UInt64.random(in: 500...520, using: &g) << 32
        map.insert(hash, slot: slot)
        model[slot] = hash
      }
    }
    #expect(map.count == model.count)
    for (slot, hash) in model { #expect(map.find(hash) { $0 == slot } == slot) }
  }
}
