import ArgumentParser
import MoyeoAPI
import MoyeoClient
import SwiftProtobuf

/// `moyeo party requests`.
struct PartyRequests: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "requests", abstract: "The ride requests of a person that are kept.")

  @Option(help: ArgumentHelp("Whose requests.", valueName: "id"))
  var rider: String
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_ListRideRequestsRequest()
    request.riderID = rider
    let made = request
    try await connection.withClient { client in
      let answer = try await client.rideRequests(made)
      if output.json { return try JSONOutput.print(answer) }
      guard !answer.requests.isEmpty else { return Terminal.note("no request is kept") }
      var table = TextTable([
        ("request", .left), ("from", .left), ("to", .left), ("departs", .left), ("told of", .right),
      ])
      for kept in answer.requests {
        table.append([
          kept.id, PartyTable.name(kept.hasBoarding ? kept.boarding : kept.origin),
          PartyTable.name(kept.destination), output.clock.text(kept.departureTime),
          "\(kept.foundPartyIds.count)",
        ])
      }
      table.print()
    }
  }
}

/// `moyeo party withdraw`.
struct PartyWithdraw: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdraw", abstract: "End a ride request that is kept.")

  @Argument(help: "The request's id.")
  var id: String
  @Option(help: ArgumentHelp("Whose request it is.", valueName: "id"))
  var rider: String?
  @OptionGroup var retry: RetryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_WithdrawRideRequestRequest()
    request.id = id
    if let rider { request.riderID = rider }
    let made = request
    try await connection.withClient { client in
      let answer = try await client.withdrawRideRequest(made, idempotencyKey: retry.key)
      if output.json { return try JSONOutput.print(answer) }
      Swift.print("\(answer.request.id) \(answer.request.state)")
    }
  }
}
