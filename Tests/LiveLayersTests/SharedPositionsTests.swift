import ObjectModel
import SpatialIndexing
import Testing
import Threading

@testable import LiveLayers

/// Clocks that a test turns.
private final class Clocks: WallClock {
  private let milliseconds = StateLock<Int64>(1_700_000_000_000)

  func now() -> Instant { Instant(milliseconds: milliseconds.withLock { $0 }) }
  func advance(_ by: Int64) { milliseconds.withLock { $0 += by } }
  var nanoseconds: Nanoseconds { milliseconds.withLock { $0 } * 1_000_000 }
}

/// A daemon as far as positions go.
private struct Follower {
  let sharing: SharedPositions
  let layers: LayerRegistry

  init(_ log: any PositionLog, _ clocks: Clocks, settings: SharedPositions.Settings = .init()) {
    sharing = SharedPositions(
      log: log, settings: settings, monotonic: { clocks.nanoseconds })
    layers = LayerRegistry(
      configuration: LayerRegistryConfiguration(rankKey: HashKey(1, 2)), clock: clocks, epoch: 7,
      sharing: sharing)
  }

  /// Ticks until all is read: partitions are replaced a few at a time.
  func catchUp() { for _ in 0..<(SharedPositions.partitionCount + 2) { sharing.tick() } }

  /// Everything that the layers answer with, by layer and id.
  func contents(_ now: Instant) -> [String: String] {
    var out: [String: String] = [:]
    for layer in layers.all {
      layer.index.forEachObject(now: now) { hit in
        out["\(layer.name)/\(hit.idString)"] =
          "\(hit.latitude) \(hit.longitude) \(hit.observedAt.milliseconds) "
          + "\(hit.expiresAt.milliseconds) \(Array(hit.payload))"
      }
    }
    return out
  }
}

@Suite("Positions that daemons share")
struct SharedPositionsTests {
  private let clocks = Clocks()

  private func put(
    _ id: String, _ latitude: Double = 37, at observedAt: Instant? = nil, layer: String = "users",
    ttl: Int64 = 60_000
  ) -> PositionChange {
    let observed = observedAt ?? clocks.now()
    var payload: [UInt8] = []
    ObjectPayload.append(tags: ["swift"], attributes: [], to: &payload)
    return .put(
      StoredPosition(
        key: StoredPositionKey(tenant: "default", layer: layer, id: id), latitude: latitude,
        longitude: 127, observedAt: observed, expiresAt: observed.advanced(milliseconds: ttl),
        payload: payload), isReceiptTime: observedAt == nil)
  }

  private func partition(_ change: PositionChange) -> Int {
    PositionRecordCoding.partition(change.key)
  }

  /// Results of a write that ends at once.
  private func write(_ follower: Follower, _ changes: [PositionChange])
    -> [Result<PositionDecision, PositionLogFailure>]
  {
    let told = StateLock<[Result<PositionDecision, PositionLogFailure>]>([])
    follower.sharing.write(changes) { results in told.withLock { $0 = results } }
    return told.withLock { $0 }
  }

  @Test("What one reports, it shows at once, and others after they have read")
  func reportIsShared() {
    let log = MemoryPositionLog(clock: clocks)
    let (one, other) = (Follower(log, clocks), Follower(log, clocks))
    one.catchUp()
    other.catchUp()
    #expect(one.sharing.isLoaded && other.sharing.isLoaded)
    #expect(write(one, [put("ann")]).count == 1)
    #expect(one.contents(clocks.now()).keys.contains("users/ann"))
    #expect(other.contents(clocks.now()).isEmpty)
    other.sharing.tick()
    #expect(other.contents(clocks.now()) == one.contents(clocks.now()))
    _ = write(other, [.remove(put("ann").key)])
    one.sharing.tick()
    #expect(one.contents(clocks.now()).isEmpty)
    #expect(one.sharing.figures.repairedGaps == 0)
  }

