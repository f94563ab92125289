import GeoMath
import MoyeoAPI
import LiveLayers
import ObjectModel
import SpatialIndexing
import SwiftProtobuf
import WireFormat

/// Turns what stands in a request into layers values, or says which field is wrong and why.
///
/// Every request passes here once; what comes out needs no second look.
struct RequestValidation: Sendable {
  let limits: LayerLimits

  func layerName(_ name: String?) throws(APIError) -> String {
    guard let name, !name.isEmpty else {
      throw APIError(.missingField, field: "layer", "a layer is required")
    }
    return name
  }

  func id(_ id: String?, field: String) throws(APIError) -> String {
    guard let id else { throw APIError(.missingField, field: field, "\(field) is required") }
    guard !id.isEmpty else { throw APIError(.badID, field: field, "an id must not be empty") }
    guard id.utf8.count <= limits.idBytes else {
      throw APIError(
        .badID, field: field,
        "an id has at most \(limits.idBytes) bytes; this one has \(id.utf8.count)")
    }
    return id
  }

  /// A coordinate; both values are required. `prefix` stands before the field names.
  func coordinate(
    latitude: Double?, longitude: Double?, prefix: String = "", allowsNullIsland: Bool = false
  ) throws(APIError) -> Coordinate {
    guard let latitude else {
      throw APIError(.missingField, field: prefix + "latitude", "latitude is required")
    }
    guard let longitude else {
      throw APIError(.missingField, field: prefix + "longitude", "longitude is required")
    }
    let coordinate: Coordinate
    do {
      coordinate = try Coordinate(latitude: latitude, longitude: longitude)
    } catch {
      switch error {
      case .latitudeOutOfRange(let value):
        throw APIError(
          .latitudeOutOfRange, field: prefix + "latitude",
          "latitude must be a number from -90 to 90; got \(value)")
      case .longitudeOutOfRange(let value):
        throw APIError(
          .longitudeOutOfRange, field: prefix + "longitude",
          "longitude must be a number from -180 to 180; got \(value)")
      }
    }
    guard allowsNullIsland || !coordinate.isNullIsland else {
      throw APIError(
        .nullIsland, field: prefix + "latitude",
        "0, 0 is refused: it is what clients send when they have no position")
    }
    return coordinate
  }

  /// UTF-8 bytes of a place's name.
  static let placeNameBytes = 512

  /// Where a place lies, whose name is not too long.
  func coordinate(of place: Moyeo_V1_Place, field: String) throws(APIError) -> Coordinate {
    guard place.name.utf8.count <= Self.placeNameBytes else {
      throw APIError(
        .badValue, field: field + ".name",
        "a name has at most \(Self.placeNameBytes) bytes; this one has \(place.name.utf8.count)")
    }
    return try coordinate(
      latitude: place.latitudeIfSet, longitude: place.longitudeIfSet, prefix: field + ".")
  }

  /// Normalised tags, each once, in the order given.
  func tags(_ tags: [String], field: String) throws(APIError) -> [String] {
    // The limit counts different tags, after normalising; this bounds the work before.
    guard tags.count <= limits.tagsAsSent else {
      throw APIError(
        .badTag, field: field, "at most \(limits.tagsPerObject) tags; got \(tags.count)")
    }
    var out: [String] = []
    out.reserveCapacity(tags.count)
    for (i, tag) in tags.enumerated() {
      // Normalising cannot make a tag this long short enough; do not even try.
      guard tag.utf8.count <= limits.tagBytes * 16 else {
        throw APIError(
          .badTag, field: "\(field)[\(i)]",
          "a tag has at most \(limits.tagBytes) bytes; this one has \(tag.utf8.count)")
      }
      let normalized = TagNormalization.normalize(tag)
      guard !normalized.isEmpty else {
        throw APIError(.badTag, field: "\(field)[\(i)]", "a tag must not be empty")
      }
      guard normalized.utf8.count <= limits.tagBytes else {
        throw APIError(
          .badTag, field: "\(field)[\(i)]",
          "a tag has at most \(limits.tagBytes) bytes; this one has \(normalized.utf8.count)")
      }
      if out.contains(normalized) { continue }
      guard out.count < limits.tagsPerObject else {
        throw APIError(
          .badTag, field: field, "at most \(limits.tagsPerObject) tags; got \(tags.count)")
      }
      out.append(normalized)
    }
    return out
  }

