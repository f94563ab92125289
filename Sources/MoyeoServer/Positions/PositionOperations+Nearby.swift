import GeoMath
import MoyeoAPI
import LiveLayers
import ObjectModel
import SpatialIndexing
import SwiftProtobuf
import WireFormat
import QueryCoalescing

extension PositionOperations {
  /// A Nearby that ``NearbyReader`` takes, without the generated types; all others take the path
  /// through them.
  func nearbyOnEventLoop(_ bytes: UnsafeRawBufferPointer) throws(APIError) -> [UInt8] {
    guard let question = nearbyReader.question(in: bytes) else {
      return try nearby(
        try validation.decodedOnEventLoop(Moyeo_V1_NearbyRequest.self, bytes, isRead: true),
        .eventLoop)
    }
    return try answer(
      question.search, in: try services.layer(question.layer, minVersion: nil), .eventLoop)
  }

  func nearby(
    _ request: Moyeo_V1_NearbyRequest,
    _ place: RequestServices.Place = .pool(WorkCaller())
  ) throws(APIError) -> [UInt8] {
    let layer = try services.layer(
      request.layerIfSet,
      minVersion: request.minVersionIfSet)
    let search = try search(request, place)
    let demand = try services.demand(
      staleness: request.maxStalenessSecondsIfSet,
      minVersion: request.minVersionIfSet)
    guard demand.maximumStaleness > 0 else { return try answer(search, in: layer, place) }
    let version = layer.version
    let now = layers.clock.now()
    let found = try shared.onEventLoop(
      Self.question(request), demand, version: version.counter, now: now
    ) { () throws(APIError) in
      var writer = ProtobufWriter(capacity: 80 + search.limit * 160)
      var expiresAt = ObjectModel.Instant.distantFuture
      var budget = services.budget(place)
      try write(search, in: layer, at: version, now: now, &budget, place, to: &writer) {
        expiresAt = min(expiresAt, $0.expiresAt)
      }
      return SharedReads.Answer(bytes: writer.bytes, expiresAt: expiresAt)
    }
    return found.encoded
  }

