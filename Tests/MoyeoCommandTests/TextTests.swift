import ObjectModel
import ArgumentParser
import MoyeoAPI
import MoyeoClient
import SwiftProtobuf
import Testing

@testable import moyeo

@Suite("tables")
struct TextTableTests {
  @Test(
    "widths in a terminal",
    arguments: [
      ("abc", 3), ("강남역", 6), ("강남".decomposed, 4), ("é".decomposed, 1), ("🇰🇷", 2), ("👨‍👩‍👧", 2),
      ("ｱ", 1), ("Ａ", 2), ("日本", 4), ("", 0), ("❤️", 2), ("—", 1),
    ])
  func widths(text: String, width: Int) { #expect(DisplayWidth.of(text) == width) }

  @Test("columns are aligned where Hangul stands in them")
  func alignment() {
    var table = TextTable([("name", .left), ("n", .right), ("", .left)])
    table.append(["강남역", "7", ""])
    table.append(["ab\u{1B}[1m", "1,200", "x"])
    #expect(table.lines == ["name        n", "강남역      7", "ab\u{FFFD}[1m  1,200  x"])
  }
}

extension String {
  /// NFD of the few characters used here.
  fileprivate var decomposed: String {
    var out = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if (0xAC00...0xD7A3).contains(scalar.value) {
        let index = scalar.value - 0xAC00
        for value in [0x1100 + index / 588, 0x1161 + index % 588 / 28, 0x11A7 + index % 28]
        where value != 0x11A7 {
          out.append(Unicode.Scalar(value) ?? scalar)
        }
      } else if scalar == "é" {
        out.append(contentsOf: ["e", "\u{301}"])
      } else {
        out.append(scalar)
      }
    }
    return String(out)
  }
}

@Suite("times")
struct TimeTextTests {
  @Test(
    "are understood",
    arguments: [
      ("1970-01-01T00:00:00Z", 0, 0), ("2026-11-20T23:10+09:00", 1_795_183_800, 0),
      ("2026-11-20 14:10:00.25Z", 1_795_183_800, 250_000_000),
      ("2026-11-20T23:10:00+0900", 1_795_183_800, 0), ("2026-11-20T23:10:00+09", 1_795_183_800, 0),
      ("1969-12-31T23:59:59Z", -1, 0), ("2024-02-29T00:00:00-00:30", 1_709_166_600, 0),
      ("1795183800", 1_795_183_800, 0), ("1795183800123", 1_795_183_800, 123_000_000),
    ])
  func valid(text: String, seconds: Int64, nanos: Int32) throws {
    let stamp = try #require(TimeText.parse(text))
    #expect(stamp.seconds == seconds && stamp.nanos == nanos)
  }

  @Test(
    "are not guessed",
    arguments: [
      "2026-11-20T23:10", "2026-13-01T00:00Z", "2025-02-29T00:00Z", "2026-11-20T24:00Z", "now", "",
      "2026-11-20T23:10+09:0", "2026-11-20T23:10:00.Z", "20261120", "2026-11-20T23:10Zx",
    ])
  func invalid(text: String) { #expect(TimeText.parse(text) == nil) }

  @Test("print as they were given, at their offset")
  func format() throws {
    #expect(
      TimeText.parse("2015-01-15 19:05:39", offsetSeconds: -18_000)?.seconds == 1_421_366_739)
    let stamp = try #require(TimeText.parse("2024-02-29T23:59:00+09:00"))
    #expect(TimeText.format(stamp, offsetSeconds: 32_400) == "2024-02-29 23:59")
    #expect(
      TimeText.format(try #require(TimeText.parse("1969-12-31T23:59Z"))) == "1969-12-31 23:59")
  }

  @Test("agree with protobuf's reader", arguments: 1...200)
  func oracle(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var stamp = Google_Protobuf_Timestamp()
    stamp.seconds = Int64.random(in: -62_135_596_800...253_402_300_799, using: &random)
    stamp.nanos = Int32.random(in: 0...999, using: &random) * 1_000_000
    let text = try stamp.jsonString().filter { $0 != "\"" }
    #expect(TimeText.parse(text) == stamp, "\(text)")
  }
}

@Suite("values")
struct ValueTextTests {
  @Test("conditions")
  func conditions() throws {
    let level = try #require(ConditionText(argument: "level=5")).condition
    #expect(level.attribute == "level" && level.equals.numberValue == 5 && !level.hasMin)
    let code = try #require(ConditionText(argument: "code=\"05\"")).condition
    #expect(code.equals == Google_Protobuf_Value(stringValue: "05"))
    let flag = try #require(ConditionText(argument: "open=true")).condition
    #expect(flag.equals == Google_Protobuf_Value(boolValue: true))
    let text = try #require(ConditionText(argument: "name=a=b")).condition
    #expect(text.equals.stringValue == "a=b")
    let range = try #require(ConditionText(argument: "n:-1.5..3")).condition
    #expect(range.min == -1.5 && range.max == 3 && !range.hasEquals)
    let half = try #require(ConditionText(argument: "n:2..")).condition
    #expect(half.min == 2 && !half.hasMax)
    let atMost = try #require(ConditionText(argument: "n<=7")).condition
    #expect(atMost.max == 7 && !atMost.hasMin)
    for bad in ["n", "=5", "n:", "n:..", "n:a..b", "n>5", "n>=x", ""] {
      #expect(ConditionText(argument: bad) == nil, "\(bad)")
    }
  }

