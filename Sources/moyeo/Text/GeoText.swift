import ArgumentParser
import MoyeoAPI

/// `latitude,longitude` in degrees, as on a command line. Ranges are the service's business.
struct CoordinateText: ExpressibleByArgument, Hashable, Sendable {
  var latitude: Double
  var longitude: Double

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let latitude = NumberText.parse(String(parts[0])),
      let longitude = NumberText.parse(String(parts[1]))
    else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }

  var place: Moyeo_V1_Place {
    var place = Moyeo_V1_Place()
    place.latitude = latitude
    place.longitude = longitude
    return place
  }
}

/// `west,south,east,north` in degrees; west above east crosses 180 degrees.
struct BoxText: ExpressibleByArgument, Hashable, Sendable {
  var west: Double
  var south: Double
  var east: Double
  var north: Double

  init?(argument: String) {
    let numbers = argument.split(separator: ",", omittingEmptySubsequences: false)
      .map { NumberText.parse(String($0)) }
    guard numbers.count == 4, let west = numbers[0], let south = numbers[1],
      let east = numbers[2], let north = numbers[3]
    else { return nil }
    self.west = west
    self.south = south
    self.east = east
    self.north = north
  }
}
