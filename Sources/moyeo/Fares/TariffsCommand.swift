import ArgumentParser
import Foundation
import MoyeoAPI
import MoyeoClient
import SwiftProtobuf

/// `moyeo tariffs`.
struct TariffsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tariffs", abstract: "The taxi tariffs the daemon knows.")

  @Option(help: "Only of this area, e.g. seoul.")
  var area: String?

  @Option(help: "Only the versions of this tariff.")
  var id: String?

  @Option(help: ArgumentHelp("Only tariffs in force then.", valueName: "time"))
  var at: String?

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let at { _ = try DepartureText.parse(at) }
  }

  func run() async throws {
    var request = Moyeo_V1_ListTariffsRequest()
    if let area { request.area = area }
    if let id { request.tariffID = id }
    if let at { request.at = try DepartureText.parse(at) }
    try await connection.withClient { client in
      let answer = try await client.listTariffs(request)
      if output.json { return try JSONOutput.print(answer) }
      guard !answer.tariffs.isEmpty else { return print("no tariffs") }
      var table = TextTable([
        ("id", .left), ("name", .left), ("area", .left), ("classes", .left), ("currency", .left),
        ("effective", .left), ("superseded", .left), ("verified", .left),
      ])
      for tariff in answer.tariffs {
        table.append([
          tariff.id, tariff.name, tariff.area, tariff.vehicleClasses.joined(separator: ", "),
          tariff.currency,
          tariff.hasEffective ? local(tariff.effective, tariff.timeZone) : "",
          tariff.hasSuperseded ? local(tariff.superseded, tariff.timeZone) : "",
          tariff.verified ? "yes" : "no: " + tariff.unverifiedFields.joined(separator: ", "),
        ])
      }
      table.print()
    }
  }

  /// By the clocks of the tariff's own zone; UTC, and said so, where that is not known.
  private func local(_ stamp: Google_Protobuf_Timestamp, _ zone: String) -> String {
    guard let zone = TimeZone(identifier: zone) else { return TimeText.format(stamp) + " UTC" }
    return TimeText.format(stamp, offsetSeconds: zone.secondsFromGMT(for: stamp.date))
  }
}
