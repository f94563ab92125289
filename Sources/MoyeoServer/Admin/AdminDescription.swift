import Foundation
import MoyeoAPI

/// /openapi.json of the operator's listener (OpenAPI 3.1), from the table of its calls.
enum AdminDescription {
  static func make(_ routes: [RawRoute], version: String) -> [UInt8] {
    var paths: [String: [String: Any]] = [:]
    for route in routes {
      guard let call = AdminCall(rawValue: route.name) else { continue }
      paths[route.route.template, default: [:]][route.route.method.lowercased()] =
        described(call, route)
    }
    let document: [String: Any] = [
      "openapi": "3.1.0",
      "info": [
        "title": "Moyeo, for operators", "version": version,
        "description": "What runs and looks after a daemon, on a listener of its own.",
      ],
      "paths": paths,
      "components": [
        "schemas": [
          OpenAPIPage.refusalName: OpenAPIPage.refusalSchema,
          "Error": OpenAPISchemas.refusal,
          "FieldError": OpenAPISchemas.fieldRefusal,
        ],
        "headers": OpenAPIPage.headers, "securitySchemes": OpenAPIPage.securitySchemes,
      ],
    ]
    let data = try? JSONSerialization.data(
      withJSONObject: document, options: [.sortedKeys, .withoutEscapingSlashes])
    return Array(data ?? Data("{}".utf8))
  }

  private static func described(_ call: AdminCall, _ route: RawRoute) -> [String: Any] {
    var parameters: [[String: Any]] = route.route.parameterNames.map {
      [
        "name": $0, "in": "path", "required": true,
        "schema": ["type": "string", "minLength": 1, "maxLength": 128],
      ]
    }
    for name in call.queryNames.sorted() {
      parameters.append(["name": name, "in": "query", "schema": fields[name] ?? text])
    }
    if call.isCommand {
      parameters.append([
        "name": "Idempotency-Key", "in": "header",
        "schema": ["type": "string", "minLength": 1, "maxLength": 128],
      ])
    }
    let schema: [String: Any] = ["type": "object", "properties": call.answer]
    var out: [String: Any] = [
      "operationId": call.rawValue, "tags": ["Operators"], "description": call.text,
      "parameters": parameters,
      "responses": ["200": OpenAPIPage.content(schema, "The answer.")],
    ]
    if !call.bodyNames.isEmpty {
      out["requestBody"] = body(call)
    }
    OpenAPIPage.add(reasons(call), route.access, to: &out)
    return out
  }

  private static var text: [String: Any] {
    ["type": "string"]
  }

  private static var fields: [String: [String: Any]] {
    [
      "tenant": [
        "type": "string",
        "description": "Another tenant than the caller's; of the default one alone.",
      ],
      "after": [
        "type": "string", "pattern": "^[0-9]{1,19}$",
        "description": "Events above this sequence; absent: the newest ones.",
      ],
      "until": [
        "type": "string", "format": "date-time",
        "description": "When the ban ends: after now, and within ten years.",
      ],
      "reason": [
        "type": "string", "minLength": 1, "maxLength": AdminCommand.maximumReasonBytes,
        "description": "Why. The record keeps it, so that it names nobody.",
      ],
      "level": ["type": "string", "enum": LogLevelControl.words],
      "includeAppeared": [
        "type": "boolean",
        "description": "Whether its days that have not departed are called off, joined ones too.",
      ],
    ]
  }

  private static func body(_ call: AdminCall) -> [String: Any] {
    let schema: [String: Any] = [
      "type": "object", "additionalProperties": false,
      "required": call.bodyNames.subtracting(call.flagNames).sorted(),
      "properties": Dictionary(
        uniqueKeysWithValues: call.bodyNames.map { ($0, fields[$0] ?? text) }),
    ]
    return ["required": true, "content": ["application/json": ["schema": schema]]]
  }

