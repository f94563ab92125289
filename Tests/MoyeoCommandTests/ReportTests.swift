import Foundation
import Testing

@testable import moyeo

/// `moyeo report`: what other commands print as a page.
@Suite struct ReportPageTests {
  private static let load = """
    {"mode":"nearby","endpoint":"http://127.0.0.1:8080","loop":"closed","callers":8,"seconds":2.0,"requests":100,"requestsPerSecond":5000.5,"latencyMicroseconds":{"read":{"count":100,"mean":150.0,"p50":120.0,"p90":200.0,"p99":900.0,"p99.9":1500.0,"max":2000.0}},"failures":{"overloaded":3},"unsent":0,"void":["3 requests failed"]}
    """
  private static let replay = """
    {"requests": 200, "dropped": 1, "dates": 1, "currency": "USD", "modes": [
      {"mode": "online", "matchedShare": 0.5, "taxis": 120, "saving": 10.5, "savingShare": 0.1, "waitMeanSeconds": 60, "waitP90Seconds": 100, "walkMeanMeters": 80, "detourMean": 0.2, "detourP90": 0.4, "microsecondsPerRequest": 7, "ridersByGroupSize": [100, 60, 30, 10]},
      {"mode": "batch", "matchedShare": 0.6, "taxis": 100, "saving": 12.5, "savingShare": 0.2, "waitMeanSeconds": 50, "waitP90Seconds": 90, "walkMeanMeters": 70, "detourMean": 0.1, "detourP90": 0.3, "microsecondsPerRequest": 9, "ridersByGroupSize": [80, 70, 40, 10]}]}
    """
  private static let fares = """
    {"tariff": "us-nyc-yellow", "currency": "USD", "rows": 10, "used": 9, "exact": 0.5, "withinOneStep": 0.75, "withinTenPercent": 1, "meanAbsoluteError": 0.25, "medianAbsoluteError": 0, "withinRange": 1, "medianRangeWidth": 2,
     "byRateCode": {"1": {"rows": 10, "used": 9, "exact": 0.5}}, "dropped": {}}
    """

  private static func page(_ texts: String...) throws -> String {
    let runs = try texts.flatMap { text in
      try MeasuredRun.read(Data(text.utf8), name: "<run>").map { (name: "<run>", run: $0) }
    }
    return ReportPage(title: "A & B", runs: runs).html
  }

  @Test func eachKindOfRunHasItsTableAndPlots() throws {
    let page = try Self.page(Self.load + "\n" + Self.load, Self.replay, Self.fares)
    for words in [
      "<title>A &amp; B</title>", "1 nearby read", "2 nearby read", "8 callers",
      "3 requests failed",
      "Replay: &lt;run&gt;", "200 requests", "online", "batch", "Tariff us-nyc-yellow",
      "rate code 1",
    ] {
      #expect(page.contains(words), "\(words)")
    }
    #expect(page.components(separatedBy: "<svg").count == 6)
    // 1,500 us.
    #expect(page.contains("<td>1.50</td>"))
  }

  @Test func nothingComesFromElsewhere() throws {
    let page = try Self.page(Self.load, Self.replay, Self.fares)
    for word in ["src=", "href=", "<script", "@import", "url("] { #expect(!page.contains(word)) }
    // Namespaces are names, not addresses that are asked.
    let addresses = page.components(separatedBy: "http").dropFirst()
    #expect(addresses.allSatisfy { $0.hasPrefix("://www.w3.org/2000/svg") })
  }

  @Test(arguments: ["", "{}", "[]x", "{\"modes\":1}", "{\"tariff\":\"x\"}", "id,lat\n1,2\n"])
  func whatIsNoRunIsRefused(text: String) {
    #expect(throws: CommandFailure.self) {
      try MeasuredRun.read(Data(text.utf8), name: "file")
    }
  }
}
