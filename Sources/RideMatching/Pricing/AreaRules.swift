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

/// What going from some areas to others means under a tariff.
struct AreaEffect: Sendable {
  /// The destination lies outside the taxi's area, and that costs more.
  var isOutside: Bool
  /// The flat trip there, by its place in the tariff's list.
  var flat: Int?
}

extension TariffContent {
  /// Whether areas can make a difference to a fare at all.
  var areasMatter: Bool { outOfArea != nil || flatTrips.contains { $0.between.count == 2 } }

  func areaEffect(from here: PlaceAreas, to there: PlaceAreas) -> AreaEffect {
    let flat = flatTrips.firstIndex { flat in
      guard flat.between.count == 2 else { return false }
      let (a, b) = (flat.between[0], flat.between[1])
      return (here.ids.contains(a) && there.ids.contains(b))
        || (here.ids.contains(b) && there.ids.contains(a))
    }
    return AreaEffect(
      isOutside: outOfArea != nil && here.priced == area && there.priced != area, flat: flat)
  }
}

/// What a tariff makes of areas, seen from one origin.
struct AreaRules: Sendable {
  /// What going to a place means for the fare.
  struct Facts {
    /// It lies outside the taxi's area, and that costs more.
    var isOutside = false
    /// Where the straight line leaves the area, as a share of it.
    var edgeShare = 0.0
    /// The flat trip there, by its place in the tariff's list.
    var flat: Int?
  }

  private let origin: Coordinate
  private let here: PlaceAreas
  private let tariff: Tariff
  private let areas: RideAreas
  /// Whether areas can make a difference to a fare at all.
  let matter: Bool

  init(_ tariff: Tariff, origin: Coordinate, pricing: PartyPricing) {
    let content = tariff.content
    let here = content.areasMatter ? pricing.placeAreas(origin) : PlaceAreas()
    self.origin = origin
    self.here = here
    self.tariff = tariff
    areas = pricing.areas
    let mayBeFlat = content.flatTrips.contains { flat in
      flat.between.count == 2 && flat.between.contains(where: here.ids.contains)
    }
    matter = mayBeFlat || (content.outOfArea != nil && here.priced == content.area)
  }

  func facts(_ place: Coordinate, _ there: PlaceAreas) -> Facts {
    var facts = Facts()
    guard matter else { return facts }
    let content = tariff.content
    let effect = content.areaEffect(from: here, to: there)
    facts.flat = effect.flat
    facts.isOutside = effect.isOutside
    if effect.isOutside && content.outOfArea?.begins == .boundary {
      facts.edgeShare = areas.edgeShare(content.area, origin, place)
    }
    return facts
  }
}
