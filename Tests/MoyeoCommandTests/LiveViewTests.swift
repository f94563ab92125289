import MoyeoAPI
import SwiftProtobuf
import Testing

@testable import moyeo

/// `moyeo watch` on a terminal.
@Suite struct LiveViewTests {
  private static func event(
    _ kind: String, _ id: String = "", meters: Double = 0, snapshot: Bool = false
  ) -> Moyeo_V1_WatchPositionsEvent {
    .with {
      $0.kind = kind
      $0.id = id
      if kind == "enter" || kind == "move" {
        ($0.latitude, $0.longitude, $0.distanceMeters) = (37.5, 127, meters)
        $0.tags = ["swift"]
      }
      if snapshot { $0.snapshot = true }
    }
  }

  @Test func whoIsInStandsNearestFirstUnderWhatHasHappened() {
    var view = LiveView()
    view.take(Self.event("reset"))
    view.take(Self.event("enter", "far", meters: 900, snapshot: true))
    view.take(Self.event("enter", "near", meters: 10))
    view.take(Self.event("enter", "gone", meters: 5))
    view.take(Self.event("move", "far", meters: 400))
    view.take(Self.event("exit", "gone"))
    // Of a later daemon.
    view.take(Self.event("vanish", "near"))
    let lines = view.lines("users", rows: 24, columns: 80)
    #expect(lines[0] == "users: 2 in, 2 entered, 1 left, 1 moves")
    #expect(lines[3].hasPrefix("near") && lines[4].hasPrefix("far") && lines.count == 5)
    #expect(lines[4].contains("400 m"))
    view.take(Self.event("reset"))
    #expect(view.lines("users", rows: 24, columns: 80).last == "nobody")
  }

  @Test func noMoreIsDrawnThanFits() {
    var view = LiveView()
    for i in 0..<100 { view.take(Self.event("enter", "o\(i)", meters: Double(i))) }
    let lines = view.lines("users", rows: 10, columns: 40)
    #expect(lines.count == 10 && lines.last == "and 94 more")
    let frame = TerminalScreen.frame(lines, (rows: 4, columns: 12))
    let drawn = frame.split(separator: "\r\n")
    #expect(drawn.count == 4 && frame.hasPrefix("\u{1B}[H") && frame.hasSuffix("\u{1B}[J"))
    #expect(drawn[1...].allSatisfy { $0.hasSuffix("\u{1B}[K") || $0.hasSuffix("\u{1B}[J") })
    // Between the escapes no line is wider than the terminal.
    let shown = drawn.map { line in
      line.split(separator: "\u{1B}[").map { part in part.drop { "HKJ".contains($0) } }
    }
    #expect(shown.allSatisfy { DisplayWidth.of($0.joined()) <= 12 })
    #expect(shown.contains { !$0.joined().isEmpty })
  }

  @Test func aLineAnEventElsewhere() {
    #expect(
      LiveView.line(Self.event("enter", "ann", meters: 12))
        == "enter ann 37.500000,127.000000 12.0 m #swift")
    #expect(LiveView.line(Self.event("exit", "a\u{1B}[31m")).contains("\u{1B}") == false)
    #expect(LiveView.line(Self.event("reset")) == "reset")
  }
}
