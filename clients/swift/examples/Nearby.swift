import MoyeoAPI
import MoyeoClient
import SwiftProtobuf

/// Who is near, page by page.
@Sendable func nearby(_ moyeo: MoyeoClient) async throws {
  let report = Moyeo_V1_ReportRequest.with {
    $0.layer = "students"
    $0.positions = (0..<6).map { i in
      .with {
        ($0.id, $0.latitude, $0.longitude) = ("student-\(i)", 37.5663 + Double(i) / 1000, 126.9779)
        ($0.tags, $0.ttlSeconds) = ([i.isMultiple(of: 2) ? "swift" : "python"], 600)
        $0.attributes = ["level": .init(integerLiteral: Int64(i))]
      }
    }
  }
  _ = try await moyeo.report(report)

  var question = Moyeo_V1_NearbyRequest.with {
    ($0.layer, $0.latitude, $0.longitude) = ("students", 37.5663, 126.9779)
    ($0.tags, $0.limit) = (["swift"], 2)
    $0.where = [.with { ($0.attribute, $0.max) = ("level", 4) }]
  }
  while true {
    let page = try await moyeo.nearby(question)
    for hit in page.hits { print("\(hit.id): \(Int(hit.distanceMeters.rounded())) m") }
    guard page.hasNextCursor else { break }
    question.cursor = page.nextCursor
  }

  do {
    question.latitude = 91
    _ = try await moyeo.nearby(question)
  } catch {
    guard case .refused(let refusal) = error else { throw error }
    print(refusal.fields.map { "\($0.field): \($0.reason)" }.joined(separator: ", "))
  }
}

// It prints:
//   student-0: 0 m
//   student-2: 222 m
//   student-4: 444 m
//   latitude: latitude_out_of_range
