import Foundation
import Identity
import LiveLayers
import MoyeoServer
import Parties
import Tickets

/// What one tenant's rides, tickets and layers follow instead of what all follow
/// (`tenants.<name>.settings` in the file of settings, with the keys of `parties`, `tickets` and
/// `layers`): its policies, times and seats.
struct TenantSettings: Sendable {
  /// Nil: the tenant has no parties.
  let parties: PartyServiceConfiguration?
  /// Nil: no tickets.
  let tickets: TicketServiceConfiguration?
  let layerSettings: @Sendable (String) -> LayerSettings

  static let group = "settings"
  private static let sections: Set<Substring> = ["parties", "tickets", "layers"]

  /// - Throws: ``SettingError`` with the key and what is wrong.
  init(_ values: Values, of tenant: String, resources: URL?) async throws {
    let own = values.of(tenant: tenant)
    do {
      parties = try await PartySettings.read(own, resources: resources)
      tickets = try await TicketSettings.read(own)
    } catch let error as SettingError {
      throw SettingError(
        key: "tenants.\(tenant).\(Self.group): \(error.key)", problem: error.problem)
    }
    layerSettings = own.layerSettings
  }

  /// The setting that a key stands for under a tenant's name, such as `parties.minimumSeats`; nil
  /// where it stands for none.
  static func setting(of key: String) -> String? {
    let parts = key.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count > 3, parts[0] == "tenants", parts[2] == group, sections.contains(parts[3])
    else { return nil }
    return parts[3...].joined(separator: ".")
  }

  /// Whether a key of a file is that of all settings of one tenant.
  static func isGroup(_ key: String) -> Bool {
    let parts = key.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 3 && parts[0] == "tenants" && parts[2] == group
  }

  /// The tenants that have settings of their own in a file.
  ///
  /// - Throws: ``SettingError`` for a name that is none, and for the default tenant, which follows what
  ///   stands without a name.
  static func names(in file: [String: Any]) throws -> [String] {
    let tenants = file["tenants"] as? [String: Any] ?? [:]
    let named = tenants.filter { ($0.value as? [String: Any])?[group] != nil }.keys.sorted()
    for name in named {
      let key = "tenants.\(name).\(group)"
      guard TenantName.isValid(name) else {
        throw SettingError(key: key, problem: "is of no tenant's name: use a-z, 0-9, _ and -")
      }
      guard name != Caller.defaultTenant else {
        throw SettingError(key: key, problem: "is what stands without a tenant: move it there")
      }
    }
    return named
  }
}
