import CallTracing
import Foundation
import GRPCCore
import GRPCServerTransport
import HTTPTypes
import HummingbirdCore
import Identity
import Instrumentation
import MoyeoAPI
import NIOCore
import SwiftProtobuf
import Threading

/// One stream of the API, in both forms: a gRPC server stream and server-sent events, from the
/// same source.
///
/// ```swift
/// StreamOperation(
///   "EventService", "Watch", request: Moyeo_V1_WatchEventsRequest.self, event: Moyeo_V1_Event.self,
///   routes: [.init("GET", "/v1/events")], resumeToken: \.resumeToken,
///   heartbeat: { token in .with { $0.kind = "heartbeat"; $0.resumeToken = token } },
///   poll: eventsOperation
/// ) { request, context in try await source(request) }
/// ```
struct StreamOperation: Sendable {
  /// E.g. `moyeo.v1.EventService`.
  let service: String
  let rpc: String
  /// See ``Operation/name``.
  var name: String { Operation.name(service, rpc) }
  let routes: [Operation.Route]
  let requestSchema: MessageSchema
  let responseSchema: MessageSchema
  let maximumRequestBytes: Int
  /// Answers the same path at once, or after `waitSeconds`, to callers that do not ask for
  /// `text/event-stream`.
  var poll: Operation?
  let transcoder: JSONTranscoder
  /// What is demanded of who calls; nil where ``AccessTable`` has no row.
  let access: AccessRule?
  /// The gRPC form of SSE's comment.
  let heartbeat: @Sendable (_ resumeToken: String?) throws -> [UInt8]
  var openEncoded: @Sendable ([UInt8], CallContext) async throws -> any EventSource
  var openJSON:
    @Sendable (Data?, Data, _ lastEventID: String?, CallContext) async throws -> any EventSource

  /// A stream in both forms, which share limits and source.
  ///
  /// - Parameters:
  ///   - service: Without the package, e.g. `EventService`.
  ///   - rpc: The method's name in the service.
  ///   - request: The message that is read.
  ///   - event: The message that is sent again and again.
  ///   - routes: GET, or POST with a JSON body.
  ///   - maximumRequestBytes: The largest body; 1 MiB unless told otherwise.
  ///   - resumeToken: Where `Last-Event-ID` goes; `?resumeToken=` is the field's own parameter.
  ///   - heartbeat: What a quiet gRPC stream sends every 15 s, or as `streams.*` says.
  ///   - poll: Answers callers that do not ask for `text/event-stream`; nil: nobody does.
  ///   - open: Validates; what it throws is the answer, before the stream begins.
  init<Request: Message & Sendable, Event: Message>(
    _ service: String, _ rpc: String, request: Request.Type, event: Event.Type,
    routes: [Operation.Route], maximumRequestBytes: Int = 1 << 20,
    resumeToken: any WritableKeyPath<Request, String> & Sendable,
    heartbeat: @escaping @Sendable (_ resumeToken: String?) -> Event, poll: Operation? = nil,
    open: @escaping @Sendable (Request, CallContext) async throws -> any EventSource
  ) {
    self.service = "moyeo.v1." + service
    self.rpc = rpc
    self.routes = routes
    self.maximumRequestBytes = maximumRequestBytes
    self.poll = poll
    requestSchema = MessageSchema.of(request)
    responseSchema = MessageSchema.of(event)
    transcoder = JSONTranscoder(event)
    self.heartbeat = { token in try encoded(heartbeat(token)) }
    access = AccessTable.rule(service, rpc)
    let access = access ?? AccessTable.ruleOfUnknown
    let opened: @Sendable (Request, CallContext) async throws -> any EventSource = {
      message, context in
      let source = try await open(try access.admitted(message, of: context.caller), context)
      return ViewedSource<Event>(source: source, caller: context.caller)
    }
    openEncoded = { bytes, context in
      try access.admit(context.caller)
      return try await opened(
        try await RequestDecoding.message(Request.self, encoded: bytes, on: context.pool), context)
    }
    openJSON = { body, parameters, lastEventID, context in
      try access.admit(context.caller)
      var message = try await RequestDecoding.message(
        Request.self, body: body, parameters: parameters, on: context.pool)
      // The browser's own: newer than the one in the URL it connects to again.
      if let lastEventID, !lastEventID.isEmpty { message[keyPath: resumeToken] = lastEventID }
      return try await opened(message, context)
    }
  }

