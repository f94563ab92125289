import ArgumentParser
import Foundation
import MoyeoAPI
import MoyeoClient
import SwiftProtobuf

/// `moyeo tariffs`.
struct TariffsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tariffs", abstract: "The taxi tariffs the daemon knows.")

  @Option(help: "Only of this area, as the table without it names them.")
  var area: String?

  @Option(help: "Only the versions of this tariff.")
  var id: String?

  @Option(
    name: [.customLong("time"), .customLong("at")],
    help: ArgumentHelp("Only tariffs in force then.", valueName: "time"))
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
      if output.json {
        if answer.tariffs.isEmpty { try await checkArea(client) }
        return try JSONOutput.print(answer)
      }
      guard !answer.tariffs.isEmpty else {
        try await checkArea(client)
        return print("no tariffs")
      }
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

  /// An area without tariffs may be one that does not exist.
  private func checkArea(_ client: MoyeoClient) async throws {
    guard let area else { return }
    let all = try await client.listTariffs(.init())
    let known = Array(Set(all.tariffs.map(\.area))).sorted()
    guard !known.contains(area) else { return }
    throw CommandFailure.usage(NearestName.refusal("area", area, known: known))
  }

  /// By the clocks of the tariff's own zone, unless one is asked for; UTC where it is not known.
  private func local(_ stamp: Google_Protobuf_Timestamp, _ zone: String) -> String {
    let own = TimeZone(identifier: zone) ?? .gmt
    return output.timeZone == nil ? LocalClock(zone: own).text(stamp) : output.clock.text(stamp)
  }
}
