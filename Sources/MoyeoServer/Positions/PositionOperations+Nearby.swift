import GeoMath
import MoyeoAPI
import MoyeoEngine
import ObjectModel
import SpatialIndexing
import SwiftProtobuf

extension PositionOperations {
  func nearby(_ request: Moyeo_V1_NearbyRequest) throws(APIError) -> [UInt8] {
    let layer = try layer(
      request.hasLayer ? request.layer : nil,
      minVersion: request.hasMinVersion ? request.minVersion : nil)
    let search = try search(request)
    var writer = MessageWriter(capacity: 64 + search.limit * 160)
    try write(search, in: layer, to: &writer)
    return writer.bytes
  }

  private func write(
    _ search: NearbySearch, in layer: Layer, to writer: inout MessageWriter
  ) throws(APIError) {
    let now = engine.clock.now()
    let bearings = BearingOrigin(search.origin)
    let next: String?
    do {
      next = try layer.nearby(search, now: now) { hit in
        writer.hit(
          1, hit,
          HitFields(
            distanceMeters: Double(hit.distanceMillimeters) / 1000,
            bearingDegrees: bearings.degrees(
              latitude: hit.latitude, longitude: hit.longitude),
            ageSeconds: ageSeconds(of: hit, now: now)))
      }
    } catch {
      throw APIError(error)
    }
    if let next { writer.string(2, next) }
    writer.string(3, layer.version.text)
  }

  /// Each query is answered or refused on its own.
  func nearbyBatch(_ request: Moyeo_V1_NearbyBatchRequest) throws(APIError) -> [UInt8] {
    let name = try validation.layerName(request.hasLayer ? request.layer : nil)
    guard request.requests.count <= engine.limits.nearbyBatch else {
      throw APIError(
        .tooManyItems, field: "requests",
        "at most \(engine.limits.nearbyBatch) queries a call; got \(request.requests.count)")
    }
    var writer = MessageWriter(capacity: request.requests.count * 3072)
    for (i, item) in request.requests.enumerated() {
      do throws(APIError) {
        let layer = try batchLayer(item, name)
        let search = try search(item)
        try writer.nested(1) { answer throws(APIError) in
          answer.int32(1, 200)
          try answer.nested(2) { body throws(APIError) in
            try write(search, in: layer, to: &body)
          }
        }
      } catch {
        let refusal = error.prefixingFields("requests[\(i)].")
        var answer = MessageWriter()
        answer.int32(1, refusal.reason.status.http)
        answer.embedded(3, try encoded(refusal.asMessage))
        writer.message(1, answer)
      }
    }
    return writer.bytes
  }

  private func batchLayer(_ item: Moyeo_V1_NearbyRequest, _ name: String) throws(APIError) -> Layer
  {
    guard !item.hasLayer || item.layer == name else {
      throw APIError(
        .conflictingFields, field: "layer", "a batch is about one layer, \(quoted(name))")
    }
    return try layer(name, minVersion: item.hasMinVersion ? item.minVersion : nil)
  }

  /// The engine's query of a request.
  func search(_ request: Moyeo_V1_NearbyRequest) throws(APIError) -> NearbySearch {
    guard request.unknownFields.data.isEmpty else {
      throw APIError(.unknownField, "the query has fields that this service does not know")
    }
    var search = NearbySearch(
      origin: try validation.coordinate(
        latitude: request.hasLatitude ? request.latitude : nil,
        longitude: request.hasLongitude ? request.longitude : nil, allowsNullIsland: true),
      limit: try validation.limit(
        request.hasLimit ? request.limit : nil, default: engine.limits.defaultHits,
        maximum: engine.limits.hits))
    search.radiusMillimeters = try validation.radiusMillimeters(
      request.hasRadiusMeters ? request.radiusMeters : nil)
    if request.hasWithin {
      search.within = try validation.polygon(request.within, field: "within")
    }
    search.filter = try filter(
      tags: request.tags, tagMatch: request.hasTagMatch ? request.tagMatch : nil,
      notTags: request.notTags, excludeIDs: request.excludeIds, conditions: request.where,
      maxAgeSeconds: request.hasMaxAgeSeconds ? request.maxAgeSeconds : nil)
    search.cursor = request.hasCursor ? request.cursor : nil
    return search
  }

  func filter(
    tags: [String], tagMatch: String?, notTags: [String], excludeIDs: [String],
    conditions: [Moyeo_V1_AttributeCondition], maxAgeSeconds: Double?
  ) throws(APIError) -> ObjectFilter {
    var filter = ObjectFilter()
    filter.tags = try validation.tags(tags, field: "tags")
    filter.tagMatch = try validation.tagMatch(tagMatch)
    filter.notTags = try validation.tags(notTags, field: "notTags")
    filter.excludedIDs = try validation.excludedIDs(excludeIDs)
    filter.conditions = try validation.conditions(conditions)
    filter.maximumAgeMilliseconds = try validation.maximumAgeMilliseconds(maxAgeSeconds)
    return filter
  }

  func ageSeconds(of hit: HitView, now: ObjectModel.Instant) -> Double {
    Double(max(0, now.milliseconds(since: hit.observedAt))) / 1000
  }
}
