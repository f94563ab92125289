import ArgumentParser
import Foundation
import Identity
import ObjectModel
import WireFormat

/// `moyeo keys`.
struct KeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Make, list, rotate and revoke the API keys of a data directory.",
    discussion: """
      An API key lets a server in where auth.mode is tokens. Of a key the directory has a hash only: it \
      is printed once, as the last word. The daemon may run, and takes a change in within a second.
      """,
    subcommands: [
      CreateKeyCommand.self, ListKeysCommand.self, RotateKeyCommand.self, RevokeKeyCommand.self,
    ])
}

/// Whose keys.
struct KeyDirectoryOptions: ParsableArguments {
  @Option(help: "The daemon's data directory.")
  var dataDirectory = "./moyeo-data"

  var file: KeyFile { KeyFile(directory: dataDirectory) }

  func attempt<Answer>(_ body: () throws(KeyFileError) -> Answer) throws -> Answer {
    do { return try body() } catch { throw CommandFailure(message: error.description) }
  }
}

/// The option `--tenant`.
enum TenantArgument {
  static func validate(_ name: String) throws {
    guard TenantName.isValid(name) else {
      throw ValidationError("--tenant is 1 to 63 of a-z, 0-9, _ and -, a letter or digit first")
    }
  }
}

/// A time that is a number and a unit: `90d`, `24h`, `30m`, `45s`.
enum KeyTime {
  static func milliseconds(_ text: String, option: String) throws -> Int64 {
    let units: [Character: Int64] = ["s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
      (0...36_500).contains(count)
    else { throw ValidationError("--\(option) is a whole number and s, m, h or d, such as 90d") }
    return count * unit
  }
}

/// `moyeo keys create`.
struct CreateKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Make a key and print it, this once.")

  @OptionGroup var directory: KeyDirectoryOptions
  @Option(help: "Whose layers, parties and tickets the key is for.")
  var tenant: String = Caller.defaultTenant
  @Option(help: "What it allows, with commas: read, report, command, service, admin.")
  var scopes: String
  @Option(help: "When it ends by itself, e.g. 90d; without, when it is revoked.")
  var expires: String?
  @Option(help: "A word for the list.")
  var name: String?
  @Flag(help: "Print the key as JSON.")
  var json = false

  private var words: [String] {
    scopes.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  func validate() throws {
    try TenantArgument.validate(tenant)
    if let unknown = Scopes.unknownWord(in: words) {
      throw ValidationError(
        "--scopes knows \(Scopes.all.names.joined(separator: ", ")), but not \"\(unknown)\"")
    }
    guard !words.isEmpty else { throw ValidationError("--scopes names at least one scope") }
    if let expires {
      guard try KeyTime.milliseconds(expires, option: "expires") > 0 else {
        throw ValidationError("--expires is more than nothing")
      }
    }
  }

  func run() throws {
    let now = SystemClock().now()
    let end = try expires.map {
      now.advanced(milliseconds: try KeyTime.milliseconds($0, option: "expires"))
    }
    let made = try directory.attempt { () throws(KeyFileError) in
      try directory.file.create(
        tenant: tenant, scopes: Scopes(words: words), name: name, expiresAt: end, now: now)
    }
    guard !json else {
      return print(KeyText.json(made.record, now: now) { $0.string("key", made.key.text) })
    }
    print(
      "Key \(made.record.id) of \(tenant), which stands nowhere else: \(made.key.text)")
  }
}

/// `moyeo keys list`.
struct ListKeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the keys; none can be read back.")

  @OptionGroup var directory: KeyDirectoryOptions
  @Flag(help: "Print the list as JSON.")
  var json = false

  func run() throws {
    let now = SystemClock().now()
    let keys = try directory.attempt { () throws(KeyFileError) in try directory.file.keys() }
    if json {
      print(
        JSONPieces.object { json in
          json.objects("keys", keys) { KeyText.write($0, now: now, to: &$1) }
        })
      return
    }
    var table = TextTable(
      ["id", "tenant", "scopes", "name", "state", "ends"].map { ($0, .left) })
    for key in keys {
      table.append([
        key.id, key.tenant, key.scopes.joined(separator: ","), key.name ?? "",
        KeyText.state(key, now: now), key.expiresMilliseconds.map(KeyText.time) ?? "",
      ])
    }
    if !table.isEmpty { print(table.lines.joined(separator: "\n")) }
  }
}

/// Records of keys as text.
enum KeyText {
  static func state(_ key: KeyRecord, now: Instant) -> String {
    if key.revokedMilliseconds != nil { return "revoked" }
    return key.holds(at: now) ? "good" : "expired"
  }

  static func time(_ milliseconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(.iso8601)
  }

  static func write(_ key: KeyRecord, now: Instant, to json: inout JSONWriter) {
    json.string("id", key.id)
    json.string("tenant", key.tenant)
    json.strings("scopes", key.scopes)
    json.string("state", state(key, now: now))
    json.string("createdAt", time(key.createdMilliseconds))
    if let name = key.name { json.string("name", name) }
    if let end = key.expiresMilliseconds { json.string("expiresAt", time(end)) }
  }

  /// One key as an object, with what else is told of it.
  static func json(
    _ key: KeyRecord, now: Instant, _ more: (inout JSONWriter) -> Void = { _ in }
  ) -> String {
    JSONPieces.object { json in
      write(key, now: now, to: &json)
      more(&json)
    }
  }
}

/// `moyeo keys rotate`.
struct RotateKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Make a key like another one, print it, and let the other one end after a while.")

  @OptionGroup var directory: KeyDirectoryOptions
  @Argument(help: "The id of the key, as the list has it.")
  var id: String
  @Option(help: "How long the old key still holds, e.g. 1h; 0s ends it at once.")
  var grace: String = "24h"
  @Flag(help: "Print the key as JSON.")
  var json = false

  func validate() throws { _ = try KeyTime.milliseconds(grace, option: "grace") }

  func run() throws {
    let time = try KeyTime.milliseconds(grace, option: "grace")
    let now = SystemClock().now()
    let made = try directory.attempt { () throws(KeyFileError) in
      try directory.file.rotate(id, graceMilliseconds: time, now: now)
    }
    guard !json else {
      return print(
        KeyText.json(made.record, now: now) { json in
          json.string("key", made.key.text)
          json.string("replaces", id)
        })
    }
    print(
      "Key \(made.record.id) of \(made.record.tenant) in place of \(id), "
        + "which stands nowhere else: \(made.key.text)")
  }
}

/// `moyeo keys revoke`.
struct RevokeKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "End a key, and every stream that was opened with it.")

  @OptionGroup var directory: KeyDirectoryOptions
  @Argument(help: "The id of the key, as the list has it.")
  var id: String
  @Flag(help: "Print the key's record as JSON.")
  var json = false

  func run() throws {
    let now = SystemClock().now()
    let record = try directory.attempt { () throws(KeyFileError) in
      try directory.file.revoke(id, now: now)
    }
    guard !json else { return print(KeyText.json(record, now: now)) }
    print("Key \(record.id) of \(record.tenant) is revoked.")
  }
}
