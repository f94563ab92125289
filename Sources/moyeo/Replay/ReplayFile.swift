import GeoMath

import ObjectModel
import RideMatching

/// Reads the requests of a file of recorded trips: when and where from, where to.
struct ReplayFile {
  private(set) var requests: [ReplayRequest] = []
  /// Rows without a time, or without places that can be ridden between.
  private(set) var dropped = 0
  /// Different local dates among the rows taken.
  private(set) var dates = Set<Int64>()

  static let millisecondsPerDay: Int64 = 86_400_000
  /// Apart, at least and at most: the rule of fare evaluation.
  static let apartMeters = 100.0...100_000

  /// Reads all rows that are taken, and sorts them by time.
  ///
  /// - Parameters:
  ///   - path: A CSV file with a header that names the pick-up time and both places.
  ///   - offsets: For times that name no offset, and for local dates.
  ///   - date: Local day number since 1970; nil: rows of all dates, taken as one day (the first).
  ///   - minutes: The day squeezed into so many minutes; nil: as it is.
  ///   - limits: What every rider asks of a shared ride.
  ///   - limit: At most so many requests; nil: all.
  /// - Throws: ``EvaluationError`` when a column is missing; what reading the file throws.
  init(
    path: String, offsets: UTCOffsets, date: Int64?, minutes: Double?, limits: RideLimits,
    limit: Int?
  ) throws {
    var rows = try TripRows(path: path)
    let header = rows.header.map { $0.lowercased() }
    guard let time = TripColumns.pickupNames.lazy.compactMap({ header.firstIndex(of: $0) }).first
    else {
      throw EvaluationError.noColumn(
        "pick-up time", tried: TripColumns.pickupNames, option: "another file")
    }
    guard
      let places = TripColumns.coordinateNames.lazy
        .map({ $0.compactMap { header.firstIndex(of: $0) } }).first(where: { $0.count == 4 })
    else {
      throw EvaluationError.noColumn(
        "coordinates", tried: TripColumns.coordinateNames.flatMap(\.self), option: "another file")
    }
    var progress = ProgressLine(after: .seconds(1))
    defer { progress.clear() }
    while let record = try rows.next() {
      progress.update { "reading: \(NumberText.grouped(requests.count)) requests" }
      if let limit, requests.count >= limit { break }
      guard let row = Self.row(record, time: time, places: places, offsets: offsets) else {
        dropped += 1
        continue
      }
      let local = row.at.milliseconds + Int64(offsets.seconds(at: row.at)) * 1000
      let day = Self.floorDivision(local, Self.millisecondsPerDay)
      if let date, day != date { continue }
      dates.insert(day)
      requests.append(
        ReplayRequest(
          at: row.at,
          request: RideRequest(
            riderID: "r\(requests.count)", origin: RidePlace(coordinate: row.from),
            destination: RidePlace(coordinate: row.to), window: DepartureWindow(time: row.at),
            limits: limits)))
    }
    fold(offsets, minutes: minutes)
  }

  /// Onto the first date, and into fewer minutes, in the order of time.
  private mutating func fold(_ offsets: UTCOffsets, minutes: Double?) {
    guard let first = dates.min() else { return }
    let begin = first * Self.millisecondsPerDay
    for index in requests.indices {
      let at = requests[index].at
      let local = at.milliseconds + Int64(offsets.seconds(at: at)) * 1000
      var inDay =
        local - Self.floorDivision(local, Self.millisecondsPerDay)
        * Self.millisecondsPerDay
      if let minutes { inDay = Int64(Double(inDay) * minutes / 1440) }
      // The offset of the first date's noon serves the whole day.
      let noon = Instant(milliseconds: begin + Self.millisecondsPerDay / 2)
      requests[index].at = Instant(
        milliseconds: begin + inDay - Int64(offsets.seconds(at: noon)) * 1000)
    }
    let order = requests.indices.sorted {
      requests[$0].at != requests[$1].at ? requests[$0].at < requests[$1].at : $0 < $1
    }
    requests = order.map { requests[$0] }
  }

  private static func row(
    _ record: CSVRecord, time: Int, places: [Int], offsets: UTCOffsets
  ) -> (at: Instant, from: Coordinate, to: Coordinate)? {
    guard let widest = (places + [time]).max(), widest < record.count,
      let at = TripField.instant(record.slice(time), offsets)
    else { return nil }
    let numbers = places.compactMap { TripField.number(record.slice($0)) }
    guard numbers.count == 4,
      let from = try? Coordinate(latitude: numbers[1], longitude: numbers[0]),
      let to = try? Coordinate(latitude: numbers[3], longitude: numbers[2]),
      !from.isNullIsland, !to.isNullIsland,
      apartMeters.contains(from.distanceMeters(to: to))
    else { return nil }
    return (at, from, to)
  }

  private static func floorDivision(_ a: Int64, _ b: Int64) -> Int64 {
    a >= 0 ? a / b : -((-a + b - 1) / b)
  }
}
