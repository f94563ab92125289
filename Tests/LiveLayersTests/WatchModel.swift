import GeoMath
import ObjectModel
import SpatialIndexing
import Testing

@testable import LiveLayers

/// A layer whose objects move at random, and what each of them is.
struct WatchedLayer {
  struct Object: Equatable {
    var latitude: Double
    var longitude: Double
    var tags: [String]
  }

  let clock = ManualClock(Instant(milliseconds: 1_795_183_800_000))
  let layers: LayerRegistry
  let layer: Layer
  var objects: [String: Object] = [:]
  private var expiry: [String: Instant] = [:]
  var random: SplitMix64
  /// Where objects live.
  var center = (latitude: 37.5, longitude: 127.0)
  var spread = 0.02

  init(seed: UInt64) throws {
    layers = LayerRegistry(clock: clock, epoch: 0xABCD)
    layer = try layers.layerForReports("users")
    random = SplitMix64(seed: seed)
  }

  mutating func report(_ id: String) {
    var object =
      objects[id]
      ?? Object(latitude: center.latitude, longitude: center.longitude, tags: [])
    switch Int.random(in: 0..<10, using: &random) {
    case 0: break  // A heartbeat from the same place.
    case 1: object.tags = [["swift"], [], ["go", "swift"]].randomElement(using: &random) ?? []
    default:
      object.latitude = max(
        -90, min(90, center.latitude + .random(in: -spread...spread, using: &random)))
      object.longitude = Coordinate.wrappedLongitude(
        center.longitude + .random(in: -spread...spread, using: &random))
    }
    let ttl: Int64 = .random(in: 1000...20_000, using: &random)
    let outcomes = layer.report(
      [
        PositionReport(
          id: id, latitude: object.latitude, longitude: object.longitude, tags: object.tags,
          ttlMilliseconds: ttl)
      ], now: clock.now(), limits: layers.limits)
    #expect(outcomes == [.accepted])
    objects[id] = object
    expiry[id] = clock.now().advanced(milliseconds: ttl)
  }

  mutating func remove(_ id: String) {
    #expect(layer.remove(id: id, now: clock.now()) == (objects[id] != nil))
    objects[id] = nil
    expiry[id] = nil
  }

  mutating func pass(milliseconds: Int64) {
    clock.advance(milliseconds: milliseconds)
    for (id, end) in expiry where end <= clock.now() {
      objects[id] = nil
      expiry[id] = nil
    }
    if Bool.random(using: &random) { layers.reclaimExpired() }
  }

  /// One of: report, removal, time.
  mutating func step(ids: Int) {
    let id = "id-\(Int.random(in: 0..<ids, using: &random))"
    switch Int.random(in: 0..<20, using: &random) {
    case 0: remove(id)
    case 1: pass(milliseconds: .random(in: 1...3000, using: &random))
    default: report(id)
    }
  }

  /// Takes out what has expired and tells the watches of all that happened.
  func settle() {
    while layers.reclaimExpired() > 0 {}
    while layer.watches.flush(now: clock.now()) {}
  }

  /// Who is in an area, by looking at everybody.
  func expected(_ area: WatchArea, tag: String? = nil) -> [String: Object] {
    let prepared = PreparedWatchArea(area)
    return objects.filter {
      prepared.contains(latitude: $0.value.latitude, longitude: $0.value.longitude)
        && (tag.map($0.value.tags.contains) ?? true)
    }
  }
}

/// What a client knows that follows a watch.
struct WatchingClient {
  /// By area.
  var known: [Int: [String: WatchedLayer.Object]] = [:]
  var token: String?
  var kinds: [WatchNotice.Kind] = []

  mutating func hear(_ notice: WatchNotice, _ object: WatchedLayer.Object?, _ id: String) {
    kinds.append(notice.kind)
    token = notice.resumeToken.text
    switch notice.kind {
    case .reset: known = [:]
    case .enter, .move: known[notice.area, default: [:]][id] = object
    case .exit: known[notice.area]?[notice.id] = nil
    }
  }

  /// Reads all there is, in pages.
  mutating func catchUp(_ reader: WatchReader, page: Int = 7) {
    while readPage(reader, page: page) {}
  }

  mutating func readPage(_ reader: WatchReader, page: Int) -> Bool {
    reader.read(limit: page) { notice, hit in
      hear(
        notice,
        hit.map {
          .init(
            latitude: $0.latitude, longitude: $0.longitude,
            tags: ObjectPayload.tags(in: $0.payload))
        }, hit?.idString ?? "")
    }
  }
}
