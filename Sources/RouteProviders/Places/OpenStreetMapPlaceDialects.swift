import GeoMath
package import Places
import RoutePlanning

/// Nominatim 4, `/search` and `/reverse` as `jsonv2`.
package struct NominatimPlaceDialect: PlaceDialect {
  package let source = PlaceSource.nominatim
  package let baseURL: String

  /// - Parameter baseURL: Of one's own Nominatim; the public one forbids suggestions while typing.
  package init(baseURL: String) { self.baseURL = DialectParsing.base(baseURL) }

  package func searches(_ search: PlaceSearch) -> [PlaceExchange] {
    let query = PlaceParsing.query([
      ("q", search.text), ("format", "jsonv2"), ("limit", "\(min(search.limit, 40))"),
      ("viewbox", search.near.map { Self.viewbox($0, search.radiusMeters) }),
      ("bounded", search.near != nil && search.radiusMeters != nil ? "1" : nil),
    ])
    return [
      PlaceExchange("\(baseURL)/search?\(query)") { reply throws(RouteError) in
        try DialectParsing.decode([Found].self, reply.body).compactMap { $0.place }
      }
    ]
  }

  package func reverse(_ question: ReversePlaceSearch) -> PlaceExchange {
    let query = PlaceParsing.query([
      ("lat", PlaceParsing.degrees(question.position.latitude)),
      ("lon", PlaceParsing.degrees(question.position.longitude)), ("format", "jsonv2"),
    ])
    return PlaceExchange("\(baseURL)/reverse?\(query)") { reply throws(RouteError) in
      // Where nothing is near there is `error` and no place.
      [try DialectParsing.decode(Found.self, reply.body).place].compactMap { $0 }
    }
  }

  /// `west,north,east,south` around a place: 0.2 degrees where there is no radius.
  private static func viewbox(_ near: Coordinate, _ radiusMeters: Double?) -> String {
    let height = min(radiusMeters.map { $0 / 111_000 } ?? 0.2, 90)
    let width = min(height / max(0.01, cosine(near.latitude)), 180)
    return [
      max(-180, near.longitude - width), min(90, near.latitude + height),
      min(180, near.longitude + width), max(-90, near.latitude - height),
    ].map(PlaceParsing.degrees).joined(separator: ",")
  }

  private static func cosine(_ degrees: Double) -> Double {
    // Good enough for a box that only prefers: 1 - x^2/2 + x^4/24.
    let x = degrees * .pi / 180
    return 1 - x * x / 2 + x * x * x * x / 24
  }

  private struct Found: Decodable {
    let osm_type: String?
    let osm_id: Int64?
    let lat: String?
    let lon: String?
    let name: String?
    let display_name: String?
    let type: String?

    var place: Place? {
      PlaceParsing.place(
        .nominatim, id: osm_id.map { "\(osm_type ?? "")/\($0)" },
        name: PlaceParsing.text(name) ?? display_name?.split(separator: ",").first.map(String.init),
        address: display_name, category: type, latitude: lat.flatMap { Double($0) },
        longitude: lon.flatMap { Double($0) })
    }
  }
}

/// Photon, `/api` and `/reverse`.
package struct PhotonPlaceDialect: PlaceDialect {
  package let source = PlaceSource.photon
  package let baseURL: String

  package init(baseURL: String) { self.baseURL = DialectParsing.base(baseURL) }

  package func searches(_ search: PlaceSearch) -> [PlaceExchange] {
    let query = PlaceParsing.query([
      ("q", search.text), ("limit", "\(min(search.limit, 50))"),
      ("lat", search.near.map { PlaceParsing.degrees($0.latitude) }),
      ("lon", search.near.map { PlaceParsing.degrees($0.longitude) }),
    ])
    return [PlaceExchange("\(baseURL)/api?\(query)", read: Self.read)]
  }

  package func reverse(_ question: ReversePlaceSearch) -> PlaceExchange {
    let query = PlaceParsing.query([
      ("lat", PlaceParsing.degrees(question.position.latitude)),
      ("lon", PlaceParsing.degrees(question.position.longitude)),
      ("limit", "\(min(question.limit, 50))"),
    ])
    return PlaceExchange("\(baseURL)/reverse?\(query)", read: Self.read)
  }

  private static let read: @Sendable (RouteReply) throws(RouteError) -> [Place] = {
    reply throws(RouteError) in
    try DialectParsing.decode(Answer.self, reply.body).features.compactMap { $0.place }
  }

  private struct Answer: Decodable {
    struct Feature: Decodable {
      struct Geometry: Decodable { let coordinates: [Double] }
      struct Properties: Decodable {
        let osm_type: String?
        let osm_id: Int64?
        let osm_value: String?
        let name: String?
        let street: String?
        let housenumber: String?
        let district: String?
        let city: String?
        let state: String?
      }
      let geometry: Geometry
      let properties: Properties

      var place: Place? {
        let street = PlaceParsing.joined([properties.street, properties.housenumber])
        return PlaceParsing.place(
          .photon, id: properties.osm_id.map { "\(properties.osm_type ?? "")/\($0)" },
          name: PlaceParsing.text(properties.name) ?? street,
          address: PlaceParsing.joined(
            [properties.state, properties.city, properties.district, street]),
          category: properties.osm_value, latitude: geometry.coordinates.dropFirst().first,
          longitude: geometry.coordinates.first)
      }
    }
    let features: [Feature]
  }
}