  @Test("coordinates and boxes")
  func coordinates() {
    #expect(CoordinateText(argument: "-33.8, 151.2")?.latitude == -33.8)
    for bad in ["1", "1,2,3", "a,b", "1,", "nan,1", ""] {
      #expect(CoordinateText(argument: bad) == nil, "\(bad)")
    }
    #expect(BoxText(argument: "170,-10,-170,10")?.east == -170)
    #expect(BoxText(argument: "1,2,3") == nil)
  }

  @Test("numbers and amounts")
  func numbers() {
    #expect(NumberText.grouped(0) == "0" && NumberText.grouped(-1_234_567) == "-1,234,567")
    #expect(NumberText.grouped(999) == "999" && NumberText.grouped(1000) == "1,000")
    #expect(NumberText.fixed(-0.004, 2) == "0.00" && NumberText.fixed(-1.25, 1) == "-1.3")
    #expect(NumberText.fixed(0.05, 1) == "0.1" && NumberText.fixed(12, 0) == "12")
    #expect(NumberText.distance(999.6) == "1000 m" && NumberText.distance(1240) == "1.24 km")
    #expect(NumberText.duration(185) == "3 min 05 s" && NumberText.duration(0.42) == "0.4 s")
    #expect(MoneyText.format(12500, digits: 0) == "12,500")
    #expect(MoneyText.format(-5, digits: 2) == "-0.05")
    #expect(MoneyText.format(170_500, digits: 2) == "1,705.00")
    for bad in ["nan", "inf", "0x10", "1,5", "", "1e999", "--1"] {
      #expect(NumberText.parse(bad) == nil, "\(bad)")
    }
  }

  @Test("a fare is itemised with the currency's own digits")
  func fare() {
    var fare = Moyeo_V1_Fare()
    fare.currency = "USD"
    fare.expected = 1705
    fare.low = 1500
    fare.high = 2000
    fare.tariffID = "nyc"
    fare.minorUnitDigits = 2
    var line = Moyeo_V1_FareLine()
    line.kind = "base"
    line.amount = 250
    line.rule = "flag fall"
    fare.lines = [line]
    var share = Moyeo_V1_FareShare()
    share.riderID = "a"
    share.amount = 853
    fare.shares = [share]
    let text = FareListing.lines(fare).joined(separator: "\n")
    #expect(text.contains("base") && text.contains(" 2.50") && text.contains("17.05"))
    #expect(text.contains("low 15.00, high 20.00 USD") && text.contains("8.53"))
  }
}

@Suite("polygon files")
struct PolygonFileTests {
  static let ring = "[[0,0],[0,1],[1,1],[0,0]]"

  @Test(
    "one ring in any usual wrapping",
    arguments: [
      #"{"type":"Polygon","coordinates":[\#(ring)]}"#,
      #"{"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":[\#(ring)]}}"#,
      #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"MultiPolygon","coordinates":[[\#(ring)]]}}]}"#,
      #"{"points":[{"latitude":0,"longitude":0},{"latitude":1,"longitude":0},{"latitude":1,"longitude":1}]}"#,
    ])
  func valid(text: String) throws {
    let polygon = try PolygonFile.parse(Array(text.utf8))
    #expect(polygon.points.map(\.latitude) == [0, 1, 1])
    #expect(polygon.points.map(\.longitude) == [0, 0, 1])
  }

