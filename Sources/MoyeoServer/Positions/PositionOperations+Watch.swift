import GeoMath
import MoyeoAPI
import LiveLayers
import SwiftProtobuf

extension PositionOperations {
  /// Watch: who enters, moves in and leaves an area, or fences.
  var watch: StreamOperation {
    let path = "/v1/layers/{layer}/watch"
    return StreamOperation(
      "PositionService", "Watch", request: Moyeo_V1_WatchPositionsRequest.self,
      event: Moyeo_V1_WatchPositionsEvent.self, routes: [.init("GET", path), .init("POST", path)],
      maximumRequestBytes: 4 << 20, resumeToken: \.resumeToken,
      heartbeat: { token in
        var event = Moyeo_V1_WatchPositionsEvent()
        event.kind = "heartbeat"
        if let token { event.resumeToken = token }
        return event
      }
    ) { request, _ in try await source(request) }
  }

  private func source(_ request: Moyeo_V1_WatchPositionsRequest) async throws -> any EventSource {
    let layer = try services.layer(request.layerIfSet, minVersion: nil)
    let fenceIDs = try fenceIDs(of: request.fences)
    let query = WatchQuery(
      areas: try areas(of: request),
      filter: try services.filter(
        tags: request.tags, tagMatch: request.tagMatchIfSet,
        notTags: request.notTags, excludeIDs: request.excludeIds, conditions: request.where,
        maxAgeSeconds: nil))
    let interval = try validation.interval(
      request.intervalMillisecondsIfSet, default: 100)
    let kinds = try kinds(request.kinds)
    let token = request.resumeTokenIfSet
    let clock = layers.clock
    let open: @Sendable (RequestServices.Place) throws(APIError) -> WatchReader = {
      place throws(APIError) in
      do throws(LayerError) {
        return try layer.watch(
          query, resuming: token, clock: clock, budget: self.services.budget(place))
      } catch {
        throw self.services.refusal(error, place)
      }
    }
    // Many areas take a while to lay out, and so does one that holds much: not on an event loop.
    var reader: WatchReader?
    if query.areas.count <= 16 {
      do throws(APIError) {
        reader = try open(.eventLoop)
      } catch {
        guard error.isForPool else { throw error }
      }
    }
    let opened: WatchReader
    if let reader {
      opened = reader
    } else {
      opened = try await shared.onPool { caller throws(APIError) in try open(.pool(caller)) }
    }
    return WatchSource(
      reader: opened, interval: interval, kinds: kinds, fenceIDs: fenceIDs, clock: clock)
  }

  private func kinds(_ words: [String]) throws(APIError) -> WatchSource.Kinds {
    var kinds: WatchSource.Kinds = []
    for (i, word) in words.enumerated() {
      switch word {
      case "enter": kinds.insert(.enter)
      case "move": kinds.insert(.move)
      case "exit": kinds.insert(.exit)
      default:
        throw APIError(
          .badValue, field: "kinds[\(i)]", "a kind is enter, move or exit; got \(quoted(word))")
      }
    }
    return kinds.isEmpty ? .all : kinds
  }

  private func fenceIDs(of fences: [Moyeo_V1_Fence]) throws(APIError) -> [String] {
    guard fences.count <= layers.limits.fences else {
      throw APIError(
        .tooManyItems, field: "fences",
        "at most \(layers.limits.fences) fences; got \(fences.count)")
    }
    var seen: Set<String> = []
    var ids: [String] = []
    for (i, fence) in fences.enumerated() {
      let id = try validation.id(fence.idIfSet, field: "fences[\(i)].id")
      guard seen.insert(id).inserted else {
        throw APIError(.badID, field: "fences[\(i)].id", "the id \(quoted(id)) stands twice")
      }
      ids.append(id)
    }
    return ids
  }

  private func areas(of request: Moyeo_V1_WatchPositionsRequest) throws(APIError) -> [WatchArea] {
    let box = try validation.box(
      west: request.westIfSet, south: request.southIfSet,
      east: request.eastIfSet, north: request.northIfSet)
    let one = try area(
      latitude: request.latitudeIfSet,
      longitude: request.longitudeIfSet,
      radiusMeters: request.radiusMetersIfSet, box: box,
      polygon: request.withinIfSet)
    guard let one else {
      guard !request.fences.isEmpty else {
        throw APIError(
          .missingField, field: "latitude",
          "give an area: latitude, longitude and radiusMeters, a box, within, or fences")
      }
      var areas: [WatchArea] = []
      for (i, fence) in request.fences.enumerated() { areas.append(try area(of: fence, index: i)) }
      return areas
    }
    guard request.fences.isEmpty else {
      throw APIError(.conflictingFields, field: "fences", "give one area or fences, not both")
    }
    return [one]
  }

  private func area(of fence: Moyeo_V1_Fence, index: Int) throws(APIError) -> WatchArea {
    let prefix = "fences[\(index)]."
    do throws(APIError) {
      guard fence.unknownFields.data.isEmpty else {
        throw APIError(.unknownField, "the fence has fields that this service does not know")
      }
      var box: GeoBox?
      if fence.hasBox {
        let edges = fence.box
        box = try validation.box(
          west: edges.westIfSet, south: edges.southIfSet,
          east: edges.eastIfSet, north: edges.northIfSet)
        guard box != nil else {
          throw APIError(.missingField, field: "box.west", "a box has four edges")
        }
      }
      let area = try area(
        latitude: fence.latitudeIfSet,
        longitude: fence.longitudeIfSet,
        radiusMeters: fence.radiusMetersIfSet, box: box,
        polygon: fence.withinIfSet)
      guard let area else {
        throw APIError(
          .missingField, field: "latitude",
          "a fence is a circle (latitude, longitude, radiusMeters), a box or within")
      }
      return area
    } catch {
      throw error.prefixingFields(prefix)
    }
  }

  /// One area of the three kinds, `nil` if none is given.
  private func area(
    latitude: Double?, longitude: Double?, radiusMeters: Double?, box: GeoBox?,
    polygon: Moyeo_V1_Polygon?
  ) throws(APIError) -> WatchArea? {
    let hasCircle = latitude != nil || longitude != nil || radiusMeters != nil
    guard (box == nil ? 0 : 1) + (polygon == nil ? 0 : 1) + (hasCircle ? 1 : 0) <= 1 else {
      throw APIError(
        .conflictingFields, field: "within", "give one area: a circle, a box or a polygon")
    }
    if let box { return .box(box) }
    if let polygon { return .polygon(try validation.polygon(polygon, field: "within")) }
    guard hasCircle else { return nil }
    let center = try validation.coordinate(
      latitude: latitude, longitude: longitude, allowsNullIsland: true)
    guard let radius = try validation.radiusMillimeters(radiusMeters) else {
      throw APIError(.missingField, field: "radiusMeters", "a circle needs a radius")
    }
    return .circle(center: center, radiusMillimeters: radius)
  }
}
