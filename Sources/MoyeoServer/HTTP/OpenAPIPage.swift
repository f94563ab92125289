import Foundation
import MoyeoAPI

/// /openapi.json (OpenAPI 3.1), made from the operations and the descriptors of moyeo.v1, so that
/// it cannot drift from what is served.
struct OpenAPIPage {
  let schemas: OpenAPISchemas

  static func make(
    operations: [Operation], streams: [StreamOperation], raw: [RawRoute], version: String,
    bounds: FieldBounds
  ) -> [UInt8] {
    let answers =
      operations.map(\.responseSchema) + streams.map(\.responseSchema)
      + streams.compactMap { $0.poll?.responseSchema }
    return OpenAPIPage(schemas: OpenAPISchemas(bounds: bounds, answers: answers.map(\.name)))
      .document(operations, streams, raw, version: version)
  }

  private func document(
    _ operations: [Operation], _ streams: [StreamOperation], _ raw: [RawRoute], version: String
  ) -> [UInt8] {
    var paths: [String: [String: Any]] = [:]
    var bodies: [(message: MessageSchema, inPath: Set<String>)] = []
    for operation in operations {
      for route in operation.routes {
        paths[route.template, default: [:]][route.method.lowercased()] = method(operation, route)
        if route.method == "POST" { bodies.append((operation.requestSchema, route.parameters)) }
      }
    }
    for stream in streams {
      for route in stream.routes {
        paths[route.template, default: [:]][route.method.lowercased()] = method(stream, route)
        if route.method == "POST" { bodies.append((stream.requestSchema, route.parameters)) }
      }
    }
    for raw in raw {
      paths[raw.route.template, default: [:]][raw.route.method.lowercased()] = method(raw)
    }
    paths[BatchReads.path] = ["post": batch]
    paths.merge(Self.operatorPages) { $1 }
    let document: [String: Any] = [
      "openapi": "3.1.0",
      "info": [
        "title": "Moyeo", "version": version,
        "description": "Geospatial matching and clustering over people and parties that move.",
      ],
      // Where the document was asked for.
      "servers": [["url": "/"]],
      "tags": Self.tags(of: paths),
      "paths": paths,
      "components": [
        "schemas": schemas.components(bodies: bodies)
          .merging([Self.refusalName: Self.refusalSchema]) { $1 },
        "headers": Self.headers,
        "securitySchemes": Self.securitySchemes,
      ],
    ]
    let data = try? JSONSerialization.data(
      withJSONObject: document, options: [.sortedKeys, .withoutEscapingSlashes])
    return Array(data ?? Data("{}".utf8))
  }

  private func method(_ operation: Operation, _ route: Operation.Route) -> [String: Any] {
    var out = method(
      route, request: operation.requestSchema, service: operation.service,
      id: operation.routes.count > 1
        ? operation.name + "By" + route.method.capitalized : operation.name,
      answer: Self.withExample(
        Self.content(Self.reference(operation.responseSchema.name), "The answer."),
        AnswerExamples.body(of: Self.callName(operation.service, operation.rpc))))
    Self.describe(&out, operation.service, operation.rpc)
    let reasons = CallReasons.of(
      service: operation.service, rpc: operation.rpc, isRead: operation.isRead)
    // Of a session that is none.
    let ofSession: [Reason] = operation.isThrottled ? [.badID, .badValue, .superseded] : []
    Self.add(
      reasons + ofSession.filter { !reasons.contains($0) },
      operation.access, to: &out)
    var parameters = out["parameters"] as? [[String: Any]] ?? []
    if operation.takesIdempotencyKey {
      parameters.append(
        Self.header(
          "Idempotency-Key",
          "The same again answers what was answered first, and does nothing more.",
          ["type": "string", "minLength": 1, "maxLength": 128]))
    }
    if operation.isThrottled { parameters += Self.sessionParameters }
    out["parameters"] = parameters
    return out
  }

  /// What a call does, as its service's declaration says.
  private static func describe(_ out: inout [String: Any], _ service: String, _ rpc: String) {
    let name = callName(service, rpc)
    if let text = DeclarationTexts.text(of: name) {
      out["description"] = text
      out["summary"] = firstSentence(text)
    }
    if let body = out["requestBody"] as? [String: Any] {
      out["requestBody"] = withExample(body, RequestExamples.body(of: name))
    }
  }

  /// What texts and examples are found by, such as `PartyService.Join`.
  private static func callName(_ service: String, _ rpc: String) -> String {
    shortName(service) + "." + rpc
  }

