import GeoMath
import LiveLayers
import SpatialIndexing

/// What an object of a layer says of itself as a place.
struct PlaceObject: Hashable, Sendable {
  var name: String
  /// Attributes whose names begin with `name_` or `name:`, such as `name_en`, in their order.
  var otherNames: [String] = []
  var address: String?
  var category: String?

  /// Reads the attributes of a payload; nil for an object without a name.
  init?(payload: UnsafeRawBufferPointer) {
    var name = ""
    for (attribute, value) in ObjectPayload.scalars(in: payload) {
      guard case .string(let text) = value, !text.isEmpty else { continue }
      switch attribute {
      case "name": name = text
      case "address": address = text
      case "category": category = text
      default:
        if attribute.hasPrefix("name_") || attribute.hasPrefix("name:") { otherNames.append(text) }
      }
    }
    guard !name.isEmpty else { return nil }
    self.name = name
  }

  var keys: PlaceKeys {
    PlaceKeys(names: [name] + otherNames, address: address, category: category)
  }

  /// Whether a payload is that of a place, without reading the rest of it.
  static func isPlace(_ payload: UnsafeRawBufferPointer) -> Bool {
    guard
      case .string(let name)? = ObjectPayload.value(
        of: "name", inAttributes: ObjectPayload.attributes(in: payload))
    else { return false }
    return !name.isEmpty
  }

  func place(_ hit: HitView, distanceMillimeters: Int64?) -> Place {
    Place(
      id: hit.idString, name: name, address: address, category: category,
      position: Coordinate(uncheckedLatitude: hit.latitude, longitude: hit.longitude),
      distanceMeters: distanceMillimeters.map { Double($0) / 1000 }, source: .own)
  }
}
