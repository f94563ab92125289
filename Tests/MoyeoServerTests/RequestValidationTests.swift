import GeoMath
import MoyeoAPI
import LiveLayers
import ObjectModel
import SpatialIndexing
import SwiftProtobuf
import Testing

@testable import MoyeoServer

/// Every rule of the limits, on both sides of its edge.
@Suite struct RequestValidationTests {
  private let validation = RequestValidation(limits: LayerLimits())

  private func refusal(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) -> (reason: Reason, field: String?)? {
    let error = #expect(throws: APIError.self, sourceLocation: sourceLocation) { try body() }
    return error.map { ($0.reason, $0.fields.first?.field) }
  }

  private func expect(
    _ reason: Reason, _ field: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) {
    let refusal = refusal(sourceLocation: sourceLocation, body)
    #expect(refusal?.reason == reason, sourceLocation: sourceLocation)
    #expect(refusal?.field == field, sourceLocation: sourceLocation)
  }

  @Test func anIDIsNeitherEmptyNorLongerThanTheLimit() throws {
    for id in [
      "a", String(repeating: "x", count: 128), String(repeating: "é", count: 64), "\0", " ",
    ] {
      #expect(try validation.id(id, field: "id") == id)
    }
    expect(.missingField, "id") { _ = try validation.id(nil, field: "id") }
    for id in ["", String(repeating: "x", count: 129), String(repeating: "길", count: 43)] {
      expect(.badID, "id") { _ = try validation.id(id, field: "id") }
    }
  }

  @Test func aCoordinateIsInRangeAndNotNullIsland() throws {
    for (latitude, longitude) in [
      (90.0, 180.0), (-90, -180), (0, 1), (1, 0), (0, 1e-300), (-0.0, 1), (37.5, 127),
    ] {
      let place = try validation.coordinate(latitude: latitude, longitude: longitude)
      #expect(place.latitude == latitude && place.longitude == longitude)
    }
    for latitude in [90.0000001, -90.0000001, .infinity, -.infinity, .nan] {
      expect(.latitudeOutOfRange, "latitude") {
        _ = try validation.coordinate(latitude: latitude, longitude: 0)
      }
    }
    for longitude in [180.0000001, -180.0000001, .infinity, -.infinity, .nan] {
      expect(.longitudeOutOfRange, "longitude") {
        _ = try validation.coordinate(latitude: 0, longitude: longitude)
      }
    }
    for (latitude, longitude) in [(0.0, 0.0), (-0.0, 0), (0, -0.0)] {
      expect(.nullIsland, "latitude") {
        _ = try validation.coordinate(latitude: latitude, longitude: longitude)
      }
      _ = try validation.coordinate(
        latitude: latitude, longitude: longitude, allowsNullIsland: true)
    }
    expect(.missingField, "a.latitude") {
      _ = try validation.coordinate(latitude: nil, longitude: 1, prefix: "a.")
    }
    expect(.missingField, "longitude") {
      _ = try validation.coordinate(latitude: 1, longitude: nil)
    }
  }

