import GeoMath
import ObjectModel

/// Seeded objects and queries over the places where searching goes wrong.
struct OracleData {
  enum Shape: String, CaseIterable, Sendable {
    case uniform, clustered, identical, polar, antimeridian
  }

  var generator: SplitMix64
  let now: Int64
  static let tags = ["swift", "모여", "카페", "go", "math", "빠른 길", "c++", "night-owl"]
  static let names = ["mina", "민아", "joon"]

  init(seed: UInt64, now: Int64) {
    generator = SplitMix64(seed: seed)
    self.now = now
  }

  private mutating func double(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &generator)
  }

  private mutating func chance(_ share: Double) -> Bool { double(0...1) < share }

  mutating func coordinate(_ shape: Shape) -> Coordinate {
    switch shape {
    case .uniform:
      return Coordinate(uncheckedLatitude: double(-90...90), longitude: double(-180...180))
    case .clustered:
      return Coordinate(
        uncheckedLatitude: 37.55 + double(-0.03...0.03), longitude: 127 + double(-0.03...0.03))
    case .identical: return Coordinate(uncheckedLatitude: 37.5663, longitude: 126.9779)
    case .polar:
      let latitude = chance(0.2) ? 90 : double(89.9...90)
      return Coordinate(
        uncheckedLatitude: chance(0.5) ? latitude : -latitude, longitude: double(-180...180))
    case .antimeridian:
      let east = chance(0.5)
      let longitude = chance(0.1) ? 180 : 180 - double(0...0.02)
      return Coordinate(
        uncheckedLatitude: -17 + double(-0.02...0.02), longitude: east ? longitude : -longitude)
    }
  }

  mutating func objects(_ count: Int) -> [PlacedObject] {
    var objects: [PlacedObject] = []
    for i in 0..<count {
      let age = Int64.random(in: 0...50_000, using: &generator)
      // Ids whose byte order is not the order of their numbers.
      var object = PlacedObject(
        id: chance(0.1) ? "사람-\(i)" : "\(i % 7)-\(i)",
        coordinate: coordinate(Shape.allCases[i % Shape.allCases.count]), tags: someTags(0...4),
        observedAt: now - age)
      if chance(0.8) { object.level = Double(Int.random(in: 0...9, using: &generator)) }
      if chance(0.7) { object.score = (double(0...100) * 4).rounded() / 4 }
      if chance(0.5) { object.name = Self.names.randomElement(using: &generator) }
      if chance(0.5) { object.isHost = chance(0.5) }
      if chance(0.7) { object.ttlSeconds = Int.random(in: 51...120, using: &generator) }
      objects.append(object)
    }
    return objects
  }

  private mutating func someTags(_ count: ClosedRange<Int>) -> [String] {
    Array(
      Self.tags.shuffled(using: &generator).prefix(Int.random(in: count, using: &generator)))
  }

  mutating func query(_ objects: [PlacedObject], index: Int) -> OracleQuery {
    let shape = Shape.allCases[index % Shape.allCases.count]
    let center = chance(0.3) ? objects.randomElement(using: &generator)?.coordinate : nil
    var query: OracleQuery
    let around = center ?? coordinate(shape)
    let span: Double = [0.001, 0.01, 0.05, 5, 60].randomElement(using: &generator) ?? 1
    if chance(0.7) {
      query = OracleQuery(place: .near(around, radiusMeters: radius(around, objects)))
      if chance(0.25) { query.polygon = polygon(around, span) }
    } else if chance(0.5) {
      query = OracleQuery(place: .box(box(around, span)))
    } else if let polygon = polygon(around, span) {
      query = OracleQuery(place: .polygon, polygon: polygon)
    } else {
      query = OracleQuery(place: .box(.world))
    }
    if chance(0.4) { query.tags = someTags(1...2) }
    query.matchesAny = chance(0.5)
    if chance(0.25) { query.notTags = someTags(1...2) }
    if chance(0.25) {
      query.excludeIDs = (0..<5).compactMap { _ in objects.randomElement(using: &generator)?.id }
    }
    if chance(0.4) {
      query.conditions = (0..<Int.random(in: 1...2, using: &generator)).map { _ in condition() }
    }
    if chance(0.25) { query.maxAgeSeconds = double(0...60).rounded() + 0.5 }
    query.limit = [1, 3, 7, 20, 100].randomElement(using: &generator) ?? 20
    return query
  }

  private mutating func radius(_ origin: Coordinate, _ objects: [PlacedObject]) -> Double? {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return nil
    case 1:
      // Exactly as far as some object: the radius is inclusive.
      guard let object = objects.randomElement(using: &generator) else { return nil }
      let millimeters = DistanceOrigin(origin).millimeters(
        latitude: object.coordinate.latitude, longitude: object.coordinate.longitude)
      return Double(millimeters) / 1000
    default: return [0, 100, 2_000, 50_000, 3e6, 1e9].randomElement(using: &generator)
    }
  }

  private mutating func box(_ center: Coordinate, _ span: Double) -> GeoBox {
    GeoBox(
      uncheckedWest: Coordinate.wrappedLongitude(center.longitude - span),
      south: max(-90, center.latitude - span),
      east: Coordinate.wrappedLongitude(center.longitude + span),
      north: min(90, center.latitude + span))
  }

  /// A star around a centre; `nil` where it would not be a polygon.
  private mutating func polygon(_ center: Coordinate, _ span: Double) -> GeoPolygon? {
    let corners = (0..<7).map { i -> Coordinate in
      let angle = Double(i) / 7 * 2 * Double.pi
      let reach = span * double(0.3...1)
      return Coordinate(
        uncheckedLatitude: min(90, max(-90, center.latitude + reach * sine(angle))),
        longitude: Coordinate.wrappedLongitude(center.longitude + reach * sine(angle + .pi / 2))
      )
    }
    return try? GeoPolygon(corners)
  }

  private mutating func condition() -> OracleCondition {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0:
      return OracleCondition(
        attribute: "level", test: .number(Double(Int.random(in: 0...9, using: &generator))))
    case 1:
      let low = double(0...6).rounded()
      return OracleCondition(attribute: "level", test: .range(low, low + 3))
    case 2:
      return OracleCondition(attribute: "score", test: .range(double(0...50).rounded(), nil))
    case 3:
      return OracleCondition(attribute: "score", test: .range(nil, double(20...100).rounded()))
    case 4: return OracleCondition(attribute: "name", test: .text("민아"))
    default: return OracleCondition(attribute: "isHost", test: .flag(chance(0.5)))
    }
  }
}
