import CallTracing
import Foundation
import HTTPTypes
import HummingbirdCore
import Identity
import Instrumentation
import Logging
import MoyeoAPI
import NIOCore
import Threading

/// The operations, the operator's pages and the map behind HTTP/1.1.
struct HTTPFrontend: Sendable {
  let rooms: TenantRooms
  let pages: OperatorPages
  let pump: StreamPump
  let throttle: SessionThrottle
  let recorders: [String: RequestMetrics.Recorder]
  let unmatched: RequestMetrics.Recorder
  let metrics: RequestMetrics
  let cors: CrossOrigin
  let policy: RequestHeadPolicy
  let compression: AnswerCompression
  /// Apps that speak another dialect.
  let doors: [any HTTPDoor]
  /// Where large requests are decoded and large answers written.
  let threadPool: BoundedThreadPool
  let logger: Logger
  /// Answers short calls in front of ``respond(to:over:)``; `nil` where none does.
  private let fastPath: HTTPFastPath?

  init(
    rooms: TenantRooms, pump: StreamPump,
    throttle: SessionThrottle,
    pages: OperatorPages, hosts: HostAllowList, corsOrigins: [String],
    requestMetrics: RequestMetrics, doors: [any HTTPDoor] = [],
    threadPool: BoundedThreadPool, usesFastPath: Bool = true, logger: Logger
  ) {
    self.threadPool = threadPool
    self.doors = doors
    metrics = requestMetrics
    compression = AnswerCompression(pool: threadPool)
    self.rooms = rooms
    let standard = rooms.standard
    let routes = standard.routes
    self.pump = pump
    self.throttle = throttle
    self.pages = pages
    let cors = CrossOrigin(origins: corsOrigins)
    self.cors = cors
    policy = RequestHeadPolicy(hosts: hosts, origins: cors, doors: doors) { method, path in
      if path == BatchReads.path { return BatchReads.maximumRequestBytes }
      if let door = doors.first(where: { $0.owns(path: path) }) { return door.maximumRequestBytes }
      return (try? routes.match(method: method, path: path))?.target.maximumRequestBytes
    }
    self.logger = logger
    recorders = Dictionary(
      (standard.operations.map(\.name) + standard.streamOperations.map(\.name)
        + standard.raw.map(\.name) + [BatchReads.name] + doors.flatMap(\.calls)).map {
          ($0, requestMetrics.recorder(name: $0, transport: "http"))
        }, uniquingKeysWith: { first, _ in first })
    unmatched = requestMetrics.recorder(name: "unmatched", transport: "http")
    fastPath =
      usesFastPath
      ? HTTPFastPath(
        rooms: rooms, recorders: recorders, doors: doors, hosts: hosts,
        identifiers: requestMetrics.identifiers) : nil
  }

  /// What stands in front of the calls of one connection.
  @Sendable
  func makeGate(_ deadlines: HTTPDeadlines) -> HTTPRequestGate {
    HTTPRequestGate(
      policy: policy, fastPath: fastPath, identifiers: metrics.identifiers,
      deadlines: deadlines, record: metrics.record(in: unmatched))
  }

  /// Answers a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - connection: Streams must hear when their reader's connection closes.
  /// - Returns: The answer; a refusal is one, too.
  @Sendable
  func respond(to request: Request, over connection: any Channel) async -> Response {
    let tags = metrics.tags(request.headers)
    var response = await ServiceContext.withValue(tags.context) {
      await respond(to: request, over: connection, tags)
    }
    response.headers.setRequestID(tags)
    return response
  }

  @inline(never)
  private func respond(
    to request: Request, over connection: any Channel, _ tags: CallTags
  ) async -> Response {
    let origin = request.headers[.origin]
    if request.method == .options, let preflight = cors.preflight(origin: origin) {
      return preflight
    }
    var response = await answer(request, connection, tags)
    if request.method == .head {
      response = Self.withoutBody(response)
    } else if let length = compression.length(of: response) {
      await compression.compress(
        &response, length: length, accepting: request.headers[.acceptEncoding])
    }
    cors.decorate(&response, origin: origin)
    return response
  }

