import FareEstimation
import Foundation
import GeoMath
import HTTPTypes
import Identity
import MoyeoAPI
import ObjectModel
import Parties
import Testing
import TestSupport
import Threading

@testable import DurableCommands
@testable import LiveLayers
@testable import MoyeoAdapters
@testable import MoyeoServer

/// Two stations, found by any part of their names.
private struct TwoStations: PlaceNames {
  static let seoul = NamedPlace(
    name: "서울역", address: "서울특별시 용산구 한강대로 405",
    coordinate: Coordinate(uncheckedLatitude: 37.5547, longitude: 126.9707))
  static let gangnam = NamedPlace(
    name: "강남역", address: "",
    coordinate: Coordinate(uncheckedLatitude: 37.4979, longitude: 127.0276))

  func places(named text: String, limit: Int, _: DoorServices) async throws -> [NamedPlace] {
    Array([Self.seoul, Self.gangnam].filter { $0.name.contains(text) }.prefix(limit))
  }

  func places(at coordinate: Coordinate, limit: Int, _: DoorServices) async throws -> [NamedPlace] {
    coordinate.latitude > 37.6 ? [] : [coordinate.latitude > 37.52 ? Self.seoul : Self.gangnam]
  }
}

/// The map calls of the door, over nothing but names.
private struct Fixture {
  let clock = ManualClock(Instant(milliseconds: 1_795_183_800_000))
  let parties: PartyService
  let door: TaxiPartyDoor
  let services: DoorServices

  init(places: (any PlaceNames)?, serviceKey: String? = nil) throws {
    let layers = LayerRegistry(clock: clock, epoch: 7)
    let fares = FareEstimator(
      library: try TariffLibrary.load(tariffDirectories: [], areaDirectories: []))
    parties = try PartyService(layers: layers, store: MemoryStore(), fares: fares)
    parties.start()
    door = TaxiPartyDoor(
      parties: parties, fares: fares, verifier: OpenTokenVerifier(),
      profiles: ProfileSource(layers: layers, layerName: "users"), places: places,
      serviceKey: serviceKey, workPerRequest: 1 << 20, clock: clock)
    services = DoorServices(
      throttle: SessionThrottle(settings: SessionSettings()),
      pool: BoundedThreadPool(threadCount: 1))
  }

  func get(_ path: String, _ query: String, headers: HTTPFields = [:]) async throws
    -> (status: Int, body: [String: Any])
  {
    let answer = await door.answer(
      DoorRequest(method: "GET", path: path, query: query, headers: headers, body: []), services)
    let body = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
    return (answer.status, body ?? [:])
  }
}

@Suite("The taxi party's map calls")
struct TaxiPartyDoorTests {
  private static let seoulStation = "query=%EC%84%9C%EC%9A%B8%EC%97%AD"

  @Test("Geocoding answers longitude and latitude as text")
  func geocode() async throws {
    let fixture = try Fixture(places: TwoStations())
    defer { fixture.parties.stop() }
    let (status, body) = try await fixture.get("/map-geocode/v2/geocode", Self.seoulStation)
    #expect(status == 200)
    let address = try #require((body["addresses"] as? [[String: Any]])?.first)
    #expect(address["x"] as? String == "126.9707")
    #expect(address["y"] as? String == "37.5547")
    let nothing = try await fixture.get("/map-geocode/v2/geocode", "query=nowhere")
    #expect(nothing.status == 200)
    #expect((nothing.body["addresses"] as? [Any])?.isEmpty == true)
    #expect(try await fixture.get("/map-geocode/v2/geocode", "query=").status == 400)
    #expect(try await fixture.get("/map-geocode/v2/geocode", "query=%ff").status == 400)
  }

  @Test("A place has the parts of its address by their width")
  func reverse() async throws {
    let fixture = try Fixture(places: TwoStations())
    defer { fixture.parties.stop() }
    let path = "/map-reversegeocode/v2/gc"
    let (status, body) = try await fixture.get(path, "coords=126.97,37.55")
    #expect(status == 200)
    let result = try #require((body["results"] as? [[String: Any]])?.first)
    let region = try #require(result["region"] as? [String: [String: String]])
    #expect(region["area1"]?["name"] == "서울특별시")
    #expect(region["area1"]?["alias"] == "서울")
    #expect(region["area2"]?["name"] == "용산구")
    #expect(region["area3"]?["name"] == "한강대로")
    #expect(region["area4"]?["name"] == "")
    let land = try #require(result["land"] as? [String: Any])
    #expect(land["number1"] as? String == "405")
    #expect(land["number2"] as? String == "")
    #expect(land["addition0"] as? [String: String] == ["type": "building", "value": "서울역"])
    // Without an address every field is there still.
    let bare = try await fixture.get(path, "coords=127.03,37.5")
    let first = try #require((bare.body["results"] as? [[String: Any]])?.first)
    #expect((first["region"] as? [String: [String: String]])?["area4"]?["name"] == "")
    let nowhere = try await fixture.get(path, "coords=127,37.7")
    #expect((nowhere.body["results"] as? [Any])?.isEmpty == true)
    #expect(try await fixture.get(path, "coords=37.5,127").status == 400)
  }

  @Test("Keywords answer documents and whether they end")
  func keyword() async throws {
    let fixture = try Fixture(places: TwoStations())
    defer { fixture.parties.stop() }
    let (status, body) = try await fixture.get(
      "/v2/local/search/keyword", "query=%EC%97%AD", headers: [.authorization: "KakaoAK key"])
    #expect(status == 200)
    let documents = try #require(body["documents"] as? [[String: String]])
    #expect(documents.map { $0["place_name"] } == ["서울역", "강남역"])
    #expect(documents[0]["address_name"] == "서울특별시 용산구 한강대로 405")
    #expect(documents[1]["road_address_name"] == "강남역")
    let meta = try #require(body["meta"] as? [String: Any])
    #expect(meta["is_end"] as? Bool == true)
    #expect(meta["pageable_count"] as? Int == 2)
  }

  @Test("Without names those calls are unknown; a wrong key is refused where one is sent")
  func refusals() async throws {
    let fixture = try Fixture(places: nil, serviceKey: "right")
    defer { fixture.parties.stop() }
    let unknown = try await fixture.get("/map-geocode/v2/geocode", Self.seoulStation)
    #expect(unknown.status == 444)
    let key = try #require(HTTPField.Name("SesacKey"))
    let wrong = try await fixture.get(
      "/map-direction/v1/driving", "start=126.9,37.5&goal=127.1,37.5", headers: [key: "wrong"])
    #expect(wrong.status == 420)
    for headers: HTTPFields in [[key: "right"], [:]] {
      let way = try await fixture.get(
        "/map-direction/v1/driving", "start=126.9,37.5&goal=127.1,37.5", headers: headers)
      #expect(way.status == 200)
      // No tariff is known here: the way is told, and the fare is nothing.
      let route = (way.body["route"] as? [String: [[String: Any]]])?["trafast"]?.first
      let summary = try #require(route?["summary"] as? [String: Any])
      #expect(summary["taxiFare"] as? Int == 0)
      #expect((summary["distance"] as? Int ?? 0) > 15_000)
    }
    #expect(try await fixture.get("/v1/posts", "").status == 420)
    #expect(try await fixture.get("/v1/posts", "", headers: [key: "right"]).status == 401)
    let list = try await fixture.get(
      "/v1/posts", "", headers: [key: "right", .authorization: "ann"])
    #expect(list.status == 200)
    #expect(list.body["next_cursor"] as? String == "0")
  }
}
