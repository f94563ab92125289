import CallTracing
import Foundation
import GzipCoding
import HTTPTypes
import Identity
import MoyeoAPI
import NIOCore
import NIOHTTP1
import Threading

/// Answers short calls where their bytes arrive, in front of Hummingbird, whose tasks cost several
/// times what such an answer does.
///
/// It takes a request only when its headers name nothing that an answer may hang on besides those it
/// knows: a session, an origin, a condition or a cache's wish is for ``HTTPFrontend``. What it answers
/// is what the frontend would, refusals too: both ask the same ``Operation``.
struct HTTPFastPath: Sendable {
  /// A request that is answered here once all of it has come.
  struct Call: Sendable {
    fileprivate let operation: Operation
    fileprivate let caller: Caller
    fileprivate let recorder: RequestMetrics.Recorder
    /// JSON names and decoded segments of the path.
    fileprivate let path: [(name: String, value: String)]
    fileprivate let query: String?
    fileprivate let acceptsGzip: Bool
    /// What the caller says of the request; `nil` for nothing.
    fileprivate let tags: CallTags?
  }

  /// What a connection has asked before: most ask the same all the time.
  struct Memory {
    /// The last host that was named and allowed.
    fileprivate var host = ""
    fileprivate var route: Route?
  }

  fileprivate struct Route {
    let method: HTTPMethod
    /// Without the query.
    let path: String
    let operation: Operation
    let recorder: RequestMetrics.Recorder
    let parameters: [(name: String, value: String)]
  }

  private let rooms: TenantRooms
  private let recorders: [String: RequestMetrics.Recorder]
  private let doors: [any HTTPDoor]
  private let hosts: HostAllowList
  private let routes: RouteTable
  private let identifiers: CallIdentifiers

  init(
    rooms: TenantRooms, recorders: [String: RequestMetrics.Recorder], doors: [any HTTPDoor],
    hosts: HostAllowList, identifiers: CallIdentifiers
  ) {
    self.identifiers = identifiers
    self.hosts = hosts
    self.rooms = rooms
    self.recorders = recorders
    self.doors = doors
    // Only these; whether another route is meant is for the frontend to say.
    routes = RouteTable(
      rooms.standard.operations.filter { $0.shortJSON != nil || $0.isForPoolAsARule })
  }

  // MARK: - What is taken

  /// Finds the call that a head begins.
  ///
  /// - Parameters:
  ///   - head: Of the newest request.
  ///   - memory: Of its connection.
  /// - Returns: `nil` where ``RequestHeadPolicy`` and the frontend have to judge and answer.
  func call(of head: HTTPRequestHead, _ memory: inout Memory) -> Call? {
    guard head.version == .http1_1, head.method == .GET || head.method == .POST,
      let headers = PlainHeaders(of: head), let host = headers.host
    else { return nil }
    guard
      head.method == .POST
        ? headers.isJSON && headers.contentLength != nil : headers.contentLength == nil
    else { return nil }
    if memory.host != host {
      guard let authority = Authority(host), hosts.allows(authority) else { return nil }
      memory.host = host
    }
    guard let route = route(of: head, &memory),
      let caller = try? rooms.caller(authorization: headers.authorization),
      // A tenant's first call waits until its room is open.
      let room = rooms.ready(caller.tenant),
      let operation = room === rooms.standard
        ? route.operation : room.operation(at: route.operation.grpcPath)
    else { return nil }
    if let length = headers.contentLength {
      guard length > 0, length <= operation.maximumRequestBytes,
        !RequestDecoding.isLarge(length, isRead: operation.isRead)
      else { return nil }
    }
    let path = route.path.utf8.count
    return Call(
      operation: operation, caller: caller,
      recorder: route.recorder.of(tenant: room.tenantNumber), path: route.parameters,
      query: head.uri.utf8.count > path ? String(head.uri.utf8.dropFirst(path + 1)) : nil,
      acceptsGzip: headers.acceptEncoding.map(AnswerCompression.acceptsGzip) ?? false,
      tags: CallTags(headers.tags, identifiers))
  }

  private static let maximumRememberedBytes = 256

  private func route(of head: HTTPRequestHead, _ memory: inout Memory) -> Route? {
    let path = head.uri.utf8.prefix { $0 != UInt8(ascii: "?") }
    if let known = memory.route, known.method == head.method, known.path.utf8.elementsEqual(path) {
      return known
    }
    guard let path = String(path), path.hasPrefix("/v1/"),
      !doors.contains(where: { $0.owns(path: path) }),
      let match = try? routes.match(method: head.method.rawValue, path: path),
      case .operation(let operation) = match.target, let recorder = recorders[operation.name]
    else { return nil }
    let route = Route(
      method: head.method, path: path, operation: operation, recorder: recorder,
      parameters: match.parameters)
    if path.utf8.count <= Self.maximumRememberedBytes { memory.route = route }
    return route
  }

  // MARK: - Answers

  /// What comes of a call.
  enum Outcome {
    /// All bytes of the answer.
    case answered(ByteBuffer)
    /// The pool answers, by ``answerOnPool(_:)``. What the call costs is paid.
    case forPool(PoolCall)
    /// The frontend has to answer after all: its request or its answer is not plain. Nothing has been
    /// counted or changed.
    case forFrontend
  }

  /// A call that takes longer than an event loop should be kept.
  struct PoolCall: Sendable {
    fileprivate let call: Call
    /// Encoded.
    fileprivate let request: [UInt8]
    fileprivate let work: @Sendable ([UInt8], Caller) async throws -> [UInt8]
  }

