import Identity
import MoyeoAPI

/// How calls are refused, and who may make them.
extension OpenAPIPage {
  /// Adds to a call its refusals, each status with its reasons, the headers of all calls and of their
  /// answers, and the token that it asks for.
  static func add(_ reasons: [Reason], _ access: AccessRule?, to call: inout [String: Any]) {
    var responses = call["responses"] as? [String: [String: Any]] ?? [:]
    for (status, own) in Dictionary(grouping: reasons, by: \.status.http) {
      responses["\(status)"] = Self.refusal(status, own)
    }
    for status in responses.keys {
      var headers = responses[status]?["headers"] as? [String: Any] ?? [:]
      headers["X-Request-Id"] = ["$ref": "#/components/headers/X-Request-Id"]
      responses[status]?["headers"] = headers
    }
    // Such as a proxy's.
    responses["default"] = Self.content(Self.reference(Self.refusalName), "A refusal.")
    call["responses"] = responses
    let parameters = call["parameters"] as? [[String: Any]] ?? []
    call["parameters"] = parameters + Self.commonParameters
    // Without `auth.mode tokens` none is asked for.
    let scopes = access?.scope.names ?? []
    call["security"] = [["token": scopes], ["apiKey": scopes], [:]]
    if !scopes.isEmpty { call["x-moyeo-scopes"] = scopes }
  }

  static let refusalName = "Refusal"

  /// The body of every refusal.
  static var refusalSchema: [String: Any] {
    [
      "type": "object", "properties": ["error": reference("moyeo.v1.Error")],
      "required": ["error"],
    ]
  }

  private static func refusal(_ status: Int, _ reasons: [Reason]) -> [String: Any] {
    let names = reasons.map(\.rawValue)
    var out: [String: Any] = [
      "description": "Refused: " + names.map { "`\($0)`" }.joined(separator: ", ") + ".",
      "x-moyeo-reasons": names,
      "content": [
        "application/json": [
          "schema": reference(refusalName),
          "example": [
            "error": [
              "code": reasons[0].status.grpc.name, "reason": reasons[0].rawValue,
              "message": "A sentence that says what is wrong.", "fields": [] as [String],
            ] as [String: Any]
          ],
        ] as [String: Any]
      ],
    ]
    if status == 429 || status == 503 {
      out["headers"] =
        status == 429
        ? headers("Retry-After", "RateLimit", "RateLimit-Policy") : headers("Retry-After")
    }
    return out
  }

  static var securitySchemes: [String: Any] {
    [
      "token": [
        "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
        "description": "An access token (`auth.mode tokens`).",
      ],
      "apiKey": [
        "type": "http", "scheme": "bearer",
        "description": "An API key of a server, made by `moyeo keys create`.",
      ],
    ]
  }
}