  @Test("A report behind others' is shown only after theirs")
  func othersComeFirst() {
    let log = MemoryPositionLog(clock: clocks)
    let (one, other) = (Follower(log, clocks), Follower(log, clocks))
    one.catchUp()
    other.catchUp()
    let time = clocks.now()
    _ = write(one, [put("ann", 37.1, at: time)])
    // The same moment: the log's order decides.
    let results = write(other, [put("ann", 37.2, at: time)])
    #expect(
      results == [
        .success(.stored(observedAt: time, expiresAt: time.advanced(milliseconds: 60_000)))
      ])
    one.sharing.tick()
    #expect(other.contents(time) == one.contents(time))
    #expect(one.contents(time).values.first?.hasPrefix("37.2 ") == true)
    #expect(
      write(one, [put("ann", 37.3, at: time.advanced(milliseconds: -1))]) == [.success(.stale)])
  }

  @Test("A log that fails is told, and nothing is shown that it does not have")
  func failures() {
    let log = MemoryPositionLog(clock: clocks)
    let one = Follower(log, clocks)
    one.catchUp()
    log.fails(.unavailable("away"))
    #expect(write(one, [put("ann")]) == [.failure(.unavailable("away"))])
    #expect(one.contents(clocks.now()).isEmpty)
    #expect(one.sharing.refusingReason == "reports are refused: away")
    clocks.advance(2500)
    one.sharing.tick()
    #expect(one.sharing.staleMilliseconds >= 2500)
    #expect(one.sharing.unreadyReason == "positions are 2500 ms behind the log: away")
    #expect(one.sharing.unanswerableReason == nil)
    clocks.advance(8000)
    one.sharing.tick()
    #expect(one.sharing.unanswerableReason != nil)
    #expect(one.sharing.refusingReason == nil)
    log.fails(nil)
    one.sharing.tick()
    one.sharing.tick()
    #expect(one.sharing.unreadyReason == nil)
    #expect(one.sharing.staleMilliseconds == 0)
    #expect(one.sharing.figures.failedAppends == 1)
  }

  @Test("A removal that is on one machine alone is no success, and its repetition asks again")
  func removalsAreConfirmed() {
    let log = MemoryPositionLog(clock: clocks)
    let one = Follower(log, clocks)
    one.catchUp()
    _ = write(one, [put("ann"), put("bea")])
    log.confirmsNot(.unavailable("no replica"))
    let remove = PositionChange.remove(put("ann").key)
    #expect(write(one, [remove]) == [.failure(.unavailable("no replica"))])
    // It is gone here all the same, and reports wait for no replica.
    #expect(one.contents(clocks.now()).count == 1)
    #expect(write(one, [remove]) == [.failure(.unavailable("no replica"))])
    if case .success(.stored)? = write(one, [put("cid")]).first {
    } else {
      Issue.record("a report waited for a replica")
    }
    log.confirmsNot(nil)
    #expect(write(one, [remove]) == [.success(.removed(wasThere: false))])
  }

  @Test("More changes than may wait are refused")
  func bound() {
    let log = MemoryPositionLog(clock: clocks)
    var settings = SharedPositions.Settings()
    settings.waitingChanges = 3
    let one = Follower(log, clocks, settings: settings)
    one.catchUp()
    log.holds(true)
    #expect(write(one, [put("a"), put("b"), put("c")]).isEmpty)
    #expect(write(one, [put("d")]) == [.failure(.overloaded)])
    log.holds(false)
    #expect(one.contents(clocks.now()).count == 3)
    #expect(write(one, [put("d")]).count == 1)
  }

  @Test("A tail that the log lost is found before anything is written behind it")
  func lostTail() {
    let log = MemoryPositionLog(clock: clocks)
    let one = Follower(log, clocks)
    one.catchUp()
    let change = put("ann", 37.1)
    _ = write(one, [change])
    clocks.advance(10)
    _ = write(one, [put("ann", 37.2)])
    log.loseTail(partition(change), keeping: 1)
    clocks.advance(1000)
    one.catchUp()
    #expect(one.contents(clocks.now()).values.first?.hasPrefix("37.1 ") == true)
    #expect(one.sharing.figures.repairedGaps == 1)
    log.loseTail(partition(change), keeping: 0)
    clocks.advance(1000)
    one.catchUp()
    #expect(one.contents(clocks.now()).isEmpty)
    #expect(one.sharing.figures.removedByRepair == 1)
  }

  @Test("A partition whose last entry was trimmed is whole where nothing else is missing")
  func trimmed() {
    let log = MemoryPositionLog(clock: clocks)
    let (one, other) = (Follower(log, clocks), Follower(log, clocks))
    let change = put("ann", 37.1)
    _ = write(one, [change])
    one.catchUp()
    other.catchUp()
    clocks.advance(1000)
    _ = write(one, [put("ann", 37.2)])
    log.trim(partition(change), to: 1)
    other.catchUp()
    #expect(other.sharing.figures.repairedGaps == 0)
    #expect(other.contents(clocks.now()) == one.contents(clocks.now()))
    for latitude in [37.3, 37.4] {
      clocks.advance(10)
      _ = write(one, [put("ann", latitude)])
    }
    log.trim(partition(change), to: 1)
    other.catchUp()
    #expect(other.sharing.figures.repairedGaps == 1)
    #expect(other.contents(clocks.now()) == one.contents(clocks.now()))
  }

  @Test(
    "Whatever is written, lost, trimmed and held up, in the end all have what the log has",
    arguments: UInt64(1)...20)
  func model(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let log = MemoryPositionLog(clock: clocks)
    let all = (0..<3).map { _ in Follower(log, clocks) }
    var isHeld = false
    for _ in 0..<400 {
      let follower = all[Int(random.next() % 3)]
      let id = "u\(random.next() % 40)"
      switch random.next() % 16 {
      case 0: _ = write(follower, [.remove(put(id).key)])
      case 1:
        isHeld.toggle()
        log.holds(isHeld)
      case 2: log.trim(Int(random.next() % 64), to: Int(random.next() % 3))
      case 3:
        let number = partition(put(id))
        log.loseTail(number, keeping: Int(random.next() % UInt64(log.entryCount(number) + 1)))
      case 4: clocks.advance(Int64(random.next() % 3000))
      case 5: log.fails(random.next() % 2 == 0 ? .unavailable("away") : nil)
      case 6...9: follower.sharing.tick()
      case 10:
        _ = write(
          follower,
          (0..<5).map { _ in put("u\(random.next() % 40)", Double(random.next() % 80)) })
      default:
        let age = Int64(random.next() % 2000) - 1000
        _ = write(
          follower,
          [
            put(
              id, Double(random.next() % 80),
              at: random.next() % 2 == 0 ? nil : clocks.now().advanced(milliseconds: age),
              ttl: 5000)
          ])
      }
    }
    log.holds(false)
    log.fails(nil)
    clocks.advance(1000)
    for follower in all { follower.catchUp() }
    let now = clocks.now()
    let stored = Dictionary(
      uniqueKeysWithValues: log.positions.map { position in
        (
          "\(position.key.layer)/\(position.key.id)",
          "\(position.latitude) \(position.longitude) \(position.observedAt.milliseconds) "
            + "\(position.expiresAt.milliseconds) \(position.payload)"
        )
      })
    for follower in all {
      #expect(follower.contents(now) == stored)
      #expect(follower.sharing.staleMilliseconds == 0)
    }
  }

  @Test("What is spelled is read back; damage is no record", arguments: UInt64(1)...20)
  func coding(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let key = StoredPositionKey(tenant: "t", layer: "users", id: "a/b/\(seed)")
    #expect(PositionRecordCoding.key(member: PositionRecordCoding.member(key)) == key)
    let position = StoredPosition(
      key: key, latitude: 37.5, longitude: -127.25,
      observedAt: Instant(milliseconds: Int64(random.next() % 1 << 40) - (1 << 39)),
      expiresAt: seed % 2 == 0 ? .distantFuture : Instant(milliseconds: 5),
      payload: (0..<Int(seed)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    var value = PositionRecordCoding.value(position)
    #expect(PositionRecordCoding.record(key, value: value) == .position(position))
    #expect(PositionRecordCoding.record(key, value: value.prefix(20)) == nil)
    for _ in 0..<100 {
      value[Int(random.next() % UInt64(value.count))] = UInt8(truncatingIfNeeded: random.next())
      if case .position(let read)? = PositionRecordCoding.record(key, value: value) {
        #expect(abs(read.latitude) <= 90 && abs(read.longitude) <= 180)
      }
    }
  }
}
