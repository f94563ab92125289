import Foundation
import GeoMath
import LiveLayers
import MoyeoAPI
import ObjectModel
import SpatialIndexing

/// What a map needs to know of a layer's tiles before it asks for one (TileJSON 3.0.0,
/// mapbox/tilejson-spec): where the layer's objects are, and what they tell of themselves.
struct TileDocument {
  let layer: Layer
  let maximumZoom: Int
  let now: ObjectModel.Instant

  /// Objects whose attributes are named, of each cluster of the whole world.
  private static let sampledObjects = 20
  /// What a style can be made of; a layer of free names has no end of them.
  private static let maximumNames = 64
  /// A world of clusters is a few hundred at most.
  private static let maximumClusters = 1000
  /// The latitude at which the map ends, north and south.
  private static let mapEnd = 85.0511287798066

  /// The document as JSON; `tiles` is the address of a tile, with `{z}`, `{x}` and `{y}`.
  func json(tiles: String) throws -> [UInt8] {
    let features = try worldFeatures()
    let fields = try ordinary.merging(attributes(features)) { own, _ in own }
    let document: [String: Any] = [
      "tilejson": "3.0.0", "name": layer.name, "scheme": "xyz", "version": "1.0.0",
      "minzoom": 0, "maxzoom": maximumZoom, "bounds": Self.bounds(features), "tiles": [tiles],
      "vector_layers": [
        [
          "id": layer.name, "description": "Objects of the layer, clustered up to zoom 16.",
          "minzoom": 0, "maxzoom": maximumZoom, "fields": fields,
        ] as [String: Any]
      ],
    ]
    let data = try JSONSerialization.data(
      withJSONObject: document, options: [.sortedKeys, .withoutEscapingSlashes])
    return Array(data)
  }

  private func worldFeatures() throws(APIError) -> [MapFeature] {
    do throws(LayerError) {
      return try layer.mapFeatures(
        in: GeoBox(uncheckedWest: -180, south: -90, east: 180, north: 90), zoom: 0,
        filter: ObjectFilter(), limit: Self.maximumClusters, now: now
      ).features
    } catch {
      throw APIError(error)
    }
  }

  /// The least box around all objects; the whole map where there are none, or some on both sides of 180
  /// degrees, since the bounds of TileJSON do not cross it.
  private static func bounds(_ features: [MapFeature]) -> [Double] {
    var box = [180, mapEnd, -180, -mapEnd]
    for feature in features {
      let place = feature.coordinate
      let own =
        feature.bounds
        ?? GeoBox(
          uncheckedWest: place.longitude, south: place.latitude, east: place.longitude,
          north: place.latitude)
      guard own.west <= own.east else { return [-180, -mapEnd, 180, mapEnd] }
      box = [
        min(box[0], own.west), min(box[1], max(own.south, -mapEnd)), max(box[2], own.east),
        max(box[3], min(own.north, mapEnd)),
      ]
    }
    return features.isEmpty ? [-180, -mapEnd, 180, mapEnd] : box
  }

  private let ordinary = [
    "cluster": "Boolean: a cluster, not a single object",
    "cluster_id": "String: 16 hex digits", "point_count": "Number: members",
    "point_count_abbreviated": "Number or String", "coincident": "Boolean",
    "id": "String: a single object's id", "tags": "String: JSON list of tags",
    "seats_free": "Number, of parties: seats still free, summed",
    "earliest_departure": "String, of parties: RFC 3339",
    "lowest_fare_per_person": "Number, of parties: minor units of the currency",
    "truncated": "Boolean: the tile has more features than it may hold",
  ]

  /// Names of attributes that single objects carry, by some of them.
  private func attributes(_ features: [MapFeature]) throws(APIError) -> [String: String] {
    var found = Dictionary(uniqueKeysWithValues: layer.columns.map { ($0, "Number") })
    for feature in features where found.count < Self.maximumNames {
      let objects: [ObjectSnapshot]
      if let object = feature.object {
        objects = [object]
      } else {
        do throws(LayerError) {
          objects = try layer.leaves(
            of: feature.id, limit: Self.sampledObjects, cursor: nil, now: now
          ).objects
        } catch {
          // It has fallen apart meanwhile.
          continue
        }
      }
      for object in objects {
        object.payload.withUnsafeBytes { payload in
          for (name, value) in ObjectPayload.scalars(in: payload)
          where found[name] != nil || found.count < Self.maximumNames {
            let kind = Self.kind(value)
            let known = found[name] ?? kind
            found[name] = known.hasPrefix(kind) ? known : "Boolean, Number or String"
          }
        }
      }
    }
    return found
  }

  private static func kind(_ value: AttributeValue) -> String {
    switch value {
    case .number: "Number"
    case .string: "String"
    case .bool: "Boolean"
    }
  }
}
