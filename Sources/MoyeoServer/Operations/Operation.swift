import Foundation
import Identity
import MoyeoAPI
import SwiftProtobuf
import Threading
import WireFormat

/// What a handler may know of the call besides its request.
struct CallContext: Sendable {
  /// `X-Moyeo-Session`.
  var session: String?
  /// `X-Moyeo-Sequence`, as it was sent.
  var sequence: String?
  /// `Idempotency-Key`, as it was sent.
  var idempotencyKey: String?
  /// Who calls; sessions of different callers are different.
  var caller: Caller
  /// Of the viewport sessions; `nil` where none is throttled.
  var throttle: SessionThrottle?
  /// Where large requests are decoded; `nil`: on the spot.
  var pool: BoundedThreadPool?
  /// Whether the request is so large that what follows from it takes long, too.
  var isLarge = false

  init(caller: Caller) { self.caller = caller }
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

    /// The fields that the path has, in its order.
    var parameterNames: [String] {
      segments.compactMap { segment in
        guard let open = segment.firstIndex(of: "{"), let close = segment.firstIndex(of: "}")
        else { return nil }
        return String(segment[segment.index(after: open)..<close])
      }
    }

    var parameters: Set<String> { Set(parameterNames) }
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
  var takesIdempotencyKey: Bool {
    ["moyeo.v1.PartyService", "moyeo.v1.CommuteService", "moyeo.v1.TicketService"]
      .contains(service) && !isRead
  }
  /// Whether the path may say it all, as in `POST /v1/parties/{id}/cancel`.
  var mayLackBody: Bool {
    takesIdempotencyKey && routes.contains { $0.template.contains("{") }
  }
  /// Encoded request in, encoded response out.
  var callEncoded: @Sendable ([UInt8], CallContext) async throws -> [UInt8]
  /// JSON body and JSON of path and query in, encoded response out.
  var callJSON: @Sendable (_ body: Data?, _ parameters: Data, CallContext) async throws -> [UInt8]
  /// The same without leaving the thread, for calls that are short and wait for nothing.
  ///
  /// Throws ``APIError/isForPool`` when the call turns out not to be short: ``callOnPool`` answers.
  var callOnEventLoop: (@Sendable (UnsafeRawBufferPointer, Caller) throws(APIError) -> [UInt8])?
  /// The same as ``callJSON`` under the terms of ``callOnEventLoop``.
  var shortJSON: (@Sendable (_ body: Data, _ parameters: Data, Caller) throws(APIError) -> [UInt8])?
  /// Takes back what the call cost its caller's allowance, where it is asked anew elsewhere; `nil`
  /// where calls cost nothing.
  var giveBack: (@Sendable (Caller) -> Void)?
  /// Whether the call runs on the pool as a rule, rather than where it turns out not to be short.
  private(set) var isForPoolAsARule = false
  /// Refuses the call while too many wait on the pool; `nil` for calls that never go there.
  private(set) var refuseWhileCrowded: (@Sendable () throws(APIError) -> Void)?
  /// Answers what ``callOnEventLoop`` left; `nil` where it answers everything.
  private(set) var callOnPool: (@Sendable ([UInt8], Caller) async throws -> [UInt8])?
  /// Whether requests of one viewport session supersede each other (see ``SessionThrottle``).
  let isThrottled: Bool
  let transcoder: JSONTranscoder
  /// What is demanded of who calls; nil where ``AccessTable`` has no row.
  let access: AccessRule?