  @Test(
    "what is not one ring is refused",
    arguments: [
      #"{"type":"Polygon","coordinates":[\#(ring),\#(ring)]}"#,
      #"{"type":"MultiPolygon","coordinates":[[\#(ring)],[\#(ring)]]}"#,
      #"{"type":"Point","coordinates":[1,2]}"#, #"{"type":"Polygon","coordinates":[[[0,0]]]}"#,
      #"{"type":"Polygon"}"#, "[]", "",
      #"{"type":"Polygon","coordinates":[[["a",0],[1,1],[2,2]]]}"#,
    ])
  func invalid(text: String) {
    #expect(throws: PolygonFile.PolygonError.self) { try PolygonFile.parse(Array(text.utf8)) }
  }
}

@Suite("exits and endpoints")
struct CommandTests {
  @Test(
    "wrong usage is 2",
    arguments: [
      ["bogus"], ["nearby", "--layer", "x"], ["nearby", "--layer", "x", "--at", "1"],
      ["import", "f.xyz", "--layer", "x"],
      ["import", "f.csv", "--layer", "x", "--batch-size", "0"],
      ["within", "--layer", "x"], ["fare", "--from", "1,2"], ["simulate", "--users", "-1"],
    ])
  func usage(arguments: [String]) {
    do {
      _ = try MoyeoCommand.parseAsRoot(arguments)
      Issue.record("\(arguments) parsed")
    } catch {
      #expect(CommandExit.outcome(of: error).code == 2, "\(arguments)")
    }
  }

  @Test("negative coordinates are values, not options")
  func negative() throws {
    let command = try MoyeoCommand.parseAsRoot(
      ["nearby", "--layer", "x", "--at", "-33.8,-70.1", "--where", "n:-2..-1"])
    let request = try #require(command as? NearbyCommand).request()
    #expect(request.latitude == -33.8 && request.longitude == -70.1)
    #expect(request.where.first?.min == -2)
  }

  @Test("failures")
  func failures() {
    #expect(
      CommandExit.outcome(of: MoyeoError.unreachable(endpoint: "e", cause: "c")).code == 3)
    #expect(
      CommandExit.outcome(
        of: MoyeoError.refused(Refusal(code: "NOT_FOUND", reason: "unknown_layer", message: "m")))
        == (1, "moyeo: m (unknown_layer)"))
    #expect(CommandExit.outcome(of: CommandFailure.usage("u")).code == 2)
  }

  @Test("flags come before the environment, gRPC before HTTP")
  func endpoints() throws {
    func endpoint(_ arguments: [String], _ environment: [String: String]) throws -> Endpoint {
      try ConnectionOptions.parse(arguments).endpoint(environment: environment)
    }
    let environment = ["MOYEO_URL": "http://a", "MOYEO_GRPC": "b:1"]
    #expect(try endpoint([], [:]) == .http("http://127.0.0.1:8080"))
    #expect(try endpoint([], environment) == .grpc(host: "b", port: 1))
    #expect(try endpoint(["--url", "http://c"], environment) == .http("http://c"))
    #expect(try endpoint(["--grpc", "[::1]:9"], environment) == .grpc(host: "::1", port: 9))
    #expect(throws: CommandFailure.self) { try endpoint(["--grpc", "nope"], [:]) }
    #expect(try endpoint(["--grpc", "grpc://b:1"], [:]) == .grpc(host: "b", port: 1))
    let secure = try endpoint(["--grpc", "grpcs://[::1]:9", "--ca", "x"], [:])
    #expect(secure == .grpcs(host: "::1", port: 9) && "\(secure)" == "grpcs://[::1]:9")
    #expect(try endpoint(["--url", "https://c", "--ca", "x"], [:]) == .http("https://c"))
  }

  @Test("files for TLS need an address with TLS")
  func filesForTLS() throws {
    func options(_ arguments: String...) throws -> ConnectionOptions {
      try ConnectionOptions.parse(arguments)
    }
    for address in [["--grpc", "b:1"], ["--url", "http://c"]] {
      let options = try ConnectionOptions.parse(address + ["--ca", "x"])
      #expect(throws: CommandFailure.self) { try options.endpoint(environment: [:]) }
    }
    let environment = ["MOYEO_CA": "a", "MOYEO_CLIENT_CERTIFICATE": "b", "MOYEO_CLIENT_KEY": "c"]
    #expect(
      try options().tls(environment: environment)
        == MoyeoClient.TLS(authorityFile: "a", certificateFile: "b", keyFile: "c"))
    #expect(try options("--ca", "z").tls(environment: environment).authorityFile == "z")
    #expect(try options().tls(environment: [:]) == MoyeoClient.TLS())
    // What the environment says for other daemons does not hinder this one.
    #expect(
      try options("--url", "http://c").endpoint(environment: environment) == .http("http://c"))
  }
}
