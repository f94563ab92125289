import GeoMath
import MoyeoAPI
import LiveLayers
import ObjectModel
import PointClustering
import SwiftProtobuf
import WireFormat

/// The `Cluster` message of a map feature.
func message(of feature: MapFeature) -> Moyeo_V1_Cluster {
  var cluster = Moyeo_V1_Cluster()
  cluster.latitude = feature.coordinate.latitude
  cluster.longitude = feature.coordinate.longitude
  cluster.pointCount = Int32(clamping: feature.count)
  cluster.aggregates = aggregates(feature.aggregates)
  if let object = feature.object {
    cluster.id = object.id
    object.payload.withUnsafeBytes { payload in
      cluster.tags = ObjectPayload.tags(in: payload)
      let bytes = Array(ObjectPayload.attributes(in: payload))
      cluster.attributes = (try? Google_Protobuf_Struct(serializedBytes: bytes)) ?? .init()
    }
    return cluster
  }
  cluster.id = feature.id.hexadecimal
  if let zoom = feature.expansionZoom { cluster.expansionZoom = Int32(zoom) }
  if let bounds = feature.bounds {
    var box = Moyeo_V1_Box()
    box.west = bounds.west
    box.south = bounds.south
    box.east = bounds.east
    box.north = bounds.north
    cluster.bounds = box
  }
  if feature.isCoincident { cluster.coincident = true }
  cluster.sampleIds = feature.sampleIDs
  return cluster
}

/// Aggregates under their JSON names; tiles name them `seats_free` and so on.
func aggregates(_ aggregates: ClusterAggregates) -> Google_Protobuf_Struct {
  var out = Google_Protobuf_Struct()
  guard aggregates != .none else { return out }
  out.fields["seatsFree"] = .init(numberValue: Double(aggregates.seatsFree))
  if aggregates.earliestDeparture != .max {
    out.fields["earliestDeparture"] = .init(
      stringValue: RFC3339.utc(Instant(milliseconds: aggregates.earliestDeparture)))
  }
  if aggregates.lowestFarePerPerson != .max {
    out.fields["lowestFarePerPerson"] = .init(
      numberValue: Double(aggregates.lowestFarePerPerson))
  }
  return out
}