  /// Of a text of whole sentences, without its full stop.
  static func firstSentence(_ text: String) -> String {
    let end =
      text.range(of: ". ")?.lowerBound
      ?? (text.hasSuffix(".") ? text.index(before: text.endIndex) : text.endIndex)
    return String(text[..<end])
  }

  /// Each group of calls once, with what its service's declaration says.
  private static func tags(of paths: [String: [String: Any]]) -> [[String: Any]] {
    let names = paths.values.flatMap(\.values).compactMap {
      (($0 as? [String: Any])?["tags"] as? [String])?.first
    }
    return Set(names).sorted().map { name in
      var tag: [String: Any] = ["name": name]
      if let text = DeclarationTexts.text(of: name) ?? ownTags[name] { tag["description"] = text }
      return tag
    }
  }

  private static let ownTags = [
    "RoadService": "Roads of the network that routes are found in.",
    "Batch": "Several reads in one request.",
    operatorTag: "Pages that say whether a daemon serves; they need no token.",
  ]

  /// A body or an answer, with an example of its JSON.
  private static func withExample(_ part: [String: Any], _ example: Any?) -> [String: Any] {
    guard let example, var content = part["content"] as? [String: [String: Any]] else {
      return part
    }
    content["application/json"]?["example"] = example
    return part.merging(["content": content]) { $1 }
  }

  /// Server-sent events; the schema is that of each event's data. Without
  /// `Accept: text/event-stream` a stream with a list beside it answers that.
  private func method(_ stream: StreamOperation, _ route: Operation.Route) -> [String: Any] {
    let schema = ["schema": Self.reference(stream.responseSchema.name)]
    var out = method(
      route, request: stream.requestSchema, service: stream.service,
      id: stream.routes.count > 1 ? stream.name + "By" + route.method.capitalized : stream.name,
      answer: [
        "description": "Events; `id:` is the resume token.",
        "content": ["text/event-stream": schema],
      ])
    var parameters = out["parameters"] as? [[String: Any]] ?? []
    parameters.append(
      Self.header("Last-Event-ID", "The `id:` of the last event that was seen: go on after it."))
    parameters.append(Self.accessTokenParameter)
    if let poll = stream.poll {
      let known = Set(parameters.compactMap { $0["name"] as? String })
      for field in poll.requestSchema.fields where !known.contains(field.jsonName) {
        parameters.append(queryParameter(field, of: poll.requestSchema.name))
      }
      var responses = out["responses"] as? [String: Any] ?? [:]
      responses["200"] = Self.withExample(
        [
          "description":
            "Events; `id:` is the resume token. Without `Accept: text/event-stream` a list.",
          "content": [
            "text/event-stream": schema,
            "application/json": ["schema": Self.reference(poll.responseSchema.name)],
          ],
        ], AnswerExamples.body(of: Self.callName(poll.service, poll.rpc)))
      out["responses"] = responses
    }
    out["parameters"] = parameters
    Self.describe(&out, stream.service, stream.rpc)
    Self.add(
      CallReasons.of(
        service: stream.service, rpc: stream.rpc, isRead: true, isStream: true),
      stream.access, to: &out)
    return out
  }

  /// Answers that are no messages of ours: tiles and their TileJSON.
  private func method(_ raw: RawRoute) -> [String: Any] {
    let isTile = raw.name != "TileJSON"
    let headers = isTile ? Self.tileHeaders(ofLayer: raw.service == "ClusterService") : [:]
    var out = method(
      raw.route, request: raw.requestSchema, service: raw.service, id: raw.name,
      pathNumbers: raw.pathNumbers,
      answer: Self.withExample(
        [
          "description": "The answer.", "content": [raw.mediaType: [:] as [String: Any]],
          "headers": headers,
        ], AnswerExamples.body(of: Self.callName(raw.service, raw.name))))
    let text = Self.rawTexts[raw.name] ?? ""
    out["description"] = text
    out["summary"] = Self.firstSentence(text)
    var parameters = out["parameters"] as? [[String: Any]] ?? []
    // The path says the format, a header what the caller has.
    parameters.removeAll { ["format", "ifNoneMatch"].contains($0["name"] as? String) }
    if isTile {
      parameters.append(Self.header("If-None-Match", "The `ETag` of the tile that the caller has."))
    }
    parameters.append(Self.accessTokenParameter)
    out["parameters"] = parameters
    var responses = out["responses"] as? [String: Any] ?? [:]
    if isTile {
      responses["204"] = ["description": "Nothing is in the tile.", "headers": headers]
      responses["304"] = [
        "description": "What the caller has (`If-None-Match`) is current.",
        "headers": headers,
      ]
    }
    out["responses"] = responses
    Self.add(
      CallReasons.of(service: raw.service, rpc: raw.name, isRead: true), raw.access, to: &out)
    return out
  }

