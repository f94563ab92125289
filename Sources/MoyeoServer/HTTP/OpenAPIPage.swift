import Foundation
import MoyeoAPI

/// /openapi.json (OpenAPI 3.1), made from the operations and the descriptors of moyeo.v1, so that
/// it cannot drift from what is served.
struct OpenAPIPage {
  let bounds: FieldBounds

  static func make(
    operations: [Operation], streams: [StreamOperation], raw: [RawRoute], version: String,
    bounds: FieldBounds
  ) -> [UInt8] {
    OpenAPIPage(bounds: bounds).document(operations, streams, raw, version: version)
  }

  private func document(
    _ operations: [Operation], _ streams: [StreamOperation], _ raw: [RawRoute], version: String
  ) -> [UInt8] {
    var paths: [String: [String: Any]] = [:]
    var needed: Set<String> = ["moyeo.v1.Error"]
    for operation in operations {
      for route in operation.routes {
        paths[route.template, default: [:]][route.method.lowercased()] = method(operation, route)
      }
      needed.formUnion([operation.requestSchema.name, operation.responseSchema.name])
    }
    for stream in streams {
      for route in stream.routes {
        paths[route.template, default: [:]][route.method.lowercased()] = method(stream, route)
      }
      needed.formUnion([stream.requestSchema.name, stream.responseSchema.name])
      if let poll = stream.poll { needed.insert(poll.responseSchema.name) }
    }
    for raw in raw {
      paths[raw.route.template, default: [:]][raw.route.method.lowercased()] = method(raw)
    }
    paths[BatchReads.path] = ["post": batch]
    let document: [String: Any] = [
      "openapi": "3.1.0",
      "info": [
        "title": "Moyeo", "version": version,
        "description": "Geospatial matching and clustering over people and parties that move.",
      ],
      "paths": paths,
      "components": [
        "schemas": schemas(from: needed).merging([Self.refusalName: Self.refusalSchema]) { $1 },
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
      answer: Self.content(Self.reference(operation.responseSchema.name), "The answer."))
    Self.describe(&out, operation.service, operation.rpc)
    add(
      CallReasons.of(
        service: operation.service, rpc: operation.rpc, isRead: operation.isRead),
      operation.access, to: &out)
    guard operation.takesIdempotencyKey else { return out }
    var parameters = out["parameters"] as? [[String: Any]] ?? []
    parameters.append([
      "name": "Idempotency-Key", "in": "header",
      "schema": ["type": "string", "minLength": 1, "maxLength": 128],
    ])
    out["parameters"] = parameters
    return out
  }

  /// What a call does, as its service's declaration says.
  private static func describe(_ out: inout [String: Any], _ service: String, _ rpc: String) {
    let name = shortName(service) + "." + rpc
    if let text = DeclarationTexts.text(of: name) { out["description"] = text }
    if let body = out["requestBody"] as? [String: Any] {
      out["requestBody"] = withExample(body, of: name)
    }
  }

  private static func withExample(_ body: [String: Any], of call: String) -> [String: Any] {
    guard let example = RequestExamples.body(of: call),
      var content = body["content"] as? [String: [String: Any]]
    else { return body }
    content["application/json"]?["example"] = example
    return body.merging(["content": content]) { $1 }
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
    parameters.append(["name": "Last-Event-ID", "in": "header", "schema": ["type": "string"]])
    if let poll = stream.poll {
      let known = Set(parameters.compactMap { $0["name"] as? String })
      for field in poll.requestSchema.fields where !known.contains(field.jsonName) {
        parameters.append(queryParameter(field, of: poll.requestSchema.name))
      }
      var responses = out["responses"] as? [String: Any] ?? [:]
      responses["200"] = [
        "description":
          "Events; `id:` is the resume token. Without `Accept: text/event-stream` a list.",
        "content": [
          "text/event-stream": schema,
          "application/json": ["schema": Self.reference(poll.responseSchema.name)],
        ],
      ]
      out["responses"] = responses
    }
    out["parameters"] = parameters
    Self.describe(&out, stream.service, stream.rpc)
    add(
      CallReasons.of(
        service: stream.service, rpc: stream.rpc, isRead: true, isStream: true),
      stream.access, to: &out)
    return out
  }

  /// Answers that are no messages of ours: tiles and their TileJSON.
  private func method(_ raw: RawRoute) -> [String: Any] {
    var out = method(
      raw.route, request: raw.requestSchema, service: "ClusterService", id: raw.name,
      answer: [
        "description": "The answer.", "content": [raw.mediaType: [:] as [String: Any]],
        "headers": ["ETag": ["$ref": "#/components/headers/ETag"]],
      ])
    out["description"] = Self.rawTexts[raw.name]
    add(
      CallReasons.of(service: "moyeo.v1.ClusterService", rpc: raw.name, isRead: true), raw.access,
      to: &out)
    var responses = out["responses"] as? [String: Any] ?? [:]
    responses["304"] = ["description": "What the caller has (`If-None-Match`) is current."]
    out["responses"] = responses
    return out
  }

  private static let rawTexts = [
    "GetTileMVT": "A tile of a layer's clusters as a vector tile (MVT 2.1).",
    "GetTileJSON": "The same tile as GeoJSON.",
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
      of: ["method": ["type": "string"], "path": ["type": "string"], "body": ["type": "object"]],
      ["method", "path"])
    let response = list(
      "responses", of: ["status": ["type": "integer"], "body": ["type": "object"]],
      ["status", "body"])
    var out: [String: Any] = [
      "operationId": BatchReads.name, "tags": ["Batch"],
      "description": "Several reads in one request, answered in their order.",
      "requestBody": Self.withExample(
        ["required": true, "content": ["application/json": ["schema": request]]],
        of: "Batch.Reads"),
      "responses": ["200": Self.content(response, "Answers in the order of the requests.")],
    ]
    add(CallReasons.batch, nil, to: &out)
    return out
  }

