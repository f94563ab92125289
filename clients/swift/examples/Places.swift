import MoyeoAPI
import MoyeoClient
import SwiftProtobuf

/// Places by name, and names by place.
@Sendable func places(_ moyeo: MoyeoClient) async throws {
  // Objects of the layer `places` that have a name are places.
  let report = Moyeo_V1_ReportRequest.with {
    $0.layer = "places"
    $0.positions = [
      .with {
        ($0.id, $0.latitude, $0.longitude) = ("busan:seomyeon", 35.1577, 129.0591)
        $0.ttlSeconds = 600
        $0.attributes = ["name": "서면역", "name_en": "Seomyeon", "category": "station"]
      }
    ]
  }
  _ = try await moyeo.report(report)
  var question = Moyeo_V1_SearchPlacesRequest.with {
    ($0.latitude, $0.longitude, $0.radiusMeters, $0.limit) = (35.1577, 129.0591, 3000, 1)
  }
  // Initial consonants, half a syllable, a typing error.
  for text in ["ㅅㅁㅇ", "서며", "seomyon"] {
    question.q = text
    var found = try await moyeo.searchPlaces(question).places
    // The index of names follows the layer within moments.
    while found.isEmpty {
      try await Task.sleep(for: .milliseconds(50))
      found = try await moyeo.searchPlaces(question).places
    }
    print("\(text): \(found[0].name)")
  }
  let here = Moyeo_V1_ReversePlacesRequest.with {
    ($0.latitude, $0.longitude, $0.limit) = (35.1577, 129.0591, 1)
  }
  for place in try await moyeo.reversePlaces(here).places {
    print("\(place.name), \(place.category)")
  }
}

// It prints:
//   ㅅㅁㅇ: 서면역
//   서며: 서면역
//   seomyon: 서면역
//   서면역, station