  /// The answer to HEAD: the headers of GET (RFC 9110, section 9.3.2).
  static func withoutBody(_ response: Response) -> Response {
    var headers = response.headers
    if headers[.contentLength] == nil, let length = response.body.contentLength {
      headers[.contentLength] = "\(length)"
    }
    return Response(status: response.status, headers: headers, body: .init())
  }

  @inline(never)
  private func answerBatch(_ request: Request, _ tags: CallTags) async throws -> Response {
    let caller = try await identify(request)
    let body = try await Self.jsonBody(
      of: request, maximumBytes: BatchReads.maximumRequestBytes, mayBeEmpty: true)
    let answer = try await awayFromEventLoops {
      let room = try await rooms.room(of: caller)
      tags.tenantNumber = room.tenantNumber
      return try await room.batch.answer(
        method: request.method.rawValue, body: body ?? Data(), caller: caller)
    }
    return Self.json(answer)
  }

  // What it calls is never inlined: what this function needs while it waits stays with the
  // connection for as long as that is open, and so with every stream.
  @inline(never)
  private func answer(
    _ request: Request, _ connection: any Channel, _ tags: CallTags
  ) async -> Response {
    if !doors.isEmpty, let door = doors.first(where: { $0.owns(path: request.uri.path) }) {
      return await answer(request, at: door, tags)
    }
    if request.method == .get || request.method == .head, !request.uri.path.hasPrefix("/v1/"),
      let page = await page(request)
    {
      return page
    }
    var recorder = unmatched
    let start = recorder.start()
    do {
      if request.uri.path == BatchReads.path {
        if let named = recorders[BatchReads.name] { recorder = named }
        let response = try await answerBatch(request, tags)
        recorder.finish(start, reason: nil, tags: tags)
        return response
      }
      let match = try await match(request, in: rooms.standard)
      if let named = recorders[match.target.name] { recorder = named }
      let response = try await answer(request, match, over: connection, tags)
      recorder.finish(start, reason: nil, tags: tags)
      return response
    } catch let error as APIError {
      recorder.finish(start, reason: error.reason, tags: tags)
      return response(error, to: request)
    } catch {
      logger.error("a request failed unexpectedly", metadata: ["error": "\(error)"])
      let refusal = APIError(.internalError, "something went wrong here; it has been logged")
      recorder.finish(start, reason: refusal.reason, tags: tags)
      return response(refusal, to: request)
    }
  }

  /// What is served besides the API; nil where the path is none of it.
  @inline(never)
  private func page(_ request: Request) async -> Response? {
    if request.uri.path == OperatorPages.metricsPath {
      do throws(APIError) {
        try Self.requireMetricsRight(try rooms.caller(request.headers))
      } catch {
        return Self.response(error)
      }
    }
    return await awayFromEventLoops {
      await pages.response(path: request.uri.path, request: request)
    }
  }

  /// What the metrics show is of all tenants.
  static func requireMetricsRight(_ caller: Caller) throws(APIError) {
    guard caller.role != .user || caller.scopes.contains(.admin) else {
      throw AccessRule.lacks(.service)
    }
  }

  private func match(
    _ request: Request, in room: TenantRoom
  ) async throws -> RouteTable.Match {
    do {
      let method = request.method == .head ? .get : request.method
      return try room.routes.match(method: method.rawValue, path: request.uri.path)
    } catch {
      try await Self.drain(request)
      throw pages.refusal(of: request) ?? error
    }
  }

  /// Who calls, before anything of the request has an effect.
  private func identify(_ request: Request) async throws -> Caller {
    do {
      return try rooms.caller(request.headers)
    } catch {
      try await Self.drain(request)
      throw error
    }
  }

  /// Map clients and EventSource set no headers, so that reads of theirs may bring the token in the
  /// address.
  static let accessTokenName = "access_token"