  private static func reasons(_ call: AdminCall) -> [Reason] {
    var found: Set<Reason> = [
      .malformedRequest, .missingField, .unknownField, .conflictingFields, .badValue,
      .requestTooLarge, .unknownRoute, .methodNotAllowed, .unsupportedMediaType,
      .unsupportedCoding, .unauthenticated, .tokenExpired, .forbidden, .forbiddenHost,
      .forbiddenOrigin, .unknownTenant, .rateLimited, .overloaded, .deadlineExceeded, .unavailable,
      .internalError,
    ]
    if !call.route.parameterNames.isEmpty { found.formUnion([.badID, .unknownObject, .badTime]) }
    if call.queryNames.contains("after") {
      found.formUnion([.resumeTokenAhead, .resumeTokenExpired])
    }
    if call.isCommand {
      found.formUnion([
        .idempotencyMismatch, .readOnly, .unknownParty, .unknownTicket, .partyCancelled,
        .partyDeparted, .partyEnded, .unknownCommute, .commuteEnded, .quotaExceeded,
      ])
    }
    return Reason.allCases.filter(found.contains)
  }
}

extension AdminCall {
  /// Whether the record keeps that it was carried out, and so takes a key.
  var isCommand: Bool { bodyNames.contains("reason") }

  fileprivate var text: String {
    switch self {
    case .statistics: "What a tenant's layers, clusters and commits amount to."
    case .getLogLevel: "The least level that is logged."
    case .setLogLevel: "Sets the least level that is logged, until the next start."
    case .drain: "Lets /readyz say no, so that nothing new comes here."
    case .undrain, .endDrain: "Lets /readyz say yes again."
    case .snapshot: "Writes the positions that are not written yet, of all tenants."
    case .tenants: "The tenants that are served, with how much is in each."
    case .keys: "The API keys, without their secrets; the newest ones."
    case .user: "A person's parties, ticket and what happened to them."
    case .ban: "Keeps a person out of parties and tickets until a time."
    case .unban: "Ends a ban."
    case .clearPenalty: "Ends the wait after a match that was left."
    case .cancelParty: "Calls a party off."
    case .closeTicket: "Ends a ticket, and a match for both."
    case .closeCommute: "Ends a commute, and its days if that is asked for."
    case .erase: "Erases a person from all that is kept."
    }
  }

  /// Names of the answer with their schemas; more may come.
  fileprivate var answer: [String: Any] {
    func all(_ type: String, _ names: String...) -> [String: Any] {
      Dictionary(uniqueKeysWithValues: names.map { ($0, ["type": type]) })
    }
    let items: [String: Any] = ["type": "array", "items": ["type": "object"]]
    switch self {
    case .statistics:
      return all("integer", "parties", "tickets", "streams")
        .merging(all("boolean", "ready", "draining")) { $1 }
        .merging(all("object", "coalescing", "commits")) { $1 }
        .merging(["layers": items, "connections": items]) { $1 }
    case .getLogLevel, .setLogLevel: return all("string", "level")
    case .drain, .undrain, .endDrain: return all("boolean", "draining")
    case .snapshot: return all("integer", "tenants", "written")
    case .tenants: return ["tenants": items]
    case .keys: return all("boolean", "moreKeys").merging(["keys": items]) { $1 }
    case .user:
      return all("string", "id", "next").merging(all("boolean", "moreParties")) { $1 }
        .merging(all("object", "ticket", "conduct")) { $1 }
        .merging(["parties": items, "events": items]) { $1 }
    case .ban, .unban, .clearPenalty, .closeTicket:
      return all("string", "userId", "state", "version", "bannedUntil", "penaltyUntil")
    case .cancelParty, .closeCommute: return all("string", "id", "state", "version")
    case .erase:
      return all(
        "integer", "positions", "parties", "tickets", "requests", "events", "replies", "letters"
      ).merging(all("boolean", "erased")) { $1 }
    }
  }
}
