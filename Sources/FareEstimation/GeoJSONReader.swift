import GeoMath

/// Reads polygons of GeoJSON (RFC 7946); members it does not know are passed over.
struct GeoJSONReader {
  let file: String

  func features(_ tree: JSONTree) throws(FileProblem) -> [(path: String, feature: JSONTree)] {
    switch try string(tree, "type", "") {
    case "FeatureCollection":
      guard case .array(let items)? = field(tree, "features") else {
        throw problem("features", "must be a list")
      }
      return items.enumerated().map { ("features[\($0)]", $1) }
    case "Feature":
      return [("", tree)]
    case let type:
      throw problem("type", "must be FeatureCollection or Feature, is \"\(type)\"")
    }
  }

  func area(_ feature: JSONTree, path: String) throws(FileProblem) -> FareArea {
    let properties = field(feature, "properties") ?? .null
    let id = text(field(properties, "id")) ?? text(field(feature, "id"))
    guard let id, !id.isEmpty else {
      throw problem(join(path, "properties.id"), "is missing, and the feature has no id")
    }
    var priority = 0.0
    if let given = field(properties, "priority"), given != .null {
      guard case .number(let value) = given else {
        throw problem(join(path, "properties.priority"), "must be a number, is \(given.kind)")
      }
      priority = value
    }
    let here = join(path, "geometry")
    guard let geometry = field(feature, "geometry"), geometry != .null else {
      throw problem(here, "is missing")
    }
    return FareArea(
      id: id, name: text(field(properties, "name")) ?? id, priority: priority,
      parts: try parts(geometry, here))
  }

  private func parts(_ geometry: JSONTree, _ path: String) throws(FileProblem) -> [FareArea.Part] {
    let coordinates = field(geometry, "coordinates") ?? .null
    let here = join(path, "coordinates")
    switch try string(geometry, "type", path) {
    case "Polygon":
      return [try part(coordinates, here)]
    case "MultiPolygon":
      var out: [FareArea.Part] = []
      for (i, item) in try list(coordinates, here).enumerated() {
        out.append(try part(item, "\(here)[\(i)]"))
      }
      return out
    case let type:
      throw problem(join(path, "type"), "must be Polygon or MultiPolygon, is \"\(type)\"")
    }
  }

  private func part(_ tree: JSONTree, _ path: String) throws(FileProblem) -> FareArea.Part {
    var rings: [GeoPolygon] = []
    for (i, item) in try list(tree, path).enumerated() {
      rings.append(try ring(item, "\(path)[\(i)]"))
    }
    guard let outer = rings.first else { throw problem(path, "must hold a ring") }
    return FareArea.Part(outer: outer, holes: Array(rings.dropFirst()))
  }

  private func ring(_ tree: JSONTree, _ path: String) throws(FileProblem) -> GeoPolygon {
    var points: [Coordinate] = []
    for (i, item) in try list(tree, path).enumerated() {
      guard case .array(let numbers) = item, numbers.count >= 2,
        case .number(let longitude) = numbers[0], case .number(let latitude) = numbers[1]
      else { throw problem("\(path)[\(i)]", "must be [longitude, latitude]") }
      do {
        points.append(try Coordinate(latitude: latitude, longitude: longitude))
      } catch {
        throw problem(
          "\(path)[\(i)]", "is out of range: longitude \(longitude), latitude \(latitude)")
      }
    }
    do {
      return try GeoPolygon(points)
    } catch {
      throw problem(path, "is not a polygon: \(error)")
    }
  }

  private func field(_ tree: JSONTree, _ name: String) -> JSONTree? {
    guard case .object(let fields) = tree else { return nil }
    return fields[name]
  }

  private func string(
    _ tree: JSONTree, _ name: String, _ path: String
  ) throws(FileProblem) -> String {
    guard case .string(let value)? = field(tree, name) else {
      throw problem(join(path, name), "must be a string")
    }
    return value
  }

  private func text(_ tree: JSONTree?) -> String? {
    switch tree {
    case .string(let value)?: value
    case .number(let value)?:
      value == value.rounded() && value.magnitude < 1e15 ? String(Int64(value)) : String(value)
    default: nil
    }
  }

  private func list(_ tree: JSONTree, _ path: String) throws(FileProblem) -> [JSONTree] {
    guard case .array(let items) = tree else {
      throw problem(path, "must be a list, is \(tree.kind)")
    }
    return items
  }

  private func join(_ path: String, _ name: String) -> String {
    path.isEmpty ? name : "\(path).\(name)"
  }

  private func problem(_ path: String, _ message: String) -> FileProblem {
    FileProblem(file: file, path: path, message: message)
  }
}
