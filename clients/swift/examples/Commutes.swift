import Foundation
import MoyeoAPI
import MoyeoClient
import SwiftProtobuf

/// A ride that repeats every day.
@Sendable func commutes(_ moyeo: MoyeoClient) async throws {
  let (mirae, dain) = ("mirae-\(UUID())", "dain-\(UUID())")
  let day = Date.ISO8601FormatStyle().year().month().day()
  let trip = Moyeo_V1_CreateCommuteRequest.with {
    ($0.hostID, $0.origin, $0.destination) = (mirae, seoulStation, gangnam)
    $0.weekdays = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
    ($0.localTime, $0.timeZone) = ("07:45", "Asia/Seoul")
    $0.to = Date(timeIntervalSinceNow: 30 * 86_400).formatted(day)
  }
  let commute = try await moyeo.createCommute(trip).commute
  print("the commute is \(commute.state)")

  // Who joins the series rides on the days that have appeared, and on each as it appears.
  let join = Moyeo_V1_JoinCommuteRequest.with { ($0.id, $0.riderID) = (commute.id, dain) }
  print("riders beside the host: \(try await moyeo.joinCommute(join).commute.riderCount)")

  let off = Date(timeIntervalSinceNow: 9 * 86_400).formatted(day)
  let change = Moyeo_V1_UpdateCommuteRequest.with {
    ($0.id, $0.riderID, $0.removed, $0.seats) = (commute.id, mirae, [off], 3)
  }
  let changed = try await moyeo.updateCommute(change).commute
  print("\(changed.seats) seats, without \(changed.removed.count) day")

  let end = Moyeo_V1_CancelCommuteRequest.with { ($0.id, $0.includeAppeared) = (commute.id, true) }
  print("the commute is \(try await moyeo.cancelCommute(end).commute.state)")
}

// It prints:
//   the commute is active
//   riders beside the host: 1
//   3 seats, without 1 day
//   the commute is cancelled
