import ArgumentParser
import Foundation
import MoyeoAPI
import SwiftProtobuf

/// Where and when somebody wants to go.
struct TripOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where the ride begins.", valueName: "latitude,longitude"))
  var from: CoordinateText

  @Option(help: "Name of that place.")
  var fromName: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where it ends.", valueName: "latitude,longitude"))
  var to: CoordinateText

  @Option(help: "Name of that place.")
  var toName: String?

  @OptionGroup var time: DepartureOptions

  var origin: Moyeo_V1_Place { Self.place(from, fromName) }
  var destination: Moyeo_V1_Place { Self.place(to, toName) }

  static func place(_ coordinate: CoordinateText, _ name: String?) -> Moyeo_V1_Place {
    var place = coordinate.place
    if let name { place.name = name }
    return place
  }
}

struct DepartureOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Departure, with its offset from UTC.", valueName: "time"))
  var depart: String?

  @Option(
    name: .customLong("in"),
    help: ArgumentHelp("Departure so many minutes from now.", valueName: "minutes"))
  var minutes: Double?

  @Option(help: ArgumentHelp("How much sooner or later it may be.", valueName: "minutes"))
  var window: Double?

  func validate() throws {
    guard depart == nil || minutes == nil else {
      throw ValidationError("give --depart or --in, not both")
    }
    if let depart { _ = try DepartureText.parse(depart) }
    for value in [minutes, window].compactMap({ $0 }) where !(value >= 0 && value <= 1e6) {
      throw ValidationError("--in and --window are minutes from 0 on")
    }
  }

  func time() throws -> Google_Protobuf_Timestamp? {
    if let depart { return try DepartureText.parse(depart) }
    return minutes.map { Google_Protobuf_Timestamp(date: Date().addingTimeInterval($0 * 60)) }
  }
}

/// What policies look at.
struct AttributeOptions: ParsableArguments {
  @Option(
    name: .customLong("attribute"),
    help: ArgumentHelp(
      "What policies look at, such as gender=female; may be repeated.", valueName: "name=value"))
  var attributes: [String] = []

  func validate() throws {
    for text in attributes where (text.firstIndex(of: "=") ?? text.startIndex) == text.startIndex {
      throw ValidationError("--attribute is name=value")
    }
  }

  var fields: Google_Protobuf_Struct {
    var out = Google_Protobuf_Struct()
    for text in attributes {
      guard let equals = text.firstIndex(of: "=") else { continue }
      out.fields[String(text[..<equals])] = Google_Protobuf_Value(
        stringValue: String(text[text.index(after: equals)...]))
    }
    return out
  }
}

/// Where a rider gets in on the way, and how long they would ride.
struct BoardingOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Get in on the way, at or near there.", valueName: "latitude,longitude"))
  var board: CoordinateText?
  @Option(help: ArgumentHelp("Longest ride.", valueName: "seconds"))
  var maxRideSeconds: Double?
  @Option(help: ArgumentHelp("Longest ride beyond the direct one.", valueName: "seconds"))
  var maxDetourSeconds: Double?
  @Option(help: ArgumentHelp("Latest arrival, with its offset from UTC.", valueName: "time"))
  var arriveBy: String?

  func validate() throws {
    if let arriveBy { _ = try DepartureText.parse(arriveBy) }
  }

  func latest() throws -> Google_Protobuf_Timestamp? {
    try arriveBy.map { try DepartureText.parse($0) }
  }
}