  /// The same stream, whose opening takes from its caller's allowance.
  func charged(by rates: TenantRates) -> StreamOperation {
    let encoded = openEncoded
    let json = openJSON
    let name = name
    var out = self
    out.poll = poll?.charged(by: rates)
    out.openEncoded = { bytes, context in
      try rates.charge(.reads, call: name, context.caller)
      return try await encoded(bytes, context)
    }
    out.openJSON = { body, parameters, lastEventID, context in
      try rates.charge(.reads, call: name, context.caller)
      return try await json(body, parameters, lastEventID, context)
    }
    return out
  }

  /// Whether an HTTP caller wants one answer instead of a stream.
  func isPoll(accept: String?) -> Bool {
    poll != nil && !(accept?.lowercased().contains("text/event-stream") ?? false)
  }

  func response(
    path: [(name: String, value: String)], body: Data?, request: Request, caller: Caller,
    over connection: any Channel, pump: StreamPump, pool: BoundedThreadPool
  ) async throws -> Response {
    let parameters = try RequestParameters(requestSchema).json(path: path, query: request.uri.query)
    let last = ServerSentEvents.lastEventID.flatMap { request.headers[$0] }
    var context = CallContext(request.headers, caller: caller)
    context.pool = pool
    let source = try await openJSON(body, parameters, last, context)
    return ServerSentEvents(pump: pump, transcoder: transcoder)
      .response(source, of: caller, over: connection)
  }

  func register(
    in router: inout RPCRouter<GRPCFrontend.Transport>, pump: StreamPump,
    metrics: RequestMetrics, pool: BoundedThreadPool, rooms: TenantRooms
  ) {
    let name = name
    let recorder = metrics.recorder(name: name, transport: "grpc")
    router.registerHandler(
      forMethod: MethodDescriptor(fullyQualifiedService: service, method: rpc),
      deserializer: BytesDeserializer(), serializer: BytesSerializer()
    ) { request, context in
      let start = recorder.start()
      let tags = metrics.tags(request.metadata)
      do {
        let single = try await ServerRequest(stream: request)
        guard single.message.count <= maximumRequestBytes else {
          throw APIError(
            .requestTooLarge, "a request has at most \(maximumRequestBytes) bytes here")
        }
        let caller = try rooms.caller(single.metadata)
        var callContext = CallContext(single.metadata, caller: caller)
        callContext.pool = pool
        let room = try await rooms.room(of: caller)
        tags.tenantNumber = room.tenantNumber
        guard let own = room.streams[name] else {
          throw APIError(.unknownRoute, "there is no stream \(name)")
        }
        let source = try await ServiceContext.withValue(tags.context) { [callContext] in
          try await own.openEncoded(single.message, callContext)
        }
        recorder.finish(start, reason: nil, tags: tags)
        return StreamingServerResponse { writer in
          try await own.write(source, to: writer, pump, context: context, caller: caller)
          return [:]
        }
      } catch let error as APIError {
        recorder.finish(start, reason: error.reason, tags: tags)
        throw error.grpcStatus
      }
    }
  }

  private func write(
    _ source: any EventSource, to writer: RPCWriter<[UInt8]>, _ pump: StreamPump,
    context: ServerContext, caller: Caller
  ) async throws {
    do {
      // gRPC tells of a caller that left through its own handle, not by cancelling the task.
      let gone = ShutdownSignal()
      try await withRPCCancellationHandler {
        try await pump.run(source, of: caller, gone: gone) { chunk in
          switch chunk {
          case .heartbeat(let token): try await writer.write(try heartbeat(token))
          case .events(let events): try await writer.write(contentsOf: events.map(\.message))
          }
        }
      } onCancelRPC: {
        gone.begin()
      }
    } catch let error as APIError {
      throw error.grpcStatus
    }
    if pump.shutdown.isShuttingDown {
      throw APIError(.unavailable, "the service is shutting down; connect again").grpcStatus
    }
  }
}