  private static let rawTexts = [
    "GetTileMVT": "A tile of a layer's clusters as a vector tile (MVT 2.1).",
    "GetTileJSON": "The same tile as GeoJSON.",
    "GetRoadTile": """
    A tile of the roads of `routes.network` (MVT 2.1, layer `roads`, with `name` and the free-flow \
    `speed` in km/h); none without such a network. At most \(RoadTileRoutes.maximumRoads) stretches.
    """,
    "TileJSON": "Where a map finds the tiles of a layer, and what is in them (TileJSON 3.0).",
  ]

  private var batch: [String: Any] {
    func list(_ name: String, of properties: [String: [String: Any]], _ required: [String])
      -> [String: Any]
    {
      let item: [String: Any] = [
        "type": "object", "properties": properties, "required": required,
      ]
      return [
        "type": "object", "properties": [name: ["type": "array", "items": item] as [String: Any]],
        "required": [name],
      ]
    }
    let request = list(
      "requests",
      of: [
        "method": ["type": "string"], "path": ["type": "string"],
        "body": ["type": ["object", "null"]],
      ],
      ["method", "path"])
    let response = list(
      "responses", of: ["status": ["type": "integer"], "body": ["type": "object"]],
      ["status", "body"])
    var out: [String: Any] = [
      "operationId": BatchReads.name, "tags": ["Batch"],
      "summary": "Several reads in one request",
      "description": "Several reads in one request, answered in their order.",
      "requestBody": Self.withExample(
        ["required": true, "content": ["application/json": ["schema": request]]],
        RequestExamples.body(of: "Batch.Reads")),
      "responses": [
        "200": Self.withExample(
          Self.content(response, "Answers in the order of the requests."),
          AnswerExamples.body(of: "Batch.Reads"))
      ],
    ]
    Self.add(CallReasons.batch, nil, to: &out)
    return out
  }

  private func method(
    _ route: Operation.Route, request: MessageSchema?, service: String, id: String,
    pathNumbers: [String: ClosedRange<Int>] = [:], answer: [String: Any]
  ) -> [String: Any] {
    let inPath = route.parameters
    var parameters: [[String: Any]] = route.parameterNames.map { name in
      [
        "name": name, "in": "path", "required": true,
        "schema": request.flatMap { request in
          request.field(jsonName: name).map { schemas.value($0, of: request.name) }
        } ?? pathNumbers[name].map { Self.integer(in: $0) } ?? schemas.layerName,
      ]
    }
    var out: [String: Any] = [
      "operationId": id,
      "tags": [service.split(separator: ".").last.map(String.init) ?? ""],
      "responses": ["200": answer],
    ]
    if route.method == "POST", let request {
      out["requestBody"] =
        [
          // Without one the request has no fields but those of the path.
          "required": !FieldBounds.required(of: request.name).filter { !inPath.contains($0) }
            .isEmpty,
          "content": [
            "application/json": ["schema": schemas.body(of: request, without: inPath)]
          ],
        ] as [String: Any]
    } else {
      for field in request?.fields ?? [] where !inPath.contains(field.jsonName) {
        parameters.append(queryParameter(field, of: request?.name ?? ""))
      }
    }
    out["parameters"] = parameters
    return out
  }

  /// What is no plain value stands in a query as JSON text; lists of plain values are repeated.
  private func queryParameter(
    _ field: MessageSchema.Field, of message: String
  ) -> [String: Any] {
    var out: [String: Any] = ["name": field.jsonName, "in": "query"]
    if FieldBounds.required(of: message).contains(field.jsonName) { out["required"] = true }
    let schema = schemas.value(field, of: message)
    switch field.kind {
    case .message("google.protobuf.Timestamp"): out["schema"] = schema
    case .message: out["content"] = ["application/json": ["schema": schema]]
    default: out["schema"] = schema
    }
    return out
  }

  static func content(_ schema: [String: Any], _ description: String) -> [String: Any] {
    ["description": description, "content": ["application/json": ["schema": schema]]]
  }

  private static func integer(in range: ClosedRange<Int>) -> [String: Any] {
    ["type": "integer", "minimum": range.lowerBound, "maximum": range.upperBound]
  }

  static func reference(_ name: String) -> [String: Any] {
    ["$ref": "#/components/schemas/" + shortName(name)]
  }

  static func shortName(_ name: String) -> String {
    String(name.split(separator: ".").last ?? "")
  }
}