  /// A call that may wait: it is answered away from the event loop.
  ///
  /// - Parameters:
  ///   - service: Without the package, e.g. `PositionService`.
  ///   - rpc: The method's name in the service.
  ///   - request: The message that is read.
  ///   - response: The message that is answered.
  ///   - routes: HTTP methods and path templates.
  ///   - maximumRequestBytes: The largest body; 1 MiB unless told otherwise.
  ///   - isRead: Whether it changes nothing, so that `/v1/batch` may carry it.
  ///   - throttleScope: Given, the call takes part in the viewport throttle; its value, such as the
  ///     layer, tells viewports of one session apart.
  ///   - pool: Given, the call is for its threads as a rule, and is refused while too many wait there
  ///     before anything of it is read. Its handler knows nothing of the call's context.
  ///   - handler: Validates and answers; returns the encoded `Response`.
  init<Request: Message & Sendable, Response: Message>(
    _ service: String, _ rpc: String, request: Request.Type, response: Response.Type,
    routes: [Route], maximumRequestBytes: Int = 1 << 20, isRead: Bool = true,
    throttleScope: (@Sendable (Request) -> String)? = nil, pool: SharedReads? = nil,
    handler: @escaping @Sendable (Request, CallContext) async throws -> [UInt8]
  ) {
    var callOnEventLoop: (@Sendable (UnsafeRawBufferPointer) throws(APIError) -> [UInt8])?
    var callOnPool: (@Sendable ([UInt8]) async throws -> [UInt8])?
    if let pool {
      callOnEventLoop = { _ throws(APIError) in
        // Its place is kept until another thread takes it up: of all that one read of a socket brings, those
        // for whom there is no room are refused here, which costs least.
        try pool.refuseWhileCrowded(keepsPlace: true)
        throw APIError.isForPool
      }
      callOnPool = { bytes in
        pool.arrived()
        return try await handler(
          try RequestDecoding.message(Request.self, encoded: bytes), CallContext(caller: .open))
      }
    }
    self.init(
      service, rpc, request: request, response: response, routes: routes,
      maximumRequestBytes: maximumRequestBytes,
      isRead: isRead, callOnEventLoop: callOnEventLoop, callOnPool: callOnPool,
      throttleScope: throttleScope, refuseWhileCrowded: Self.refusal(of: pool), handler: handler)
    isForPoolAsARule = pool != nil
  }

  /// A call that is short and waits for nothing: gRPC's fast path answers it on the event loop.
  ///
  /// - Parameters:
  ///   - service: Without the package, e.g. `PositionService`.
  ///   - rpc: The method's name in the service.
  ///   - request: The message that is read.
  ///   - response: The message that is answered.
  ///   - routes: HTTP methods and path templates.
  ///   - maximumRequestBytes: The largest body; 1 MiB unless told otherwise.
  ///   - isRead: Whether it changes nothing, so that `/v1/batch` may carry it.
  ///   - encodedHandler: Answers encoded requests without the generated types.
  ///   - throttleScope: As for calls that wait; requests with a session leave the fast path.
  ///   - pool: Where `longHandler` runs.
  ///   - longHandler: Answers what the others leave by throwing ``APIError/isForPool``.
  ///   - longEncodedHandler: The same without the generated types, for what `encodedHandler` leaves.
  ///   - handler: Validates and answers; returns the encoded `Response`.
  init<Request: Message & Sendable, Response: Message>(
    onEventLoop service: String, _ rpc: String, request: Request.Type, response: Response.Type,
    routes: [Route], maximumRequestBytes: Int = 1 << 20, isRead: Bool = true,
    encodedHandler: (@Sendable (UnsafeRawBufferPointer) throws(APIError) -> [UInt8])? = nil,
    throttleScope: (@Sendable (Request) -> String)? = nil, pool: SharedReads? = nil,
    longHandler: (@Sendable (Request, WorkCaller) throws(APIError) -> [UInt8])? = nil,
    longEncodedHandler: (
      @Sendable (UnsafeRawBufferPointer, WorkCaller) throws(APIError) -> [UInt8]
    )? = nil,
    handler: @escaping @Sendable (Request) throws(APIError) -> [UInt8]
  ) {
    let decoding: @Sendable (UnsafeRawBufferPointer) throws(APIError) -> [UInt8] = {
      bytes throws(APIError) in
      try handler(try RequestDecoding.message(Request.self, encoded: Array(bytes)))
    }
    var callOnPool: (@Sendable ([UInt8]) async throws -> [UInt8])?
    if let pool, let longHandler {
      callOnPool = { bytes in
        try await pool.onPool { caller throws(APIError) in
          guard let longEncodedHandler else {
            return try longHandler(
              try RequestDecoding.message(Request.self, encoded: bytes), caller)
          }
          let answer: Result<[UInt8], APIError> = bytes.withUnsafeBytes { raw in
            Result { () throws(APIError) in try longEncodedHandler(raw, caller) }
          }
          return try answer.get()
        }
      }
    }
    self.init(
      service, rpc, request: request, response: response, routes: routes,
      maximumRequestBytes: maximumRequestBytes,
      isRead: isRead, callOnEventLoop: encodedHandler ?? decoding, callOnPool: callOnPool,
      throttleScope: throttleScope, shortHandler: handler,
      refuseWhileCrowded: Self.refusal(of: pool)
    ) { request, context in
      if context.isLarge, let pool, let longHandler {
        return try await pool.onPool { caller throws(APIError) in try longHandler(request, caller) }
      }
      let outcome = Result { () throws(APIError) in try handler(request) }
      if case .failure(let error) = outcome, error.isForPool, let pool, let longHandler {
        return try await pool.onPool { caller throws(APIError) in try longHandler(request, caller) }
      }
      return try outcome.get()
    }
  }

