import GeoMath
import MoyeoAPI
import LiveLayers
import ObjectModel
import SpatialIndexing
import WireFormat
import QueryCoalescing

extension PositionOperations {
  func get(_ request: Moyeo_V1_GetPositionRequest) throws(APIError) -> [UInt8] {
    let layer = try services.layer(
      request.layerIfSet,
      minVersion: request.minVersionIfSet)
    let id = try validation.id(request.idIfSet, field: "id")
    let now = layers.clock.now()
    let position = layer.index.withObject(id: id, now: now) { hit in
      var writer = ProtobufWriter(capacity: 256)
      writer.string(1, hit.idString)
      writer.double(2, hit.latitude)
      writer.double(3, hit.longitude)
      writer.double(6, ageSeconds(since: hit.observedAt, now: now))
      writer.raw(hit.payload)
      writer.timestamp(9, milliseconds: hit.observedAt.milliseconds)
      if hit.expiresAt != .distantFuture {
        writer.timestamp(10, milliseconds: hit.expiresAt.milliseconds)
      }
      return writer
    }
    guard let position else {
      throw APIError(LayerError.unknownObject(layer: layer.name, id: id))
    }
    var writer = ProtobufWriter(capacity: position.bytes.count + 32)
    writer.message(1, position)
    writer.string(2, layer.version.text)
    return writer.bytes
  }

  func within(_ request: Moyeo_V1_WithinRequest) async throws -> [UInt8] {
    let layer = try services.layer(
      request.layerIfSet,
      minVersion: request.minVersionIfSet)
    guard let area = try area(of: request) else {
      throw APIError(
        .missingField, field: "west", "give a box (west, south, east, north) or a polygon")
    }
    let limit = try validation.limit(
      request.limitIfSet, default: layers.limits.defaultHits,
      maximum: layers.limits.hits)
    let search = WithinSearch(
      area: area, limit: limit,
      filter: try services.filter(
        tags: request.tags, tagMatch: request.tagMatchIfSet,
        notTags: request.notTags, excludeIDs: request.excludeIds, conditions: request.where,
        maxAgeSeconds: request.maxAgeSecondsIfSet),
      cursor: request.cursorIfSet)
    let demand = try services.demand(
      staleness: request.maxStalenessSecondsIfSet,
      minVersion: request.minVersionIfSet)
    let now = layers.clock.now()
    if !search.isLong {
      do throws(APIError) {
        return try shared.onEventLoop(
          Self.question(request), demand, version: layer.version.counter, now: now
        ) { () throws(APIError) in try self.answer(search, in: layer, .eventLoop) }.encoded
      } catch {
        guard error.isForPool else { throw error }
      }
    }
    let found = try await shared.heavy(
      Self.question(request), demand, version: { layer.version.counter }, now: now
    ) { caller throws(APIError) in try self.answer(search, in: layer, .pool(caller)) }
    return found.encoded
  }

  /// Equal for requests that have the same answer.
  private static func question(_ request: Moyeo_V1_WithinRequest) -> SharedReads.Question {
    var question = request
    question.clearMaxStalenessSeconds()
    question.clearMinVersion()
    question.tags = QuerySnapping.words(request.tags)
    question.notTags = QuerySnapping.words(request.notTags)
    return SharedReads.Question(call: "Within", question)
  }

  private func answer(
    _ search: WithinSearch, in layer: Layer, _ place: RequestServices.Place
  ) throws(APIError) -> SharedReads.Answer {
    var budget = services.budget(place)
    let now = layers.clock.now()
    // Read before, so that the answer claims no more than it shows.
    let version = layer.version
    var writer = ProtobufWriter(capacity: 80 + search.limit * 160)
    var expiresAt = ObjectModel.Instant.distantFuture
    let seen = search.filter.conditions.isEmpty ? nil : SeenAttributes()
    var isEmpty = true
    do throws(LayerError) {
      let next = try layer.within(search, now: now, budget: &budget, seen: seen) { hit in
        isEmpty = false
        let contents = hit.contents
        writer.hit(
          1, contents, HitFields(ageSeconds: ageSeconds(since: contents.observedAt, now: now)))
        expiresAt = min(expiresAt, hit.expiresAt)
      }
      if let next { writer.string(2, next) }
    } catch {
      throw services.refusal(error, place)
    }
    writer.version(3, version)
    if isEmpty, let seen { for name in seen.unknown { writer.string(6, name) } }
    return SharedReads.Answer(bytes: writer.bytes, expiresAt: expiresAt)
  }

  private func area(of request: Moyeo_V1_WithinRequest) throws(APIError) -> SearchArea? {
    let box = try validation.box(
      west: request.westIfSet, south: request.southIfSet,
      east: request.eastIfSet, north: request.northIfSet)
    guard (box == nil ? 0 : 1) + (request.hasPolygon ? 1 : 0) + (request.hasWithin ? 1 : 0) <= 1
    else {
      throw APIError(.conflictingFields, field: "polygon", "give a box or one polygon, not both")
    }
    if let box { return .box(box) }
    if request.hasPolygon {
      return .polygon(try validation.polygon(request.polygon, field: "polygon"))
    }
    if request.hasWithin {
      return .polygon(try validation.polygon(request.within, field: "within"))
    }
    return nil
  }

