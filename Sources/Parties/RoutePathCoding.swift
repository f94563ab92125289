import GeoMath
import WireFormat

/// A line as bytes: differences in 1e-7 degrees where that is exact (about 4 bytes a point), else
/// doubles. Field 4 and 5 of a route.
enum RoutePathCoding {
  static func write(_ path: [Coordinate], to out: inout ProtobufWriter) {
    guard !path.isEmpty else { return }
    if path.allSatisfy({ isWhole($0.latitude) && isWhole($0.longitude) }) {
      out.message(4) { inner in
        var latitude: Int64 = 0
        var longitude: Int64 = 0
        for point in path {
          let (y, x) = (scaled(point.latitude), scaled(point.longitude))
          inner.rawVarint(ZigZag.encode(y - latitude))
          inner.rawVarint(ZigZag.encode(x - longitude))
          (latitude, longitude) = (y, x)
        }
      }
    } else {
      out.message(5) { inner in
        for point in path {
          inner.double(1, point.latitude)
          inner.double(2, point.longitude)
        }
      }
    }
  }

  static func read(_ field: ProtobufReader.Field) throws(WireFormatError) -> [Coordinate] {
    var reader = try field.reader()
    var path: [Coordinate] = []
    if field.number == 4 {
      var latitude: Int64 = 0
      var longitude: Int64 = 0
      while !reader.isAtEnd {
        latitude &+= ZigZag.decode(try reader.readVarint())
        longitude &+= ZigZag.decode(try reader.readVarint())
        path.append(
          try PartyRecord.coordinate(Double(latitude) / 1e7, Double(longitude) / 1e7))
      }
    } else {
      var latitude: Double?
      while let part = try reader.next() {
        if part.number == 1 { latitude = try part.double() }
        if part.number == 2, let y = latitude {
          path.append(try PartyRecord.coordinate(y, try part.double()))
          latitude = nil
        }
      }
    }
    return path
  }

  /// The nearest point that is stored in few bytes: at most 6 mm away.
  static func rounded(_ point: Coordinate) -> Coordinate {
    Coordinate(
      uncheckedLatitude: Double(scaled(point.latitude)) / 1e7,
      longitude: Double(scaled(point.longitude)) / 1e7)
  }

  private static func scaled(_ degrees: Double) -> Int64 { Int64((degrees * 1e7).rounded()) }

  private static func isWhole(_ degrees: Double) -> Bool {
    degrees.bitPattern == (Double(scaled(degrees)) / 1e7).bitPattern
  }
}
