import TestSupport
import GeoMath
import ObjectModel

/// The trips of nyc-trips-2015-01.csv, cleaned by a stated rule.
struct NewYorkTrip {
  let origin: Coordinate
  let destination: Coordinate
  let departure: Instant
  let meters: Double
  let seconds: Double

  /// Dropped: no position, straight line or road under 200 m, under 1 min or over 2 h, road shorter
  /// than 0.98 or longer than 3 times the straight line, average speed outside 0.7...30 m/s.
  static func cleaned() throws -> [NewYorkTrip] {
    let lines = try SharedData.lines("nyc-trips-2015-01.csv")
    let names = lines[0].split(separator: ",", omittingEmptySubsequences: false)
    func column(_ name: String) -> Int { names.firstIndex { $0 == name } ?? -1 }
    let columns = [
      "pickup_latitude", "pickup_longitude", "dropoff_latitude", "dropoff_longitude",
      "trip_distance",
    ].map(column)
    let times = ["tpep_pickup_datetime", "tpep_dropoff_datetime"].map(column)
    return lines.dropFirst().compactMap { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      let n = columns.compactMap { Double(fields[$0]) }
      guard n.count == 5, let left = seconds(fields[times[0]]),
        let arrived = seconds(fields[times[1]]),
        let origin = try? Coordinate(latitude: n[0], longitude: n[1]),
        let destination = try? Coordinate(latitude: n[2], longitude: n[3]),
        !origin.isNullIsland, !destination.isNullIsland
      else { return nil }
      let meters = n[4] * 1609.344
      let duration = Double(arrived - left)
      let straight = origin.distanceMeters(to: destination)
      guard straight >= 200, meters >= 200, (60...7200).contains(duration),
        (0.98...3).contains(meters / straight), (0.7...30).contains(meters / duration)
      else { return nil }
      // January: New York is five hours behind.
      return NewYorkTrip(
        origin: origin, destination: destination, departure: Instant(seconds: left + 5 * 3600),
        meters: meters, seconds: duration)
    }
  }

  /// "2015-01-15 19:05:39" as if it were UTC.
  private static func seconds(_ text: Substring) -> Int64? {
    let n = text.split { "-: ".contains($0) }.compactMap { Int64($0) }
    guard n.count == 6, n[0] == 2015, n[1] == 1 || n[1] == 2 else { return nil }
    // 2015-01-01 is day 16,436.
    let day = 16_436 + (n[1] == 2 ? 31 : 0) + n[2] - 1
    return day * 86_400 + n[3] * 3600 + n[4] * 60 + n[5]
  }
}
