import Dispatch
import GeoMath
import LiveLayers
import MoyeoAPI
import ObjectModel
import Places
import ServiceLifecycle
import SwiftProtobuf
import Threading

/// The calls of PlaceService.
struct PlaceOperations: Sendable {
  let placeService: PlaceService
  let services: RequestServices
  static let service = "PlaceService"

  var all: [Operation] {
    [
      Operation(
        Self.service, "Search", request: Moyeo_V1_SearchPlacesRequest.self,
        response: Moyeo_V1_SearchPlacesResponse.self,
        routes: [.init("GET", "/v1/places/search")]
      ) { request, _ in try await search(request) },
      Operation(
        Self.service, "Reverse", request: Moyeo_V1_ReversePlacesRequest.self,
        response: Moyeo_V1_ReversePlacesResponse.self,
        routes: [.init("GET", "/v1/places/reverse")]
      ) { request, _ in try await reverse(request) },
    ]
  }

  /// The text index may take milliseconds, so it is asked on the pool; a provider is waited for
  /// without a thread.
  private func search(_ request: Moyeo_V1_SearchPlacesRequest) async throws -> [UInt8] {
    let search = try services.validation.placeSearch(request)
    let own = try await services.shared.onPool { caller throws(APIError) in
      try translated { () throws(PlaceError) in
        try placeService.ownPlaces(matching: search, budget: services.budget(.pool(caller)))
      }
    }
    var answer = Moyeo_V1_SearchPlacesResponse()
    answer.places = await placeService.search(search, own: own).map(PlaceMessage.message)
    return try encoded(answer)
  }

  private func reverse(_ request: Moyeo_V1_ReversePlacesRequest) async throws -> [UInt8] {
    let question = try services.validation.reversePlaceSearch(request)
    var answer = Moyeo_V1_ReversePlacesResponse()
    let own = try await ownPlaces(question)
    answer.places = await placeService.reverse(question, own: own).map(PlaceMessage.message)
    return try encoded(answer)
  }

  /// On the spot, unless it turns out to be long.
  private func ownPlaces(_ question: ReversePlaceSearch) async throws -> [Place] {
    do throws(PlaceError) {
      return try placeService.ownPlaces(at: question, budget: services.budget(.eventLoop))
    } catch {
      guard case .tooMuchWork = error else { throw APIError(error) }
    }
    return try await services.shared.onPool { caller throws(APIError) in
      try translated { () throws(PlaceError) in
        try placeService.ownPlaces(at: question, budget: services.budget(.pool(caller)))
      }
    }
  }

  private func translated<Answer>(
    _ body: () throws(PlaceError) -> Answer
  ) throws(APIError) -> Answer {
    do { return try body() } catch { throw APIError(error) }
  }
}

/// Places as messages.
enum PlaceMessage {
  static func message(_ place: Place) -> Moyeo_V1_NamedPlace {
    var out = Moyeo_V1_NamedPlace()
    out.id = place.id
    out.name = place.name
    if let address = place.address { out.address = address }
    if let category = place.category { out.category = category }
    out.latitude = place.position.latitude
    out.longitude = place.position.longitude
    if let distance = place.distanceMeters { out.distanceMeters = distance }
    out.source = place.source.rawValue
    return out
  }
}

extension APIError {
  /// The one place where refusals of the place service get their reasons.
  init(_ error: PlaceError) {
    switch error {
    case .tooMuchWork(let limit, let field):
      self.init(
        .tooMuchWork, field: field,
        "this would take more than \(limit) steps of work: give more of the name, or a smaller limit"
      )
    case .abandoned:
      self.init(.deadlineExceeded, "the caller left, or its deadline passed, before the answer")
    }
  }
}

extension RequestValidation {
  /// UTF-8 bytes of a query: longer than the name of any place.
  static let placeQueryBytes = 512
  /// Places in one answer.
  static let defaultPlaces = 20

  /// A search for places, its text with something to look for.
  func placeSearch(_ request: Moyeo_V1_SearchPlacesRequest) throws(APIError) -> PlaceSearch {
    guard let text = request.qIfSet, !text.isEmpty else {
      throw APIError(.missingField, field: "q", "q is required: a name, or part of one")
    }
    guard text.utf8.count <= Self.placeQueryBytes else {
      throw APIError(
        .badValue, field: "q",
        "q has at most \(Self.placeQueryBytes) bytes; this one has \(text.utf8.count)")
    }
    guard PlaceSearch.hasLetters(text) else {
      throw APIError(.badValue, field: "q", "q has no letter or digit to look for")
    }
    let limit = try limit(
      request.limitIfSet, default: Self.defaultPlaces, maximum: limits.hits)
    let radius = try radiusMillimeters(request.radiusMetersIfSet)
    var near: Coordinate?
    if request.hasLatitude || request.hasLongitude || radius != nil {
      near = try coordinate(latitude: request.latitudeIfSet, longitude: request.longitudeIfSet)
    }
    return PlaceSearch(
      text: text, near: near, radiusMeters: radius.map { Double($0) / 1000 }, limit: limit)
  }

  func reversePlaceSearch(
    _ request: Moyeo_V1_ReversePlacesRequest
  ) throws(APIError) -> ReversePlaceSearch {
    ReversePlaceSearch(
      position: try coordinate(
        latitude: request.latitudeIfSet, longitude: request.longitudeIfSet),
      limit: try limit(request.limitIfSet, default: 1, maximum: limits.hits))
  }
}

/// Fills the table of places from its layers, then keeps it in step with them.
struct PlaceLifecycle: Service {
  let placeService: PlaceService
  let onFilled: @Sendable () -> Void

  func run() async throws {
    await withCheckedContinuation { done in
      WorkerThread.start(name: "moyeo-places") {
        placeService.table.follow()
        done.resume()
      }
    }
    placeService.table.start()
    onFilled()
    try? await gracefulShutdown()
    placeService.table.stop()
  }
}
