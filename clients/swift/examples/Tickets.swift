import Foundation
import MoyeoAPI
import MoyeoClient
import SwiftProtobuf

/// Two people who study the same find each other.
@Sendable func tickets(_ moyeo: MoyeoClient) async throws {
  let (ann, ben) = ("ann-\(UUID())", "ben-\(UUID())")
  for (user, latitude, tags) in [(ann, 37.4979, ["swift", "math"]), (ben, 37.4985, ["swift"])] {
    let ticket = Moyeo_V1_OpenTicketRequest.with {
      ($0.userID, $0.tags) = (user, tags)
      ($0.here.latitude, $0.here.longitude) = (latitude, 127.0276)
    }
    _ = try await moyeo.openTicket(ticket)
  }
  let search = Moyeo_V1_SearchTicketsRequest.with { $0.userID = ann }
  let around = try await moyeo.searchTickets(search).around
  for person in around where person.userID == ben {
    print("in common: \(person.commonTags.joined(separator: ", "))")
  }
  _ = try await moyeo.propose(.with { ($0.userID, $0.otherID) = (ann, ben) })
  let matched = try await moyeo.changeTicket(
    .accept, .with { ($0.userID, $0.otherID) = (ben, ann) })
  print("the ticket is \(matched.ticket.state)")
  _ = try await moyeo.rateUser(.with { ($0.userID, $0.otherID, $0.stars) = (ann, ben, 5) })
  print("afterwards it is \(try await moyeo.closeTicket(.with { $0.userID = ben }).ticket.state)")
}

// It prints:
//   in common: swift
//   the ticket is matched
//   afterwards it is closed
