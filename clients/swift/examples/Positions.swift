import MoyeoAPI
import MoyeoClient
import SwiftProtobuf

/// Positions: reported, looked up, watched.
@Sendable func positions(_ moyeo: MoyeoClient) async throws {
  let report = Moyeo_V1_ReportRequest.with {
    $0.layer = "example"
    $0.positions = [
      .with {
        ($0.id, $0.latitude, $0.longitude) = ("kim", 37.5665, 126.9780)
        ($0.tags, $0.attributes, $0.ttlSeconds) = (["swift"], ["level": 7], 600)
      },
      .with { ($0.id, $0.latitude, $0.longitude) = ("lee", 0, 0) },
    ]
  }
  let answer = try await moyeo.report(report)
  print("\(answer.accepted) accepted")
  for rejection in answer.rejections { print("\(rejection.id) was refused: \(rejection.reason)") }

  let kim = try await moyeo.get(layer: "example", id: "kim").position
  print("kim is at \(kim.latitude), \(kim.longitude)")

  let around = Moyeo_V1_WatchPositionsRequest.with {
    ($0.layer, $0.latitude, $0.longitude, $0.radiusMeters) = ("example", 37.5665, 126.9780, 500)
  }
  do {
    // Those present come first.
    try await moyeo.watchPositions(around) { event in
      guard event.kind == "enter" else { return }
      print("\(event.id) is \(Int(event.distanceMeters)) m away")
      throw Enough()
    }
  } catch is Enough {}

  print("removed: \(try await moyeo.remove(layer: "example", id: "kim").removed)")
}

// It prints:
//   1 accepted
//   lee was refused: null_island
//   kim is at 37.5665, 126.978
//   kim is 0 m away
//   removed: true
