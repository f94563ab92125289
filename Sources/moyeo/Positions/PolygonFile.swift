import MoyeoAPI
import SwiftProtobuf

/// A polygon from a file: GeoJSON (Polygon, MultiPolygon of one, a Feature or FeatureCollection with
/// one of these), or `{"points": [{latitude, longitude}]}`.
enum PolygonFile {
  static let maximumBytes = 64 << 20

  static func read(_ path: String) throws -> Moyeo_V1_Polygon {
    var source = try ByteSource(path: path)
    do {
      return try parse(try source.readAll(limit: maximumBytes))
    } catch let error as PolygonError {
      throw CommandFailure(message: "\(path): \(error.message)")
    }
  }

  struct PolygonError: Error, Hashable {
    var message: String
  }

  static func parse(_ bytes: [UInt8]) throws(PolygonError) -> Moyeo_V1_Polygon {
    guard let root = try? Google_Protobuf_Struct(jsonUTF8Bytes: bytes) else {
      throw PolygonError(message: "is not a JSON object")
    }
    if root.fields["points"] != nil {
      guard let polygon = try? Moyeo_V1_Polygon(jsonUTF8Bytes: bytes) else {
        throw PolygonError(message: "points are [{\"latitude\": ..., \"longitude\": ...}, ...]")
      }
      return polygon
    }
    let rings = try polygons(in: root)
    guard rings.count == 1 else {
      throw PolygonError(message: "holds \(rings.count) polygons; one is needed")
    }
    return try ring(rings[0])
  }

  /// Coordinates of each polygon in a GeoJSON object: a list of rings.
  private static func polygons(in object: Google_Protobuf_Struct) throws(PolygonError)
    -> [[Google_Protobuf_Value]]
  {
    let coordinates = object.fields["coordinates"]?.listValue.values ?? []
    switch object.fields["type"]?.stringValue {
    case "Polygon": return [coordinates]
    case "MultiPolygon": return coordinates.map { $0.listValue.values }
    case "Feature":
      return try polygons(in: object.fields["geometry"]?.structValue ?? Google_Protobuf_Struct())
    case "FeatureCollection":
      var all: [[Google_Protobuf_Value]] = []
      for feature in object.fields["features"]?.listValue.values ?? [] {
        all += try polygons(in: feature.structValue)
      }
      return all
    case let type:
      throw PolygonError(message: "holds \(excerpt(type ?? "nothing")), not a GeoJSON Polygon")
    }
  }

  private static func ring(_ rings: [Google_Protobuf_Value]) throws(PolygonError)
    -> Moyeo_V1_Polygon
  {
    guard rings.count <= 1 else {
      throw PolygonError(message: "the polygon has holes; only one ring is supported")
    }
    var polygon = Moyeo_V1_Polygon()
    for vertex in rings.first?.listValue.values ?? [] {
      let pair = vertex.listValue.values
      guard pair.count >= 2, case .numberValue(let longitude)? = pair[0].kind,
        case .numberValue(let latitude)? = pair[1].kind
      else { throw PolygonError(message: "a vertex is not [longitude, latitude]") }
      var point = Moyeo_V1_Point()
      point.latitude = latitude
      point.longitude = longitude
      polygon.points.append(point)
    }
    // GeoJSON repeats the first vertex; our polygons close by themselves.
    if polygon.points.count > 1, polygon.points.first == polygon.points.last {
      polygon.points.removeLast()
    }
    guard polygon.points.count >= 3 else {
      throw PolygonError(message: "the polygon has fewer than three vertices")
    }
    return polygon
  }
}
