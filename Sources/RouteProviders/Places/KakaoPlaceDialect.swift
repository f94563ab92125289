import GeoMath
package import Places
import RoutePlanning

/// Kakao Local, `/v2/local`: places by keyword, then addresses; the address at a position.
package struct KakaoPlaceDialect: PlaceDialect {
  package let source = PlaceSource.kakao
  package let baseURL: String
  private let key: String

  package static let defaultBaseURL = "https://dapi.kakao.com"

  /// - Parameters:
  ///   - key: The REST API key that Kakao gave the operator.
  ///   - baseURL: In front of `/v2`.
  package init(key: String, baseURL: String = KakaoPlaceDialect.defaultBaseURL) {
    self.key = key
    self.baseURL = DialectParsing.base(baseURL)
  }

  private var headers: [RouteExchange.Header] { [.init("Authorization", "KakaoAK \(key)")] }

  package func searches(_ search: PlaceSearch) -> [PlaceExchange] {
    let keyword = PlaceParsing.query([
      ("query", search.text), ("size", "\(min(search.limit, 15))"),
      ("x", search.near.map { PlaceParsing.degrees($0.longitude) }),
      ("y", search.near.map { PlaceParsing.degrees($0.latitude) }),
      (
        "radius",
        search.near == nil ? nil : search.radiusMeters.map { "\(Int(min($0, 20_000).rounded()))" }
      ),
    ])
    let address = PlaceParsing.query([
      ("query", search.text), ("size", "\(min(search.limit, 30))"),
    ])
    return [
      PlaceExchange(
        "\(baseURL)/v2/local/search/keyword.json?\(keyword)", headers: headers
      ) { reply throws(RouteError) in
        try DialectParsing.decode(Keywords.self, reply.body).documents.compactMap { $0.place }
      },
      PlaceExchange(
        "\(baseURL)/v2/local/search/address.json?\(address)", headers: headers
      ) { reply throws(RouteError) in
        try DialectParsing.decode(Addresses.self, reply.body).documents.compactMap { $0.place }
      },
    ]
  }

  package func reverse(_ question: ReversePlaceSearch) -> PlaceExchange {
    let position = question.position
    let query = PlaceParsing.query([
      ("x", PlaceParsing.degrees(position.longitude)),
      ("y", PlaceParsing.degrees(position.latitude)),
    ])
    return PlaceExchange(
      "\(baseURL)/v2/local/geo/coord2address.json?\(query)", headers: headers
    ) { reply throws(RouteError) in
      try DialectParsing.decode(AddressesAt.self, reply.body).documents.compactMap {
        $0.place(at: position)
      }
    }
  }

  private struct Keywords: Decodable {
    struct Document: Decodable {
      let id: String?
      let place_name: String?
      let category_name: String?
      let address_name: String?
      let road_address_name: String?
      let x: String?
      let y: String?

      var place: Place? {
        PlaceParsing.place(
          .kakao, id: id, name: place_name,
          address: PlaceParsing.text(road_address_name) ?? address_name, category: category_name,
          latitude: y.flatMap { Double($0) }, longitude: x.flatMap { Double($0) })
      }
    }
    let documents: [Document]
  }

  private struct Addresses: Decodable {
    struct Document: Decodable {
      let address_name: String?
      let x: String?
      let y: String?

      var place: Place? {
        PlaceParsing.place(
          .kakao, id: nil, name: address_name, address: address_name, category: nil,
          latitude: y.flatMap { Double($0) }, longitude: x.flatMap { Double($0) })
      }
    }
    let documents: [Document]
  }

  private struct AddressesAt: Decodable {
    struct Address: Decodable {
      let address_name: String?
      let building_name: String?
    }
    struct Document: Decodable {
      let road_address: Address?
      let address: Address?

      func place(at position: Coordinate) -> Place? {
        let line = PlaceParsing.text(road_address?.address_name) ?? address?.address_name
        return PlaceParsing.place(
          .kakao, id: nil, name: PlaceParsing.text(road_address?.building_name) ?? line,
          address: line, category: nil, latitude: position.latitude,
          longitude: position.longitude)
      }
    }
    let documents: [Document]
  }
}