  func tagMatch(_ word: String?) throws(APIError) -> TagMatch {
    switch word {
    case nil, "all": return .all
    case "any": return .any
    case .some(let other):
      throw APIError(.badValue, field: "tagMatch", "tagMatch is all or any; got \(quoted(other))")
    }
  }

  func limit(
    _ limit: Int32?, field: String = "limit", default standard: Int, maximum: Int
  ) throws(APIError) -> Int {
    // The operator's maximum may lie below the standard.
    guard let limit else { return min(standard, maximum) }
    guard limit >= 1 && limit <= maximum else {
      throw APIError(.limitOutOfRange, field: field, "\(field) is 1 to \(maximum); got \(limit)")
    }
    return Int(limit)
  }

  func radiusMillimeters(_ meters: Double?) throws(APIError) -> Int64? {
    guard let meters else { return nil }
    guard meters >= 0 && meters.isFinite else {
      throw APIError(
        .limitOutOfRange, field: "radiusMeters", "radiusMeters is 0 or more; got \(meters)")
    }
    // No two points are further apart than half the equator; a larger radius is the whole world.
    return Self.thousandths(min(meters, 30_000_000))
  }

  func maximumAgeMilliseconds(_ seconds: Double?) throws(APIError) -> Int64? {
    guard let seconds else { return nil }
    guard seconds >= 0 && seconds.isFinite else {
      throw APIError(
        .limitOutOfRange, field: "maxAgeSeconds", "maxAgeSeconds is 0 or more; got \(seconds)")
    }
    return Self.thousandths(min(seconds, 1e12))
  }

  /// The most thousandths that are no more than `value`, as answers print them: a radius read
  /// from a hit's `distanceMeters` includes that hit, although 1.001 * 1000 is below 1001.
  private static func thousandths(_ value: Double) -> Int64 {
    let rounded = (value * 1000).rounded()
    return Int64(rounded / 1000 <= value ? rounded : rounded - 1)
  }

  func ttlMilliseconds(_ seconds: Double?, field: String) throws(APIError) -> Int64? {
    guard let seconds else { return nil }
    guard let milliseconds = limits.ttlMilliseconds(seconds: seconds) else {
      throw APIError(
        .ttlOutOfRange, field: field,
        "ttlSeconds is 0 (never expires) or \(limits.minimumTTLMilliseconds / 1000) to "
          + "\(limits.maximumTTLMilliseconds / 1000); got \(seconds)")
    }
    return milliseconds
  }

  func polygon(_ polygon: Moyeo_V1_Polygon, field: String) throws(APIError) -> GeoPolygon {
    let points = polygon.points
    guard points.count <= limits.polygonCorners else {
      throw APIError(
        .badPolygon, field: field,
        "a polygon has at most \(limits.polygonCorners) points; got \(points.count)")
    }
    var corners: [Coordinate] = []
    corners.reserveCapacity(points.count)
    for (i, point) in points.enumerated() {
      corners.append(
        try coordinate(
          latitude: point.latitudeIfSet,
          longitude: point.longitudeIfSet,
          prefix: "\(field).points[\(i)].", allowsNullIsland: true))
    }
    do {
      return try GeoPolygon(corners)
    } catch {
      let sentence =
        switch error {
        case .tooFewCorners(let count): "a polygon needs 3 different points; got \(count)"
        case .enclosesPole: "a polygon must not wind around a pole"
        case .overlapsItself: "a polygon must not span more than 360 degrees of longitude"
        }
      throw APIError(.badPolygon, field: field, sentence)
    }
  }

  /// A box from four optional edges: none given is `nil`, some given is an error.
  func box(
    west: Double?, south: Double?, east: Double?, north: Double?
  ) throws(APIError) -> GeoBox? {
    let edges = [("west", west), ("south", south), ("east", east), ("north", north)]
    guard edges.contains(where: { $0.1 != nil }) else { return nil }
    for (name, edge) in edges where edge == nil {
      throw APIError(.missingField, field: name, "a box needs west, south, east and north")
    }
    guard let west, let south, let east, let north else { return nil }
    do {
      return try GeoBox(west: west, south: south, east: east, north: north)
    } catch {
      switch error {
      case .longitudeOutOfRange(let value):
        throw APIError(
          .longitudeOutOfRange, field: isSame(value, west) ? "west" : "east",
          "west and east are numbers from -180 to 180; got \(value)")
      case .latitudeOutOfRange(let value):
        throw APIError(
          .latitudeOutOfRange, field: isSame(value, south) ? "south" : "north",
          "south and north are numbers from -90 to 90; got \(value)")
      case .southAboveNorth:
        throw APIError(.badBox, field: "south", "south (\(south)) lies north of north (\(north))")
      }
    }
  }

