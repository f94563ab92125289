import TestSupport
import Foundation
import GeoMath
import TaxiFares
import Testing

@testable import FareEstimation

@Suite struct AreaMapTests {
  /// Well-known places, and the first area that holds them.
  @Test(arguments: [
    ("Seoul Station", 37.5547, 126.9707, "kr-seoul"), ("Gangnam", 37.4979, 127.0276, "kr-seoul"),
    ("Gimpo Airport", 37.5586, 126.7945, "kr-seoul"), ("Suseo", 37.4874, 127.1018, "kr-seoul"),
    ("Dobongsan", 37.6896, 127.0465, "kr-seoul"), ("Gasan", 37.4816, 126.8826, "kr-seoul"),
    ("Gwangmyeong", 37.4786, 126.8646, "kr-gyeonggi-standard"),
    ("Pangyo", 37.3948, 127.1112, "kr-gyeonggi-standard"),
    ("Suwon", 37.2663, 126.9997, "kr-gyeonggi-standard"),
    ("Yongin", 37.2411, 127.1776, "kr-gyeonggi-ga"), ("Hanam", 37.5393, 127.2148, "kr-gyeonggi-ga"),
    ("Yangpyeong", 37.4917, 127.4875, "kr-gyeonggi-na"),
    ("Incheon Airport", 37.4602, 126.4407, "kr-incheon"),
    ("Songdo", 37.3826, 126.6565, "kr-incheon"), ("Busan", 35.1151, 129.0415, "kr-busan"),
    ("Gimhae Airport", 35.1795, 128.9382, "kr-busan"), ("Daegu", 35.8714, 128.6014, "kr-daegu"),
    ("Daejeon", 36.3324, 127.4344, "kr-daejeon"), ("Gwangju", 35.1595, 126.8526, "kr-gwangju"),
    ("Ulsan", 35.5384, 129.3114, "kr-ulsan"), ("Jeju", 33.4996, 126.5312, "kr-jeju"),
    ("Times Square", 40.758, -73.9855, "us-nyc-manhattan"),
    ("JFK", 40.6441, -73.7822, "us-nyc-jfk"), ("LaGuardia", 40.7769, -73.874, "us-nyc"),
    ("Tokyo", 35.6812, 139.7671, "jp-tokyo-23"), ("Haneda", 35.5494, 139.7798, "jp-tokyo-23"),
    ("Chuncheon", 37.8813, 127.7298, "kr-chuncheon"),
    ("Wonju", 37.3422, 127.9202, "kr-wonju"),
    ("Gangneung", 37.7519, 128.8761, "kr-gangneung"),
    ("Cheongju", 36.6424, 127.489, "kr-cheongju"),
    ("Chungju", 36.991, 127.9259, "kr-chungju"),
    ("Cheonan", 36.8151, 127.1139, "kr-cheonan"),
    ("Asan", 36.7898, 127.0018, "kr-asan"),
    ("Sejong", 36.48, 127.289, "kr-sejong"),
    ("Jeonju", 35.8242, 127.148, "kr-jeonju"),
    ("Iksan", 35.9483, 126.9577, "kr-iksan"),
    ("Gunsan", 35.9677, 126.7366, "kr-gunsan"),
    ("Yeosu", 34.7604, 127.6622, "kr-yeosu"),
    ("Suncheon", 34.9506, 127.4872, "kr-suncheon"),
    ("Mokpo", 34.8118, 126.3922, "kr-mokpo"),
    ("Pohang", 36.019, 129.3435, "kr-pohang"),
    ("Gyeongju", 35.8562, 129.2247, "kr-gyeongju"),
    ("Gumi", 36.1195, 128.3446, "kr-gumi"),
    ("Gimhae", 35.2285, 128.8894, "kr-gimhae"),
    ("Jinju", 35.1799, 128.1076, "kr-jinju"),
    ("Changwon", 35.2281, 128.6811, "kr-changwon"),
    ("Osaka", 34.7025, 135.4959, "jp-osaka"),
    ("Kansai Airport", 34.4347, 135.244, "jp-osaka"),
    ("San Francisco", 37.7793, -122.4193, "us-sf"),
    ("Kowloon", 22.3193, 114.1694, "hk-urban"),
    ("Hong Kong Airport", 22.308, 113.9185, "hk-urban"),
    ("Changi", 1.3644, 103.9915, "sg"),
    ("Orchard Road", 1.3048, 103.8318, "sg"),
    ("Alexanderplatz", 52.5219, 13.4132, "de-berlin"),
  ])
  func placesLieInTheirAreas(name: String, latitude: Double, longitude: Double, id: String) throws {
    let place = try Coordinate(latitude: latitude, longitude: longitude)
    #expect(FareFixtures.library.areas.ids(at: place).first == id)
  }

