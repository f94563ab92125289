import GeoMath
import ObjectModel
import SpatialIndexing
import Testing

@testable import LiveLayers

/// Each single event of a watch, held against the area and the filter its reader may see.
@Suite struct WatchDisclosureTests {
  private static func inside() -> (latitude: Double, longitude: Double) { (37.5, 127) }
  private static func farOut() -> (latitude: Double, longitude: Double) { (38.5, 128) }

  private static func report(
    _ id: String, at place: (latitude: Double, longitude: Double), tags: [String] = [],
    in model: WatchedLayer
  ) {
    let outcomes = model.layer.report(
      [
        PositionReport(
          id: id, latitude: place.latitude, longitude: place.longitude, tags: tags,
          ttlMilliseconds: 60_000)
      ], now: model.clock.now(), limits: model.layers.limits)
    #expect(outcomes == [.accepted])
  }

  private static func flush(_ model: WatchedLayer) {
    while model.layer.watches.flush(now: model.clock.now()) {}
  }

  private static func read(
    _ reader: WatchReader, _ visit: (WatchNotice, HitView?) -> Void
  ) {
    while reader.read(limit: 5, visit) {}
    _ = reader.read(limit: 5, visit)
  }

  @Test func anObjectThatHasLeftBeforeItIsReadIsNotTold() throws {
    let model = try WatchedLayer(seed: 1)
    let reader = try model.layer.watch(
      WatchQuery(areas: [WatchTests.circle]), resuming: nil, clock: model.clock)
    Self.read(reader) { _, _ in }
    Self.report("a", at: Self.inside(), in: model)
    Self.flush(model)
    // The watch knows of the entering; the index shows a place that the reader may not see.
    Self.report("a", at: Self.farOut(), in: model)
    var told: [WatchNotice.Kind] = []
    Self.read(reader) { notice, _ in told.append(notice.kind) }
    #expect(told.isEmpty)
    Self.flush(model)
    Self.read(reader) { notice, _ in told.append(notice.kind) }
    #expect(told.isEmpty, "an exit of an object that was never told")
    Self.report("a", at: Self.inside(), in: model)
    Self.flush(model)
    Self.read(reader) { notice, _ in told.append(notice.kind) }
    #expect(told == [.enter])
  }

  @Test func anObjectThatIsRemovedBeforeItIsReadHasNoExit() throws {
    let model = try WatchedLayer(seed: 1)
    let reader = try model.layer.watch(
      WatchQuery(areas: [WatchTests.circle]), resuming: nil, clock: model.clock)
    Self.read(reader) { _, _ in }
    Self.report("a", at: Self.inside(), in: model)
    Self.flush(model)
    #expect(model.layer.remove(id: "a", now: model.clock.now()))
    var told: [WatchNotice.Kind] = []
    Self.read(reader) { notice, _ in told.append(notice.kind) }
    Self.flush(model)
    Self.read(reader) { notice, _ in told.append(notice.kind) }
    #expect(told.isEmpty)
  }

  /// Reports, matching and reading in any order: nothing outside area and filter is ever shown,
  /// enters and exits pair up, and in the end the reader knows exactly who is there.
  @Test(arguments: [21, 22, 23, 24] as [UInt64], [false, true])
  func everyEventIsWithinAreaAndFilter(seed: UInt64, tellsMoves: Bool) throws {
    var random = SplitMix64(seed: seed)
    let model = try WatchedLayer(seed: seed)
    var filter = ObjectFilter()
    filter.tags = ["swift"]
    let area = PreparedWatchArea(WatchTests.circle)
    let reader = try model.layer.watch(
      WatchQuery(areas: [WatchTests.circle], filter: filter), resuming: nil, clock: model.clock)
    var known: Set<String> = []
    func hear(_ notice: WatchNotice, _ hit: HitView?) {
      if let hit {
        #expect(area.contains(latitude: hit.latitude, longitude: hit.longitude))
        #expect(ObjectPayload.tags(in: hit.payload).contains("swift"))
      }
      switch notice.kind {
      case .enter:
        let isNew = known.insert(hit?.idString ?? "").inserted
        #expect(isNew)
      case .move: #expect(known.contains(hit?.idString ?? ""))
      case .exit:
        let gone = known.remove(notice.id)
        #expect(gone != nil)
      case .reset: known = []
      }
    }
    // What enters while a snapshot is being read may be told twice, by both.
    Self.read(reader, hear)
    for _ in 0..<600 {
      let id = "id-\(random.below(8))"
      switch random.below(6) {
      case 0: Self.flush(model)
      case 1: _ = reader.read(limit: 1 + random.below(4), tellsMoves: tellsMoves, hear)
      case 2: _ = model.layer.remove(id: id, now: model.clock.now())
      default:
        Self.report(
          id, at: random.below(2) == 0 ? Self.inside() : Self.farOut(),
          tags: random.below(3) == 0 ? [] : ["swift"], in: model)
      }
    }
    Self.flush(model)
    while reader.read(limit: 5, tellsMoves: tellsMoves, hear) {}
    var present: Set<String> = []
    _ = try model.layer.within(
      WithinSearch(area: .box(.world), limit: 100, filter: filter), now: model.clock.now()
    ) { hit in
      if area.contains(latitude: hit.latitude, longitude: hit.longitude) {
        present.insert(hit.idString)
      }
    }
    #expect(known == present)
  }
}
