import PeerMatching
import PositionProtection
import Tickets

/// Settings of tickets.
enum TicketSettings {
  /// Nil when tickets are off.
  static func read(_ values: Values) async throws -> TicketServiceConfiguration? {
    guard try await values.bool("tickets.enabled") ?? true else { return nil }
    var out = TicketServiceConfiguration()
    if let seconds = try await values.int("tickets.openSeconds", in: 60...86_400) {
      out.policy.openMilliseconds = Int64(seconds) * 1000
    }
    if let seconds = try await values.int("tickets.proposalSeconds", in: 0...86_400), seconds > 0 {
      out.policy.proposalMilliseconds = Int64(seconds) * 1000
    }
    if let seconds = try await values.int("tickets.leaseSeconds", in: 1...86_400) {
      out.leaseMilliseconds = Int64(seconds) * 1000
    }
    if let count = try await values.int("tickets.reportsForBan", in: 1...1000) {
      out.policy.reportsForBan = count
    }
    if let days = try await values.int("tickets.banDays", in: 1...3650) {
      out.policy.banMilliseconds = Int64(days) * 86_400_000
    }
    out.policy.requiredAttributes = try await values.list("tickets.requiredAttributes") ?? []
    out.recommendedTags = try await values.list("tickets.recommendedTags") ?? []
    out.isProtected = try await values.bool("tickets.protected") ?? true
    let meters = ProtectedLayerSettings.meters
    if let side = try await values.int("tickets.protectedCellMeters", in: meters) {
      out.protection.cellMeters = Double(side)
    }
    if let side = try await values.int("tickets.protectedMaximumMeters", in: meters) {
      out.protection.maximumCellMeters = Double(side)
    }
    guard out.protection.maximumCellMeters >= out.protection.cellMeters else {
      throw SettingError(
        key: "tickets.protectedMaximumMeters", problem: "is below tickets.protectedCellMeters")
    }
    if let count = try await values.int(
      "tickets.protectedPeople", in: ProtectedLayerSettings.people)
    {
      out.protection.people = count
    }
    return out
  }
}