  func tagHistogram(_ request: Moyeo_V1_TagHistogramRequest) async throws -> [UInt8] {
    do throws(APIError) {
      return try tagHistogram(request, .eventLoop)
    } catch {
      guard error.isForPool else { throw error }
      return try await shared.onPool { caller throws(APIError) in
        try tagHistogram(request, .pool(caller))
      }
    }
  }

  func tagHistogram(
    _ request: Moyeo_V1_TagHistogramRequest, _ place: RequestServices.Place
  ) throws(APIError) -> [UInt8] {
    let layer = try services.layer(
      request.layerIfSet,
      minVersion: request.minVersionIfSet)
    let limit = try validation.limit(
      request.limitIfSet, default: layers.limits.defaultHits,
      maximum: layers.limits.hits)
    var filter = ObjectFilter()
    filter.maximumAgeMilliseconds = try validation.maximumAgeMilliseconds(
      request.maxAgeSecondsIfSet)
    let area = try area(of: request)
    var budget = services.budget(place)
    var response = Moyeo_V1_TagHistogramResponse()
    let counts: [(tag: String, count: Int)]
    do throws(LayerError) {
      counts = try layer.tagHistogram(
        area: area, filter: filter, limit: limit, now: layers.clock.now(), budget: &budget)
    } catch {
      throw services.refusal(error, place)
    }
    response.tags = counts.map { entry in
      var count = Moyeo_V1_TagCount()
      count.tag = entry.tag
      count.count = Int32(clamping: entry.count)
      return count
    }
    response.version = layer.version.text
    return try encoded(response)
  }

  private func area(of request: Moyeo_V1_TagHistogramRequest) throws(APIError) -> TagHistogramArea {
    let box = try validation.box(
      west: request.westIfSet, south: request.southIfSet,
      east: request.eastIfSet, north: request.northIfSet)
    let hasCircle = request.hasLatitude || request.hasLongitude || request.hasRadiusMeters
    guard (box == nil ? 0 : 1) + (request.hasWithin ? 1 : 0) + (hasCircle ? 1 : 0) <= 1 else {
      throw APIError(
        .conflictingFields, field: "west", "give one area: a box, a polygon or a circle")
    }
    if let box { return .area(.box(box)) }
    if request.hasWithin {
      return .area(.polygon(try validation.polygon(request.within, field: "within")))
    }
    guard hasCircle else { return .everywhere }
    let center = try validation.coordinate(
      latitude: request.latitudeIfSet,
      longitude: request.longitudeIfSet, allowsNullIsland: true)
    guard request.hasRadiusMeters else {
      throw APIError(.missingField, field: "radiusMeters", "a circle needs a radius")
    }
    guard let radius = try validation.radiusMillimeters(request.radiusMeters) else {
      return .everywhere
    }
    return .circle(center: center, radiusMillimeters: radius)
  }

  /// Ends a layer with all that is in it. There may be many objects: not on an event loop.
  func deleteLayer(_ request: Moyeo_V1_DeleteLayerRequest) async throws -> [UInt8] {
    let name = try validation.layerName(request.layerIfSet)
    var removed = 0
    if let sharing = layers.sharing, !LayerName.reserved.contains(name),
      let layer = try? layers.layer(name), layer.settings.protection == nil
    {
      removed = try await removeAll(in: layer, sharing)
    }
    return try await shared.onPool { [layers, removed] _ throws(APIError) in
      var response = Moyeo_V1_DeleteLayerResponse()
      do throws(LayerError) {
        response.removed = Int32(clamping: try layers.deleteLayer(name) + removed)
      } catch {
        throw APIError(error)
      }
      return try encoded(response)
    }
  }

  func listLayers() throws(APIError) -> [UInt8] {
    var response = Moyeo_V1_ListLayersResponse()
    response.layers = layers.all.map { layer in
      var summary = Moyeo_V1_LayerSummary()
      summary.name = layer.name
      summary.objectCount = Int32(clamping: layer.index.statistics().objectCount)
      summary.clusters = layer.settings.clusters
      summary.columns = layer.columns
      return summary
    }
    return try encoded(response)
  }
}

extension WithinSearch {
  /// Whether it may take longer than an event loop should be kept: many corners for many objects,
  /// or a filter that may pass over most of a wide area.
  var isLong: Bool {
    if limit > RequestServices.hitsOnEventLoop { return true }
    let span: Double
    switch area {
    case .box(let box): span = max(box.longitudeSpan, box.north - box.south)
    case .polygon(let polygon):
      if polygon.corners.count > RequestServices.cornersOnEventLoop { return true }
      span = max(
        polygon.unwrappedEast - polygon.unwrappedWest, polygon.north - polygon.south)
    }
    return span > 0.5 && !filter.isEmpty
  }
}
