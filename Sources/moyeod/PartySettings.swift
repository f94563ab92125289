import Foundation
import Parties
import MoyeoStorage
import RideMatching
import DurableCommands

/// Settings of parties, events and commits.
enum PartySettings {
  /// Nil when parties are off.
  static func read(
    _ values: Values, resources: URL?
  ) async throws -> PartyServiceConfiguration? {
    guard try await values.bool("parties.enabled") ?? true else { return nil }
    var out = PartyServiceConfiguration()
    let seats = 1...PartyConfiguration.maximumSeatsOfTaxi
    let least = try await values.int("parties.minimumSeats", in: seats) ?? 2
    let most = try await values.int("parties.maximumSeats", in: seats) ?? max(4, least)
    guard least <= most else {
      throw SettingError(
        key: "parties.maximumSeats", problem: "is \(most), below parties.minimumSeats (\(least))")
    }
    out.rules.seats = least...most
    out.rules.defaultSeats =
      try await values.int("parties.defaultSeats", in: least...most) ?? min(max(4, least), most)
    out.rules.overlappingParties = try await values.int("parties.overlapping", in: 1...100) ?? 1
    if let limit = try await values.int("parties.activePerHost", in: 1...1_000_000) {
      out.activePartiesPerHost = limit
    }
    func quota(
      _ key: String, _ path: WritableKeyPath<PartyServiceConfiguration, Int>
    ) async throws {
      if let limit = try await values.int("parties." + key, in: 1...10_000_000) {
        out[keyPath: path] = limit
      }
    }
    try await quota("storedRequests", \.storedRequests)
    try await quota("storedRequestsPerRider", \.storedRequestsPerRider)
    try await quota("matchWatchers", \.matchWatchers)
    try await readJoinRequests(values, &out)
    try await readOffers(values, &out)
    if let seconds = try await values.int("parties.departingSeconds", in: 0...86_400) {
      out.rules.departingNoticeMilliseconds = Int64(seconds) * 1000
    }
    if let days = try await values.int("parties.retentionDays", in: 1...36_500) {
      out.rules.retentionMilliseconds = Int64(days) * 86_400_000
    }
    let directories = try await values.list("parties.policyDirectories") ?? []
    out.rules.packs = try packs(directories, resources: resources)
    out.rules.basePolicy = try await basePolicy(values, out.rules)
    out.commutes = try await commutes(values, resources: resources)
    if let milliseconds = try await values.int("parties.routeMilliseconds", in: 1...60_000) {
      out.routeMilliseconds = Int64(milliseconds)
    }
    if let days = try await values.int("events.retentionDays", in: 1...3650) {
      out.eventMilliseconds = Int64(days) * 86_400_000
    }
    if let hours = try await values.int("idempotency.hours", in: 1...8760) {
      out.commits.replyMilliseconds = Int64(hours) * 3_600_000
    }
    if let limit = try await values.int("commits.queueLimit", in: 1...1_000_000) {
      out.commits.queueLimit = limit
    }
    if let limit = try await values.int("commits.batchLimit", in: 1...4096) {
      out.commits.batchLimit = limit
    }
    return out
  }

  private static func readJoinRequests(
    _ values: Values, _ out: inout PartyServiceConfiguration
  ) async throws {
    if let seconds = try await values.int("parties.joinRequestSeconds", in: 1...86_400) {
      out.rules.requestMilliseconds = Int64(seconds) * 1000
    }
    if let limit = try await values.int("parties.pendingJoinRequests", in: 1...100) {
      out.rules.pendingRequests = limit
    }
    if let limit = try await values.int("parties.joinRequestsOfRider", in: 1...20) {
      out.rules.requestsOfRider = limit
    }
    if let limit = try await values.int("parties.pendingJoinRequestsPerRider", in: 1...1000) {
      out.pendingJoinRequestsPerRider = limit
    }
  }

  private static func readOffers(
    _ values: Values, _ out: inout PartyServiceConfiguration
  ) async throws {
    if let seconds = try await values.int("parties.batchSeconds", in: 0...3600) {
      out.together.batchMilliseconds = Int64(seconds) * 1000
    }
    if let seconds = try await values.int("parties.offerSeconds", in: 5...3600) {
      out.together.offerMilliseconds = Int64(seconds) * 1000
    }
    if let seconds = try await values.int("parties.offerAheadSeconds", in: 0...86_400) {
      out.together.aheadMilliseconds = Int64(seconds) * 1000
    }
    if let limit = try await values.int("parties.refusedOffers", in: 1...100) {
      out.together.refusedOffers = limit
    }
  }

  private static func commutes(
    _ values: Values, resources: URL?
  ) async throws -> CommuteServiceConfiguration {
    var out = CommuteServiceConfiguration()
    if let hours = try await values.int("commutes.aheadHours", in: 1...336) {
      out.rules.aheadMilliseconds = Int64(hours) * 3_600_000
    }
    func figure(
      _ key: String, _ allowed: ClosedRange<Int>,
      _ path: WritableKeyPath<CommuteServiceConfiguration, Int>
    ) async throws {
      if let value = try await values.int("commutes." + key, in: allowed) {
        out[keyPath: path] = value
      }
    }
    try await figure("maximum", 1...10_000_000, \.maximum)
    try await figure("perPerson", 1...10_000, \.perPerson)
    try await figure("maximumDays", 1...3660, \.rules.maximumDays)
    try await figure("maximumDates", 0...366, \.rules.maximumDates)
    try await figure("maximumRiders", 0...100, \.rules.maximumRiders)
    let own = try await values.list("commutes.calendarDirectories") ?? []
    let shipped = resources.map { [$0.appendingPathComponent("data/calendars").path] } ?? []
    do {
      out.calendars = try HolidayCalendarDocument.load(directories: shipped + own)
    } catch {
      throw SettingError(key: "calendars", problem: "cannot be used:\n\(error)")
    }
    return out
  }

  /// Shipped packs, then the operator's own; of one name the last counts.
  private static func packs(_ directories: [String], resources: URL?) throws -> [PolicyPack] {
    let shipped = resources.map { [$0.appendingPathComponent("data/policies").path] } ?? []
    do {
      return try PolicyPackDocument.load(directories: shipped + directories)
    } catch {
      throw SettingError(key: "policy packs", problem: "cannot be used:\n\(error)")
    }
  }

  private static func basePolicy(
    _ values: Values, _ rules: PartyConfiguration
  ) async throws -> RidePolicy {
    var policy = RidePolicy.none
    let names = try await values.list("parties.sameAttributes") ?? []
    guard names.count <= 8, names.allSatisfy({ (1...64).contains($0.utf8.count) }) else {
      throw SettingError(
        key: "parties.sameAttributes", problem: "lists at most 8 names of 1-64 bytes")
    }
    policy.sameAttributes = names
    guard let name = try await values.string("parties.policyPack"), !name.isEmpty else {
      return policy
    }
    guard let pack = rules.pack(named: name) else {
      let known = rules.packs.isEmpty ? "none" : rules.packs.map(\.name).joined(separator: ", ")
      throw SettingError(
        key: "parties.policyPack", problem: "names no pack: \"\(name)\"; there is \(known)")
    }
    return policy.joined(with: pack.policy)
  }
}