  @inline(never)
  private func answer(
    _ request: Request, _ found: RouteTable.Match, over connection: any Channel, _ tags: CallTags
  ) async throws -> Response {
    guard rooms.identity != nil else {
      return try await answer(request, found, over: connection, caller: .open, token: nil)
    }
    var (request, token) = (request, String?.none)
    let caller: Caller
    if request.headers[.authorization] == nil, found.target.takesTokenInAddress,
      let split = try Self.splitToken(request)
    {
      (request, token) = (split.request, split.text)
      caller = try rooms.caller(inAddress: split.token)
    } else {
      caller = try await identify(request)
    }
    let room = try await rooms.room(of: caller)
    tags.tenantNumber = room.tenantNumber
    let own = room === rooms.standard ? found : try await match(request, in: room)
    return try await answer(request, own, over: connection, caller: caller, token: token)
  }

  /// A request without the token in its address; nil where none stands there.
  private static func splitToken(
    _ request: Request
  ) throws(APIError) -> (request: Request, token: String, text: String)? {
    guard let query = request.uri.query else { return nil }
    let prefix = accessTokenName + "="
    let parts = query.split(separator: "&")
    let tokens = parts.filter { $0.hasPrefix(prefix) }
    guard let first = tokens.first else { return nil }
    let text = String(first.dropFirst(prefix.count))
    guard tokens.count == 1, let token = PercentCoding.decode(text, plusIsSpace: true) else {
      throw APIError(.malformedRequest, "\(accessTokenName) stands once in an address")
    }
    let rest = parts.filter { !$0.hasPrefix(prefix) }.joined(separator: "&")
    var head = request.head
    head.path = request.uri.path + (rest.isEmpty ? "" : "?" + rest)
    return (Request(head: head, body: request.body), token, text)
  }

  @inline(never)
  private func answer(
    _ request: Request, _ match: RouteTable.Match, over connection: any Channel, caller: Caller,
    token: String?
  ) async throws -> Response {
    switch match.target {
    case .operation(let operation):
      return try await call(operation, path: match.parameters, request, caller: caller)
    case .stream(let stream):
      // In a task of its own: this one keeps the memory that its calls once needed, and opening needs
      // some kilobytes.
      return try await Self.value(
        of: Task {
          try await open(
            stream, path: match.parameters, request: request, connection: connection,
            caller: caller)
        })
    case .raw(let route):
      try await Self.drain(request)
      switch try await route.begin(match.parameters, request, caller: caller, token: token) {
      case .response(let response): return response
      case .longer(let work): return try await awayFromEventLoops(work)
      }
    }
  }