  private init<Request: Message & Sendable, Response: Message>(
    _ service: String, _ rpc: String, request: Request.Type, response: Response.Type,
    routes: [Route], maximumRequestBytes: Int, isRead: Bool,
    callOnEventLoop short: (@Sendable (UnsafeRawBufferPointer) throws(APIError) -> [UInt8])?,
    callOnPool: (@Sendable ([UInt8]) async throws -> [UInt8])?,
    throttleScope: (@Sendable (Request) -> String)?,
    shortHandler: (@Sendable (Request) throws(APIError) -> [UInt8])? = nil,
    refuseWhileCrowded: (@Sendable () throws(APIError) -> Void)? = nil,
    handler: @escaping @Sendable (Request, CallContext) async throws -> [UInt8]
  ) {
    self.service = "moyeo.v1." + service
    self.rpc = rpc
    access = AccessTable.rule(service, rpc)
    let access = access ?? AccessTable.ruleOfUnknown
    let callOnEventLoop = short.map {
      Self.guarded($0, access, MessageSchema.of(request), response)
    }
    name = Self.name(self.service, rpc)
    self.routes = routes
    self.maximumRequestBytes = maximumRequestBytes
    self.isRead = isRead
    requestSchema = MessageSchema.of(request)
    responseSchema = MessageSchema.of(response)
    transcoder = JSONTranscoder(response)
    self.callOnEventLoop = callOnEventLoop
    let callOnPool = callOnPool.map {
      Self.guarded($0, access, MessageSchema.of(request), response)
    }
    self.callOnPool = callOnPool
    shortJSON = shortHandler.map { Self.guardedJSON($0, access, response) }
    self.refuseWhileCrowded = refuseWhileCrowded
    isThrottled = throttleScope != nil
    let answer: @Sendable (Request, CallContext) async throws -> [UInt8] = { request, context in
      let request = try access.admitted(request, of: context.caller)
      if let throttleScope { try await context.admit(rpc, scope: throttleScope(request)) }
      return try RoleView.shown(
        try await CommitSpans.recorded { try await handler(request, context) },
        Response.self, to: context.caller)
    }
    callEncoded = { bytes, context in
      if let callOnEventLoop, throttleScope == nil || context.session == nil {
        let answer: Result<[UInt8], APIError> = bytes.withUnsafeBytes { raw in
          Result { () throws(APIError) in try callOnEventLoop(raw, context.caller) }
        }
        if case .failure(let error) = answer, error.isForPool, let callOnPool {
          return try await callOnPool(bytes, context.caller)
        }
        return try answer.get()
      }
      var context = context
      context.isLarge = RequestDecoding.isLarge(bytes.count, isRead: isRead)
      try access.admit(context.caller)
      return try await answer(
        try await RequestDecoding.message(
          Request.self, encoded: bytes, isRead: isRead, on: context.pool), context)
    }
    callJSON = { body, parameters, context in
      var context = context
      context.isLarge = RequestDecoding.isLarge(body?.count ?? 0, isRead: isRead)
      try access.admit(context.caller)
      return try await answer(
        try await RequestDecoding.message(
          Request.self, body: body, parameters: parameters, isRead: isRead, on: context.pool),
        context)
    }
  }

