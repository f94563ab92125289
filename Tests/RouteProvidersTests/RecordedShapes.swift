import GeoMath
import ObjectModel
import RoutePlanning

/// Answers in the shapes of the providers' documentation, written for these tests.
enum RecordedShapes {
  static let seoulStation = Coordinate(uncheckedLatitude: 37.5547, longitude: 126.9707)
  static let gangnam = Coordinate(uncheckedLatitude: 37.4979, longitude: 127.0276)
  static let yongsan = Coordinate(uncheckedLatitude: 37.5299, longitude: 126.9648)
  /// Friday 2026-11-20 23:10 in Seoul.
  static let departure = Instant(seconds: 1_795_183_800)

  static func request(stops: [Coordinate] = []) -> RouteRequest {
    guard
      let request = try? RouteRequest(
        origin: seoulStation, stops: stops, destination: gangnam, departure: departure)
    else { preconditionFailure("a constant") }
    return request
  }

  static let osrm = """
    {"code":"Ok","routes":[{"geometry":{"coordinates":[[126.970718,37.554712],[126.9811,37.5312],
    [127.0275,37.49801]],"type":"LineString"},"legs":[{"steps":[],"distance":10234.5,
    "duration":1321.4,"summary":"","weight":1321.4}],"distance":10234.5,"duration":1321.4,
    "weight_name":"routability","weight":1321.4}],"waypoints":[{"hint":"x","distance":3.1,
    "name":"한강대로","location":[126.970718,37.554712]},{"hint":"y","distance":9.2,
    "name":"강남대로","location":[127.0275,37.49801]}]}
    """

  static let osrmNoRoute = """
    {"code":"NoRoute","message":"Impossible route between points"}
    """

  static let osrmInvalid = """
    {"code":"InvalidQuery","message":"Query string malformed close to position 9"}
    """

  static let valhallaError = """
    {"error_code":442,"error":"No path could be found for input","status_code":400,
    "status":"Bad Request"}
    """

  static func valhalla(shapes: [String], units: String = "kilometers") -> String {
    let legs = shapes.map {
      """
      {"summary":{"has_time_restrictions":false,"length":5.1,"time":620.5,"min_lat":37.4,
      "cost":700.1},"shape":"\($0)"}
      """
    }.joined(separator: ",")
    let count = Double(shapes.count)
    return """
      {"trip":{"locations":[{"type":"break","lat":37.5547,"lon":126.9707}],"legs":[\(legs)],
      "summary":{"length":\(5.1 * count),"time":\(620.5 * count)},"status_message":
      "Found route between points","status":0,"units":"\(units)","language":"en-US"}}
      """
  }

  static let naver = """
    {"code":0,"message":"길찾기를 성공하였습니다.","currentDateTime":"2026-11-20T18:00:00",
    "route":{"trafast":[{"summary":{"start":{"location":[126.9707,37.5547]},
    "goal":{"location":[127.0276,37.4979],"dir":2},"distance":10321,"duration":1530123,
    "departureTime":"2026-11-20T18:00:00","bbox":[[126.96,37.49],[127.03,37.56]],"tollFare":0,
    "taxiFare":13900,"fuelPrice":1204},"path":[[126.9707,37.5547],[126.9982,37.5201],
    [127.0276,37.4979]],"section":[],"guide":[]}]}}
    """

  static let naverWithStop = """
    {"code":0,"message":"ok","route":{"trafast":[{"summary":{"start":{"location":[126.9707,37.5547]},
    "goal":{"location":[127.0276,37.4979],"dir":2,"distance":8000,"duration":1200000},
    "waypoints":[{"location":[126.9648,37.5299],"dir":1,"distance":3100,"duration":500000,
    "pointIndex":1}],"distance":11100,"duration":1700000,"tollFare":0,"taxiFare":15200},
    "path":[[126.9707,37.5547],[126.9648,37.5299],[127.0276,37.4979]]}]}}
    """

  static let naverOffRoad = """
    {"code":2,"message":"출발지 또는 도착지가 도로 주변이 아닙니다."}
    """

  static let naverBadKey = """
    {"error":{"errorCode":"200","message":"Authentication Failed","details":"Invalid keys."}}
    """

  static let kakao = """
    {"trans_id":"018e","routes":[{"result_code":0,"result_msg":"길찾기 성공","summary":{"origin":
    {"name":"","x":126.9707,"y":37.5547},"destination":{"name":"","x":127.0276,"y":37.4979},
    "waypoints":[],"priority":"TIME","fare":{"taxi":13800,"toll":100},"distance":10290,
    "duration":1490},"sections":[{"distance":10290,"duration":1490,"bound":{},"roads":[
    {"name":"한강대로","distance":4000,"duration":700,"traffic_speed":21.0,"traffic_state":3,
    "vertexes":[126.9707,37.5547,126.9648,37.5299]},{"name":"올림픽대로","distance":6290,
    "duration":790,"traffic_speed":40.0,"traffic_state":4,"vertexes":[126.9648,37.5299,
    127.0276,37.4979]}],"guides":[]}]}]}
    """

  static let kakaoNoRoad = """
    {"trans_id":"018f","routes":[{"result_code":102,"result_msg":"시작 지점 주변의 도로를 탐색할 수 없음"}]}
    """
}