  private func isSame(_ a: Double, _ b: Double) -> Bool { a == b || (a.isNaN && b.isNaN) }

  func conditions(_ conditions: [Moyeo_V1_AttributeCondition]) throws(APIError)
    -> [AttributeCondition]
  {
    guard conditions.count <= limits.conditions else {
      throw APIError(
        .tooManyItems, field: "where",
        "at most \(limits.conditions) conditions; got \(conditions.count)")
    }
    var out: [AttributeCondition] = []
    for (i, condition) in conditions.enumerated() {
      out.append(try self.condition(condition, field: "where[\(i)]"))
    }
    return out
  }

  private func condition(_ condition: Moyeo_V1_AttributeCondition, field: String) throws(APIError)
    -> AttributeCondition
  {
    guard condition.hasAttribute, !condition.attribute.isEmpty else {
      throw APIError(.missingField, field: "\(field).attribute", "an attribute name is required")
    }
    if condition.hasEquals {
      guard !condition.hasMin && !condition.hasMax else {
        throw APIError(.conflictingFields, field: field, "give equals, or min and max, not both")
      }
      return AttributeCondition(
        attribute: CanonicalText.normalize(condition.attribute),
        test: .equals(try scalar(condition.equals, field: "\(field).equals")))
    }
    guard condition.hasMin || condition.hasMax else {
      throw APIError(.missingField, field: field, "a condition needs equals, min or max")
    }
    let minimum = condition.hasMin ? condition.min : -.infinity
    let maximum = condition.hasMax ? condition.max : .infinity
    guard !minimum.isNaN && !maximum.isNaN else {
      throw APIError(.badValue, field: field, "min and max must be numbers")
    }
    return AttributeCondition(
      attribute: CanonicalText.normalize(condition.attribute),
      test: .range(minimum: minimum, maximum: maximum))
  }

  private func scalar(_ value: Google_Protobuf_Value, field: String) throws(APIError)
    -> AttributeValue
  {
    switch value.kind {
    case .numberValue(let number) where number.isFinite: return .number(number)
    case .stringValue(let text): return .string(CanonicalText.normalize(text))
    case .boolValue(let flag): return .bool(flag)
    case .numberValue, .nullValue, .structValue, .listValue, nil:
      throw APIError(.badValue, field: field, "equals takes a string, a number or true or false")
    }
  }

  /// - Throws: `too_many_items`, before anything in the list is looked at.
  func bounded(_ count: Int, _ limit: Int, field: String) throws(APIError) {
    guard count <= limit else {
      throw APIError(.tooManyItems, field: field, "at most \(limit) \(field); got \(count)")
    }
  }

  /// What lists of requests about positions may have.
  var listBounds: ListBounds {
    ListBounds([
      "positions": limits.reportBatch, "requests": limits.nearbyBatch,
      "tags": limits.tagsAsSent, "notTags": limits.tagsAsSent,
      "excludeIds": limits.excludedIDs, "where": limits.conditions,
      "points": limits.polygonCorners, "ids": ReportStream.maximumPackedReports,
    ])
  }

  /// Looks at the lists of an encoded request about positions before it is decoded.
  ///
  /// - Throws: `bad_tag`, `bad_polygon` or `too_many_items` for one that is too long.
  func checkLists(
    of type: any Message.Type, _ bytes: UnsafeRawBufferPointer
  ) throws(APIError) {
    var elementsRead = 0
    let violation = listBounds.violation(
      in: bytes, of: MessageSchema.of(type), elementsRead: &elementsRead)
    guard let violation else { return }
    let reason: Reason =
      switch violation.name {
      case "tags", "notTags": .badTag
      case "points": .badPolygon
      default: .tooManyItems
      }
    throw APIError(
      reason, field: violation.path, "at most \(violation.limit) \(violation.name) here")
  }