  @inline(never)
  private static func value(of task: Task<Response, any Error>) async throws -> Response {
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  @inline(never)
  private func call(
    _ operation: Operation, path: [(name: String, value: String)], _ request: Request,
    caller: Caller
  ) async throws -> Response {
    let body = try await Self.jsonBody(
      of: request, maximumBytes: operation.maximumRequestBytes,
      mayBeEmpty: operation.mayLackBody)
    guard operation.callOnEventLoop != nil,
      !RequestDecoding.isLarge(body?.count ?? 0, isRead: operation.isRead)
    else {
      return try await awayFromEventLoops {
        try await call(operation, path: path, body: body, request: request, caller: caller)
      }
    }
    return try await call(operation, path: path, body: body, request: request, caller: caller)
  }

  /// A larger answer takes longer to write as JSON, some 5 us a KiB, than an event loop should be kept:
  /// what waits for a loop stands in sockets, where nothing refuses it. To wake a thread of the pool
  /// costs about 10 us.
  static let maximumBytesWrittenOnEventLoop = 8 * 1024

  private func call(
    _ operation: Operation, path: [(name: String, value: String)], body: Data?,
    request: Request, caller: Caller
  ) async throws -> Response {
    let parameters = try RequestParameters(operation.requestSchema).json(
      path: path, query: Self.query(of: request, body: body, operation.requestSchema))
    var context = CallContext(request.headers, caller: caller)
    context.throttle = throttle
    context.pool = threadPool
    let answer = try await operation.callJSON(body, parameters, context)
    let isLarge = answer.count > Self.maximumBytesWrittenOnEventLoop
    return Self.json(
      isLarge
        ? try await threadPool.run(mayBeShed: false) { _ in try operation.json(answer) }
        : try operation.json(answer))
  }

  /// The query, with `Cache-Control: max-age` as the staleness allowed where the call knows one
  /// and the request names none (RFC 9111, section 5.2.1.1).
  private static func query(
    of request: Request, body: Data?, _ schema: MessageSchema
  ) -> String? {
    let name = "maxStalenessSeconds"
    guard let header = request.headers[.cacheControl], let seconds = maximumAge(in: header),
      schema.field(jsonName: name) != nil, !(request.uri.query ?? "").contains(name),
      body?.range(of: Data(name.utf8)) == nil
    else { return request.uri.query }
    let parameter = "\(name)=\(seconds)"
    return request.uri.query.map { $0.isEmpty ? parameter : "\($0)&\(parameter)" } ?? parameter
  }

  private static func maximumAge(in header: String) -> UInt32? {
    for directive in header.lowercased().split(separator: ",") {
      let words = directive.trimmingCharacters(in: .whitespaces).split(separator: "=")
      if words.count == 2, words[0] == "max-age" { return UInt32(words[1]) }
      if words.first == "no-cache" { return nil }
    }
    return nil
  }

  @inline(never)
  private func open(
    _ stream: StreamOperation, path: [(name: String, value: String)], request: Request,
    connection: any Channel, caller: Caller
  ) async throws -> Response {
    if let poll = stream.poll, stream.isPoll(accept: request.headers[.accept]) {
      return try await call(poll, path: path, request, caller: caller)
    }
    // HEAD asks for the headers only: nothing is opened for it.
    guard request.method != .head else { throw APIError(.methodNotAllowed, "a stream has no HEAD") }
    let body = try await Self.jsonBody(of: request, maximumBytes: stream.maximumRequestBytes)
    return try await stream.response(
      path: path, body: body, request: request, caller: caller, over: connection, pump: pump,
      pool: threadPool)
  }

  /// The body of a call that has one, `nil` for the others.
  @inline(never)
  private static func jsonBody(
    of request: Request, maximumBytes: Int, mayBeEmpty: @autoclosure () -> Bool = false
  ) async throws -> Data? {
    guard request.method != .get && request.method != .head && request.method != .delete else {
      try await drain(request)
      return nil
    }
    let bytes = try await body(of: request, maximumBytes: maximumBytes)
    try requireJSON(request, isEmpty: bytes.isEmpty)
    guard bytes.isEmpty else { return bytes }
    guard mayBeEmpty() else {
      throw APIError(.malformedRequest, "this call takes a JSON body")
    }
    return nil
  }

  /// A body is JSON unless its type says otherwise; forms are what curl sends by default, so they
  /// are taken too.
  private static func requireJSON(_ request: Request, isEmpty: Bool) throws(APIError) {
    guard !isEmpty, let given = request.headers[.contentType], given != "application/json" else {
      return
    }
    let type = given.lowercased()
    let accepted = ["application/json", "text/json", "text/plain", "+json"]
    guard accepted.contains(where: type.contains) || type.hasPrefix("application/x-www-form") else {
      throw APIError(.unsupportedMediaType, "send application/json, not \(quoted(type))")
    }
  }
}

// MARK: - Doors

extension HTTPFrontend {
  /// A request in an app's dialect. Its calls may wait for a commit or a turn, so none is answered
  /// on an event loop.
  @inline(never)
  private func answer(
    _ request: Request, at door: any HTTPDoor, _ tags: CallTags
  ) async -> Response {
    let start = unmatched.start()
    let answer: DoorAnswer
    do {
      let body = try await Self.body(of: request, maximumBytes: door.maximumRequestBytes)
      let asked = DoorRequest(
        method: request.method.rawValue, path: request.uri.path, query: request.uri.query,
        headers: request.headers, body: Array(body))
      let services = DoorServices(
        throttle: throttle, pool: threadPool, rates: rooms.standard.rates)
      answer = await awayFromEventLoops { await door.answer(asked, services) }
    } catch {
      let refusal = (error as? APIError) ?? APIError(.malformedRequest, "the body cannot be read")
      answer = door.answer(refusing: DoorRefusal(refusal), path: request.uri.path)
    }
    // Doors are of the default tenant.
    tags.tenantNumber = rooms.standard.tenantNumber
    (recorders[answer.call] ?? unmatched).finish(start, reason: answer.reason, tags: tags)
    return Self.response(answer)
  }

