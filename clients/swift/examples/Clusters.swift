import MoyeoAPI
import MoyeoClient
import SwiftProtobuf

/// Clusters of a viewport, and tiles.
@Sendable func clusters(_ moyeo: MoyeoClient) async throws {
  let report = Moyeo_V1_ReportRequest.with {
    $0.layer = "bikes"
    $0.positions = (0..<50).map { i in
      .with {
        ($0.id, $0.latitude, $0.longitude) = ("bike-\(i)", 37.55 + Double(i) / 100_000, 127)
        $0.ttlSeconds = 600
      }
    }
  }
  let version = try await moyeo.report(report).version

  let view = Moyeo_V1_GetClustersRequest.with {
    ($0.layer, $0.west, $0.south, $0.east, $0.north) = ("bikes", 126.9, 37.5, 127.1, 37.6)
    ($0.zoom, $0.minVersion) = (10, version)
  }
  for cluster in try await moyeo.getClusters(view).clusters {
    print("\(cluster.pointCount) bikes, apart further in: \(cluster.expansionZoom > 10)")
    let leaves = Moyeo_V1_GetLeavesRequest.with {
      ($0.layer, $0.clusterID, $0.limit) = ("bikes", cluster.id, 3)
    }
    print("\(try await moyeo.getLeaves(leaves).hits.count) of them were asked for")
  }

  var address = Moyeo_V1_GetTileRequest.with {
    ($0.layer, $0.zoom, $0.x, $0.y) = ("bikes", 0, 0, 0)
  }
  let tile = try await moyeo.getTile(address)
  print("a tile of \(tile.contentType)")
  address.ifNoneMatch = tile.etag
  print("unchanged: \(try await moyeo.getTile(address).notModified)")
}

// It prints:
//   50 bikes, apart further in: true
//   3 of them were asked for
//   a tile of application/vnd.mapbox-vector-tile
//   unchanged: true
