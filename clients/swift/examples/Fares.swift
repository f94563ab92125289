import Foundation
import MoyeoAPI
import MoyeoClient
import SwiftProtobuf

/// What a taxi costs, and how to share it.
@Sendable func fares(_ moyeo: MoyeoClient) async throws {
  let night = try Google_Protobuf_Timestamp(jsonString: "\"2026-11-20T23:10:00+09:00\"")
  let trip = Moyeo_V1_EstimateFareRequest.with {
    $0.origin = seoulStation
    $0.destination = gangnam
    ($0.departureTime, $0.riderCount) = (night, 3)
  }
  let fare = try await moyeo.estimateFare(trip).fare
  print("\(fare.expected) \(fare.currency) by \(fare.tariffID): \(fare.low) to \(fare.high)")
  print("the lines add up: \(fare.lines.map(\.amount).reduce(0, +) == fare.expected)")

  let split = Moyeo_V1_SplitFareRequest.with {
    ($0.amount, $0.currency, $0.rule) = (10_000, "KRW", "bySoloFare")
    $0.riders = [
      .with { ($0.riderID, $0.soloFare) = ("a", 7000) },
      .with { ($0.riderID, $0.soloFare) = ("b", 5000) },
    ]
  }
  for share in try await moyeo.splitFare(split).shares {
    print("\(share.riderID) pays \(share.amount)")
  }
}

let seoulStation = Moyeo_V1_Place.with {
  ($0.name, $0.latitude, $0.longitude) = ("Seoul Station", 37.5547, 126.9707)
}
let gangnam = Moyeo_V1_Place.with {
  ($0.name, $0.latitude, $0.longitude) = ("Gangnam", 37.4979, 127.0276)
}

// It prints:
//   18500 KRW by kr-seoul-medium: 14000 to 25600
//   the lines add up: true
//   a pays 5833
//   b pays 4167
