import GeoMath
import ObjectModel
import TaxiFares

/// The trips of a file, one after another.
struct TripFile {
  enum DistanceUnit: String, CaseIterable {
    case miles
    case kilometers
    case meters

    var meters: Double {
      switch self {
      case .miles: 1609.344
      case .kilometers: 1000
      case .meters: 1
      }
    }
  }

  private var rows: TripRows
  let columns: TripColumns
  private let unit: DistanceUnit
  private let offsets: UTCOffsets
  private let minorUnits: Double
  private var row = CSVRecord(line: 0)

  init(
    path: String, names: TripColumns.Names, unit: DistanceUnit, tariff: TariffContent,
    needsCoordinates: Bool
  ) throws {
    rows = try TripRows(path: path)
    columns = try TripColumns(
      header: rows.header, names: names, needsCoordinates: needsCoordinates)
    self.unit = unit
    offsets = tariff.offsets
    minorUnits = (0..<tariff.minorUnitDigits).reduce(1.0) { value, _ in value * 10 }
  }

  /// The next trip. Numbers that cannot be read make a trip of fare 0, which cleaning drops.
  mutating func next() throws -> TripRecord? {
    guard let next = try rows.next() else { return nil }
    row = next
    let departure = columns.pickup.flatMap(field).flatMap { TripField.instant($0, offsets) }
    var seconds = columns.duration.flatMap(number)
    if columns.duration == nil || seconds == nil, let departure {
      let arrival = columns.dropoff.flatMap(field).flatMap { TripField.instant($0, offsets) }
      seconds = arrival.map { Double($0.milliseconds(since: departure)) / 1000 }
    }
    let meters = columns.distance.flatMap(number).map { $0 * unit.meters }
    let fare = number(columns.fare)
    let isComplete =
      fare != nil && (columns.distance == nil || meters != nil)
      && (columns.pickup == nil || departure != nil)
    return TripRecord(
      departure: departure, distanceMeters: meters, durationSeconds: seconds ?? 0,
      fare: isComplete ? amount(fare ?? 0) : 0, rateCode: columns.rateCode.flatMap(code),
      vendor: columns.vendor.flatMap(code),
      isUpfrontPriced: columns.paymentType.flatMap(code) == "0",
      origin: place(0), destination: place(2))
  }

  /// Minor units; what no fare can be is 0.
  private func amount(_ fare: Double) -> Int64 {
    let value = (fare * minorUnits).rounded()
    return value.magnitude < 1e12 ? Int64(value) : 0
  }

  private func field(_ index: Int) -> ArraySlice<UInt8>? {
    index < row.count ? row.slice(index) : nil
  }

  private func number(_ index: Int) -> Double? { field(index).flatMap(TripField.number) }

  private func code(_ index: Int) -> String? { field(index).map(TripField.code) }

  private func place(_ first: Int) -> Coordinate? {
    guard let indices = columns.coordinates, let longitude = number(indices[first]),
      let latitude = number(indices[first + 1]),
      let place = try? Coordinate(latitude: latitude, longitude: longitude), !place.isNullIsland
    else { return nil }
    return place
  }
}