  private static func refusal(of pool: SharedReads?) -> (@Sendable () throws(APIError) -> Void)? {
    guard let pool else { return nil }
    return { () throws(APIError) in try pool.refuseWhileCrowded() }
  }

  /// The same call, answered in none of the ways in front of the frameworks.
  func withoutShortWays() -> Operation {
    var out = self
    (out.callOnEventLoop, out.callOnPool) = (nil, nil)
    (out.shortJSON, out.refuseWhileCrowded) = (nil, nil)
    out.isForPoolAsARule = false
    return out
  }

  /// A short call behind its rule. What is nobody's in particular to ask is answered as it came.
  private static func guarded<Response: Message>(
    _ call: @escaping @Sendable (UnsafeRawBufferPointer) throws(APIError) -> [UInt8],
    _ access: AccessRule, _ schema: MessageSchema, _ response: Response.Type
  ) -> @Sendable (UnsafeRawBufferPointer, Caller) throws(APIError) -> [UInt8] {
    { raw, caller throws(APIError) in
      if caller.role == .open { return try call(raw) }
      guard access.looksAtRequest(of: caller) else {
        try access.admit(caller)
        return try RoleView.shown(try call(raw), Response.self, to: caller)
      }
      let bytes = try access.admitted(Array(raw), schema, of: caller)
      let answer: Result<[UInt8], APIError> = bytes.withUnsafeBytes { admitted in
        Result { () throws(APIError) in try call(admitted) }
      }
      return try RoleView.shown(try answer.get(), Response.self, to: caller)
    }
  }

  /// The same for what the pool answers.
  private static func guarded<Response: Message>(
    _ call: @escaping @Sendable ([UInt8]) async throws -> [UInt8],
    _ access: AccessRule, _ schema: MessageSchema, _ response: Response.Type
  ) -> @Sendable ([UInt8], Caller) async throws -> [UInt8] {
    { bytes, caller in
      if caller.role == .open { return try await call(bytes) }
      let admitted = try access.admitted(bytes, schema, of: caller)
      return try RoleView.shown(try await call(admitted), Response.self, to: caller)
    }
  }

  /// The same for a request in JSON.
  private static func guardedJSON<Request: Message, Response: Message>(
    _ call: @escaping @Sendable (Request) throws(APIError) -> [UInt8], _ access: AccessRule,
    _ response: Response.Type
  ) -> @Sendable (Data, Data, Caller) throws(APIError) -> [UInt8] {
    { body, parameters, caller throws(APIError) in
      try access.admit(caller)
      let message = try access.admitted(
        try RequestDecoding.message(Request.self, body: body, parameters: parameters), of: caller)
      return try RoleView.shown(try call(message), Response.self, to: caller)
    }
  }

  /// `Nearby`, but `PartyGet`: names of the first services stand alone.
  static func name(_ service: String, _ rpc: String) -> String {
    let short = service.split(separator: ".").last.map { $0.replacing("Service", with: "") } ?? ""
    return ["Party", "Commute", "Event", "Ticket", "Place"].contains(short) ? short + rpc : rpc
  }

  /// JSON text of an encoded response.
  func json(_ encoded: [UInt8]) throws -> [UInt8] { try transcoder.json(encoded) }
}

/// Bytes to request messages, with the reasons of what does not parse.
enum RequestDecoding {
  /// Whether a request takes longer to decode, some 20 us a KiB of JSON, than an event loop, or one
  /// of the few threads that tasks share, should be kept.
  ///
  /// Less is enough for a read: what makes one long is a polygon, whose corners cost more than
  /// their bytes, and the search that follows. Reports come in batches all the time.
  static func isLarge(_ bytes: Int, isRead: Bool = false) -> Bool {
    bytes > (isRead ? 8 : 64) * 1024
  }

