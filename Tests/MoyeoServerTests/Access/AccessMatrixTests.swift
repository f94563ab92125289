import Foundation
import GRPCCore
import Identity
import MoyeoAPI
import ObjectModel
import SwiftProtobuf
import Testing
import WireFormat

@testable import MoyeoServer

/// Every call x who makes it x whom it is about, over gRPC (fast path and stream handlers), HTTP, the
/// batch call and server-sent events. The calls come from the route table and the answers that are
/// expected from the table of access.
@Suite("The matrix of access", .timeLimit(.minutes(10))) struct AccessMatrixTests {
  /// Reasons that say who calls is the matter; any other comes after the call was let in.
  private static let identityReasons: Set = [
    "unauthenticated", "token_expired", "forbidden", "attribute_protected",
  ]

  private struct Asker {
    let token: String?
    let role: Caller.Role
    let scopes: Scopes
    /// In the fields that say who acts.
    var named = "ann"
    /// Whether there is a person whose token it is.
    var isPerson = true

    static let all = [
      Asker(token: "ann", role: .user, scopes: [.read, .report, .command]),
      Asker(token: "ann", role: .user, scopes: [.read, .report, .command], named: "ben"),
      Asker(token: "reader", role: .user, scopes: [.read]),
      Asker(token: "nothing", role: .user, scopes: []),
      Asker(token: "key", role: .user, scopes: [.read, .report, .command], isPerson: false),
      Asker(token: "server", role: .service, scopes: [.read, .report, .command, .service]),
      Asker(token: "reading-server", role: .service, scopes: [.read, .service]),
      Asker(token: "north-ann", role: .user, scopes: [.read, .report, .command]),
      Asker(token: "north-ann", role: .user, scopes: [.read, .report, .command], named: "ben"),
      Asker(token: "north-server", role: .service, scopes: [.read, .report, .command, .service]),
    ]

    /// Whether a call is let in; what it names of people is `named`.
    func isLetIn(_ rule: AccessRule) -> Bool {
      guard scopes.isSuperset(of: rule.scope) else { return false }
      guard role == .user, !rule.own.isEmpty || rule.ownElements != nil else {
        return role == .service || isPerson || !rule.looksAtRequest(of: Self.key)
      }
      return isPerson && named == "ann"
    }

    private static let key = Caller(subject: nil, scopes: [.read, .report, .command])
  }

  private static func check(
    _ reason: String?, _ asker: Asker, _ rule: AccessRule, _ what: @autoclosure () -> String
  ) {
    if asker.isLetIn(rule) {
      let isRefused = reason.map(identityReasons.contains) ?? false
      #expect(
        !isRefused, "\(what()) as \(asker.token ?? "nobody") for \(asker.named): \(reason ?? "")")
    } else {
      #expect(
        reason == "forbidden",
        "\(what()) as \(asker.token ?? "nobody") for \(asker.named): \(reason ?? "answered")")
    }
  }

  private static let nobodies: [(token: String?, reason: String)] = [
    (nil, "unauthenticated"), ("forged", "unauthenticated"), ("expired", "token_expired"),
  ]

  /// A request that names an object and who acts, and nothing else.
  private static func message(
    _ schema: MessageSchema, _ rule: AccessRule, named: String
  ) -> [UInt8] {
    var writer = ProtobufWriter(capacity: 128)
    for (name, value) in [("layer", "users"), ("id", "x")]
    where !rule.own.contains(name) {
      if let field = schema.field(jsonName: name) { writer.string(field.number, value) }
    }
    for name in rule.own {
      if let field = schema.field(jsonName: name) { writer.string(field.number, named) }
    }
    if let elements = rule.ownElements, let list = schema.field(jsonName: elements.list),
      case .message(let type) = list.kind,
      let field = MessageSchema.all[type]?.field(jsonName: elements.field)
    {
      var element = ProtobufWriter(capacity: 32)
      element.string(field.number, named)
      // A length-delimited field, as a text is.
      writer.string(list.number, String(decoding: element.bytes, as: UTF8.self))
    }
    return writer.bytes
  }

  /// A route as a caller would fill it in.
  private static func request(
    _ route: MoyeoServer.Operation.Route, _ schema: MessageSchema, _ rule: AccessRule, named: String
  ) -> (method: String, path: String, body: String?) {
    var inPath: Set<String> = []
    let path = route.segments.reduce(into: "") { path, segment in
      path += "/"
      guard let open = segment.firstIndex(of: "{"), let close = segment.firstIndex(of: "}") else {
        path += segment
        return
      }
      let name = String(segment[segment.index(after: open)..<close])
      inPath.insert(name)
      let known = [
        "layer": "users", "zoom": "3", "x": "1", "y": "1", "clusterId": "0011223344556677",
      ]
      path += rule.own.contains(name) ? named : known[name] ?? "x"
      path += segment[segment.index(after: close)...]
    }
    let missing = rule.own.filter { !inPath.contains($0) && schema.field(jsonName: $0) != nil }
    guard route.method == "POST" else {
      let query = missing.map { "\($0)=\(named)" }.joined(separator: "&")
      return (route.method, query.isEmpty ? path : "\(path)?\(query)", nil)
    }
    var fields = missing.map { "\"\($0)\":\"\(named)\"" }
    if let elements = rule.ownElements {
      fields.append("\"\(elements.list)\":[{\"\(elements.field)\":\"\(named)\"}]")
    }
    return (route.method, path, "{\(fields.joined(separator: ","))}")
  }

  @Test("gRPC, with one answer", arguments: [true, false])
  func unary(usesFastPath: Bool) async throws {
    try await RunningDaemon.runWithTokens(usesFastPath: usesFastPath) { daemon in
      for operation in daemon.room.operations {
        let rule = try #require(operation.access)
        for (token, reason) in Self.nobodies {
          let message = Self.message(operation.requestSchema, rule, named: "ann")
          #expect(
            try await daemon.reason(operation.grpcPath, message, as: token) == reason,
            "\(operation.name)")
        }
        for asker in Asker.all {
          let message = Self.message(operation.requestSchema, rule, named: asker.named)
          Self.check(
            try await daemon.reason(operation.grpcPath, message, as: asker.token), asker, rule,
            operation.name)
        }
      }
    }
  }

  @Test("gRPC streams")
  func streams() async throws {
    try await RunningDaemon.runWithTokens { daemon in
      for stream in daemon.room.streamOperations {
        let rule = try #require(stream.access)
        let path = "/\(stream.service)/\(stream.rpc)"
        for (token, reason) in Self.nobodies {
          let message = Self.message(stream.requestSchema, rule, named: "ann")
          #expect(
            try await daemon.streamReason(path, message, as: token) == reason, "\(stream.name)")
        }
        for asker in Asker.all {
          let message = Self.message(stream.requestSchema, rule, named: asker.named)
          Self.check(
            try await daemon.streamReason(path, message, as: asker.token), asker, rule,
            stream.name)
        }
      }
    }
  }

  @Test("gRPC, a stream of reports")
  func streamOfReports() async throws {
    try await RunningDaemon.runWithTokens { daemon in
      let rule = try #require(AccessTable.rule("PositionService", "StreamReports"))
      func ask(_ token: String?, for person: String) async throws -> String? {
        try await daemon.reportStreamReason(
          .with {
            $0.layer = "users"
            $0.positions = [
              .with {
                $0.id = person
                $0.latitude = 37.5
                $0.longitude = 127
              }
            ]
          }, as: token)
      }
      for (token, reason) in Self.nobodies {
        #expect(try await ask(token, for: "ann") == reason)
      }
      for asker in Asker.all {
        Self.check(
          try await ask(asker.token, for: asker.named), asker, rule, "a stream of reports")
      }
    }
  }

  @Test("HTTP and the batch call")
  func http() async throws {
    try await RunningDaemon.runWithTokens { daemon in
      for operation in daemon.room.operations {
        let rule = try #require(operation.access)
        for route in operation.routes {
          for (token, reason) in Self.nobodies {
            let asked = Self.request(route, operation.requestSchema, rule, named: "ann")
            let answer = try await daemon.send(asked.method, asked.path, asked.body, as: token)
            #expect(answer.status == 401, "\(asked)")
            #expect(answer.reason == reason, "\(asked)")
          }
          for asker in Asker.all {
            let asked = Self.request(route, operation.requestSchema, rule, named: asker.named)
            let answer = try await daemon.send(
              asked.method, asked.path, asked.body, as: asker.token)
            Self.check(answer.reason, asker, rule, "\(asked)")
            guard operation.isRead else { continue }
            Self.check(
              try await Self.inBatch(asked, daemon, asker), asker, rule, "in a batch: \(asked)")
          }
        }
      }
      for (token, reason) in Self.nobodies {
        let answer = try await daemon.send("POST", "/v1/batch", #"{"requests":[]}"#, as: token)
        #expect(answer.reason == reason)
      }
    }
  }

  private static func inBatch(
    _ asked: (method: String, path: String, body: String?), _ daemon: RunningDaemon, _ asker: Asker
  ) async throws -> String? {
    let body = asked.body.map { #","body":\#($0)"# } ?? ""
    let answer = try await daemon.send(
      "POST", "/v1/batch",
      #"{"requests":[{"method":"\#(asked.method)","path":"\#(asked.path)"\#(body)}]}"#,
      as: asker.token)
    let responses = try #require(answer.object["responses"] as? [[String: Any]])
    let error = (responses.first?["body"] as? [String: Any])?["error"] as? [String: Any]
    return error?["reason"] as? String
  }

  @Test("Tiles, and streams as server-sent events")
  func tilesAndEvents() async throws {
    try await RunningDaemon.runWithTokens { daemon in
      func ask(
        _ asked: (method: String, path: String, body: String?), as token: String?
      ) async throws -> String? {
        let reader = try await ServerSentEventReader(
          daemon.url + asked.path, method: asked.method, body: asked.body, token: token)
        guard reader.status != 200 else { return nil }
        return try await reader.refusalReason()
      }
      for stream in daemon.room.streamOperations {
        let rule = try #require(stream.access)
        for route in stream.routes {
          for (token, reason) in Self.nobodies {
            let asked = Self.request(route, stream.requestSchema, rule, named: "ann")
            #expect(try await ask(asked, as: token) == reason, "\(asked)")
          }
          for asker in Asker.all {
            let asked = Self.request(route, stream.requestSchema, rule, named: asker.named)
            Self.check(try await ask(asked, as: asker.token), asker, rule, "\(asked)")
          }
        }
      }
      for raw in daemon.room.raw {
        let rule = try #require(raw.access)
        let schema = raw.requestSchema ?? MessageSchema.of(Moyeo_V1_GetTileRequest.self)
        let asked = Self.request(raw.route, schema, rule, named: "ann")
        for (token, reason) in Self.nobodies {
          #expect(try await daemon.send("GET", asked.path, as: token).reason == reason, "\(asked)")
        }
        for asker in Asker.all {
          Self.check(
            try await daemon.send("GET", asked.path, as: asker.token).reason, asker, rule,
            "\(asked)")
        }
      }
    }
  }
}

extension ServerSentEventReader {
  /// The reason of an answer that is no stream.
  func refusalReason() async throws -> String? {
    var reader = self
    let text = try await reader.rest()
    let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    return (object?["error"] as? [String: Any])?["reason"] as? String
  }
}
