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
    AreaEffect(
      isOutside: outOfArea != nil && here.priced == area && there.priced != area,
      flat: flatTrip(from: here, to: there))
  }

  /// The flat trip between places of such areas, by its place in ``flatTrips``.
  func flatTrip(from here: PlaceAreas, to there: PlaceAreas) -> Int? {
    flatTrips.firstIndex { flat in
      guard flat.between.count == 2 else { return false }
      let (a, b) = (flat.between[0], flat.between[1])
      return (here.ids.contains(a) && there.ids.contains(b))
        || (here.ids.contains(b) && there.ids.contains(a))
    }
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
  /// Whether areas can make a difference to a fare of the tariff, wherever a ride begins.
  let tariffMinds: Bool
  /// Whether areas can make a difference to a fare at all.
  let matter: Bool
  /// The area whose taxis have the tariff, and where their surcharge of leaving it begins.
  private let area: String
  private let begins: OutOfAreaRule.Begin?
  private let hasFlatTrips: Bool
  private let mayBeFlat: Bool

  init(_ tariff: Tariff, origin: Coordinate, pricing: PartyPricing) {
    let content = tariff.content
    let minds = content.areasMatter
    self.init(
      tariff, origin: origin, here: minds ? pricing.placeAreas(origin) : PlaceAreas(),
      areas: pricing.areas, tariffMinds: minds, area: content.area,
      begins: content.outOfArea?.begins,
      hasFlatTrips: content.flatTrips.contains { $0.between.count == 2 })
  }

  private init(
    _ tariff: Tariff, origin: Coordinate, here: PlaceAreas, areas: RideAreas, tariffMinds: Bool,
    area: String, begins: OutOfAreaRule.Begin?, hasFlatTrips: Bool
  ) {
    self.origin = origin
    self.here = here
    self.tariff = tariff
    self.areas = areas
    self.tariffMinds = tariffMinds
    self.area = area
    self.begins = begins
    self.hasFlatTrips = hasFlatTrips
    mayBeFlat =
      hasFlatTrips
      && tariff.content.flatTrips.contains { flat in
        flat.between.count == 2 && flat.between.contains(where: here.ids.contains)
      }
    matter = mayBeFlat || (begins != nil && here.priced == area)
  }

  /// The same tariff, seen from another origin whose areas are known.
  func seen(from origin: Coordinate, _ here: PlaceAreas) -> AreaRules {
    AreaRules(
      tariff, origin: origin, here: here, areas: areas, tariffMinds: tariffMinds, area: area,
      begins: begins, hasFlatTrips: hasFlatTrips)
  }

  /// Whether a place is outside for the area's own taxis, at a surcharge.
  func isOutside(_ there: PlaceAreas) -> Bool { begins != nil && there.priced != area }

  /// Whether a trip from somewhere to a place may have a price whatever the meter says.
  func mayBeFlat(to there: PlaceAreas) -> Bool {
    hasFlatTrips
      && tariff.content.flatTrips.contains { flat in
        flat.between.count == 2 && flat.between.contains(where: there.ids.contains)
      }
  }

  func facts(_ place: Coordinate, _ there: PlaceAreas) -> Facts {
    var facts = Facts()
    guard matter else { return facts }
    if mayBeFlat { facts.flat = tariff.content.flatTrip(from: here, to: there) }
    facts.isOutside = here.priced == area && isOutside(there)
    if facts.isOutside && begins == .boundary {
      facts.edgeShare = areas.edgeShare(area, origin, place)
    }
    return facts
  }
}
