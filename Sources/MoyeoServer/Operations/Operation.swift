import Foundation
import MoyeoAPI
import SwiftProtobuf

/// What a handler may know of the call besides its request.
struct CallContext: Sendable {
  /// `X-Moyeo-Session`.
  var session: String?
  /// `X-Moyeo-Sequence`, as it was sent.
  var sequence: String?
  /// `Idempotency-Key`, as it was sent.
  var idempotencyKey: String?
  /// Who calls; sessions of different callers are different.
  var caller = ""
  /// Of the viewport sessions; `nil` where none is throttled.
  var throttle: SessionThrottle?
}

/// One unary call of the API, in all the forms in which it can arrive: gRPC bytes, HTTP with a
/// path, query and JSON body, or an item of /v1/batch. One handler serves them all.
struct Operation: Sendable {
  struct Route: Sendable {
    let method: String
    /// E.g. `/v1/layers/{layer}/positions/{id}`; the names are JSON names of request fields.
    let template: String
    let segments: [Substring]

    init(_ method: String, _ template: String) {
      self.method = method
      self.template = template
      segments = template.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    }
  }

  /// E.g. `moyeo.v1.PositionService`.
  let service: String
  let rpc: String
  /// For metrics and /openapi.json: unique among all calls.
  let name: String
  let routes: [Route]
  let requestSchema: MessageSchema
  let responseSchema: MessageSchema
  let maximumRequestBytes: Int
  /// Whether it changes nothing, so that /v1/batch may carry it.
  let isRead: Bool
  /// Whether a repeated key answers what was answered first.
  var takesIdempotencyKey: Bool { service == "moyeo.v1.PartyService" && !isRead }
  /// Whether the path may say it all, as in `POST /v1/parties/{id}/cancel`.
  var mayLackBody: Bool {
    takesIdempotencyKey && routes.contains { $0.template.contains("{") }
  }
  /// Encoded request in, encoded response out.
  let callEncoded: @Sendable ([UInt8], CallContext) async throws -> [UInt8]
  /// JSON body and JSON of path and query in, encoded response out.
  let callJSON: @Sendable (_ body: Data?, _ parameters: Data, CallContext) async throws -> [UInt8]
  /// The same without leaving the thread, for calls that are short and wait for nothing.
  let callInPlace: (@Sendable (UnsafeRawBufferPointer) throws(APIError) -> [UInt8])?
  /// Whether requests of one viewport session supersede each other (see ``SessionThrottle``).
  let isThrottled: Bool
  let transcoder: JSONTranscoder

  /// - Parameters:
  ///   - throttleScope: Given, the call takes part in the viewport throttle; its value, such as the
  ///     layer, tells viewports of one session apart.
  ///   - handler: Validates and answers; returns the encoded `Response`.
  init<Request: Message & Sendable, Response: Message>(
    _ service: String, _ rpc: String, _ request: Request.Type, _ response: Response.Type,
    routes: [Route], maximumRequestBytes: Int = 1 << 20, isRead: Bool = true,
    throttleScope: (@Sendable (Request) -> String)? = nil,
    handler: @escaping @Sendable (Request, CallContext) async throws -> [UInt8]
  ) {
    self.init(
      service, rpc, request, response, routes: routes, maximumRequestBytes: maximumRequestBytes,
      isRead: isRead, callInPlace: nil, throttleScope: throttleScope, handler: handler)
  }

  /// A call that is short and waits for nothing: gRPC's hot lane answers it on the event loop.
  ///
  /// - Parameters:
  ///   - encodedHandler: Answers encoded requests without the generated types.
  ///   - throttleScope: As above; the hot lane leaves requests with a session to the others.
  init<Request: Message & Sendable, Response: Message>(
    inPlace service: String, _ rpc: String, _ request: Request.Type, _ response: Response.Type,
    routes: [Route], maximumRequestBytes: Int = 1 << 20, isRead: Bool = true,
    encodedHandler: (@Sendable (UnsafeRawBufferPointer) throws(APIError) -> [UInt8])? = nil,
    throttleScope: (@Sendable (Request) -> String)? = nil,
    handler: @escaping @Sendable (Request) throws(APIError) -> [UInt8]
  ) {
    let decoding: @Sendable (UnsafeRawBufferPointer) throws(APIError) -> [UInt8] = {
      bytes throws(APIError) in
      try handler(try RequestDecoding.message(Request.self, encoded: Array(bytes)))
    }
    self.init(
      service, rpc, request, response, routes: routes, maximumRequestBytes: maximumRequestBytes,
      isRead: isRead, callInPlace: encodedHandler ?? decoding, throttleScope: throttleScope
    ) { request, _ in try handler(request) }
  }