  /// What nearly all callers ask for: nothing is looked up, nothing is kept.
  private func answer(
    _ search: NearbySearch, in layer: Layer, _ place: RequestServices.Place
  ) throws(APIError) -> [UInt8] {
    var writer = ProtobufWriter(capacity: 80 + search.limit * 160)
    var budget = services.budget(place)
    try write(
      search, in: layer, at: layer.version, now: layers.clock.now(), &budget, place, to: &writer)
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

  /// Searches, and writes the fields of the answer but for those that tell how it was shared.
  ///
  /// - Parameters:
  ///   - search: Already validated.
  ///   - layer: Where to search.
  ///   - version: Read before, so that the answer claims no more than it shows.
  ///   - now: The time by which objects have expired and ages are told.
  ///   - budget: The work that the request may still cause; what the search took is spent from it.
  ///   - place: Where the search runs, on which its refusal depends.
  ///   - writer: Is appended to, also when the search is given up midway.
  ///   - visit: Takes each hit after it was written.
  /// - Throws: ``APIError`` when the search is refused or its budget is spent.
  private func write(
    _ search: NearbySearch, in layer: Layer, at version: LayerVersion, now: ObjectModel.Instant,
    _ budget: inout WorkBudget, _ place: RequestServices.Place, to writer: inout ProtobufWriter,
    visiting visit: ((HitView) -> Void)? = nil
  ) throws(APIError) {
    let bearings = BearingOrigin(search.origin)
    let next: String?
    let seen = search.filter.conditions.isEmpty ? nil : SeenAttributes()
    var isEmpty = true
    guard !place.isEventLoop || search.limit <= RequestServices.hitsOnEventLoop else {
      throw APIError.isForPool
    }
    do {
      next = try layer.nearby(search, now: now, budget: &budget, seen: seen) { hit in
        isEmpty = false
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
      throw services.refusal(error, place)
    }
    if let next { writer.string(2, next) }
    writer.version(3, version)
    if isEmpty, let seen { for name in seen.unknown { writer.string(6, name) } }
  }

  /// A NearbyBatch of an existing layer whose queries ``NearbyReader`` takes, without the generated
  /// types; all others take the path through them.
  ///
  /// - Throws: ``APIError/isForPool`` on an event loop for more queries than are short together,
  ///   before any of them is read; more than are allowed are refused at once.
  func nearbyBatch(
    _ bytes: UnsafeRawBufferPointer, _ place: RequestServices.Place
  ) throws(APIError) -> [UInt8] {
    if place.isEventLoop {
      let count = nearbyReader.queries(in: bytes)
      if count > RequestServices.queriesOnEventLoop, count <= layers.limits.nearbyBatch {
        throw APIError.isForPool
      }
    }
    guard let (name, searches) = nearbyReader.batch(in: bytes), let layer = try? layers.layer(name)
    else {
      let request =
        place.isEventLoop
        ? try validation.decodedOnEventLoop(Moyeo_V1_NearbyBatchRequest.self, bytes, isRead: true)
        : try RequestDecoding.message(Moyeo_V1_NearbyBatchRequest.self, encoded: Array(bytes))
      return try nearbyBatch(request, place)
    }
    let version = layer.version
    return try batch(of: searches.count, place) { i in
      BatchItem(layer: layer, version: version, search: searches[i])
    }
  }

  func nearbyBatch(
    _ request: Moyeo_V1_NearbyBatchRequest, _ place: RequestServices.Place
  ) throws(APIError) -> [UInt8] {
    let name = try validation.layerName(request.layerIfSet)
    guard request.requests.count <= layers.limits.nearbyBatch else {
      throw APIError(
        .tooManyItems, field: "requests",
        "at most \(layers.limits.nearbyBatch) requests here")
    }
    // A name that no layer can have is no fault of a single question.
    do throws(APIError) {
      _ = try services.layer(name, minVersion: nil)
    } catch  where error.reason == .badLayer {
      throw error
    } catch {}
    return try batch(of: request.requests.count, place) { i throws(APIError) in
      let layer = try batchLayer(request.requests[i], name)
      return BatchItem(
        layer: layer, version: layer.version, search: try search(request.requests[i], place))
    }
  }

  /// One query of a batch.
  private struct BatchItem {
    let layer: Layer
    let version: LayerVersion
    let search: NearbySearch
  }

  /// Each query is answered or refused on its own, all of them at one time and from one budget.
  private func batch(
    of count: Int, _ place: RequestServices.Place, _ item: (Int) throws(APIError) -> BatchItem
  ) throws(APIError) -> [UInt8] {
    guard !place.isEventLoop || count <= RequestServices.queriesOnEventLoop else {
      throw APIError.isForPool
    }
    let now = layers.clock.now()
    var budget = services.budget(place)
    var writer = ProtobufWriter(capacity: count * 3072)
    var lateness: APIError?
    for i in 0..<count {
      do throws(APIError) {
        if let lateness { throw lateness }
        let item = try item(i)
        try writer.nested(1) { answer throws(APIError) in
          answer.int32(1, 200)
          try answer.nested(2) { body throws(APIError) in
            try write(
              item.search, in: item.layer, at: item.version, now: now, &budget, place, to: &body)
            body.sharing(ageSeconds: 0, isCoalesced: false)
          }
        }
      } catch {
        if error.isForPool { throw error }
        // The time of those that follow is over, too.
        if error.reason == .deadlineExceeded { lateness = error }
        let refusal = error.prefixingFields("requests[\(i)].")
        var answer = ProtobufWriter()
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
    return try services.layer(name, minVersion: item.minVersionIfSet)
  }

  /// The layers' query of a request.
  ///
  /// - Throws: ``APIError/isForPool`` on an event loop for a polygon that takes long to prepare.
  func search(
    _ request: Moyeo_V1_NearbyRequest, _ place: RequestServices.Place
  ) throws(APIError) -> NearbySearch {
    guard !place.isEventLoop || request.within.points.count <= RequestServices.cornersOnEventLoop
    else { throw APIError.isForPool }
    guard request.unknownFields.data.isEmpty else {
      throw APIError(.unknownField, "the query has fields that this service does not know")
    }
    var search = NearbySearch(
      origin: try validation.coordinate(
        latitude: request.latitudeIfSet,
        longitude: request.longitudeIfSet, allowsNullIsland: true),
      limit: try validation.limit(
        request.limitIfSet, default: layers.limits.defaultHits,
        maximum: layers.limits.hits))
    search.radiusMillimeters = try validation.radiusMillimeters(
      request.radiusMetersIfSet)
    if request.hasWithin {
      search.within = try validation.polygon(request.within, field: "within")
    }
    search.filter = try services.filter(
      tags: request.tags, tagMatch: request.tagMatchIfSet,
      notTags: request.notTags, excludeIDs: request.excludeIds, conditions: request.where,
      maxAgeSeconds: request.maxAgeSecondsIfSet)
    search.cursor = request.cursorIfSet
    return search
  }

  func ageSeconds(since observedAt: ObjectModel.Instant, now: ObjectModel.Instant) -> Double {
    Double(max(0, now.milliseconds(since: observedAt))) / 1000
  }
}