  /// Answers a call, or says who does.
  ///
  /// - Parameters:
  ///   - call: Found by ``call(of:_:)``.
  ///   - body: All of the request's body.
  /// - Returns: The answer, which may be a refusal, or who gives one.
  func answer(_ call: Call, body: ByteBuffer?) -> Outcome {
    let start = call.recorder.start()
    do throws(APIError) {
      switch try attempt(call, body) {
      case .text(let text):
        call.recorder.finish(start, reasonName: nil, tags: call.tags)
        return .answered(answer(call, text, isOnEventLoop: true))
      case .forPool(let longer): return .forPool(longer)
      case .forFrontend: return .forFrontend
      }
    } catch {
      return .answered(refusal(error, call, start))
    }
  }

  /// Answers a call away from the event loop. The task that does is cancelled when nobody waits for the
  /// answer any more.
  ///
  /// - Returns: All bytes of the answer, which may be a refusal.
  func answerOnPool(_ longer: PoolCall) async -> ByteBuffer {
    let call = longer.call
    let start = call.recorder.start()
    do {
      let text = try call.operation.json(try await longer.work(longer.request, call.caller))
      call.recorder.finish(start, reasonName: nil, tags: call.tags)
      return answer(call, text, isOnEventLoop: false)
    } catch {
      return refusal(APIError(thrown: error), call, start)
    }
  }

  private func refusal(_ error: APIError, _ call: Call, _ start: UInt64) -> ByteBuffer {
    call.recorder.finish(start, reasonName: error.reason.rawValue, tags: call.tags)
    return answer(
      call, error.httpBody(), status: .init(statusCode: error.reason.status.http),
      headers: error.httpHeaders, isOnEventLoop: true)
  }

  private enum Attempt {
    /// The JSON of the answer.
    case text([UInt8])
    case forPool(PoolCall)
    /// What the call cost its caller's allowance is given back.
    case forFrontend
  }

  private func attempt(_ call: Call, _ body: ByteBuffer?) throws(APIError) -> Attempt {
    let operation = call.operation
    guard !operation.isForPoolAsARule else {
      // It is not short, but a refusal is.
      try operation.refuseWhileCrowded?()
      return .forFrontend
    }
    let request = encodedRequest(call, body)
    do throws(APIError) {
      if let encoded = try encodedAnswer(call, request, body), let text = try written(encoded, call)
      {
        return .text(text)
      }
    } catch {
      guard error.isForPool else { throw error }
      if let request, let work = operation.callOnPool {
        return .forPool(PoolCall(call: call, request: request, work: work))
      }
      try operation.refuseWhileCrowded?()
    }
    operation.giveBack?(call.caller)
    return .forFrontend
  }

  /// More than ``HTTPFrontend/maximumBytesWrittenOnEventLoop``, since a larger answer is asked for anew.
  private static let maximumBytesWritten = 32 * 1024

  /// The JSON of an answer.
  ///
  /// - Returns: `nil` where the pool has to write or to compress it. Only reads say so much that they
  ///   are asked again for it.
  private func written(_ encoded: [UInt8], _ call: Call) throws(APIError) -> [UInt8]? {
    let isRead = call.operation.isRead
    guard !isRead || encoded.count <= Self.maximumBytesWritten else { return nil }
    do {
      let text = try call.operation.json(encoded)
      let isForPool = call.acceptsGzip && text.count > AnswerCompression.maximumBytesOnEventLoop
      return isRead && isForPool ? nil : text
    } catch {
      throw APIError(.internalError, "the answer cannot be written")
    }
  }

  /// - Returns: `nil` where only the decoder of JSON can say what the request is.
  private func encodedRequest(_ call: Call, _ body: ByteBuffer?) -> [UInt8]? {
    let parameters = RequestParameters(call.operation.requestSchema)
    guard let body else { return parameters.encoded(path: call.path, query: call.query) }
    return body.withUnsafeReadableBytes {
      parameters.encoded(path: call.path, query: call.query, body: $0)
    }
  }

  /// The encoded answer; `nil` where the call has to be answered elsewhere.
  private func encodedAnswer(
    _ call: Call, _ request: [UInt8]?, _ body: ByteBuffer?
  ) throws(APIError) -> [UInt8]? {
    let operation = call.operation
    if let request, let short = operation.callOnEventLoop {
      let answer: Result<[UInt8], APIError> = request.withUnsafeBytes { raw in
        Result { () throws(APIError) in try short(raw, call.caller) }
      }
      return try answer.get()
    }
    guard let body, let short = operation.shortJSON else { return nil }
    return try short(
      body.withUnsafeReadableBytes { Data($0) },
      try RequestParameters(operation.requestSchema).json(path: call.path, query: call.query),
      call.caller)
  }

  /// The bytes of an answer as they go over the wire.
  private func answer(
    _ call: Call, _ text: [UInt8], status: HTTPResponseStatus = .ok,
    headers: [(name: String, value: String)] = [], isOnEventLoop: Bool
  ) -> ByteBuffer {
    var text = text
    var isPacked = false
    if call.acceptsGzip, text.count >= AnswerCompression.minimumBytes,
      let packed = isOnEventLoop
        ? AnswerCompression.packedOnEventLoop(text) : AnswerCompression.packed(text)
    {
      isPacked = true
      text = packed
    }
    var bytes = HTTPAnswerBytes(
      status: status, contentType: HTTPFrontend.jsonType, bodyBytes: text.count)
    if isPacked || text.count >= AnswerCompression.minimumBytes {
      bytes.add("Vary", "accept-encoding")
    }
    if isPacked { bytes.add("Content-Encoding", "gzip") }
    for (name, value) in headers { bytes.add(name, value) }
    return bytes.finished(
      requestID: call.tags?.requestID ?? identifiers.requestID(), body: text)
  }
}
