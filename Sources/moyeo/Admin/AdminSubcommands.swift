import ArgumentParser
import Foundation
import MoyeoClient
import WireFormat

/// `moyeo admin`.
struct AdminSubcommands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admin", abstract: "Run a daemon, as an operator.",
    discussion: """
      Asks the operator's listener (admin.port), with a token or key that has the scope admin.
      """,
    subcommands: [
      AdminStatisticsCommand.self, AdminLogLevelCommand.self, AdminDrainCommand.self,
      AdminSnapshotCommand.self, AdminTenantsCommand.self, AdminKeysCommand.self,
      AdminUserCommand.self,
      AdminBanCommand.self, AdminUnbanCommand.self, AdminClearPenaltyCommand.self,
      AdminCancelPartyCommand.self, AdminCloseTicketCommand.self,
      AdminCloseCommuteCommand.self, AdminEraseCommand.self,
    ])
}

/// Where the operator's listener is, and how its answers are printed.
struct AdminOptions: ParsableArguments {
  @Option(help: "The operator's address; MOYEO_ADMIN_URL, or http://127.0.0.1:8081.")
  var url: String?
  @Option(help: "An access token or API key with the scope admin; MOYEO_TOKEN.")
  var token: String?
  @Option(help: "PEM file of who signs the daemon's certificate; MOYEO_CA.")
  var ca: String?
  @Flag(help: "Print the answer's JSON.")
  var json = false

  /// Asks once and prints the answer.
  ///
  /// - Parameters:
  ///   - method: Of HTTP.
  ///   - path: Behind `/v1/admin/`, encoded.
  ///   - body: Names and texts of the body; nil: none is sent.
  ///   - flags: Names that are true in it.
  ///   - query: What is given of the query.
  ///   - key: Sent as `Idempotency-Key`.
  /// - Throws: What was refused, and that nobody answered.
  func ask(
    _ method: String, _ path: String, body: [(String, String)]? = nil, flags: [String] = [],
    query: [(String, String?)] = [], key: String? = nil
  ) async throws {
    let environment = ProcessInfo.processInfo.environment
    let address =
      url ?? environment["MOYEO_ADMIN_URL"].flatMap { $0.isEmpty ? nil : $0 }
      ?? "http://127.0.0.1:8081"
    var connection = try ConnectionOptions.parse(["--url", address])
    connection.token = token
    connection.ca = ca
    let given = query.compactMap { name, value in
      value.map { "\(name)=\(Self.encoded($0))" }
    }
    let target = "/v1/admin/" + path + (given.isEmpty ? "" : "?" + given.joined(separator: "&"))
    let content = body.map { body in
      JSONWriter.object { json in
        for (name, text) in body { json.string(name, text) }
        for name in flags { json.bool(name, true) }
      }
    }
    let answer = try await connection.withClient { client in
      try await client.rawHTTP(
        method, target, json: content, headers: key.map { [("Idempotency-Key", $0)] } ?? [])
    }
    print(json ? String(decoding: answer, as: UTF8.self) : try Self.text(answer))
  }

  /// A segment of a path, or a value of a query.
  static func encoded(_ text: String) -> String {
    let plain = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: plain) ?? text
  }

  /// An answer for people: a name and its value a line, what is inside of another further in.
  static func text(_ json: [UInt8]) throws -> String {
    let value = try JSONDecoder().decode(AnyJSON.self, from: Data(json))
    return value.lines(indent: "").joined(separator: "\n")
  }
}

/// JSON of any shape, for printing.
enum AnyJSON: Decodable {
  case object([String: AnyJSON])
  case list([AnyJSON])
  case text(String)

  init(from decoder: any Decoder) throws {
    if let object = try? decoder.singleValueContainer().decode([String: AnyJSON].self) {
      self = .object(object)
    } else if let list = try? decoder.singleValueContainer().decode([AnyJSON].self) {
      self = .list(list)
    } else {
      let value = try decoder.singleValueContainer()
      if let text = try? value.decode(String.self) {
        self = .text(text)
      } else if let flag = try? value.decode(Bool.self) {
        self = .text("\(flag)")
      } else if let whole = try? value.decode(Int64.self) {
        self = .text("\(whole)")
      } else if let number = try? value.decode(Double.self) {
        self = .text("\(number)")
      } else {
        self = .text("null")
      }
    }
  }

  func lines(indent: String) -> [String] {
    switch self {
    case .text(let text): return [indent + TextTable.printable(text)]
    case .list(let items): return items.flatMap { Self.item($0, indent) }
    case .object(let fields):
      return fields.sorted { $0.key < $1.key }.flatMap { name, value -> [String] in
        if case .text(let text) = value {
          return ["\(indent)\(name): \(TextTable.printable(text))"]
        }
        let inner = value.lines(indent: indent + "  ")
        return inner.isEmpty ? ["\(indent)\(name): none"] : ["\(indent)\(name):"] + inner
      }
    }
  }

  private static func item(_ value: AnyJSON, _ indent: String) -> [String] {
    var lines = value.lines(indent: indent + "  ")
    guard let first = lines.first else { return [] }
    lines[0] = indent + "- " + String(first.dropFirst(indent.count + 2))
    return lines
  }
}
