import FareEstimation
import GeoMath
import MoyeoAPI
import MoyeoServer
import ObjectModel
import RoutePlanning
import WireFormat

/// What the app asks of map providers.
extension TaxiPartyDoor {
  func mapAnswer(
    _ call: TaxiCall, _ request: DoorRequest, _ services: DoorServices
  ) async throws -> [UInt8] {
    let query = try TaxiQuery(request)
    switch call {
    case .driving: return try await driving(query)
    case .geocode: return try await geocode(query, services)
    case .reverseGeocode: return try await reverseGeocode(query, services)
    case .keyword: return try await keyword(query, services)
    case .create, .list, .listNearby, .listHosted, .listMine, .one, .like, .unknown:
      preconditionFailure("no call of a map provider")
    }
  }

  // MARK: - Directions

  /// A route and what it costs at its departure, not now.
  private func driving(_ query: TaxiQuery) async throws(TaxiRefusal) -> [UInt8] {
    let option = query.form.scalar("option") ?? "trafast"
    guard DirectionsMessage.options.contains(option) else {
      throw TaxiRefusal(
        .badValue, "option is one of \(DirectionsMessage.options.joined(separator: ", "))")
    }
    let origin = try Self.end(query, "start")
    let destination = try Self.end(query, "goal")
    let now = clock.now()
    let departure = try Self.departure(query) ?? now
    let request = FareRequest(
      origin: origin, destination: destination, departure: departure)
    var way = DirectionsMessage.Way(
      origin: origin, destination: destination, departure: departure, distanceMeters: 0,
      durationSeconds: 0, path: [])
    do throws(FareRequestError) {
      let fare = try await fares.estimate(request, now: now)
      way.distanceMeters = fare.distanceMeters
      way.durationSeconds = fare.durationSeconds
      way.path = fare.path
      way.fare = fare.expected
    } catch {
      guard case .noTariffHere = error else { throw Self.refusal(error) }
      let route = try await route(from: origin, to: destination, departure)
      way.distanceMeters = route.distanceMeters
      way.durationSeconds = route.durationSeconds
      way.path = route.path
    }
    return DirectionsMessage.body(way, option: option, now: now)
  }

  private static func end(_ query: TaxiQuery, _ name: String) throws(TaxiRefusal) -> Coordinate {
    let text = try query.required(name)
    do throws(PostTextError) {
      return try PostText.longitudeLatitude(text)
    } catch {
      guard error != .notAPlace else {
        throw TaxiRefusal(.malformedRequest, "\(name) is longitude and latitude: \"lng,lat\"")
      }
      throw TaxiRefusal(error, field: name)
    }
  }

  private static func departure(_ query: TaxiQuery) throws(TaxiRefusal) -> Instant? {
    guard let text = query.form.scalar("departureTime"), !text.isEmpty else { return nil }
    // A plus that was not escaped comes as a space.
    var escaped = text
    if let space = escaped.lastIndex(of: " ") {
      escaped.replaceSubrange(space...space, with: "+")
    }
    if let time = try? PostText.time(escaped) { return time }
    do throws(PostTextError) {
      return try PostText.time(text)
    } catch {
      throw TaxiRefusal(error, field: "departureTime")
    }
  }

  private func route(
    from origin: Coordinate, to destination: Coordinate, _ departure: Instant
  ) async throws(TaxiRefusal) -> Route {
    do throws(RouteError) {
      return try await fares.routes.route(
        try RouteRequest(origin: origin, destination: destination, departure: departure))
    } catch {
      throw TaxiRefusal(DoorRefusal(error), directionsCode: Self.code(error))
    }
  }

  private static func refusal(_ error: FareRequestError) -> TaxiRefusal {
    let code: Int? =
      switch error {
      case .tripTooShort: 1
      case .route(let inner): code(inner)
      case .missingField, .conflictingFields, .limitOutOfRange, .duplicateRider, .noTariffHere,
        .fare, .share:
        nil
      }
    return TaxiRefusal(DoorRefusal(error), directionsCode: code)
  }

  /// 2 where no road is near, 3 where nobody could say.
  private static func code(_ error: RouteError) -> Int {
    if case .noRoute = error { 2 } else { 3 }
  }

  // MARK: - Names