  private func method(
    _ route: Operation.Route, request: MessageSchema?, service: String, id: String,
    answer: [String: Any]
  ) -> [String: Any] {
    let inPath = route.segments.compactMap { segment -> String? in
      guard let open = segment.firstIndex(of: "{"), let close = segment.firstIndex(of: "}") else {
        return nil
      }
      return String(segment[segment.index(after: open)..<close])
    }
    var parameters: [[String: Any]] = inPath.map { name in
      [
        "name": name, "in": "path", "required": true,
        "schema": request.flatMap { request in
          request.field(jsonName: name).map { schema($0, of: request.name) }
        } ?? ["type": "string"],
      ]
    }
    var out: [String: Any] = [
      "operationId": id,
      "tags": [service.split(separator: ".").last.map(String.init) ?? ""],
      "responses": ["200": answer],
    ]
    if route.method == "POST", let request {
      out["requestBody"] = [
        "required": true,
        "content": ["application/json": ["schema": Self.reference(request.name)]],
      ]
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
    if FieldBounds.required[message]?.contains(field.jsonName) == true { out["required"] = true }
    switch field.kind {
    case .message("google.protobuf.Timestamp"): out["schema"] = schema(field, of: message)
    case .message:
      out["content"] = ["application/json": ["schema": schema(field, of: message)]]
    default: out["schema"] = schema(field, of: message)
    }
    return out
  }

  static func content(_ schema: [String: Any], _ description: String) -> [String: Any] {
    ["description": description, "content": ["application/json": ["schema": schema]]]
  }

  static func reference(_ name: String) -> [String: Any] {
    ["$ref": "#/components/schemas/" + shortName(name)]
  }

  private static func shortName(_ name: String) -> String {
    String(name.split(separator: ".").last ?? "")
  }

  private func schemas(from names: Set<String>) -> [String: Any] {
    var out: [String: Any] = [:]
    var open = names
    while let name = open.popFirst() {
      guard out[Self.shortName(name)] == nil, let message = MessageSchema.all[name] else {
        continue
      }
      var properties: [String: Any] = [:]
      for field in message.fields {
        properties[field.jsonName] = schema(field, of: name)
        if case .message(let inner) = field.kind, inner.hasPrefix("moyeo.") { open.insert(inner) }
      }
      var object: [String: Any] = ["type": "object", "properties": properties]
      if let required = FieldBounds.required[name] { object["required"] = required }
      if let text = DeclarationTexts.text(of: Self.shortName(name)) { object["description"] = text }
      out[Self.shortName(name)] = object
    }
    return out
  }

  private func schema(_ field: MessageSchema.Field, of message: String) -> [String: Any] {
    var out = plainSchema(field, of: message)
    let name = Self.shortName(message) + "." + field.jsonName
    if let text = DeclarationTexts.text(of: name) ?? FieldTexts.text(of: field.jsonName) {
      out["description"] = text
    }
    return out
  }

  private func plainSchema(
    _ field: MessageSchema.Field, of message: String
  ) -> [String: Any] {
    var one: [String: Any] =
      switch field.kind {
      case .double, .float: ["type": "number"]
      case .bool: ["type": "boolean"]
      case .string: ["type": "string"]
      case .bytes: ["type": "string", "contentEncoding": "base64"]
      case .int32, .sint32, .uint32, .fixed32, .sfixed32, .enumeration:
        ["type": "integer", "format": "int32"]
      case .int64, .sint64, .uint64, .fixed64, .sfixed64: ["type": "integer", "format": "int64"]
      case .message("google.protobuf.Timestamp"): ["type": "string", "format": "date-time"]
      case .message("google.protobuf.Struct"): ["type": "object"]
      case .message("google.protobuf.Value"): [:]
      case .message("google.protobuf.ListValue"): ["type": "array", "items": [:] as [String: Any]]
      case .message(let name): Self.reference(name)
      }
    one.merge(bounds.keywords(of: field, in: message)) { $1 }
    guard field.isRepeated else { return one }
    let list: [String: Any] = ["type": "array", "items": one]
    return list.merging(bounds.listKeywords(of: field, in: message)) { $1 }
  }
}