  @Test(arguments: [
    ("Andong", 36.5684, 128.7294), ("Sokcho", 38.207, 128.5918), ("Hoboken", 40.744, -74.0324),
    ("Oakland", 37.8044, -122.2712), ("Shenzhen", 22.5431, 114.0579), ("Potsdam", 52.3906, 13.0645),
    ("Kobe", 34.6901, 135.1956), ("Johor Bahru", 1.4927, 103.7414), ("Kawasaki", 35.5308, 139.697),
    ("the sea", 36.0, 124.0),
  ])
  func othersDoNot(name: String, latitude: Double, longitude: Double) throws {
    let place = try Coordinate(latitude: latitude, longitude: longitude)
    #expect(FareFixtures.library.areas.ids(at: place) == [])
  }

  @Test func everyTariffHasItsArea() {
    for tariff in FareFixtures.library.catalog.tariffs {
      #expect(FareFixtures.library.areas.area(tariff.area) != nil, "\(tariff.area)")
      for area in tariff.content.flatTrips.flatMap(\.between) {
        #expect(FareFixtures.library.areas.area(area) != nil, "\(area)")
      }
    }
  }

  private func read(_ text: String) throws(FileProblem) -> AreaMap {
    try AreaMap.read(Data(text.utf8), file: "a.geojson")
  }

  private func square(_ id: String, _ w: Double, _ s: Double, _ size: Double, _ more: String = "")
    -> String
  {
    """
    {"type": "Feature", "properties": {"id": "\(id)"\(more)}, "geometry": {"type": "Polygon",
    "coordinates": [[[\(w), \(s)], [\(w + size), \(s)], [\(w + size), \(s + size)],
    [\(w), \(s + size)], [\(w), \(s)]]]}}
    """
  }

  private func collection(_ features: String...) -> String {
    "{\"type\": \"FeatureCollection\", \"features\": [\(features.joined(separator: ","))]}"
  }

  @Test func priorityThenSizeThenId() throws {
    let map = try read(
      collection(
        square("b", 0, 0, 2), square("c", 0, 0, 1), square("a", 0, 0, 2),
        square("big", -5, -5, 20, ", \"priority\": 1")))
    let place = try Coordinate(latitude: 0.5, longitude: 0.5)
    #expect(map.ids(at: place) == ["big", "c", "a", "b"])
  }

  @Test func holesPartsAndNumbersAsIds() throws {
    let map = try read(
      """
      {"type": "FeatureCollection", "features": [
      {"type": "Feature", "id": 7, "properties": null, "geometry": {"type": "MultiPolygon",
      "coordinates": [[[[0,0],[10,0],[10,10],[0,10],[0,0]],[[4,4],[6,4],[6,6],[4,6],[4,4]]],
      [[[20,0],[21,0],[21,1],[20,1],[20,0]]]]}}]}
      """)
    #expect(map.ids(at: try Coordinate(latitude: 1, longitude: 1)) == ["7"])
    #expect(map.ids(at: try Coordinate(latitude: 5, longitude: 5)) == [])
    #expect(map.ids(at: try Coordinate(latitude: 0.5, longitude: 20.5)) == ["7"])
  }

  @Test func aLaterMapReplacesById() throws {
    let first = try read(collection(square("a", 0, 0, 1), square("b", 0, 0, 1)))
    let second = try read(collection(square("a", 5, 5, 1)))
    let both = first.replacing(with: second)
    #expect(both.ids(at: try Coordinate(latitude: 0.5, longitude: 0.5)) == ["b"])
    #expect(both.ids(at: try Coordinate(latitude: 5.5, longitude: 5.5)) == ["a"])
  }

  @Test func problemsSayWhere() {
    func problem(_ text: String) -> String? {
      do throws(FileProblem) {
        _ = try read(text)
        return nil
      } catch {
        return error.description
      }
    }
    #expect(
      problem("{\"type\": \"Point\"}")
        == "a.geojson: type: must be FeatureCollection or Feature, is \"Point\"")
    #expect(
      problem(collection(square("", 0, 0, 1)))
        == "a.geojson: features[0].properties.id: is missing, and the feature has no id")
    #expect(
      problem(collection(square("a", 0, 0, 1), square("b", 179.5, 0, 1)))
        == "a.geojson: features[1].geometry.coordinates[0][1]: is out of range: "
        + "longitude 180.5, latitude 0.0")
    #expect(
      problem(collection(square("a", 0, 0, 1, ", \"priority\": \"high\"")))
        == "a.geojson: features[0].properties.priority: must be a number, is a string")
    #expect(problem("{}") == "a.geojson: type: must be a string")
  }
}
