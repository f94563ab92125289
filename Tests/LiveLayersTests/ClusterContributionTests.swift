import GeoMath
import ObjectModel
import PointClustering
import Testing

@testable import LiveLayers

/// What the layers's own layers add to the aggregates of their clusters.
struct ClusterContributionTests {
  static let world = GeoBox(uncheckedWest: -180, south: -85, east: 180, north: 85)
  static let start = Instant(seconds: 1_700_000_000)

  static func layers() -> (LayerRegistry, ManualClock) {
    let clock = ManualClock(start)
    return (LayerRegistry(clock: clock, epoch: 7), clock)
  }

  static func party(
    _ id: String, _ latitude: Double, seats: Int32, departure: Int64 = .max,
    fare: Int64 = .max, tags: [String] = [], expiresAt: Instant = .distantFuture
  ) -> ContributingObject {
    ContributingObject(
      id: id, latitude: latitude, longitude: 127, tags: tags, expiresAt: expiresAt,
      contribution: ClusterContribution(
        seatsFree: seats, earliestDeparture: departure, lowestFarePerPerson: fare))
  }

  static func shown(
    _ layer: Layer, zoom: Int = 0, filter: ObjectFilter = ObjectFilter(), now: Instant = start
  ) throws -> [MapFeature] {
    while layer.feed.flush() {}
    return try layer.mapFeatures(in: world, zoom: zoom, filter: filter, limit: 1_000, now: now)
      .features
  }

  @Test func clustersAndSinglesCarryWhatTheirMembersAdd() throws {
    let (layers, _) = Self.layers()
    let layer = try layers.existingOrNewLayer("parties")
    layer.upsert(
      [
        Self.party("a", 37.5, seats: 2, departure: 5_000, fare: 4_000, tags: ["x"]),
        Self.party("b", 37.501, seats: 1, departure: 3_000),
        Self.party("far", -30, seats: 3, fare: 900),
      ], now: Self.start)
    let features = try Self.shown(layer).sorted { $0.count < $1.count }
    #expect(features.map(\.count) == [1, 2])
    #expect(
      features[0].aggregates
        == ClusterAggregates(seatsFree: 3, earliestDeparture: .max, lowestFarePerPerson: 900))
    #expect(
      features[1].aggregates
        == ClusterAggregates(seatsFree: 3, earliestDeparture: 3_000, lowestFarePerPerson: 4_000))
    var filter = ObjectFilter()
    filter.tags = ["x"]
    let filtered = try Self.shown(layer, filter: filter)
    #expect(filtered.map(\.aggregates.seatsFree) == [2])
    #expect(filtered.map(\.aggregates.earliestDeparture) == [5_000])
  }

  @Test func anUpdateInPlaceChangesTheAggregatesAndTheTilesVersion() throws {
    let (layers, _) = Self.layers()
    let layer = try layers.existingOrNewLayer("parties")
    let (a, b) = (Self.party("a", 37.5, seats: 2), Self.party("b", 37.5, seats: 1))
    layer.upsert([a, b], now: Self.start)
    #expect(try Self.shown(layer).map(\.aggregates.seatsFree) == [3])
    let tile = try #require(TileAddress(zoom: 0, x: 0, y: 0))
    let before = try layer.tileVersion(tile, marginUnits: 0, filter: ObjectFilter())
    let version = layer.upsert([Self.party("a", 37.5, seats: 0)], now: Self.start)
    #expect(version == layer.version)
    #expect(try Self.shown(layer).map(\.aggregates.seatsFree) == [1])
    #expect(try layer.tileVersion(tile, marginUnits: 0, filter: ObjectFilter()) > before)
  }

  @Test func whatEndedLeavesAndAnotherTakesItsSlotClean() throws {
    let (layers, clock) = Self.layers()
    let layer = try layers.existingOrNewLayer("parties")
    let end = Self.start.advanced(milliseconds: 1_000)
    layer.upsert([Self.party("a", 37.5, seats: 4, expiresAt: end)], now: Self.start)
    layer.upsert([Self.party("b", 37.6, seats: 1)], now: Self.start)
    layer.upsert([Self.party("b", 37.6, seats: 1, expiresAt: Self.start)], now: Self.start)
    #expect(try Self.shown(layer).map(\.aggregates.seatsFree) == [4])
    clock.advance(milliseconds: 2_000)
    layers.reclaimExpired()
    #expect(try Self.shown(layer, now: clock.now()).isEmpty)
    // A plain report of another object, in the slot that is free now.
    _ = layer.report(
      [PositionReport(id: "c", latitude: 1, longitude: 1)], now: clock.now(),
      limits: layers.limits)
    #expect(try Self.shown(layer, now: clock.now()).map(\.aggregates) == [.none])
  }

  @Test func aClockThatWentBackDoesNotRefuseTheEngine() throws {
    let (layers, _) = Self.layers()
    let layer = try layers.existingOrNewLayer("parties")
    layer.upsert([Self.party("a", 37.5, seats: 4)], now: Self.start)
    let earlier = Self.start.advanced(milliseconds: -60_000)
    layer.upsert([Self.party("a", 37.7, seats: 3)], now: earlier)
    let features = try Self.shown(layer, now: earlier)
    #expect(features.map(\.aggregates.seatsFree) == [3])
    #expect(features.map(\.object?.latitude) == [37.7])
  }

  @Test func ofTwoWithOneIDTheLaterCounts() throws {
    let (layers, _) = Self.layers()
    let layer = try layers.existingOrNewLayer("parties")
    layer.upsert(
      [
        Self.party("a", 37.5, seats: 4), Self.party("a", 37.5, seats: 2),
        Self.party("b", 37.5, seats: 1),
        Self.party("b", 37.5, seats: 1, expiresAt: Self.start),
      ], now: Self.start)
    #expect(try Self.shown(layer).map(\.aggregates.seatsFree) == [2])
  }
}