  /// The same as ``message(_:body:parameters:)``; a large body is decoded on the pool.
  static func message<Request: Message & Sendable>(
    _ type: Request.Type, body: Data?, parameters: Data, isRead: Bool = false,
    on pool: BoundedThreadPool?
  ) async throws -> Request {
    guard let pool, isLarge(body?.count ?? 0, isRead: isRead) else {
      return try message(type, body: body, parameters: parameters)
    }
    return try await pool.work { () throws(APIError) in
      try message(type, body: body, parameters: parameters)
    }
  }

  /// The same as ``message(_:encoded:)``; a large request is decoded on the pool.
  static func message<Request: Message & Sendable>(
    _ type: Request.Type, encoded: [UInt8], isRead: Bool = false, on pool: BoundedThreadPool?
  ) async throws -> Request {
    guard let pool, isLarge(encoded.count, isRead: isRead) else {
      return try message(type, encoded: encoded)
    }
    return try await pool.work { () throws(APIError) in try message(type, encoded: encoded) }
  }

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
    let repeated = encoded.withUnsafeBytes { MessageSchema.of(type).repeatedAttribute(in: $0) }
    if let repeated {
      throw APIError(
        .malformedRequest, field: repeated,
        JSONFieldCheck.sentence(
          repeatedAttribute: repeated.split(separator: ".").last.map(String.init) ?? ""))
    }
    return request
  }

  /// A request from its JSON body, if any, and the parameters of path and query. A field may
  /// stand in both only with the same value.
  static func message<Request: Message>(_ type: Request.Type, body: Data?, parameters: Data)
    throws(APIError) -> Request
  {
    if let body, let plain = plainMessage(type, body: body, parameters: parameters) { return plain }
    var request = try parse(type, json: parameters)
    if let body {
      let fromBody = try parse(type, json: body)
      if let repeated = body.withUnsafeBytes({ JSONRepeatedName.first(in: $0) }) {
        throw APIError(
          .malformedRequest, field: repeated,
          "the name \(quoted(repeated)) stands twice in one object")
      }
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

  /// The same without the decoder of JSON, which takes ten times as long; `nil` where a text is not plain.
  private static func plainMessage<Request: Message>(
    _ type: Request.Type, body: Data, parameters: Data
  ) -> Request? {
    let schema = MessageSchema.of(type)
    var writer = ProtobufWriter(capacity: 128 + body.count / 2)
    var seen: UInt64 = 0
    for text in [parameters, body] {
      let isPlain = text.withUnsafeBytes {
        PlainJSON.append($0, of: schema, seen: &seen, to: &writer)
      }
      guard isPlain else { return nil }
    }
    return try? Request(serializedBytes: writer.bytes)
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
    } catch {
      throw refusal(of: json, MessageSchema.of(type), error as? JSONDecodingError)
    }
  }

  /// All that does not fit the message, with paths; where the text itself is broken, a sentence.
  private static func refusal(
    of json: Data, _ schema: MessageSchema, _ error: JSONDecodingError?
  ) -> APIError {
    let found = json.withUnsafeBytes { JSONFieldCheck.violations(in: $0, of: schema) }
    if let first = found.first {
      let isUnknown = if case .unknownField = error { true } else { first.isUnknown }
      var refusal = APIError(
        isUnknown ? .unknownField : .malformedRequest,
        (found.first { $0.isUnknown == isUnknown } ?? first).message)
      refusal.fields = found.map {
        .init(
          field: $0.path, reason: $0.isUnknown ? .unknownField : .malformedRequest,
          message: $0.message)
      }
      return refusal
    }
    if case .unknownField(let name) = error {
      return APIError(.unknownField, field: name, "there is no field \(quoted(name)) here")
    }
    guard let error else {
      return APIError(.malformedRequest, "the body is not valid JSON for this call")
    }
    return APIError(.malformedRequest, sentence(for: error, in: json))
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
