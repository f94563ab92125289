import GeoMath
import ObjectModel
import RoutePlanning
import Testing

@testable import RouteProviders

@Suite struct DialectTests {
  func read(_ dialect: any RouteDialect, _ json: String, stops: [Coordinate] = []) throws -> Route {
    try dialect.route(
      from: RouteReply(status: 200, body: Array(json.utf8)),
      for: RecordedShapes.request(stops: stops))
  }

  func error(
    _ dialect: any RouteDialect, _ json: String, status: Int = 400
  ) -> RouteError? {
    do {
      _ = try dialect.route(
        from: RouteReply(status: status, body: Array(json.utf8)), for: RecordedShapes.request())
      return nil
    } catch {
      return error
    }
  }

  @Test func osrmAsks() throws {
    let exchange = try OSRMDialect(baseURL: "http://osrm:5000//").exchange(
      for: RecordedShapes.request(stops: [RecordedShapes.yongsan]))
    #expect(
      exchange.url == "http://osrm:5000/route/v1/driving/"
        + "126.970700,37.554700;126.964800,37.529900;127.027600,37.497900"
        + "?overview=full&geometries=geojson&steps=false&alternatives=false")
    #expect(exchange.method == .get && exchange.headers.isEmpty)
    let tiny = try Coordinate(latitude: 0.000001, longitude: -0.0000001)
    #expect(DialectParsing.longitudeLatitude(tiny) == "-0.000000,0.000001")
  }

  @Test func osrmAnswers() throws {
    let route = try read(OSRMDialect(baseURL: "x"), RecordedShapes.osrm)
    #expect(route.legs == [RouteLeg(distanceMeters: 10_234.5, durationSeconds: 1_321.4)])
    #expect(route.source == .osrm && route.path.count == 3)
    #expect(route.path[1] == Coordinate(uncheckedLatitude: 37.5312, longitude: 126.9811))
  }

  @Test func osrmAnswersEncoded() throws {
    let line = [(37.554712, 126.970718), (37.5312, 126.9811), (37.49801, 127.0275)]
    let json = RecordedShapes.osrm.replacing(
      "{\"coordinates\":[[126.970718,37.554712],[126.9811,37.5312],\n[127.0275,37.49801]],"
        + "\"type\":\"LineString\"}", with: "\"\(quoted(line))\"")
    #expect(!json.contains("LineString"))
    let route = try read(OSRMDialect(baseURL: "x"), json)
    let expected = try read(OSRMDialect(baseURL: "x"), RecordedShapes.osrm)
    #expect(route == expected)
  }

  @Test func osrmErrors() {
    let dialect = OSRMDialect(baseURL: "x")
    #expect(
      error(dialect, RecordedShapes.osrmNoRoute) == .noRoute("Impossible route between points"))
    #expect(error(dialect, RecordedShapes.osrmInvalid)?.reason == "refused")
    for bad in [
      "", "null", "[]", "{}", "{\"code\":\"Ok\"}", "{\"code\":\"Ok\",\"routes\":[]}",
      "{\"code\":3}",
      "<html>", String(repeating: "[", count: 100_000), "{\"code\":\"Ok\",\"routes\":[{}]}",
      RecordedShapes.osrm.replacing("10234.5", with: "NaN"),
      RecordedShapes.osrm.replacing("10234.5", with: "1e999"),
      RecordedShapes.osrm.replacing("10234.5", with: "\"10234.5\""),
      RecordedShapes.osrm.replacing("37.5312", with: "937.5312"),
      RecordedShapes.osrm.replacing("[126.9811,37.5312]", with: "[126.9811]"),
    ] {
      #expect(error(dialect, bad, status: 200)?.reason == "malformed", "\(bad.prefix(60))")
    }
    let inconsistent = RecordedShapes.osrm.replacing(
      "\"distance\":10234.5,\n\"duration\":1321.4,\"summary\"",
      with: "\"distance\":5234.5,\"duration\":1321.4,\"summary\"")
    #expect(error(dialect, inconsistent, status: 200)?.reason == "implausible")
  }

  @Test func valhallaAsks() throws {
    let exchange = try ValhallaDialect(baseURL: "http://valhalla:8002").exchange(
      for: RecordedShapes.request())
    #expect(exchange.url == "http://valhalla:8002/route")
    guard case .post(let body) = exchange.method else {
      Issue.record("not a POST")
      return
    }
    let text = String(decoding: body, as: UTF8.self)
    #expect(text.contains("\"costing\":\"auto\"") && text.contains("\"units\":\"kilometers\""))
    #expect(text.contains("\"lat\":37.5547") && text.contains("\"lon\":127.0276"))
  }

  @Test func valhallaAnswers() throws {
    let first = [(37.5547, 126.9707), (37.54, 126.98)]
    let second = [(37.54, 126.98), (37.4979, 127.0276)]
    let dialect = ValhallaDialect(baseURL: "x")
    let route = try read(
      dialect, RecordedShapes.valhalla(shapes: [quoted(first), quoted(second)]),
      stops: [RecordedShapes.yongsan])
    #expect(route.legs.count == 2 && route.source == .valhalla)
    #expect(route.distanceMeters == 10_200 && route.durationSeconds == 1_241)
    #expect(route.path.map(\.latitude) == [37.5547, 37.54, 37.4979])
    let miles = try read(
      dialect, RecordedShapes.valhalla(shapes: [quoted(first)], units: "miles"))
    #expect((miles.distanceMeters - 5.1 * 1609.344).magnitude < 1e-6)
    #expect(
      error(dialect, RecordedShapes.valhallaError) == .noRoute("No path could be found for input"))
    let status = "{\"trip\":{\"status\":442,\"status_message\":\"none\"}}"
    #expect(error(dialect, status) == .noRoute("none"))
    #expect(error(dialect, "{\"error_code\":100,\"error\":\"bad\"}")?.reason == "refused")
    #expect(error(dialect, "{}")?.reason == "malformed")
    #expect(error(dialect, "{\"trip\":{\"status\":0}}")?.reason == "malformed")
    #expect(error(dialect, RecordedShapes.valhalla(shapes: ["_p~iF"]))?.reason == "malformed")
  }

  @Test func naverIsAskedAndReadAsRecorded() throws {
    let dialect = NaverDialect(keyID: "id", key: "secret")
    let exchange = try dialect.exchange(
      for: RecordedShapes.request(stops: [RecordedShapes.yongsan]))
    #expect(
      exchange.url.hasSuffix(
        "/map-direction/v1/driving?start=126.970700,37.554700&goal=127.027600,37.497900"
          + "&option=trafast&waypoints=126.964800,37.529900"))
    #expect(exchange.headers.map(\.value) == ["id", "secret"])
    #expect(!exchange.url.contains("secret"))
    let route = try read(dialect, RecordedShapes.naver)
    #expect(route.distanceMeters == 10_321 && route.durationSeconds == 1_530.123)
    #expect(route.providerTaxiFare == 13_900 && route.tollAmount == 0 && route.path.count == 3)
    let stopped = try read(
      dialect, RecordedShapes.naverWithStop, stops: [RecordedShapes.yongsan])
    #expect(stopped.legs.map(\.distanceMeters) == [3_100, 8_000])
    #expect(stopped.legs.map(\.durationSeconds) == [500, 1_200])
    #expect(error(dialect, RecordedShapes.naverOffRoad, status: 200)?.reason == "no_route")
    #expect(
      error(dialect, RecordedShapes.naverBadKey)
        == .refused(status: 400, message: "Authentication Failed"))
    #expect(throws: RouteError.tooManyStops(6, maximum: 5)) {
      try dialect.exchange(
        for: RecordedShapes.request(stops: Array(repeating: RecordedShapes.yongsan, count: 6)))
    }
    // A stop asked for and none answered.
    #expect(throws: RouteError.self) {
      try self.read(dialect, RecordedShapes.naver, stops: [RecordedShapes.yongsan])
    }
  }

  @Test func kakaoIsAskedAndReadAsRecorded() throws {
    let clock = ManualClock(RecordedShapes.departure.advanced(milliseconds: -60_000))
    let dialect = KakaoDialect(key: "secret", clock: clock)
    let now = try dialect.exchange(for: RecordedShapes.request())
    #expect(now.url.contains("/v1/directions?origin=126.970700,37.554700&destination="))
    #expect(now.headers.map(\.value) == ["KakaoAK secret"])
    clock.advance(milliseconds: -3_600_000)
    let ahead = try dialect.exchange(for: RecordedShapes.request())
    #expect(ahead.url.contains("/v1/future/directions?"))
    #expect(ahead.url.hasSuffix("&departure_time=202611202310"))
    let route = try read(dialect, RecordedShapes.kakao)
    #expect(route.distanceMeters == 10_290 && route.durationSeconds == 1_490)
    #expect(route.providerTaxiFare == 13_800 && route.tollAmount == 100 && route.path.count == 3)
    #expect(error(dialect, RecordedShapes.kakaoNoRoad, status: 200)?.reason == "no_route")
    #expect(error(dialect, "{\"code\":-401,\"msg\":\"no key\"}")?.reason == "refused")
    let half = RecordedShapes.kakao.replacing("126.9707,37.5547,126.9648", with: "126.9707,37.5547")
    #expect(error(dialect, half, status: 200)?.reason == "malformed")
    for (seconds, text) in [
      (951_793_140, "200002291159"), (1_767_193_200, "202601010000"),
      (1_798_729_140, "202612312359"),
    ] {
      #expect(KakaoDialect.koreanMinute(Instant(seconds: Int64(seconds))) == text)
    }
  }

  @Test func polylinesAreReadAsTheirDocumentationSays() throws {
    // The worked example of Google's documentation, five decimals.
    let example = try #require(EncodedPolyline.decode("_p~iF~ps|U_ulLnnqC_mqNvxq`@", decimals: 5))
    #expect(example.map(\.latitude) == [38.5, 40.7, 43.252])
    #expect(example.map(\.longitude) == [-120.2, -120.95, -126.453])
    #expect(EncodedPolyline.decode("") == [])
    for bad in [
      "_", "_p~iF", "_p~iF~", "한글", " ", String(repeating: "~", count: 40), "\u{7F}\u{7F}",
      encode([(95, 10)]), encode([(10, 190)]),
    ] {
      #expect(EncodedPolyline.decode(bad) == nil, "\(bad)")
    }
    #expect(EncodedPolyline.decode(encode([(1, 1), (2, 2)]), maximumPoints: 1) == nil)
    let line = (0..<500).map { (i: Int) -> (Double, Double) in
      (Double(i * 7 % 170) - 84.876544, Double(i * 13 % 350) - 175)
    }
    let decoded = try #require(EncodedPolyline.decode(encode(line)))
    for (place, pair) in zip(decoded, line) {
      #expect((place.latitude - pair.0).magnitude < 1e-9)
      #expect((place.longitude - pair.1).magnitude < 1e-9)
    }
  }

  /// The encoder, from its description, for six decimals.
  private func encode(_ line: [(Double, Double)]) -> String {
    var out = ""
    var previous = (0, 0)
    func put(_ delta: Int) {
      var value = delta < 0 ? ~(delta << 1) : delta << 1
      while value >= 32 {
        out.unicodeScalars.append(Unicode.Scalar(UInt8(value & 31 | 32) + 63))
        value >>= 5
      }
      out.unicodeScalars.append(Unicode.Scalar(UInt8(value) + 63))
    }
    for (latitude, longitude) in line {
      let point = (Int((latitude * 1e6).rounded()), Int((longitude * 1e6).rounded()))
      put(point.0 - previous.0)
      put(point.1 - previous.1)
      previous = point
    }
    return out
  }

  /// A line as a JSON string's inside: backslashes doubled.
  private func quoted(_ line: [(Double, Double)]) -> String {
    encode(line).replacing("\\", with: "\\\\")
  }
}
