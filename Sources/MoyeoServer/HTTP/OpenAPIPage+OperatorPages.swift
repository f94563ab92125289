import MoyeoAPI

/// The pages that say whether a daemon serves. /metrics is none: its text says itself what is in it.
extension OpenAPIPage {
  static let operatorTag = "Operations"

  static var operatorPages: [String: [String: Any]] {
    [
      "/healthz": [
        "get": page(
          "Health", "Whether the process serves. It answers `ok` for as long as it does.",
          ["200": plain("The process serves.", "ok\n")])
      ],
      "/readyz": [
        "get": page(
          "Readiness",
          """
          Whether new callers may be sent here. It answers `ready`, and why something is \
          `read-only` or `degraded`; or, with 503, `starting` or `behind` and why, `draining` or \
          `shutting down`.
          """,
          [
            "200": plain("New callers may be sent here.", "ready\n"),
            "503": plain("New callers are to be sent elsewhere.", "draining\n"),
          ])
      ],
    ]
  }

  private static func page(
    _ id: String, _ text: String, _ answers: [String: [String: Any]]
  ) -> [String: Any] {
    var out: [String: Any] = [
      "operationId": id, "tags": [operatorTag], "summary": firstSentence(text),
      "description": text, "responses": answers,
    ]
    add(
      [
        .malformedRequest, .methodNotAllowed, .unsupportedMediaType, .unsupportedCoding,
        .forbiddenHost,
      ], nil, to: &out)
    out["security"] = [] as [Any]
    return out
  }

  private static func plain(_ description: String, _ example: String) -> [String: Any] {
    [
      "description": description,
      "content": [
        "text/plain": ["schema": ["type": "string"], "example": example] as [String: Any]
      ],
    ]
  }
}
