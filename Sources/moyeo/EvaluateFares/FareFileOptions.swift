import ArgumentParser
import Foundation
import FareEstimation
import ObjectModel
import TaxiFares

/// The options that evaluation and fit share: the tariff, the file and its columns.
struct FareFileOptions: ParsableArguments {
  @Option(help: "Id of the tariff; its versions are chosen by the date of each trip.")
  var tariff = "us-nyc-yellow"

  @Option(help: "CSV file of recorded trips with a header line.")
  var file: String

  @Option(help: "Directory that holds data/tariffs (default: the nearest parent).")
  var resources: String?

  @Option(name: .customLong("tariffs"), help: "A further directory of tariff documents.")
  var tariffDirectories: [String] = []

  @Option(help: "Column of the pick-up time.")
  var pickupColumn: String?
  @Option(help: "Column of the drop-off time.")
  var dropoffColumn: String?
  @Option(help: "Column of the duration in seconds.")
  var durationColumn: String?
  @Option(help: "Column of the distance.")
  var distanceColumn: String?
  @Option(help: "Unit of the distance: miles, kilometers or meters.")
  var distanceUnit: TripFile.DistanceUnit = .miles
  @Option(help: "Column of the recorded fare, without extras, tolls and tips.")
  var fareColumn: String?
  @Option(help: "Column of the rate code.")
  var rateCodeColumn: String?
  @Option(help: "Column of the vendor.")
  var vendorColumn: String?
  @Option(
    help: "Four columns: pick-up longitude,latitude, drop-off longitude,latitude.")
  var coordinateColumns: String?
  @Option(
    help: "When the trips of a file without dates took place, such as 2013-06-01T12:00.")
  var date: String?
  @Option(help: "Rows to take by number from 0: all, even or odd. Even rows fitted the model.")
  var rows: FareEvaluation.RowChoice = .all

  func validate() throws {
    if let coordinateColumns, coordinateColumns.split(separator: ",").count != 4 {
      throw ValidationError("--coordinate-columns takes four names separated by commas")
    }
  }

  var names: TripColumns.Names {
    TripColumns.Names(
      pickup: pickupColumn, dropoff: dropoffColumn, duration: durationColumn,
      distance: distanceColumn, fare: fareColumn, rateCode: rateCodeColumn,
      vendor: vendorColumn,
      coordinates: coordinateColumns?.split(separator: ",").map {
        $0.trimmingCharacters(in: .whitespaces)
      } ?? [])
  }

  /// Tariffs and areas of the shipped directories and of those named.
  func library() throws -> TariffLibrary {
    var directories = tariffDirectories
    var areas: [String] = []
    if let root = resources ?? ResourceDirectory.nearest() {
      directories.insert(root + "/data/tariffs", at: 0)
      areas.append(root + "/data/areas")
    }
    return try TariffLibrary.load(tariffDirectories: directories, areaDirectories: areas)
  }

  /// All versions of the tariff.
  func versions(_ library: TariffLibrary) throws -> [Tariff] {
    let versions = library.catalog.tariffs.filter { $0.id == tariff }
    guard !versions.isEmpty else {
      throw EvaluationError.noTariff(tariff, known: library.catalog.ids)
    }
    return versions
  }

  func open(_ tariff: Tariff, needsCoordinates: Bool) throws -> TripFile {
    try TripFile(
      path: file, names: names, unit: distanceUnit, tariff: tariff.content,
      needsCoordinates: needsCoordinates)
  }

  /// The version that prices trips without a date.
  func undatedTariff(_ versions: [Tariff], needsCoordinates: Bool) throws -> Tariff {
    if let date {
      guard let moment = LocalInstant.parse(date, in: versions[0].content.offsets) else {
        throw ValidationError("--date must be like 2013-06-01T12:00, is \(date)")
      }
      guard let tariff = versions.last(where: { $0.isInForce(at: moment) }) else {
        throw ValidationError("no version of \(tariff) is in force at \(date)")
      }
      return tariff
    }
    var choice = UndatedTariffChoice(versions)
    var trips = try open(versions[0], needsCoordinates: needsCoordinates)
    for _ in 0..<UndatedTariffChoice.sampledRows {
      guard let trip = try trips.next() else { break }
      choice.add(trip)
    }
    return choice.best ?? versions[0]
  }
}

extension TripFile.DistanceUnit: ExpressibleByArgument {}
extension FareEvaluation.RowChoice: ExpressibleByArgument {}

/// Ends a command with a message and exit code 1, unless it was called wrongly.
func failing<T>(_ body: () throws -> T) throws -> T {
  do {
    return try body()
  } catch let error as ValidationError {
    throw error
  } catch let error as ExitCode {
    throw error
  } catch {
    FileHandle.standardError.write(Data("moyeo: \(error)\n".utf8))
    throw ExitCode(1)
  }
}
