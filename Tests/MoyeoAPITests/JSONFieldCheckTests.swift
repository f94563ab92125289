import Testing

@testable import MoyeoAPI

@Suite struct JSONFieldCheckTests {
  private static func paths(
    _ json: String, maximum: Int = 100, of schema: MessageSchema = .of(Moyeo_V1_ReportRequest.self)
  ) -> [String] {
    Array(json.utf8).withUnsafeBytes {
      JSONFieldCheck.violations(in: $0, of: schema, maximum: maximum).map(\.path)
    }
  }

  @Test func everyMistakeIsFoundWithItsPath() {
    #expect(
      Self.paths(
        #"{"layer":7,"positions":[{"id":"a","latitude":"abc","longitude":1},{"latitude":"1.5","#
          + #""tags":"swift","ttlSeconds":true,"lng":[{"x":"\"]}"}]},3,{"tags":["a",1,null]},"#
          + #"{"observedAt":"yesterday","attributes":[]},{"observed_at":"2026-11-20T23:10:00Z"}]}"#)
        == [
          "layer", "positions[0].latitude", "positions[1].tags", "positions[1].ttlSeconds",
          "positions[1].lng", "positions[2]", "positions[3].tags[1]", "positions[3].tags[2]",
          "positions[4].observedAt", "positions[4].attributes",
        ])
  }

  @Test(arguments: [
    ("1", true), ("1.0", true), ("1e2", true), (#""7""#, true), ("null", true), ("1.5", false),
    ("99999999999", false), (#""x""#, false), ("true", false), ("[]", false), ("{}", false),
    ("1e999", false),
  ])
  func wholeNumbers(text: String, isValid: Bool) {
    let found = Self.paths(#"{"limit":\#(text)}"#, of: .of(Moyeo_V1_NearbyRequest.self))
    #expect(found == (isValid ? [] : ["limit"]))
  }

  /// The check is asked about whatever a caller sent.
  @Test func brokenTextsEndTheCheck() {
    for text in [
      "", "{", "[]", "nope", #"{"layer"#, #"{"layer":"a\"#, #"{"positions":[{"#, "{]",
      String(repeating: "[", count: 100_000), #"{"x":"# + String(repeating: "[", count: 100_000),
      #"{"layer":1"#,
    ] {
      #expect(Self.paths(text).count <= 1, "\(text.prefix(20))")
    }
    #expect(Self.paths(#"{"layer":1,"#) == ["layer"])
  }

  @Test func mistakesAreCountedUpToABound() {
    let many = Array(repeating: "1", count: 5000).joined(separator: ",")
    #expect(Self.paths(#"{"positions":[\#(many)]}"#).count == 100)
    #expect(
      Self.paths(#"{"positions":[\#(many)]}"#, maximum: 3) == (0..<3).map { "positions[\($0)]" })
  }
}
