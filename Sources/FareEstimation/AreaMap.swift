package import GeoMath
package import TaxiFares
package import struct Foundation.Data

/// A named part of the world, such as the city whose taxis have a tariff.
package struct FareArea: Hashable, Sendable {
  package let id: String
  package let name: String
  /// Where areas overlap, the higher one comes first: a city before its province.
  package let priority: Double
  /// Outer rings with their holes.
  package let parts: [Part]

  package struct Part: Hashable, Sendable {
    package let outer: GeoPolygon
    package let holes: [GeoPolygon]

    package init(outer: GeoPolygon, holes: [GeoPolygon] = []) {
      self.outer = outer
      self.holes = holes
    }

    package func contains(_ place: Coordinate) -> Bool {
      outer.contains(place) && !holes.contains { $0.contains(place) }
    }
  }

  package init(id: String, name: String, priority: Double, parts: [Part]) {
    self.id = id
    self.name = name
    self.priority = priority
    self.parts = parts
  }

  /// - Complexity: O(corners of the parts whose box holds the point).
  package func contains(_ place: Coordinate) -> Bool {
    parts.contains { $0.contains(place) }
  }

  /// Square degrees of the parts' boxes.
  fileprivate var size: Double {
    parts.reduce(0) {
      $0 + ($1.outer.unwrappedEast - $1.outer.unwrappedWest) * ($1.outer.north - $1.outer.south)
    }
  }
}

/// Which areas a place lies in, from any GeoJSON of polygons.
///
/// A feature needs an id (property `id`, else the feature's own); `name` and `priority` (0) are
/// optional properties. Features with the same id are parts of one area. Among equal priorities
/// the smaller area comes first.
package struct AreaMap: Sendable {
  /// By priority, then size, then id.
  package let areas: [FareArea]
  private let byID: [String: FareArea]
  /// Of all parts, in the order of ``areas``: most places are in few of them.
  private let boxes: [PartBox]

  private struct PartBox {
    let west: Double
    let south: Double
    let east: Double
    let north: Double
    let area: Int32
    let part: Int32

    /// Boxes across the antimeridian go on beyond 180.
    func mayHold(_ latitude: Double, _ longitude: Double) -> Bool {
      guard latitude >= south, latitude <= north else { return false }
      return (longitude >= west && longitude <= east)
        || (longitude + 360 >= west && longitude + 360 <= east)
        || (longitude - 360 >= west && longitude - 360 <= east)
    }
  }

  package init(areas: [FareArea]) {
    let sorted = areas.sorted {
      if $0.priority != $1.priority { return $0.priority > $1.priority }
      if $0.size != $1.size { return $0.size < $1.size }
      return $0.id < $1.id
    }
    self.areas = sorted
    byID = Dictionary(sorted.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    // A hair wider than the polygon, whose own test is the one that counts.
    let hair = 1e-9
    boxes = sorted.enumerated().flatMap { i, area in
      area.parts.enumerated().map { j, part in
        PartBox(
          west: part.outer.unwrappedWest - hair, south: part.outer.south - hair,
          east: part.outer.unwrappedEast + hair, north: part.outer.north + hair,
          area: Int32(i), part: Int32(j))
      }
    }
  }

  package func area(_ id: String) -> FareArea? { byID[id] }

  /// Ids of the areas that hold a place, the first one first.
  package func ids(at place: Coordinate) -> [String] {
    let (latitude, longitude) = (place.latitude, place.longitude)
    var found: [String] = []
    var last: Int32 = -1
    for box in boxes where box.area != last && box.mayHold(latitude, longitude) {
      let area = areas[Int(box.area)]
      if area.parts[Int(box.part)].contains(place) {
        found.append(area.id)
        last = box.area
      }
    }
    return found
  }

  /// The id of the tariff's flat trip between the areas of two places, in either direction.
  package func flatTrip(
    of tariff: Tariff, from origin: Coordinate, to destination: Coordinate
  ) -> String? {
    tariff.content.flatTrips.first { flat in
      guard flat.between.count == 2, let a = area(flat.between[0]), let b = area(flat.between[1])
      else { return false }
      return (a.contains(origin) && b.contains(destination))
        || (b.contains(origin) && a.contains(destination))
    }?.id
  }

  /// The same map with the areas of `other` in place of those with the same ids.
  package func replacing(with other: AreaMap) -> AreaMap {
    AreaMap(areas: areas.filter { other.byID[$0.id] == nil } + other.areas)
  }

  /// - Throws: ``FileProblem`` with file, JSON path and what is wrong.
  package static func read(_ data: Data, file: String) throws(FileProblem) -> AreaMap {
    let tree = try JSONTree.parse(data, file: file)
    let reader = GeoJSONReader(file: file)
    var parts: [String: FareArea] = [:]
    for (path, feature) in try reader.features(tree) {
      let area = try reader.area(feature, path: path)
      if let known = parts[area.id] {
        parts[area.id] = FareArea(
          id: area.id, name: known.name, priority: known.priority,
          parts: known.parts + area.parts)
      } else {
        parts[area.id] = area
      }
    }
    return AreaMap(areas: Array(parts.values))
  }
}