  @Test func tagsAreNormalisedAndBounded() throws {
    #expect(
      try validation.tags(
        ["#Swift", "swift ", " SWIFT", "\u{1106}\u{1169}\u{110B}\u{1167}", "a  b"], field: "tags")
        == ["swift", "모여", "a b"])
    _ = try validation.tags((0..<32).map { "t\($0)" }, field: "tags")
    #expect(
      try validation.tags((0..<64).map { "#T\($0 % 32) " }, field: "tags")
        == (0..<32).map { "t\($0)" })
    expect(.badTag, "tags") {
      _ = try validation.tags((0..<33).map { "t\($0)" }, field: "tags")
    }
    _ = try validation.tags([String(repeating: "x", count: 64)], field: "tags")
    // Limits apply after normalising.
    _ = try validation.tags(["  #" + String(repeating: "x", count: 64) + "  "], field: "tags")
    for tag in [
      "", " ", "#", " # ", String(repeating: "x", count: 65), String(repeating: "길", count: 22),
      String(repeating: "x", count: 10_000), String(repeating: " ", count: 10_000),
    ] {
      expect(.badTag, "notTags[1]") { _ = try validation.tags(["ok", tag], field: "notTags") }
    }
    #expect(try validation.tagMatch(nil) == .all)
    #expect(try validation.tagMatch("all") == .all)
    #expect(try validation.tagMatch("any") == .any)
    for word in ["", "ANY", "none"] {
      expect(.badValue, "tagMatch") { _ = try validation.tagMatch(word) }
    }
  }

  @Test func limitsAndRadii() throws {
    #expect(try validation.limit(nil, default: 20, maximum: 1000) == 20)
    #expect(try validation.limit(nil, default: 20, maximum: 5) == 5)
    #expect(try validation.limit(1, default: 20, maximum: 1000) == 1)
    #expect(try validation.limit(1000, default: 20, maximum: 1000) == 1000)
    for limit in [0, -1, 1001, Int32.max, .min] {
      expect(.limitOutOfRange, "limit") {
        _ = try validation.limit(limit, default: 20, maximum: 1000)
      }
    }
    #expect(try validation.radiusMillimeters(nil) == nil)
    #expect(try validation.radiusMillimeters(0) == 0)
    #expect(try validation.radiusMillimeters(1e300) == 30_000_000_000)
    for radius in [-0.001, .infinity, .nan, -.infinity] {
      expect(.limitOutOfRange, "radiusMeters") { _ = try validation.radiusMillimeters(radius) }
    }
    for age in [-0.001, .infinity, .nan] {
      expect(.limitOutOfRange, "maxAgeSeconds") {
        _ = try validation.maximumAgeMilliseconds(age)
      }
    }
    #expect(try validation.maximumAgeMilliseconds(0) == 0)
    #expect(try validation.maximumAgeMilliseconds(1e300) != nil)
  }

  /// A radius, or an age, taken from an answer includes what the answer showed.
  @Test func aRadiusReadFromAHitIncludesThatHit() throws {
    var generator = SplitMix64(seed: 3)
    for _ in 0..<20_000 {
      let millimeters = Int64.random(in: 0...30_000_000, using: &generator)
      #expect(try validation.radiusMillimeters(Double(millimeters) / 1000) == millimeters)
      #expect(try validation.maximumAgeMilliseconds(Double(millimeters) / 1000) == millimeters)
    }
    for millimeters in [Int64(1001), 1005, 4_035, 29, 57, 30_000_000_000] {
      #expect(try validation.radiusMillimeters(Double(millimeters) / 1000) == millimeters)
    }
    #expect(try validation.radiusMillimeters(0.0009) == 0)
    #expect(try validation.radiusMillimeters(1.0019999) == 1001)
  }

  @Test func timesToLive() throws {
    #expect(try validation.ttlMilliseconds(nil, field: "ttlSeconds") == nil)
    #expect(try validation.ttlMilliseconds(0, field: "ttlSeconds") == 0)
    #expect(try validation.ttlMilliseconds(1, field: "ttlSeconds") == 1000)
    #expect(try validation.ttlMilliseconds(86_400, field: "ttlSeconds") == 86_400_000)
    #expect(try validation.ttlMilliseconds(1.5, field: "ttlSeconds") == 1500)
    for ttl in [0.999, -1, 86_400.001, .nan, .infinity, -.infinity, 1e300, 1e-300] {
      expect(.ttlOutOfRange, "ttlSeconds") {
        _ = try validation.ttlMilliseconds(ttl, field: "ttlSeconds")
      }
    }
  }

  private func polygon(_ points: [(Double, Double)]) -> Moyeo_V1_Polygon {
    .with { polygon in
      polygon.points = points.map { latitude, longitude in
        .with {
          $0.latitude = latitude
          $0.longitude = longitude
        }
      }
    }
  }

  @Test func aPolygonHasCornersWithinTheLimit() throws {
    let circle = (0..<1000).map { i in
      (37 + sine(Double(i) / 1000 * 6.283), 127 + sine(Double(i) / 1000 * 6.283 + 1.5708))
    }
    _ = try validation.polygon(polygon(circle), field: "within")
    _ = try validation.polygon(polygon([(0, 0), (0, 1), (1, 1)]), field: "within")
    // Closed by hand, and across 180 degrees.
    _ = try validation.polygon(
      polygon([(0, 179), (1, -179), (2, 179), (0, 179)]), field: "within")
    for points in [
      circle + [(37, 127)], [], [(1, 1)], [(0, 0), (1, 1)], [(0, 0), (1, 1), (0, 0)],
      [(80, 0), (80, 120), (80, -120)],
    ] {
      expect(.badPolygon, "within") {
        _ = try validation.polygon(polygon(points), field: "within")
      }
    }
    expect(.latitudeOutOfRange, "within.points[1].latitude") {
      _ = try validation.polygon(polygon([(0, 0), (91, 1), (1, 1)]), field: "within")
    }
    expect(.longitudeOutOfRange, "within.points[2].longitude") {
      _ = try validation.polygon(polygon([(0, 0), (1, 1), (1, .nan)]), field: "within")
    }
    var incomplete = polygon([(0, 0), (0, 1), (1, 1)])
    incomplete.points[0].clearLatitude()
    expect(.missingField, "polygon.points[0].latitude") {
      _ = try validation.polygon(incomplete, field: "polygon")
    }
  }

  @Test func aBoxHasAllItsSides() throws {
    #expect(try validation.box(west: nil, south: nil, east: nil, north: nil) == nil)
    let crossing = try validation.box(west: 179, south: -1, east: -179, north: 1)
    #expect(crossing?.crossesAntimeridian == true)
    _ = try validation.box(west: -180, south: -90, east: 180, north: 90)
    _ = try validation.box(west: 1, south: 1, east: 1, north: 1)
    expect(.missingField, "south") {
      _ = try validation.box(west: 1, south: nil, east: 2, north: 3)
    }
    expect(.missingField, "west") {
      _ = try validation.box(west: nil, south: nil, east: nil, north: 3)
    }
    expect(.badBox, "south") { _ = try validation.box(west: 1, south: 2, east: 2, north: 1) }
    expect(.longitudeOutOfRange, "west") {
      _ = try validation.box(west: -181, south: 0, east: 2, north: 1)
    }
    expect(.longitudeOutOfRange, "east") {
      _ = try validation.box(west: 0, south: 0, east: .nan, north: 1)
    }
    expect(.latitudeOutOfRange, "north") {
      _ = try validation.box(west: 0, south: 0, east: 1, north: 91)
    }
    expect(.latitudeOutOfRange, "south") {
      _ = try validation.box(west: 0, south: -.infinity, east: 1, north: 1)
    }
  }

  @Test func aConditionNamesAnAttributeAndWhatItIsHeldAgainst() throws {
    func condition(_ json: String) throws -> [AttributeCondition] {
      try validation.conditions([try Moyeo_V1_AttributeCondition(jsonString: json)])
    }
    #expect(
      try condition(#"{"attribute":"a","equals":"x"}"#)
        == [AttributeCondition(attribute: "a", test: .equals(.string("x")))])
    #expect(
      try condition(#"{"attribute":"a","equals":0}"#)
        == [AttributeCondition(attribute: "a", test: .equals(.number(0)))])
    #expect(
      try condition(#"{"attribute":"a","equals":false}"#)
        == [AttributeCondition(attribute: "a", test: .equals(.bool(false)))])
    #expect(
      try condition(#"{"attribute":"a","min":1}"#)
        == [AttributeCondition(attribute: "a", test: .range(minimum: 1, maximum: .infinity))])
    let bad: [(String, Reason, String)] = [
      (#"{"equals":1}"#, .missingField, "where[0].attribute"),
      (#"{"attribute":"","equals":1}"#, .missingField, "where[0].attribute"),
      (#"{"attribute":"a"}"#, .missingField, "where[0]"),
      (#"{"attribute":"a","equals":1,"min":0}"#, .conflictingFields, "where[0]"),
      (#"{"attribute":"a","equals":null}"#, .badValue, "where[0].equals"),
      (#"{"attribute":"a","equals":[1]}"#, .badValue, "where[0].equals"),
      (#"{"attribute":"a","equals":{"b":1}}"#, .badValue, "where[0].equals"),
      (#"{"attribute":"a","min":"NaN"}"#, .badValue, "where[0]"),
    ]
    for (json, reason, field) in bad { expect(reason, field) { _ = try condition(json) } }
    let one = try Moyeo_V1_AttributeCondition(jsonString: #"{"attribute":"a","min":1}"#)
    _ = try validation.conditions(Array(repeating: one, count: 16))
    expect(.tooManyItems, "where") {
      _ = try validation.conditions(Array(repeating: one, count: 17))
    }
  }

  @Test func excludedIDsAreIDsAndBounded() throws {
    _ = try validation.excludedIDs((0..<1000).map(String.init))
    expect(.tooManyItems, "excludeIds") {
      _ = try validation.excludedIDs((0..<1001).map(String.init))
    }
  }

  @Test func attributesAreNormalisedAndBounded() throws {
    func attributes(_ json: String) throws -> [UInt8] {
      try validation.attributes(try Google_Protobuf_Struct(jsonString: json), field: "attributes")
    }
    #expect(try attributes("{}") == [])
    // The same bytes whatever the order.
    #expect(
      try attributes(#"{"b":1,"a":"x","c":[null,true]}"#)
        == attributes(#"{"c":[null,true],"a":"x","b":1}"#))
    // 2,048 bytes encoded: two keys and lengths around the text.
    let size = try attributes(#"{"a":"\#(String(repeating: "x", count: 1000))"}"#).count - 1000
    let largest = String(repeating: "x", count: 2048 - size)
    #expect(try attributes(#"{"a":"\#(largest)"}"#).count == 2048)
    expect(.badAttributes, "attributes") { _ = try attributes(#"{"a":"\#(largest)x"}"#) }
    for number in [Double.nan, .infinity] {
      var fields = Google_Protobuf_Struct()
      fields.fields["a"] = .with { outer in
        outer.listValue = .with { $0.values = [Google_Protobuf_Value(numberValue: number)] }
      }
      expect(.badAttributes, "attributes") {
        _ = try validation.attributes(fields, field: "attributes")
      }
    }
  }

  /// What is stored must be readable: deep nesting is refused before it is.
  @Test func deeplyNestedAttributesAreRefused() throws {
    func nested(_ levels: Int) throws -> [UInt8] {
      var fields = Google_Protobuf_Struct(fields: ["a": 1])
      for _ in 1..<levels { fields = .init(fields: ["a": .init(structValue: fields)]) }
      return try validation.attributes(fields, field: "attributes")
    }
    let accepted = try nested(16)
    var hit = Moyeo_V1_Hit()
    hit.attributes = try Google_Protobuf_Struct(serializedBytes: accepted)
    let bytes: [UInt8] = try hit.serializedBytes()
    _ = try JSONTranscoder(Moyeo_V1_Hit.self).json(bytes)
    for levels in [17, 40, 60, 200] {
      expect(.badAttributes, "attributes") { _ = try nested(levels) }
    }
  }
}
