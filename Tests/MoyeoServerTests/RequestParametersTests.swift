import Foundation
import MoyeoAPI
import ObjectModel
import SwiftProtobuf
import Testing

@testable import MoyeoServer

@Suite struct RequestParametersTests {
  private func nearby(_ query: String?, path: [(String, String)] = [("layer", "users")]) throws
    -> Moyeo_V1_NearbyRequest
  {
    let json = try RequestParameters(MessageSchema.of(Moyeo_V1_NearbyRequest.self)).json(
      path: path.map { (name: $0.0, value: $0.1) }, query: query)
    return try Moyeo_V1_NearbyRequest(jsonUTF8Bytes: json)
  }

  @Test func everyKindOfFieldCanStandInAQuery() throws {
    let request = try nearby(
      "latitude=37.5&longitude=-1e2&limit=7&tags=a&tags=%EB%AA%A8%EC%97%AC&tags=c%2B%2B&tagMatch=any"
        + "&within=%7B%22points%22%3A%5B%7B%22latitude%22%3A1%2C%22longitude%22%3A2%7D%5D%7D"
        + "&where=%7B%22attribute%22%3A%22level%22%2C%22min%22%3A3%7D&where=%7B%22attribute%22%3A%22x%22%2C%22equals%22%3Atrue%7D"
        + "&radiusMeters=0&excludeIds=a+b&excludeIds=")
    #expect(request.layer == "users")
    #expect(request.latitude == 37.5 && request.longitude == -100)
    #expect(request.limit == 7)
    #expect(request.tags == ["a", "모여", "c++"])
    #expect(request.tagMatch == "any")
    #expect(request.within.points.first?.longitude == 2)
    #expect(request.where.count == 2)
    #expect(request.where[0].min == 3 && request.where[1].equals.boolValue)
    #expect(request.hasRadiusMeters && request.radiusMeters == 0)
    #expect(request.excludeIds == ["a b", ""])
  }

  /// Clients made from /openapi.json send a list of messages as one JSON text.
  @Test func listsOfMessagesComeAsOneText() throws {
    let request = try nearby(
      "where=%5B%7B%22attribute%22%3A%22a%22%2C%22min%22%3A1%7D%2C%7B%22attribute%22%3A%22b%22%7D%5D"
        + "&tags=x&tags=y")
    #expect(request.where.map(\.attribute) == ["a", "b"])
    #expect(request.tags == ["x", "y"])
    #expect(try nearby("where=%20%5B%5D").where.isEmpty)
  }

  @Test func noQueryIsNoField() throws {
    #expect(try nearby(nil) == .with { $0.layer = "users" })
    #expect(try nearby("") == .with { $0.layer = "users" })
    #expect(try nearby("&&") == .with { $0.layer = "users" })
  }

  @Test(arguments: [
    ("latitud=1", Reason.unknownField, "latitud"), ("x", .unknownField, "x"),
    ("%6cayer=x", .conflictingFields, "layer"), ("layer=users", .conflictingFields, "layer"),
    ("latitude=1&latitude=2", .malformedRequest, "latitude"),
    ("latitude=", .malformedRequest, "latitude"), ("latitude=abc", .malformedRequest, "latitude"),
    ("latitude=1,5", .malformedRequest, "latitude"),
    ("latitude=0x10", .malformedRequest, "latitude"),
    // Zero bytes and byte order marks would make Foundation read another encoding than UTF-8.
    ("where=%0030", .malformedRequest, "where"), ("where=3%000%00", .malformedRequest, "where"),
    ("where=%EF%BB%BF%7B%7D", .malformedRequest, "where"),
    ("where=%7B%7D%00", .malformedRequest, "where"),
    ("latitude=-0X1p3", .malformedRequest, "latitude"),
    ("latitude=+1", .malformedRequest, "latitude"),
    ("limit=1.5", .malformedRequest, "limit"), ("limit=9999999999", .malformedRequest, "limit"),
    ("limit", .malformedRequest, "limit"), ("within=x", .malformedRequest, "within"),
    ("within=%7B", .malformedRequest, "within"),
    ("within=%7B%7D%2C%22limit%22%3A5", .malformedRequest, "within"),
  ])
  func badParametersSayWhichOne(query: String, reason: Reason, field: String) {
    let error = #expect(throws: APIError.self) { try nearby(query) }
    #expect(error?.reason == reason)
    #expect(error?.fields.first?.field == field)
  }

  @Test(arguments: ["latitude=%zz", "%", "tags=%FF", "tags=%ED%A0%80"])
  func brokenEscapesAreRefused(query: String) {
    let error = #expect(throws: APIError.self) { try nearby(query) }
    #expect(error?.reason == .malformedRequest)
  }

  @Test(arguments: ["nan", "inf", "-inf", "infinity", "1e999"])
  func whatIsNotFiniteReachesValidation(word: String) throws {
    let request = try nearby("latitude=\(word)")
    #expect(!request.latitude.isFinite)
  }

  /// Whatever is written without JSON is what the JSON of the same parameters says.
  @Test("parameters written as bytes say what their JSON says", arguments: 0..<20)
  func bytesSayWhatJSONSays(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let parameters = RequestParameters(MessageSchema.of(Moyeo_V1_NearbyRequest.self))
    let names = [
      "latitude", "longitude", "limit", "tags", "tagMatch", "radiusMeters", "excludeIds", "cursor",
      "where", "within", "no",
    ]
    let values = [
      "1", "-1", "0", "37.5", "-1e2", "4294967296", "-0", "1.5", "true", "a%20b", "%EB%AA%A8", "",
      "0x1", "nan", "inf", "%zz", "%5B%5D", "2147483647", "2147483648", "+1", "%2B1", "1_0",
    ]
    var written = 0
    for _ in 0..<500 {
      let query = (0..<Int.random(in: 0..<5, using: &random)).map { _ in
        "\(names.randomElement(using: &random) ?? "")=\(values.randomElement(using: &random) ?? "")"
      }.joined(separator: "&")
      let path = [(name: "layer", value: "users")]
      guard let bytes = parameters.encoded(path: path, query: query) else { continue }
      written += 1
      let json = try parameters.json(path: path, query: query)
      #expect(
        try Moyeo_V1_NearbyRequest(serializedBytes: bytes)
          == Moyeo_V1_NearbyRequest(jsonUTF8Bytes: json), "\(query)")
    }
    #expect(written > 50)
  }
}
