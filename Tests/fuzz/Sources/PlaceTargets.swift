import GeoMath
import RoutePlanning

@testable import Places
@testable import RouteProviders

/// Names, queries, and answers of providers of places.
///
/// The first byte chooses the provider and the status of its answer; the rest is also a name.
enum PlaceTarget {
  private static let dialects: [any PlaceDialect] = [
    NaverPlaceDialect(cloud: .init(id: "i", key: "k"), search: .init(id: "i", key: "k")),
    KakaoPlaceDialect(key: "k"), NominatimPlaceDialect(baseURL: "x"),
    PhotonPlaceDialect(baseURL: "x"),
  ]
  private static let here = Coordinate(uncheckedLatitude: 37.5547, longitude: 126.9707)

  @Sendable
  static func feed(_ bytes: UnsafeRawBufferPointer) {
    guard let (choice, rest) = bytes.choice else { return }
    let name = String(decoding: rest, as: UTF8.self)
    let query = PlaceQuery(name)
    let keys = PlaceKeys(names: [name])
    hold(query.isEmpty || query.quality(of: keys) == .exact, "a name does not fit itself")
    let terms = PlaceTerms.terms(of: keys)
    hold(terms.count < 200, "\(terms.count) terms")
    _ = PlaceTerms.steps(for: query.isEmpty ? PlaceQuery("x") : query)

    let reply = RouteReply(status: choice & 4 == 0 ? 200 : 400, body: Array(rest))
    let dialect = dialects[Int(choice & 3)]
    let exchanges =
      dialect.searches(PlaceSearch(text: name, near: here))
      + [dialect.reverse(ReversePlaceSearch(position: here))]
    for exchange in exchanges {
      for place in (try? exchange.read(reply)) ?? [] {
        hold(!place.name.isEmpty && !place.id.isEmpty, "a place without a name")
        hold(abs(place.position.latitude) <= 90, "\(place.position)")
      }
    }
  }
}
