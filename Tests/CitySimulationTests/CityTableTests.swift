import CitySimulation
import GeoMath
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The text of a file beside the checkout's root; `nil` when it cannot be read.
func repositoryText(_ path: String, from filePath: String = #filePath) -> String? {
  var parts = filePath.split(separator: "/").dropLast()
  while !parts.isEmpty {
    if let text = readText("/" + parts.joined(separator: "/") + "/" + path) { return text }
    parts.removeLast()
  }
  return nil
}

private func readText(_ path: String) -> String? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = fread(&buffer, 1, buffer.count, file)
    if count == 0 { return String(decoding: bytes, as: UTF8.self) }
    bytes += buffer[..<count]
  }
}

/// The shipped table.
func seoul() throws -> City {
  let text = try #require(repositoryText("data/seoul-hotspots.csv"))
  return try City(name: "seoul", utcOffsetSeconds: City.seoulOffsetSeconds, table: text)
}

@Suite struct CityTableTests {
  @Test func theShippedTable() throws {
    let city = try seoul()
    #expect(city.hotSpots.count == 73)
    #expect(Set(city.hotSpots.map(\.name)).count == 73)
    let box = GeoBox(uncheckedWest: 126.76, south: 37.42, east: 127.19, north: 37.70)
    #expect(city.hotSpots.allSatisfy { box.contains($0.coordinate) })
    #expect(Set(city.hotSpots.map(\.kind)) == Set(City.Kind.allCases))
  }

  /// Held against the open data set of stations, where a name is in both.
  @Test(.enabled(if: SharedData.isPresent, "shared data is absent"))
  func coordinatesAreTrue() throws {
    var stations: [Substring: [Coordinate]] = [:]
    for line in try SharedData.lines("seoul-subway-stations.csv").dropFirst() {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      guard fields.count == 5, let x = Double(fields[3]), let y = Double(fields[4]) else {
        continue
      }
      let name = fields[1].prefix { $0 != "(" }
      stations[name, default: []].append(Coordinate(uncheckedLatitude: y, longitude: x))
    }
    var compared = 0
    for spot in try seoul().hotSpots {
      let short = spot.name.hasSuffix("역") ? spot.name.dropLast() : spot.name[...]
      guard let places = stations[short] ?? stations[spot.name[...]] else { continue }
      compared += 1
      let meters = places.map { $0.haversineMeters(to: spot.coordinate) }.min() ?? .infinity
      #expect(meters < 200, "\(spot.name) is \(meters) m off")
    }
    #expect(compared >= 60)
  }

  @Test func whatIsRefused() {
    let header = City.tableHeader
    func error(_ text: String) -> CityTableError? {
      do throws(CityTableError) {
        _ = try City(name: "x", utcOffsetSeconds: 0, table: text)
        return nil
      } catch { return error }
    }
    #expect(error("") == .empty)
    #expect(error(header) == .empty)
    #expect(error("name,kind\na,b") == .header(line: 1))
    #expect(error("\n# note\n\(header)\na,b,office,1,2,3") == .fieldCount(line: 4, found: 6))
    #expect(
      error("\(header)\na,b,castle,1,2,3,4") == .value(line: 2, column: "kind", text: "castle"))
    #expect(
      error("\(header)\na,b,office,91,2,3,4")
        == .value(line: 2, column: "latitude,longitude", text: "91,2"))
    #expect(
      error("\(header)\r\na,b,office,nan,2,3,4")
        == .value(line: 2, column: "latitude", text: "nan"))
    #expect(
      error("\(header)\na,b,office,1,2,0,4") == .value(line: 2, column: "weight", text: "0"))
    #expect(
      error("\(header)\na,b,office,1,2,1,-4")
        == .value(line: 2, column: "radius_meters", text: "-4"))
    #expect(error("\(header)\n,b,office,1,2,1,4") == .value(line: 2, column: "name", text: ""))
    #expect(error("\u{FEFF}\(header)\r\n a , b ,office, 1,2,1,4 \r\n") == nil)
  }
}
