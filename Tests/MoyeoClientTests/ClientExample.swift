import MoyeoAPI
import MoyeoClient
import SwiftProtobuf

// The same stands in docs/clients.md; it is compiled here.

func follow(_ moyeo: MoyeoClient, after sequence: Int64) async throws {
  var request = Moyeo_V1_WatchEventsRequest()
  request.after = sequence
  request.kinds = ["party.created"]
  try await moyeo.watchEvents(request) { event in
    print(event.sequence, event.kind, event.body.fields["hostId"]?.stringValue ?? "")
  }
}

func draw(
  _ viewport: ClusterViewport, south: Double, west: Double, north: Double, east: Double,
  zoom: Double, with draw: ([Moyeo_V1_Cluster]) -> Void
) async throws {
  let answer = try await viewport.show(
    south: south, west: west, north: north, east: east, zoom: zoom)
  // Absent when the map has moved on: a later call has its clusters.
  if let answer { draw(answer.clusters) }
}
