import GeoMath
import TaxiFares

/// The areas of a place.
struct PlaceAreas: Hashable, Sendable {
  /// All that hold it, the first one first.
  var ids: [String] = []
  /// The first whose taxis have a tariff.
  var priced: String?
}

extension PartyPricing {
  func placeAreas(_ place: Coordinate) -> PlaceAreas {
    let ids = areas.ids(place)
    return PlaceAreas(ids: ids, priced: ids.first(where: catalog.areas.contains))
  }
}

/// What a tariff makes of areas, seen from one origin.
struct AreaRules: Sendable {
  /// What going to a place means for the fare.
  struct Facts {
    /// It lies outside the taxi's area, and that costs more.
    var isOutside = false
    /// Where the straight way leaves the area, as a share of it.
    var edgeShare = 0.0
    /// The flat trip there, by its place in the tariff's list.
    var flat: Int?
  }

  private let origin: Coordinate
  private let originIDs: [String]
  private let area: String
  /// Whether the origin lies in the tariff's area and leaving it costs more.
  private let watchesEdge: Bool
  private let begins: OutOfAreaRule.Begin?
  private let flatTrips: [FlatTrip]
  private let areas: RideAreas
  /// Whether areas can make a difference to a fare at all.
  let matter: Bool

  init(_ tariff: Tariff, origin: Coordinate, pricing: PartyPricing) {
    let content = tariff.content
    let mayMatter = content.outOfArea != nil || !content.flatTrips.isEmpty
    let here = mayMatter ? pricing.placeAreas(origin) : PlaceAreas()
    self.origin = origin
    originIDs = here.ids
    area = content.area
    watchesEdge = content.outOfArea != nil && here.priced == content.area
    begins = content.outOfArea?.begins
    flatTrips = content.flatTrips.filter { $0.between.count == 2 }.isEmpty ? [] : content.flatTrips
    areas = pricing.areas
    matter = watchesEdge || !flatTrips.isEmpty
  }

  func facts(_ place: Coordinate, _ there: PlaceAreas) -> Facts {
    var facts = Facts()
    guard matter else { return facts }
    if watchesEdge && there.priced != area {
      facts.isOutside = true
      if begins == .boundary { facts.edgeShare = areas.edgeShare(area, origin, place) }
    }
    for (i, flat) in flatTrips.enumerated() where flat.between.count == 2 {
      let (a, b) = (flat.between[0], flat.between[1])
      if (originIDs.contains(a) && there.ids.contains(b))
        || (originIDs.contains(b) && there.ids.contains(a))
      {
        facts.flat = i
        break
      }
    }
    return facts
  }
}
