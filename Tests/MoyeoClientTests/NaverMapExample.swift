import MoyeoAPI
import MoyeoClient

/// The clusters of what a map shows: all of this example that knows Moyeo, compiled and run here.
func clusters(
  of layer: String, from moyeo: MoyeoClient, south: Double, west: Double, north: Double,
  east: Double, zoom: Double
) async throws -> [Moyeo_V1_Cluster] {
  var request = Moyeo_V1_GetClustersRequest()
  (request.layer, request.zoom) = (layer, zoom)
  (request.south, request.west, request.north, request.east) = (south, west, north, east)
  return try await moyeo.getClusters(request).clusters
}

#if canImport(NMapsMap)  // Naver's SDK is for iOS: no test compiles what follows.
  import NMapsMap
  @MainActor final class ClusterMarkers: NSObject, @preconcurrency NMFMapViewCameraDelegate {
    var moyeo: MoyeoClient?
    private var markers: [NMFMarker] = []
    private var asking: Task<Void, any Error>?

    func mapViewCameraIdle(_ map: NMFMapView) {
      asking?.cancel()  // What the map showed before is of no interest any more.
      guard let moyeo else { return }
      asking = Task {
        let view = map.contentBounds
        let found = try await clusters(
          of: "users", from: moyeo, south: view.southWestLat, west: view.southWestLng,
          north: view.northEastLat, east: view.northEastLng, zoom: map.zoomLevel)
        try Task.checkCancellation()
        for marker in markers { marker.mapView = nil }
        markers = found.map { NMFMarker(position: NMGLatLng(lat: $0.latitude, lng: $0.longitude)) }
        for (marker, cluster) in zip(markers, found) {
          (marker.captionText, marker.mapView) = ("\(cluster.pointCount)", map)
        }
      }
    }
  }
#endif
