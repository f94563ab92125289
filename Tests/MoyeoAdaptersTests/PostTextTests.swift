import GeoMath
import ObjectModel
import Testing

@testable import MoyeoAdapters

@Suite("Texts of posts")
struct PostTextTests {
  @Test("A place is read from the right, so its name may hold commas")
  func places() throws {
    for name in ["서울역", "서울역, 1번 출구, \"a\"", "", " ", ",,", "A,126.9,37.5"] {
      let text = PostText.text(
        name: name, try Coordinate(latitude: 37.5547, longitude: 126.9707))
      let place = try PostText.place(text)
      #expect(place.name == name)
      #expect(place.coordinate.latitude == 37.5547)
      #expect(place.coordinate.longitude == 126.9707)
    }
    #expect(
      PostText.text(name: "a", Coordinate(uncheckedLatitude: 37.5, longitude: 127)) == "a,127,37.5")
  }

  @Test(
    "What is no place says why",
    arguments: [
      ("", PostTextError.notAPlace), ("서울역", .notAPlace), ("126.9,37.5", .notAPlace),
      ("a,x,37.5", .notAPlace), ("a,126.9,", .notAPlace), ("a,nan,37.5", .notAPlace),
      ("a,0x10,37.5", .notAPlace), ("a,1e999,37.5", .notAPlace), ("a,0,0", .nullIsland),
      ("a,0.0,-0.0", .nullIsland), ("a,181,37.5", .longitudeOutOfRange),
      ("a,37.5,126.9", .latitudeOutOfRange),
    ])
  func badPlaces(text: String, error: PostTextError) {
    #expect(throws: error) { try PostText.place(text) }
  }

  @Test("Departures in all zones that the app may write")
  func times() throws {
    let moment = Instant(milliseconds: 1_795_183_800_000)
    for text in [
      "2026-11-20 23:10:00 +0900", "2026-11-20 23:10:00 +09:00", "2026-11-20 14:10:00 Z",
      "2026-11-20 14:10:00 +0000", "2026-11-20 14:10:00 UTC", "2026-11-20 09:40:00 -0430",
      "2026-11-20T23:10:00+09:00",
    ] {
      #expect(try PostText.time(text) == moment, "\(text)")
    }
    #expect(PostText.text(moment, offsetSeconds: 9 * 3600) == "2026-11-20 23:10:00 +0900")
    #expect(PostText.text(moment, offsetSeconds: -4 * 3600 - 1800) == "2026-11-20 09:40:00 -0430")
    for text in [
      "", "soon", "2026-11-20", "2026-11-20 23:10:00", "2026-13-20 23:10:00 +0900",
      "2026-11-20 23:10:00 0900", "2026-11-20 23:10:00 +9", "2026-11-20 23:10:00 +0900 x",
      String(repeating: "1", count: 100_000),
    ] {
      #expect(throws: PostTextError.notATime) { try PostText.time(text) }
    }
  }
}