  private func names() throws(TaxiRefusal) -> any PlaceNames {
    guard let places else {
      throw TaxiRefusal(.unknownRoute, "this service knows no names of places")
    }
    return places
  }

  private static let shownPlaces = 15
  private static let queryBytes = 256

  private func named(
    _ query: TaxiQuery, limit: Int, _ services: DoorServices
  ) async throws -> [NamedPlace] {
    let names = try names()
    let text = try query.required("query")
    guard text.utf8.count <= Self.queryBytes else {
      throw TaxiRefusal(.badValue, "query has at most \(Self.queryBytes) bytes")
    }
    return try await names.places(named: text, limit: limit, services)
  }

  /// `x` is the longitude, `y` the latitude; both are text.
  private func geocode(
    _ query: TaxiQuery, _ services: DoorServices
  ) async throws -> [UInt8] {
    let found = try await named(query, limit: 5, services)
    return JSONWriter.object { out in
      out.string("status", "OK")
      out.object("meta") { meta in
        meta.integer("totalCount", Int64(found.count))
        meta.integer("count", Int64(found.count))
      }
      out.objects("addresses", found) { place, out in
        out.string("roadAddress", Self.address(place))
        out.string("jibunAddress", Self.address(place))
        out.string("x", Self.text(place.coordinate.longitude))
        out.string("y", Self.text(place.coordinate.latitude))
      }
      out.string("errorMessage", "")
    }
  }

  private func keyword(
    _ query: TaxiQuery, _ services: DoorServices
  ) async throws -> [UInt8] {
    let found = try await named(query, limit: Self.shownPlaces, services)
    return JSONWriter.object { out in
      out.objects("documents", found) { place, out in
        out.string("place_name", place.name)
        out.string("address_name", Self.address(place))
        out.string("road_address_name", Self.address(place))
        out.string("x", Self.text(place.coordinate.longitude))
        out.string("y", Self.text(place.coordinate.latitude))
      }
      out.object("meta") { meta in
        meta.bool("is_end", true)
        meta.integer("pageable_count", Int64(found.count))
        meta.integer("total_count", Int64(found.count))
      }
    }
  }

  private func reverseGeocode(
    _ query: TaxiQuery, _ services: DoorServices
  ) async throws -> [UInt8] {
    let names = try names()
    let found = try await names.places(at: try Self.end(query, "coords"), limit: 1, services)
    return JSONWriter.object { out in
      out.object("status") { status in
        status.integer("code", found.isEmpty ? 3 : 0)
        status.string("name", found.isEmpty ? "no results" : "ok")
      }
      out.objects("results", found, Self.region)
    }
  }

  /// The parts of an address by their width; the place itself stands as the building.
  private static func region(_ place: NamedPlace, _ out: inout JSONWriter) {
    let parts = place.address.split(separator: " ").map(String.init)
    let numbers = (parts.last ?? "").split(separator: "-").map(String.init)
    let isNumbered = !numbers.isEmpty && numbers.allSatisfy { $0.allSatisfy(\.isNumber) }
    let areas = isNumbered ? Array(parts.dropLast()) : parts
    func area(_ i: Int) -> String { i < areas.count ? areas[i] : "" }
    out.string("name", "roadaddr")
    out.object("region") { region in
      region.object("area0") { $0.string("name", "kr") }
      region.object("area1") { area1 in
        area1.string("name", area(0))
        area1.string("alias", String(area(0).prefix(2)))
      }
      region.object("area2") { $0.string("name", area(1)) }
      region.object("area3") { $0.string("name", area(2)) }
      region.object("area4") { $0.string("name", areas.dropFirst(3).joined(separator: " ")) }
    }
    out.object("land") { land in
      land.string("name", "")
      land.string("number1", isNumbered ? numbers[0] : "")
      land.string("number2", isNumbered && numbers.count > 1 ? numbers[1] : "")
      land.object("addition0") { addition in
        addition.string("type", "building")
        addition.string("value", place.name)
      }
    }
  }

  private static func address(_ place: NamedPlace) -> String {
    place.address.isEmpty ? place.name : place.address
  }

  private static func text(_ degrees: Double) -> String {
    var out: [UInt8] = []
    JSONText.append(degrees, to: &out)
    return String(decoding: out, as: UTF8.self)
  }
}
