import DurableCommands
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2
import MoyeoAPI
import SwiftProtobuf
import Testing

@testable import MoyeoServer
import TestSupport

/// 32 people race for 10 over both wires: nobody is in two matches, and what was acknowledged holds.
@Suite struct TicketRaceTests {
  typealias Client = Moyeo_V1_TicketService.Client<HTTP2ClientTransport.Posix>

  static let clients = 32
  static let wanted = 10
  /// 1,000 by `MOYEO_RACE_ROUNDS=1000`; fewer keep a debug run short.
  static let rounds =
    ProcessInfo.processInfo.environment["MOYEO_RACE_ROUNDS"].flatMap { Int($0) } ?? 5

  @Test func thirtyTwoRaceForTenOverBothWires() async throws {
    try await RunningDaemon.run(parties: MemoryStore()) { daemon in
      let client = Client(wrapping: daemon.grpc)
      var matches = 0
      for round in 0..<Self.rounds {
        matches += try await Self.race(daemon, client, round: round)
      }
      // Each round, everybody who is wanted meets somebody.
      #expect(matches == Self.rounds * Self.wanted)
      print("\(Self.rounds) rounds, \(matches) matches")
    }
  }

  /// - Returns: How many matches the round brought about.
  static func race(_ daemon: RunningDaemon, _ client: Client, round: Int) async throws -> Int {
    let sought = (0..<wanted).map { "w\(round)-\($0)" }
    for user in sought { _ = try await client.open(TicketWireTests.open(user)) }
    let met = try await withThrowingTaskGroup(of: [String: String].self) { group in
      for number in 0..<clients {
        group.addTask {
          let user = "c\(round)-\(number)"
          _ = try await client.open(TicketWireTests.open(user))
          var met: [String: String] = [:]
          // From another one on for each, so that many meet at each.
          for step in 0..<wanted where met.isEmpty {
            let other = sought[(number + step) % wanted]
            let isOverHTTP = (number + step) % 2 == 0
            try await command(
              "propose", of: user, other: other, daemon, client, isOverHTTP: isOverHTTP, &met)
            // In the other one's name, whom everybody asks.
            try await command(
              "accept", of: other, other: user, daemon, client, isOverHTTP: !isOverHTTP, &met)
          }
          return met
        }
      }
      var all: [String: String] = [:]
      for try await one in group {
        for (user, other) in one {
          #expect(all[user] == nil || all[user] == other, "two matches of one are acknowledged")
          all[user] = other
        }
      }
      return all
    }
    var partners: [String: String] = [:]
    for user in sought + (0..<clients).map({ "c\(round)-\($0)" }) {
      var get = Moyeo_V1_GetTicketRequest()
      get.userID = user
      let ticket = try await client.get(get).ticket
      if ticket.hasMatchedWith { partners[user] = ticket.matchedWith }
    }
    for (user, other) in partners {
      #expect(partners[other] == user, "\(user) meets \(other) alone")
    }
    for (user, other) in met { #expect(partners[user] == other, "an acknowledged match is lost") }
    return partners.count / 2
  }

  /// Sends a command over one of the wires and notes the match that it acknowledges; a refusal is an
  /// answer.
  private static func command(
    _ word: String, of user: String, other: String, _ daemon: RunningDaemon, _ client: Client,
    isOverHTTP: Bool, _ met: inout [String: String]
  ) async throws {
    if isOverHTTP {
      let answer = try await daemon.post("/v1/tickets/\(user)/\(word)", #"{"otherId":"\#(other)"}"#)
      guard answer.status == 200 else {
        #expect(answer.status == 409, "\(answer.text)")
        return
      }
      let ticket = try Moyeo_V1_TicketResponse(jsonString: answer.text).ticket
      if ticket.hasMatchedWith { met[user] = ticket.matchedWith }
      return
    }
    do {
      let request = TicketWireTests.other(user, other)
      let ticket =
        word == "propose"
        ? try await client.propose(propose(request)).ticket
        : try await client.accept(request).ticket
      if ticket.hasMatchedWith { met[user] = ticket.matchedWith }
    } catch let error as RPCError {
      #expect([.failedPrecondition, .aborted, .alreadyExists].contains(error.code), "\(error)")
    }
  }

  private static func propose(_ request: Moyeo_V1_OtherUserRequest) -> Moyeo_V1_ProposeRequest {
    var propose = Moyeo_V1_ProposeRequest()
    propose.userID = request.userID
    propose.otherID = request.otherID
    return propose
  }
}
