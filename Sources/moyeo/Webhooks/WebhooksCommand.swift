import ArgumentParser
import Foundation
import Identity
import MoyeoStorage
import ObjectModel
import Webhooks
import WireFormat

/// `moyeo webhooks`.
struct WebhooksCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webhooks",
    abstract: "Have events delivered to URLs, and look at what could not be.",
    discussion: """
      Works on the data directory; the daemon may run, and takes a change in within a second or two.
      """,
    subcommands: [
      CreateWebhookCommand.self, ListWebhooksCommand.self, RotateWebhookCommand.self,
      DeleteWebhookCommand.self, DeadLettersCommand.self, ReplayLettersCommand.self,
    ])
}

/// Whose webhooks.
struct WebhookDirectoryOptions: ParsableArguments {
  @Option(help: "The daemon's data directory.")
  var dataDirectory = "./moyeo-data"

  var file: WebhookFile { WebhookFile(directory: dataDirectory) }

  func attempt<Answer>(_ body: () throws(WebhookFileError) -> Answer) throws -> Answer {
    do { return try body() } catch { throw CommandFailure(message: error.description) }
  }

  func withLetters<Answer>(
    _ body: (SQLiteLetterStore) throws(StoreFailure) -> Answer
  ) throws -> Answer {
    guard SQLiteLetterStore.exists(in: dataDirectory) else {
      throw CommandFailure(
        message: "\(dataDirectory) has no letters: no daemon has served it with webhooks yet")
    }
    let store: SQLiteLetterStore
    do { store = try SQLiteLetterStore(directory: dataDirectory) } catch {
      throw CommandFailure(message: "\(SQLiteLetterStore.fileName) cannot be opened: \(error)")
    }
    do { return try body(store) } catch { throw CommandFailure(message: error.reason) }
  }
}

/// `moyeo webhooks create`.
struct CreateWebhookCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Make a webhook and print the secret of its signatures.")

  @OptionGroup var directory: WebhookDirectoryOptions
  @Option(help: "Whose events.")
  var tenant: String = Caller.defaultTenant
  @Option(help: "Where to: https://…")
  var url: String
  @Option(help: "Kinds of events, with commas, such as party.joined,ticket.matched; without, all.")
  var kinds: String?
  @Flag(help: "Deliver the events that are still kept as well.")
  var fromOldest = false
  @Flag(help: "Print the webhook as JSON, with its secret.")
  var json = false

  func validate() throws {
    try TenantArgument.validate(tenant)
    guard WebhookURL(url) != nil else {
      throw ValidationError("--url is an address of http or https without a user or a fragment")
    }
    for kind in words where !EventKinds.all.contains(kind) {
      throw ValidationError(
        NearestName.refusal("kind of event", kind, known: EventKinds.all))
    }
  }

  private var words: Set<String> {
    Set((kinds ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
  }

  func run() throws {
    guard let address = WebhookURL(url) else { throw CleanExit.helpRequest() }
    let made = try directory.attempt { () throws(WebhookFileError) in
      try directory.file.create(
        tenant: tenant, url: address, kinds: words, startsAtOldest: fromOldest)
    }
    let secret = made.secrets[0].text
    guard !json else {
      return print(
        JSONPieces.object { json in
          made.write(to: &json)
          json.string("secret", secret)
        })
    }
    print("Webhook \(made.id) of \(tenant) is signed with \(secret)")
  }
}

/// `moyeo webhooks list`.
struct ListWebhooksCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the webhooks.")

  @OptionGroup var directory: WebhookDirectoryOptions
  @Flag(help: "Print the list as JSON.")
  var json = false

  func run() throws {
    let webhooks = try directory.attempt { () throws(WebhookFileError) in
      try directory.file.webhooks()
    }
    if json {
      print(
        JSONPieces.object { json in
          json.objects("webhooks", webhooks) { $0.write(to: &$1) }
        })
      return
    }
    var table = TextTable(["id", "tenant", "url", "kinds"].map { ($0, .left) })
    for webhook in webhooks {
      table.append([
        webhook.id, webhook.tenant, webhook.url,
        webhook.kinds.isEmpty ? "all" : webhook.kinds.sorted().joined(separator: ","),
      ])
    }
    if !table.isEmpty { print(table.lines.joined(separator: "\n")) }
  }
}

