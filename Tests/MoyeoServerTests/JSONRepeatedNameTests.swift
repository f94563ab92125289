import Testing

@testable import MoyeoServer

@Suite struct JSONRepeatedNameTests {
  private func first(_ json: String) -> String? {
    var copy = json
    return copy.withUTF8 { JSONRepeatedName.first(in: UnsafeRawBufferPointer($0)) }
  }

  @Test(arguments: [
    (#"{"a": 1, "a": 2}"#, "a"), (#"{"a": {"b": [1, {"c": 1, "d": 2, "c": 3}]}}"#, "c"),
    (#"{"a": [], "b": {}, "a": null}"#, "a"), (#"[{"a": 1}, {"x": "y", "x": "y"}]"#, "x"),
    (#"{"": 1, "": 2}"#, ""), (#"{"a\"": 1, "a\"": 2}"#, #"a\""#),
    (#"{"a": {"a": {"a": 1}}, "a": 2}"#, "a"), (#"{"역": 1, "역": 2}"#, "역"),
  ])
  func namesThatStandTwiceAreFound(_ json: String, _ name: String) {
    #expect(first(json) == name)
  }

  @Test(arguments: [
    "", "{", "{}", "[]", #"{"a": 1, "b": 2}"#, #"{"a": "a", "b": "a", "c": ["a", "a"]}"#,
    #"[{"a": 1}, {"a": 1}]"#, #"{"a": {"a": {"a": 1}}, "b": {"a": 1}}"#,
    #"{"a": "\"a", "b": "a\":"}"#,
    #"{"a": ["x", "x", {"x": "x"}], "x": 1}"#, #"{"a": 1, "A": 2, "a ": 3}"#, #""a", "a""#,
    #"}}]]{"a": 1"#, #"{"a": "#, #"{"a\"#,
  ])
  func othersAreNot(_ json: String) { #expect(first(json) == nil) }

  /// Objects with more names than are compared one by one.
  @Test(arguments: [2, 15, 16, 17, 18, 500]) func objectsMayHaveMany(_ count: Int) {
    let names = (0..<count).map { "\"n\($0)\": {\"n0\": \($0)}" }
    #expect(first("{\(names.joined(separator: ", "))}") == nil)
    for i in [0, count / 2, count - 1] {
      #expect(first("{\(names.joined(separator: ", ")), \"n\(i)\": 1}") == "n\(i)")
    }
  }
}
