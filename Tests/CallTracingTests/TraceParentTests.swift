import Testing

@testable import CallTracing

/// `traceparent` to the letter (W3C Trace Context, level 1, section 3.2).
@Suite struct TraceParentTests {
  private static let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  @Test func aHeaderIsReadAndWrittenAsItStands() throws {
    let read = try #require(TraceParent(Self.good))
    #expect(read.trace == (0x4bf9_2f35_77b3_4da6, 0xa3ce_929d_0e0e_4736))
    #expect(read.span == 0x00f0_67aa_0ba9_02b7 && read.isSampled)
    #expect(read.text == Self.good)
    #expect(read.traceText == "4bf92f3577b34da6a3ce929d0e0e4736")
    #expect(read.spanText == "00f067aa0ba902b7")
  }

  @Test(arguments: [("00", false), ("01", true), ("02", false), ("03", true), ("ff", true)])
  func onlyTheLastFlagSaysWhetherItIsSampled(flags: String, isSampled: Bool) {
    #expect(TraceParent(String(Self.good.dropLast(2)) + flags)?.isSampled == isSampled)
  }

  @Test(
    "what later versions add behind a hyphen is left alone",
    arguments: [
      ("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true),
      ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-comes", true),
      ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.what", false),
      ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-", false),
    ])
  func versions(text: String, isValid: Bool) {
    #expect((TraceParent(text) != nil) == isValid, "\(text)")
  }

  @Test(arguments: [
    "", "00", String(repeating: "0", count: 55),
    "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00F067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
    "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "0--4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-+1",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01,",
    "00-4bf92f3577b34da6a3ce929d0e0e473\u{e9}-00f067aa0ba902b7-1",
  ])
  func whatIsNotValidIsNothing(text: String) { #expect(TraceParent(text) == nil, "\(text)") }

  @Test("one wrong byte at any place makes a header invalid, or another one that is written back")
  func everyPlace() throws {
    for place in 0..<55 {
      for byte: UInt8 in [0, 0x2D, 0x30, 0x41, 0x61, 0x67, 0x7F] {
        var bytes = Array(Self.good.utf8)
        bytes[place] = byte
        let text = String(decoding: bytes, as: UTF8.self)
        guard let read = TraceParent(text) else { continue }
        // Of another version, or with flags that are not known, only what 00 knows is passed on.
        #expect(read.text.dropFirst(2).dropLast(2) == text.dropFirst(2).dropLast(2), "\(text)")
      }
    }
  }
}

@Suite struct CallTagTests {
  private static let identifiers = CallIdentifiers(seed: 7)

  @Test(arguments: [
    ("a", true), (String(repeating: "x", count: 64), true), ("4f9/2-7~!", true), ("", false),
    (String(repeating: "x", count: 65), false), ("two words", false), ("caf\u{e9}", false),
    ("line\nbreak", false), ("tab\t", false), ("\u{7f}", false),
  ])
  func whatACallerMayCallItsRequest(text: String, isValid: Bool) throws {
    var headers = CallTagHeaders()
    headers.take(requestID: text)
    let tags = try #require(CallTags(headers, Self.identifiers))
    #expect((tags.requestID == text) == isValid)
    #expect(RequestID.isValid(tags.requestID))
  }

  @Test func aCallThatSaysNothingHasNoTags() {
    #expect(CallTags(CallTagHeaders(), Self.identifiers) == nil)
    // Alone it says nothing.
    var headers = CallTagHeaders()
    headers.take(traceState: "a=1")
    #expect(CallTags(headers, Self.identifiers) == nil)
  }

  @Test func ofTwoThatDifferNeitherCounts() throws {
    var headers = CallTagHeaders()
    headers.take(requestID: "a")
    headers.take(requestID: "b")
    headers.take(traceParent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    headers.take(traceParent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b8-01")
    headers.take(traceState: "a=1")
    let tags = try #require(CallTags(headers, Self.identifiers))
    #expect(!["a", "b", ""].contains(tags.requestID))
    #expect(tags.parent == nil && tags.traceState == nil)
  }

  @Test func traceStateGoesAlongWithAValidParentUpTo512Bytes() throws {
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
    for (states, expected) in [
      (["a=1", "b=2"], "a=1,b=2"), ([String(repeating: "x", count: 512)], nil), (["a=\n"], ""),
      ([String(repeating: "x", count: 513)], ""),
      ([String(repeating: "x", count: 500), String(repeating: "y", count: 12), "z=1"], ""),
      (
        [String(repeating: "x", count: 500), "y=123456789"],
        "\(String(repeating: "x", count: 500)),y=123456789"
      ),
    ] as [([String], String?)] {
      var headers = CallTagHeaders()
      headers.take(traceParent: parent)
      for state in states { headers.take(traceState: state) }
      let tags = try #require(CallTags(headers, Self.identifiers))
      #expect((tags.traceState ?? "") == (expected ?? states[0]))
    }
  }

  @Test("identifiers do not repeat, and need no memory of their own")
  func identifiersAreTheirOwn() {
    let identifiers = CallIdentifiers(seed: 1)
    let made = (0..<10_000).map { _ in identifiers.requestID() }
    #expect(Set(made).count == made.count)
    #expect(made.allSatisfy { $0.utf8.count == 13 && RequestID.isValid($0) })
    // Another seed, another sequence.
    #expect(CallIdentifiers(seed: 2).requestID() != made[0])
  }

  @Test func aLineNamesTheRequestAndItsTrace() throws {
    let plain = CallTags(requestID: "r")
    #expect(plain.logFields.map { "\($0.name)=\($0.value)" } == ["requestId=r"])
    let parent = try #require(
      TraceParent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
    let caused = CallTags(requestID: "r", parent: parent, decision: .unrecorded)
    #expect(
      caused.logFields.map(\.value) == [
        "r", "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7",
      ])
    let spans = SpanRecorder(identifiers: Self.identifiers)
    let span = try #require(spans.begin(under: parent))
    let recorded = CallTags(requestID: "r", parent: parent, decision: .recorded(span))
    #expect(recorded.logFields.map(\.value) == ["r", parent.traceText, span.spanText])
  }
}
