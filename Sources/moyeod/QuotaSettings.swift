import Configuration
import Identity
import LiveLayers
import MoyeoServer
import Threading

/// Settings of how much callers may ask for (`rates.*`), and what single tenants may beside what all
/// may (`tenants.<name>.*`).
enum QuotaSettings {
  /// Calls a second that no app makes for one person, and that a single core still answers.
  private static let standardCaller = RateSettings.Rates(reads: 1000, reports: 500, commands: 200)
  private static let rateRange = 0.0...1e9

  /// - Returns: The rates of a tenant by its name.
  /// - Throws: ``SettingError`` with the key and what is wrong.
  static func rates(_ values: Values) async throws -> @Sendable (_ tenant: String) -> RateSettings {
    var all = RateSettings()
    all.caller = standardCaller
    for (key, path) in paths {
      if let value = try await values.number("rates." + key, in: rateRange) {
        all[keyPath: path] = value
      }
    }
    for call in CallRates.callNames {
      for (group, path) in callPaths {
        if let value = try await values.number("rates.\(group).\(call)", in: rateRange) {
          all.calls[call, default: .init()][keyPath: path] = value
        }
      }
    }
    if let seconds = try await values.number("rates.burstSeconds", in: 0.1...3600) {
      all.burstSeconds = seconds
    }
    if let count = try await values.int("rates.rememberedCallers", in: 100...10_000_000) {
      all.rememberedCallers = count
    }
    let standard = all
    return { tenant in
      var own = standard
      for (key, path) in paths {
        if let value = values.tenantNumber(tenant, key), rateRange.contains(value) {
          own[keyPath: path] = value
        }
      }
      for call in CallRates.callNames {
        for (group, path) in callPaths {
          if let value = values.tenantNumber(tenant, group, call), rateRange.contains(value) {
            own.calls[call, default: .init()][keyPath: path] = value
          }
        }
      }
      return own
    }
  }

  /// The last words of the keys, the same for all tenants and for one.
  private static let paths:
    [(key: String, path: any WritableKeyPath<RateSettings, Double> & Sendable)] = [
      ("reads", \.tenant.reads), ("reports", \.tenant.reports), ("commands", \.tenant.commands),
      ("callerReads", \.caller.reads), ("callerReports", \.caller.reports),
      ("callerCommands", \.caller.commands),
    ]

  /// Groups of settings with a rate for each call, by its name.
  private static let callPaths:
    [(group: String, path: any WritableKeyPath<RateSettings.OneCall, Double> & Sendable)] = [
      ("calls", \.tenant), ("callerCalls", \.caller),
    ]

  /// Whether a key names the rate of a call, of all tenants or of one.
  static func isRateOfCall(_ key: String) -> Bool {
    let parts = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard let call = parts.last, isGroupOfCalls(parts.dropLast()) else { return false }
    return CallRates.callNames.contains(call)
  }

  /// Whether rates of calls may stand under a key.
  static func isGroupOfCalls(_ parts: some BidirectionalCollection<String>) -> Bool {
    guard let group = parts.last, callPaths.contains(where: { $0.group == group }) else {
      return false
    }
    let before = Array(parts.dropLast())
    return before == ["rates"] || (before.count == 2 && before[0] == "tenants")
  }

  /// What the layers of one tenant may hold.
  static func limits(
    _ limits: LayerLimits, of tenant: String, _ values: Values
  ) -> LayerLimits {
    var out = limits
    func read(_ key: String, _ path: WritableKeyPath<LayerLimits, Int>) {
      if let count = values.tenantCount(tenant, key) { out[keyPath: path] = count }
    }
    read("layers", \.layersPerTenant)
    read("objects", \.objects)
    read("objectBytes", \.objectBytes)
    return out
  }

  /// Words that stand behind `tenants.<name>.` and count something.
  private static let counts: Set<String> = ["layers", "objects", "objectBytes", "streams"]

  /// Tenants are opened long after the start: what a file says of them is checked at the start.
  ///
  /// - Throws: ``SettingError``.
  static func check(_ key: String, _ value: Any) throws(SettingError) {
    let parts = key.split(separator: ".").map(String.init)
    guard parts.count == 3 || isRateOfCall(key), parts[0] == "tenants" else { return }
    guard TenantName.isValid(parts[1]) else {
      throw SettingError(
        key: "tenants.\(parts[1])", problem: "is no tenant's name: use a-z, 0-9, _ and -")
    }
    if counts.contains(parts[2]) {
      guard let count = value as? Int, count >= 1, !(value is Bool) else {
        throw SettingError(key: key, problem: "must be a whole number from 1")
      }
    } else {
      guard let rate = value as? Double, rateRange.contains(rate), !(value is Bool) else {
        throw SettingError(key: key, problem: "must be 0 (no limit) or calls a second")
      }
    }
  }
}

extension Values {
  /// What a setting says of one tenant; nil where it says nothing that can be used.
  func tenantNumber(_ tenant: String, _ words: String...) -> Double? {
    let key = ConfigKey(["tenants", tenant] + words)
    return reader.double(forKey: key) ?? reader.int(forKey: key).map(Double.init)
  }

  func tenantCount(_ tenant: String, _ word: String) -> Int? {
    reader.int(forKey: ConfigKey(["tenants", tenant, word])).flatMap { $0 >= 1 ? $0 : nil }
  }
}