extension Webhook {
  fileprivate func write(to json: inout JSONWriter) {
    json.string("id", id)
    json.string("tenant", tenant)
    json.string("url", url)
    json.strings("kinds", kinds.sorted())
  }
}

/// `moyeo webhooks rotate`.
struct RotateWebhookCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Give a webhook a new secret and print it; the one before signs as well.")

  @OptionGroup var directory: WebhookDirectoryOptions
  @Argument(help: "The id of the webhook, as the list has it.")
  var id: String
  @Flag(help: "Print the secret as JSON.")
  var json = false

  func run() throws {
    let secret = try directory.attempt { () throws(WebhookFileError) in
      try directory.file.rotate(id)
    }
    guard !json else {
      return print(
        JSONPieces.object { json in
          json.string("id", id)
          json.string("secret", secret.text)
        })
    }
    print("Webhook \(id) is signed with \(secret.text) and with the secret before it")
  }
}

/// `moyeo webhooks delete`.
struct DeleteWebhookCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "End a webhook; what waits for it is forgotten.")

  @OptionGroup var directory: WebhookDirectoryOptions
  @Argument(help: "The id of the webhook, as the list has it.")
  var id: String
  @Flag(help: "Print which it was as JSON.")
  var json = false

  func run() throws {
    try directory.attempt { () throws(WebhookFileError) in try directory.file.delete(id) }
    print(json ? JSONPieces.object { $0.string("id", id) } : "Webhook \(id) is gone.")
  }
}

/// `moyeo webhooks letters`.
struct DeadLettersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "letters", abstract: "List events that could not be delivered, with the reason.")

  @OptionGroup var directory: WebhookDirectoryOptions
  @Option(help: "Those of one webhook.")
  var webhook: String?
  @Option(help: "At most so many, 1 to 10000.")
  var limit = 100
  @Flag(help: "Print the list as JSON, with the events.")
  var json = false

  func validate() throws {
    guard (1...10_000).contains(limit) else { throw ValidationError("--limit is 1 to 10000") }
  }

  func run() throws {
    let letters = try directory.withLetters { (store) throws(StoreFailure) in
      try store.dead(of: webhook, limit: limit)
    }
    if json {
      let items = letters.map { dead in
        "{\"webhook\":\(JSONPieces.string(dead.webhookID)),\"sequence\":\(dead.letter.sequence),"
          + "\"attempts\":\(dead.letter.attempts),"
          + "\"reason\":\(JSONPieces.string(dead.letter.failure ?? "")),"
          + "\"event\":\(String(decoding: dead.letter.body, as: UTF8.self))}"
      }
      print("{\"letters\":[\(items.joined(separator: ","))]}")
      return
    }
    var table = TextTable(
      [("webhook", .left), ("sequence", .right), ("attempts", .right), ("reason", .left)])
    for dead in letters {
      table.append([
        dead.webhookID, "\(dead.letter.sequence)", "\(dead.letter.attempts)",
        dead.letter.failure ?? "",
      ])
    }
    if !table.isEmpty { print(table.lines.joined(separator: "\n")) }
  }
}

/// `moyeo webhooks replay`.
struct ReplayLettersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Have events delivered again that could not be.")

  @OptionGroup var directory: WebhookDirectoryOptions
  @Argument(help: "The id of the webhook, as the list has it.")
  var id: String
  @Argument(help: "Sequences, as `letters` has them; without, all.")
  var sequences: [UInt64] = []
  @Flag(help: "Print the number of events as JSON.")
  var json = false

  func run() throws {
    let count = try directory.withLetters { (store) throws(StoreFailure) in
      try store.replay(id, sequences: sequences.isEmpty ? nil : sequences)
    }
    guard count > 0 else { throw CommandFailure(message: "\(id) has no such dead letters") }
    guard !json else { return print(JSONPieces.object { $0.integer("events", Int64(count)) }) }
    print("\(count) \(count == 1 ? "event is" : "events are") delivered again.")
  }
}
