import CallTracing
import GRPCCore
import GRPCProtobuf
import GRPCServerTransport
import Identity
import Instrumentation
import MoyeoAPI
import Threading

/// The operations, the streams, the health service and reflection behind ``FastPathServerTransport``.
struct GRPCFrontend: Sendable {
  let rooms: TenantRooms
  let pump: StreamPump
  let throttle: SessionThrottle
  let requestMetrics: RequestMetrics
  let shutdown: ShutdownSignal
  let readiness: Readiness
  /// Where large requests are decoded.
  let threadPool: BoundedThreadPool
  /// Whether calls and messages are described to who asks (``ReflectionService``).
  var reflects = true

  typealias Transport = FastPathServerTransport

  private var operations: [Operation] { rooms.standard.operations }
  private var streams: [StreamOperation] { rooms.standard.streamOperations }

  func makeRouter() -> RPCRouter<Transport> {
    var router = RPCRouter<Transport>()
    for operation in operations { register(operation, in: &router) }
    registerStreamReports(in: &router)
    for stream in streams {
      stream.register(
        in: &router, pump: pump, metrics: requestMetrics, pool: threadPool, rooms: rooms)
    }
    let services = Set(operations.map(\.service) + streams.map(\.service))
    HealthService(shutdown: shutdown, readiness: readiness, services: services)
      .registerMethods(with: &router)
    if reflects { ReflectionService(shutdown: shutdown).registerMethods(with: &router) }
    return router
  }

  /// The calls that the fast path answers, by path. In open mode each is the default tenant's; else
  /// it is bound to its caller, and to the caller's room, when it begins.
  func fastPathMethods() -> [String: FastPathMethod] {
    var methods: [String: FastPathMethod] = [:]
    for operation in operations where operation.callOnEventLoop != nil {
      let path = operation.grpcPath
      let recorder = requestMetrics.recorder(operation: operation, transport: "grpc")
      methods[path] = bound(Self.method(operation, recorder, .open)) { room, caller in
        room.operation(at: path).flatMap {
          Self.method($0, recorder.of(tenant: room.tenantNumber), caller)
        }
      }
    }
    let recorder = requestMetrics.recorder(name: "StreamReports", transport: "grpc")
    let (rooms, clock) = (rooms, rooms.standard.requestServices.clock)
    let stream: @Sendable (TenantRoom, Caller) -> FastPathMethod? = { room, caller in
      let positions = room.positions
      return FastPathMethod(
        maximumRequestBytes: Transport.Settings().maximumMessageBytes,
        recorder: recorder.of(tenant: room.tenantNumber),
        kind: .stream {
          FastPathReportStream(
            ReportStream(
              positions: positions, caller: caller, clock: clock, rates: room.rates))
        })
    }
    methods[Self.streamReportsPath] = bound(stream(rooms.standard, .open), stream)
    return methods
  }

  static let streamReportsPath = "/moyeo.v1.PositionService/StreamReports"

  /// A method that asks who calls, unless in open mode.
  private func bound(
    _ open: FastPathMethod?, _ make: @escaping @Sendable (TenantRoom, Caller) -> FastPathMethod?
  ) -> FastPathMethod? {
    guard rooms.identity != nil else { return open }
    let rooms = rooms
    return open?.bound { authorization in
      do throws(APIError) {
        let caller = try rooms.caller(authorization: authorization)
        // A tenant's first call waits until its room is open, which the fast path cannot.
        guard let room = rooms.ready(caller.tenant), let method = make(room, caller) else {
          return .forStreamHandlers
        }
        return .method(method)
      } catch {
        return .refused(CallRefusal(error))
      }
    }
  }

  private static func method(
    _ operation: Operation, _ recorder: RequestMetrics.Recorder, _ caller: Caller
  ) -> FastPathMethod? {
    guard let call = operation.callOnEventLoop else { return nil }
    return FastPathMethod(
      maximumRequestBytes: operation.maximumRequestBytes, recorder: recorder,
      honoursBypassHeader: operation.isThrottled,
      deferred: operation.callOnPool.map { Self.deferred($0, of: caller) },
      handsOnDeferred: !operation.isForPoolAsARule,
      kind: .unary { bytes throws(CallRefusal) in
        do throws(APIError) {
          return try call(bytes, caller)
        } catch {
          throw error.isForPool ? .deferral : CallRefusal(error)
        }
      })
  }

  /// Requests of a viewport session may have to wait, which the fast path cannot.
  static let bypassHeader = "x-moyeo-session"

  /// What the pool answers, with refusals as the transport has them.
  private static func deferred(
    _ call: @escaping @Sendable ([UInt8], Caller) async throws -> [UInt8], of caller: Caller
  ) -> FastPathMethod.Deferred {
    { bytes throws(CallRefusal) in
      do {
        return try await call(bytes, caller)
      } catch {
        throw CallRefusal(APIError(thrown: error))
      }
    }
  }

  /// Calls with one answer.
  func unaryPaths() -> Set<String> { Set(operations.map(\.grpcPath)) }

  private func register(_ operation: Operation, in router: inout RPCRouter<Transport>) {
    let recorder = requestMetrics.recorder(operation: operation, transport: "grpc")
    let path = operation.grpcPath
    router.registerHandler(
      forMethod: MethodDescriptor(
        fullyQualifiedService: operation.service, method: operation.rpc),
      deserializer: BytesDeserializer(), serializer: BytesSerializer()
    ) { request, _ in
      let start = recorder.start()
      let tags = requestMetrics.tags(request.metadata)
      do {
        let single = try await ServerRequest(stream: request)
        guard single.message.count <= operation.maximumRequestBytes else {
          throw APIError(
            .requestTooLarge, "a request has at most \(operation.maximumRequestBytes) bytes here")
        }
        let caller = try rooms.caller(single.metadata)
        let room = try await rooms.room(of: caller)
        tags.tenantNumber = room.tenantNumber
        guard let own = room.operation(at: path) else {
          throw APIError(.unknownRoute, "there is no call \(path)")
        }
        var context = CallContext(single.metadata, caller: caller)
        context.throttle = throttle
        context.pool = threadPool
        let answer = try await ServiceContext.withValue(tags.context) { [context] in
          try await own.callEncoded(single.message, context)
        }
        recorder.finish(start, reason: nil, tags: tags)
        return StreamingServerResponse(single: ServerResponse(message: answer))
      } catch let error as APIError {
        recorder.finish(start, reason: error.reason, tags: tags)
        throw error.grpcStatus
      }
    }
  }
}

/// A stream of reports on the fast path.
private final class FastPathReportStream: FastPathStream {
  private var stream: ReportStream

  init(_ stream: ReportStream) { self.stream = stream }

  func answer(_ message: UnsafeRawBufferPointer) throws(CallRefusal) -> [UInt8] {
    do throws(APIError) {
      return try stream.answer(encoded: message)
    } catch {
      throw CallRefusal(error)
    }
  }
}

extension CallContext {
  init(_ metadata: Metadata, caller: Caller) {
    self.init(caller: caller)
    session = metadata[stringValues: GRPCFrontend.bypassHeader].first { _ in true }
    sequence = metadata[stringValues: "x-moyeo-sequence"].first { _ in true }
    idempotencyKey = metadata[stringValues: "idempotency-key"].first { _ in true }
  }
}