  private init<Request: Message & Sendable, Response: Message>(
    _ service: String, _ rpc: String, _ request: Request.Type, _ response: Response.Type,
    routes: [Route], maximumRequestBytes: Int, isRead: Bool,
    callInPlace: (@Sendable (UnsafeRawBufferPointer) throws(APIError) -> [UInt8])?,
    throttleScope: (@Sendable (Request) -> String)?,
    handler: @escaping @Sendable (Request, CallContext) async throws -> [UInt8]
  ) {
    self.service = "moyeo.v1." + service
    self.rpc = rpc
    name = Self.name(self.service, rpc)
    self.routes = routes
    self.maximumRequestBytes = maximumRequestBytes
    self.isRead = isRead
    requestSchema = MessageSchema.of(request)
    responseSchema = MessageSchema.of(response)
    transcoder = JSONTranscoder(response)
    self.callInPlace = callInPlace
    isThrottled = throttleScope != nil
    callEncoded = { bytes, context in
      if let callInPlace, throttleScope == nil || context.session == nil {
        let answer: Result<[UInt8], APIError> = bytes.withUnsafeBytes { raw in
          Result { () throws(APIError) in try callInPlace(raw) }
        }
        return try answer.get()
      }
      let message = try RequestDecoding.message(Request.self, encoded: bytes)
      if let throttleScope { try await context.admit(rpc, scope: throttleScope(message)) }
      return try await handler(message, context)
    }
    callJSON = { body, parameters, context in
      let message = try RequestDecoding.message(
        Request.self, body: body, parameters: parameters)
      if let throttleScope { try await context.admit(rpc, scope: throttleScope(message)) }
      return try await handler(message, context)
    }
  }

  /// `Nearby`, but `PartyGet`: names of the first services stand alone.
  static func name(_ service: String, _ rpc: String) -> String {
    let short = service.split(separator: ".").last.map { $0.replacing("Service", with: "") } ?? ""
    return ["Party", "Event", "Ticket"].contains(short) ? short + rpc : rpc
  }

  /// JSON text of an encoded response.
  func json(_ encoded: [UInt8]) throws -> [UInt8] { try transcoder.json(encoded) }
}

/// Bytes to request messages, with the reasons of what does not parse.
enum RequestDecoding {
  static func message<Request: Message>(_ type: Request.Type, encoded: [UInt8]) throws(APIError)
    -> Request
  {
    let request: Request
    do {
      request = try Request(serializedBytes: encoded)
    } catch {
      throw APIError(.malformedRequest, "the body is not a \(Request.protoMessageName) message")
    }
    let unknown = encoded.withUnsafeBytes { MessageSchema.of(type).unknownField(in: $0) }
    if let unknown {
      throw APIError(
        .unknownField, field: unknown,
        "\(Request.protoMessageName) does not know the field \(unknown)")
    }
    return request
  }

  /// A request from its JSON body, if any, and the parameters of path and query. A field may
  /// stand in both only with the same value.
  static func message<Request: Message>(_ type: Request.Type, body: Data?, parameters: Data)
    throws(APIError) -> Request
  {
    var request = try parse(type, json: parameters)
    if let body {
      let fromBody = try parse(type, json: body)
      guard let overlay: [UInt8] = try? request.serializedBytes() else {
        throw APIError(.malformedRequest, "the parameters cannot be encoded")
      }
      try refuseConflicts(overlay, fromBody, body)
      request = fromBody
      do {
        try request.merge(serializedBytes: overlay)
      } catch {
        throw APIError(.malformedRequest, "the parameters do not fit the body")
      }
    }
    return request
  }

  private static func refuseConflicts<Request: Message>(
    _ parameters: [UInt8], _ fromBody: Request, _ body: Data
  ) throws(APIError) {
    let schema = MessageSchema.of(Request.self)
    // Bodies that name a parameter are rare: only those are encoded again.
    let given = parameters.withUnsafeBytes { schema.topLevelNames(in: $0) }
    guard given.contains(where: { body.contains(quoted: $0) }),
      let encoded: [UInt8] = try? fromBody.serializedBytes(),
      let name = schema.conflict(parameters, encoded)
    else { return }
    throw APIError(
      .conflictingFields, field: name, "\(name) stands in the path or query and in the body")
  }

  private static func parse<Request: Message>(_ type: Request.Type, json: Data) throws(APIError)
    -> Request
  {
    do {
      return try Request(jsonUTF8Bytes: json)
    } catch let error as JSONDecodingError {
      if case .unknownField(let name) = error {
        throw APIError(.unknownField, field: name, "there is no field \(quoted(name)) here")
      }
      throw APIError(.malformedRequest, sentence(for: error, in: json))
    } catch {
      throw APIError(.malformedRequest, "the body is not valid JSON for this call")
    }
  }

  private static func sentence(for error: JSONDecodingError, in json: Data) -> String {
    switch error {
    case .truncated: "the JSON ends too early"
    case .malformedNumber, .numberRange, .leadingZero: "a number in the JSON is not valid here"
    case .malformedString: "a string in the JSON is not valid here"
    case .malformedBool: "a true or false in the JSON is not valid here"
    // Said of numbers beyond all doubles too.
    case .invalidUTF8:
      String(validating: json, as: UTF8.self) == nil
        ? "the JSON is not valid UTF-8" : "a number in the JSON is not valid here"
    case .malformedTimestamp: "a time is not RFC 3339, such as 2026-11-20T23:10:00+09:00"
    case .trailingGarbage: "something follows the end of the JSON"
    case .messageDepthLimit: "the JSON is nested too deeply"
    case .illegalNull: "null is not valid here"
    default: "the body is not valid JSON for this call"
    }
  }
}

extension Data {
  /// Whether a name stands in quotes somewhere.
  fileprivate func contains(quoted name: String) -> Bool {
    let wanted = Array("\"\(name)\"".utf8)
    return withUnsafeBytes { bytes in
      guard bytes.count >= wanted.count else { return false }
      return (0...bytes.count - wanted.count).contains { start in
        // Two bytes tell nearly always.
        bytes[start] == wanted[0] && bytes[start + 1] == wanted[1]
          && wanted.elementsEqual(bytes[start..<start + wanted.count])
      }
    }
  }
}