  /// An encoded request about positions whose lists are not too long.
  ///
  /// - Throws: ``APIError/isForPool`` for one that takes long to decode, and what is wrong with it.
  func decodedOnEventLoop<Request: Message>(
    _ type: Request.Type, _ bytes: UnsafeRawBufferPointer, isRead: Bool
  ) throws(APIError) -> Request {
    try checkLists(of: type, bytes)
    guard !RequestDecoding.isLarge(bytes.count, isRead: isRead) else { throw APIError.isForPool }
    return try RequestDecoding.message(type, encoded: Array(bytes))
  }

  func excludedIDs(_ ids: [String]) throws(APIError) -> [String] {
    guard ids.count <= limits.excludedIDs else {
      throw APIError(
        .tooManyItems, field: "excludeIds",
        "at most \(limits.excludedIDs) ids; got \(ids.count)")
    }
    return ids
  }

  /// Encoded attributes with their entries in a fixed order, names and texts in NFC.
  ///
  /// Names that are one name in NFC were refused when the request was decoded.
  func attributes(_ attributes: Google_Protobuf_Struct, field: String) throws(APIError) -> [UInt8] {
    guard !attributes.fields.isEmpty else { return [] }
    for value in attributes.fields.values {
      if let problem = problem(with: value, level: 1) {
        throw APIError(.badAttributes, field: field, problem)
      }
    }
    var options = BinaryEncodingOptions()
    options.useDeterministicOrdering = true
    guard let bytes: [UInt8] = try? attributes.normalized.serializedBytes(options: options) else {
      throw APIError(.badAttributes, field: field, "the attributes cannot be encoded")
    }
    guard bytes.count <= limits.attributeBytes else {
      throw APIError(
        .badAttributes, field: field,
        "attributes take at most \(limits.attributeBytes) bytes encoded; these take \(bytes.count)")
    }
    return bytes
  }

  /// What is stored must be readable: JSON and protobuf readers bound the nesting they follow.
  private static let maximumAttributeNesting = 16

  private func problem(with value: Google_Protobuf_Value, level: Int) -> String? {
    let inner: [Google_Protobuf_Value]
    switch value.kind {
    case .numberValue(let number):
      return number.isFinite ? nil : "numbers in attributes must be finite"
    case .structValue(let fields): inner = Array(fields.fields.values)
    case .listValue(let list): inner = list.values
    case .nullValue, .stringValue, .boolValue, nil: return nil
    }
    guard level < Self.maximumAttributeNesting else {
      return "attributes nest at most \(Self.maximumAttributeNesting) levels"
    }
    for value in inner {
      if let problem = problem(with: value, level: level + 1) { return problem }
    }
    return nil
  }

  /// A moment, by protobuf's rules for a Timestamp; binary ones may break them.
  func time(_ time: Google_Protobuf_Timestamp, field: String) throws(APIError)
    -> ObjectModel.Instant
  {
    guard RFC3339.isTimestamp(seconds: time.seconds, nanoseconds: Int64(time.nanos)) else {
      throw APIError(.badTime, field: field, "\(field) is a time of the years 1 to 9999")
    }
    return ObjectModel.Instant(time)
  }

  /// The same; nil where the sender left it out.
  func time(
    ifSet time: Google_Protobuf_Timestamp?, field: String
  ) throws(APIError) -> ObjectModel.Instant? {
    guard let time else { return nil }
    return try self.time(time, field: field)
  }
}

extension Google_Protobuf_Struct {
  /// The same with names and texts in NFC, at every depth.
  fileprivate var normalized: Self {
    var out = Self()
    out.fields.reserveCapacity(fields.count)
    for (name, value) in fields { out.fields[CanonicalText.normalize(name)] = value.normalized }
    return out
  }
}

extension Google_Protobuf_Value {
  fileprivate var normalized: Self {
    switch kind {
    case .stringValue(let text): Self(stringValue: CanonicalText.normalize(text))
    case .structValue(let inner): Self(structValue: inner.normalized)
    case .listValue(let list):
      Self(listValue: Google_Protobuf_ListValue(values: list.values.map(\.normalized)))
    case .numberValue, .boolValue, .nullValue, nil: self
    }
  }
}