  /// A refusal, in the dialect of who asks.
  private func response(_ error: APIError, to request: Request) -> Response {
    let answer = policy.dialectAnswer(refusing: error, uri: request.uri.path) { name in
      HTTPField.Name(name).flatMap { request.headers[$0] }
    }
    return answer.map(Self.response) ?? Self.response(error)
  }

  private static func response(_ answer: DoorAnswer) -> Response {
    var headers = HTTPFields()
    if answer.status != 204 {
      headers[.contentLength] = "\(answer.body.count)"
      if !answer.body.isEmpty { headers[.contentType] = answer.contentType }
    }
    if let milliseconds = answer.retryAfterMilliseconds {
      headers[.retryAfter] = "\((milliseconds + 999) / 1000)"
    }
    return Response(
      status: .init(code: answer.status), headers: headers,
      body: answer.body.isEmpty ? .init() : .init(byteBuffer: ByteBuffer(bytes: answer.body)))
  }
}

// MARK: - Bodies and answers

extension HTTPFrontend {
  /// Most that is read of a body that nobody wants, so that the connection can go on; a longer
  /// one ends it (see ``HTTPRequestGate``).
  private static let maximumDrainedBytes = 64 * 1024

  @inline(never)
  static func body(of request: Request, maximumBytes: Int) async throws -> Data {
    if let length = request.headers[.contentLength].flatMap(Int.init), length > maximumBytes {
      throw APIError.tooLarge(maximumBytes: maximumBytes)
    }
    var body = Data()
    do {
      for try await buffer in request.body {
        guard body.count + buffer.readableBytes <= maximumBytes else {
          throw APIError.tooLarge(maximumBytes: maximumBytes)
        }
        body.append(contentsOf: buffer.readableBytesView)
      }
    } catch let error as APIError {
      throw error
    } catch {
      throw APIError(.malformedRequest, "the body ended before it was complete")
    }
    return body
  }

  @inline(never)
  static func drain(_ request: Request) async throws {
    var received = 0
    do {
      for try await buffer in request.body {
        received += buffer.readableBytes
        guard received <= maximumDrainedBytes else { return }
      }
    } catch {
      throw APIError(.malformedRequest, "the body ended before it was complete")
    }
  }

  static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status,
      headers: [
        .contentType: jsonType, .contentLength: "\(bytes.count)",
      ],
      body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  static let jsonType = "application/json; charset=utf-8"
  /// What `Server` says.
  static let serverName = "moyeo"

  static func response(_ error: APIError) -> Response {
    var response = json(error.httpBody(), status: .init(code: error.reason.status.http))
    for (name, value) in error.httpHeaders {
      if let name = HTTPField.Name(name) { response.headers[name] = value }
    }
    return response
  }
}

extension CallContext {
  init(_ headers: HTTPFields, caller: Caller) {
    self.init(caller: caller)
    session = Self.sessionName.flatMap { headers[$0] }
    sequence = Self.sequenceName.flatMap { headers[$0] }
    idempotencyKey = Self.idempotencyKeyName.flatMap { headers[$0] }
  }

  private static let sessionName = HTTPField.Name("x-moyeo-session")
  private static let sequenceName = HTTPField.Name("x-moyeo-sequence")
  private static let idempotencyKeyName = HTTPField.Name("idempotency-key")
}
