import GeoMath
import MoyeoAPI
import MoyeoEngine
import ObjectModel
import QueryCoalescing
import SpatialIndexing
import SwiftProtobuf

extension PositionOperations {
  /// A Nearby that ``NearbyReader`` takes, without the generated types; all others take the road
  /// through them.
  func nearbyInPlace(_ bytes: UnsafeRawBufferPointer) throws(APIError) -> [UInt8] {
    guard let question = nearbyReader.question(in: bytes) else {
      return try nearby(
        try RequestDecoding.message(Moyeo_V1_NearbyRequest.self, encoded: Array(bytes)))
    }
    return try answer(question.search, in: try layer(question.layer, minVersion: nil))
  }

  func nearby(_ request: Moyeo_V1_NearbyRequest) throws(APIError) -> [UInt8] {
    let layer = try layer(
      request.hasLayer ? request.layer : nil,
      minVersion: request.hasMinVersion ? request.minVersion : nil)
    let search = try search(request)
    let demand = try demand(
      staleness: request.hasMaxStalenessSeconds ? request.maxStalenessSeconds : nil,
      minVersion: request.hasMinVersion ? request.minVersion : nil)
    guard demand.maximumStaleness > 0 else { return try answer(search, in: layer) }
    let version = layer.version
    let now = engine.clock.now()
    let found = try shared.inPlace(
      Self.question(request), demand, version: version.counter, now: now
    ) { () throws(APIError) in
      var writer = MessageWriter(capacity: 80 + search.limit * 160)
      var expiresAt = ObjectModel.Instant.distantFuture
      try write(search, in: layer, at: version, now: now, to: &writer) {
        expiresAt = min(expiresAt, $0.expiresAt)
      }
      return SharedReads.Answer(bytes: writer.bytes, expiresAt: expiresAt)
    }
    return found.encoded
  }

  /// What nearly all callers ask for: nothing is looked up, nothing is kept.
  private func answer(_ search: NearbySearch, in layer: Layer) throws(APIError) -> [UInt8] {
    var writer = MessageWriter(capacity: 80 + search.limit * 160)
    try write(search, in: layer, at: layer.version, now: engine.clock.now(), to: &writer)
    writer.sharing(ageSeconds: 0, isCoalesced: false)
    return writer.bytes
  }

  /// Equal for requests that have the same answer.
  private static func question(_ request: Moyeo_V1_NearbyRequest) -> SharedReads.Question {
    var question = request
    question.clearMaxStalenessSeconds()
    question.clearMinVersion()
    question.tags = QuerySnapping.words(request.tags)
    question.notTags = QuerySnapping.words(request.notTags)
    return SharedReads.Question(call: "Nearby", question)
  }

  /// - Parameter version: Read before, so that the answer claims no more than it shows.
  private func write(
    _ search: NearbySearch, in layer: Layer, at version: LayerVersion, now: ObjectModel.Instant,
    to writer: inout MessageWriter, visiting visit: ((HitView) -> Void)? = nil
  ) throws(APIError) {
    let bearings = BearingOrigin(search.origin)
    let next: String?
    do {
      next = try layer.nearby(search, now: now) { hit in
        let contents = hit.contents
        writer.hit(
          1, contents,
          HitFields(
            distanceMeters: Double(hit.distanceMillimeters) / 1000,
            bearingDegrees: bearings.degrees(
              latitude: contents.latitude, longitude: contents.longitude),
            ageSeconds: ageSeconds(since: contents.observedAt, now: now)))
        if let visit { visit(hit) }
      }
    } catch {
      throw APIError(error)
    }
    if let next { writer.string(2, next) }
    writer.version(3, version)
  }

  /// A NearbyBatch of an existing layer whose queries ``NearbyReader`` takes, without the generated
  /// types; all others take the road through them.
  func nearbyBatchInPlace(_ bytes: UnsafeRawBufferPointer) throws(APIError) -> [UInt8] {
    guard let (name, searches) = nearbyReader.batch(in: bytes), let layer = try? engine.layer(name)
    else {
      return try nearbyBatch(
        try RequestDecoding.message(Moyeo_V1_NearbyBatchRequest.self, encoded: Array(bytes)))
    }
    let version = layer.version
    return try batch(of: searches.count) { i in
      BatchItem(layer: layer, version: version, search: searches[i])
    }
  }

  func nearbyBatch(_ request: Moyeo_V1_NearbyBatchRequest) throws(APIError) -> [UInt8] {
    let name = try validation.layerName(request.hasLayer ? request.layer : nil)
    guard request.requests.count <= engine.limits.nearbyBatch else {
      throw APIError(
        .tooManyItems, field: "requests",
        "at most \(engine.limits.nearbyBatch) queries a call; got \(request.requests.count)")
    }
    return try batch(of: request.requests.count) { i throws(APIError) in
      let layer = try batchLayer(request.requests[i], name)
      return BatchItem(
        layer: layer, version: layer.version, search: try search(request.requests[i]))
    }
  }

  /// One query of a batch.
  private struct BatchItem {
    let layer: Layer
    let version: LayerVersion
    let search: NearbySearch
  }

  /// Each query is answered or refused on its own, all of them at one time.
  private func batch(
    of count: Int, _ item: (Int) throws(APIError) -> BatchItem
  ) throws(APIError) -> [UInt8] {
    let now = engine.clock.now()
    var writer = MessageWriter(capacity: count * 3072)
    for i in 0..<count {
      do throws(APIError) {
        let item = try item(i)
        try writer.nested(1) { answer throws(APIError) in
          answer.int32(1, 200)
          try answer.nested(2) { body throws(APIError) in
            try write(item.search, in: item.layer, at: item.version, now: now, to: &body)
            body.sharing(ageSeconds: 0, isCoalesced: false)
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

  func ageSeconds(since observedAt: ObjectModel.Instant, now: ObjectModel.Instant) -> Double {
    Double(max(0, now.milliseconds(since: observedAt))) / 1000
  }
}
