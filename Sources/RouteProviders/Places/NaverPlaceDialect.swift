import GeoMath
package import Places
import RoutePlanning

/// Naver: places by keyword of the search API (`/v1/search/local.json`) where it has keys of its own,
/// addresses and what is at a position of Naver Cloud Platform (`/map-geocode`, `/map-reversegeocode`).
package struct NaverPlaceDialect: PlaceDialect {
  package let source = PlaceSource.naver
  private let cloud: Credentials
  private let search: Credentials?
  package let baseURL: String
  package let searchBaseURL: String

  package static let defaultBaseURL = "https://maps.apigw.ntruss.com"
  package static let defaultSearchBaseURL = "https://openapi.naver.com"

  package struct Credentials: Hashable, Sendable {
    let id: String
    let key: String

    package init(id: String, key: String) {
      self.id = id
      self.key = key
    }
  }

  /// - Parameters:
  ///   - cloud: Of Naver Cloud Platform.
  ///   - search: Of the search API, which has its own; nil: only addresses are found.
  ///   - baseURL: In front of `/map-geocode`; given, also in front of `/v1/search`, for a proxy of
  ///     one's own.
  package init(cloud: Credentials, search: Credentials?, baseURL: String? = nil) {
    self.cloud = cloud
    self.search = search
    self.baseURL = DialectParsing.base(baseURL ?? Self.defaultBaseURL)
    searchBaseURL = DialectParsing.base(baseURL ?? Self.defaultSearchBaseURL)
  }

  private var cloudHeaders: [RouteExchange.Header] {
    [.init("x-ncp-apigw-api-key-id", cloud.id), .init("x-ncp-apigw-api-key", cloud.key)]
  }

  package func searches(_ asked: PlaceSearch) -> [PlaceExchange] {
    var out: [PlaceExchange] = []
    if let search {
      let query = PlaceParsing.query([
        ("query", asked.text), ("display", "\(min(asked.limit, 5))"),
      ])
      out.append(
        PlaceExchange(
          "\(searchBaseURL)/v1/search/local.json?\(query)",
          headers: [
            .init("X-Naver-Client-Id", search.id), .init("X-Naver-Client-Secret", search.key),
          ]
        ) { reply throws(RouteError) in
          try DialectParsing.decode(Local.self, reply.body).items.compactMap { $0.place }
        })
    }
    let query = PlaceParsing.query([
      ("query", asked.text), ("count", "\(min(asked.limit, 100))"),
      ("coordinate", asked.near.map(DialectParsing.longitudeLatitude)),
    ])
    out.append(
      PlaceExchange(
        "\(baseURL)/map-geocode/v2/geocode?\(query)", headers: cloudHeaders
      ) { reply throws(RouteError) in
        let answer = try DialectParsing.decode(Geocoded.self, reply.body)
        guard answer.status == "OK" else {
          throw .refused(
            status: reply.status, message: DialectParsing.sentence(answer.errorMessage))
        }
        return (answer.addresses ?? []).compactMap { $0.place }
      })
    return out
  }

  package func reverse(_ question: ReversePlaceSearch) -> PlaceExchange {
    let position = question.position
    let query = PlaceParsing.query([
      ("coords", DialectParsing.longitudeLatitude(position)), ("output", "json"),
      ("orders", "roadaddr,addr"),
    ])
    return PlaceExchange(
      "\(baseURL)/map-reversegeocode/v2/gc?\(query)", headers: cloudHeaders
    ) { reply throws(RouteError) in
      let answer = try DialectParsing.decode(Reversed.self, reply.body)
      // 3: nothing there.
      guard [0, 3].contains(answer.status.code) else {
        throw .refused(
          status: reply.status, message: DialectParsing.sentence(answer.status.message))
      }
      return [(answer.results ?? []).lazy.compactMap { $0.place(at: position) }.first]
        .compactMap { $0 }
    }
  }

  private struct Local: Decodable {
    struct Item: Decodable {
      let title: String?
      let category: String?
      let address: String?
      let roadAddress: String?
      /// Degrees times ten million, as text.
      let mapx: String?
      let mapy: String?

      var place: Place? {
        PlaceParsing.place(
          .naver, id: nil, name: title.map(Self.plain),
          address: PlaceParsing.text(roadAddress) ?? address, category: category,
          latitude: mapy.flatMap { Double($0) }.map { $0 / 1e7 },
          longitude: mapx.flatMap { Double($0) }.map { $0 / 1e7 })
      }

      /// What matched stands in bold, and signs as entities.
      private static func plain(_ title: String) -> String {
        [
          ("<b>", ""), ("</b>", ""), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"),
          ("&amp;", "&"),
        ].reduce(title) { $0.replacing($1.0, with: $1.1) }
      }
    }
    let items: [Item]
  }

  private struct Geocoded: Decodable {
    struct Address: Decodable {
      let roadAddress: String?
      let jibunAddress: String?
      let x: String?
      let y: String?

      var place: Place? {
        let line = PlaceParsing.text(roadAddress) ?? jibunAddress
        return PlaceParsing.place(
          .naver, id: nil, name: line, address: line, category: nil,
          latitude: y.flatMap { Double($0) }, longitude: x.flatMap { Double($0) })
      }
    }
    let status: String
    let errorMessage: String?
    let addresses: [Address]?
  }

  private struct Reversed: Decodable {
    struct Status: Decodable {
      let code: Int
      let message: String?
    }
    struct Area: Decodable { let name: String? }
    struct Region: Decodable {
      let area1: Area?
      let area2: Area?
      let area3: Area?
      let area4: Area?
    }
    struct Addition: Decodable { let value: String? }
    struct Land: Decodable {
      let name: String?
      let number1: String?
      let number2: String?
      let addition0: Addition?
    }
    struct Result: Decodable {
      let name: String?
      let region: Region?
      let land: Land?

      func place(at position: Coordinate) -> Place? {
        let isRoad = name == "roadaddr"
        let lot = isRoad ? [] : [region?.area3?.name, region?.area4?.name]
        let areas = [region?.area1?.name, region?.area2?.name] + lot
        let number = PlaceParsing.joined([land?.number1, land?.number2], by: "-")
        let line = PlaceParsing.joined(areas + [land?.name, number])
        let building = isRoad ? PlaceParsing.text(land?.addition0?.value) : nil
        return PlaceParsing.place(
          .naver, id: nil, name: building ?? line, address: line, category: nil,
          latitude: position.latitude, longitude: position.longitude)
      }
    }
    let status: Status
    let results: [Result]?
  }
}
