import Configuration
import LiveLayers
import ObjectModel

/// Typed access that names the key when a value does not fit.
struct Values: Sendable {
  let reader: ConfigReader
  /// Whose own settings (`tenants.<name>.settings.*`) stand before those of all; nil: nobody's.
  private(set) var tenant: String?

  init(reader: ConfigReader) { self.reader = reader }

  /// The same settings as one tenant has them.
  func of(tenant: String) -> Values {
    var own = self
    own.tenant = tenant
    return own
  }

  /// Where a setting is looked for, the first place before the second.
  private func keys(_ words: [String]) -> [ConfigKey] {
    let own = tenant.map { ConfigKey(["tenants", $0, TenantSettings.group] + words) }
    return (own.map { [$0] } ?? []) + [ConfigKey(words)]
  }

  /// The first value that is set.
  private func first<Value>(
    _ name: String, _ fetch: (ConfigKey) async throws -> Value?
  ) async throws -> Value? {
    for key in keys(name.split(separator: ".").map(String.init)) {
      if let value = try await fetch(key) { return value }
    }
    return nil
  }

  func string(_ name: String) async throws -> String? {
    do { return try await first(name) { try await reader.fetchString(forKey: $0) } } catch {
      throw SettingError(key: name, problem: "must be a string")
    }
  }

  func list(_ name: String) async throws -> [String]? {
    do { return try await first(name) { try await reader.fetchStringArray(forKey: $0) } } catch {
      throw SettingError(key: name, problem: "must be a list of strings")
    }
  }

  func bool(_ name: String) async throws -> Bool? {
    do { return try await first(name) { try await reader.fetchBool(forKey: $0) } } catch {
      throw SettingError(key: name, problem: "must be true or false")
    }
  }

  func int(_ name: String, in range: ClosedRange<Int>) async throws -> Int? {
    let value: Int?
    do { value = try await first(name) { try await reader.fetchInt(forKey: $0) } } catch {
      // Flags arrive as text.
      guard let text = try? await string(name), let number = Int(text)
      else { throw SettingError(key: name, problem: "must be a whole number") }
      value = number
    }
    guard let value else { return nil }
    guard range.contains(value) else {
      throw SettingError(
        key: name, problem: "is \(range.lowerBound) to \(range.upperBound); got \(value)")
    }
    return value
  }

  func number(_ name: String, in range: ClosedRange<Double>) async throws -> Double? {
    let value: Double?
    do { value = try await first(name) { try await reader.fetchDouble(forKey: $0) } } catch {
      // A whole number in a file is none with a point to the reader; flags arrive as text.
      if let whole = try? await first(name, { try await reader.fetchInt(forKey: $0) }) {
        value = Double(whole)
      } else if let text = try? await string(name), let number = Double(text) {
        value = number
      } else {
        throw SettingError(key: name, problem: "must be a number")
      }
    }
    guard let value else { return nil }
    guard range.contains(value) else {
      throw SettingError(
        key: name, problem: "is \(range.lowerBound) to \(range.upperBound); got \(value)")
    }
    return value
  }

  func word<T>(_ name: String, _ parse: (String) -> T?) async throws -> T? {
    guard let text = try await string(name) else { return nil }
    guard let value = parse(text) else {
      throw SettingError(key: name, problem: "cannot be \"\(text)\"")
    }
    return value
  }

  /// Asked when a layer begins; what does not fit keeps its default.
  func layerSettings(_ name: String) -> LayerSettings {
    var settings = LayerSettings()
    func first<Value>(_ setting: String, _ read: (ConfigKey) -> Value?) -> Value? {
      keys(["layers", name, setting]).lazy.compactMap(read).first
    }
    let seconds = first("ttlSeconds") {
      reader.double(forKey: $0) ?? reader.int(forKey: $0).map(Double.init)
    }
    if let seconds, seconds >= 0, seconds < 1e9 {
      settings.defaultTTLMilliseconds = Int64(seconds * 1000)
    }
    if let columns = first("columns", { reader.stringArray(forKey: $0) }) {
      settings.columns = columns.map(CanonicalText.normalize)
    }
    if let allows = first("allowNullIsland", { reader.bool(forKey: $0) }) {
      settings.allowsNullIsland = allows
    }
    if let clusters = first("clusters", { reader.bool(forKey: $0) }) {
      settings.clusters = clusters
    }
    if let noContent = first("emptyTileIsNoContent", { reader.bool(forKey: $0) }) {
      settings.emptyTileIsNoContent = noContent
    }
    settings.protection = ProtectedLayerSettings.read(
      flag: { word in first(word) { reader.bool(forKey: $0) } },
      count: { word in first(word) { reader.int(forKey: $0) } })
    return settings
  }
}
