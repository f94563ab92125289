import GRPCCore
import GRPCProtobuf
import GRPCServerTransport
import MoyeoAPI
import Threading

/// The operations, the streams and the health service behind ``FastPathServerTransport``.
struct GRPCFrontend: Sendable {
  let operations: [Operation]
  let positions: PositionOperations
  let streams: [StreamOperation]
  let pump: StreamPump
  let throttle: SessionThrottle
  let requestMetrics: RequestMetrics
  let shutdown: ShutdownSignal
  /// Where large requests are decoded.
  let threadPool: BoundedThreadPool

  typealias Transport = FastPathServerTransport

  func makeRouter() -> RPCRouter<Transport> {
    var router = RPCRouter<Transport>()
    for operation in operations { register(operation, in: &router) }
    registerStreamReports(in: &router)
    for stream in streams {
      stream.register(
        in: &router, pump: pump,
        recorder: requestMetrics.recorder(name: stream.name, transport: "grpc"), pool: threadPool)
    }
    let services = Set(operations.map(\.service) + streams.map(\.service))
    HealthService(shutdown: shutdown, services: services)
      .registerMethods(with: &router)
    return router
  }

  /// The calls that the fast path answers, by path.
  func fastPathMethods() -> [String: FastPathMethod] {
    var methods: [String: FastPathMethod] = [:]
    for operation in operations {
      guard let call = operation.callOnEventLoop else { continue }
      methods[Self.path(operation)] = FastPathMethod(
        maximumRequestBytes: operation.maximumRequestBytes,
        recorder: requestMetrics.recorder(operation: operation, transport: "grpc"),
        honoursBypassHeader: operation.isThrottled,
        deferred: operation.callOnPool.map(Self.deferred),
        kind: .unary { bytes throws(CallRefusal) in
          do throws(APIError) {
            return try call(bytes)
          } catch {
            throw error.isForPool ? .deferral : CallRefusal(error)
          }
        })
    }
    let positions = positions
    methods["/moyeo.v1.PositionService/StreamReports"] = FastPathMethod(
      maximumRequestBytes: Transport.Settings().maximumMessageBytes,
      recorder: requestMetrics.recorder(name: "StreamReports", transport: "grpc"),
      kind: .stream { FastPathReportStream(ReportStream(positions: positions)) })
    return methods
  }

  /// Requests of a viewport session may have to wait, which the fast path cannot.
  static let bypassHeader = "x-moyeo-session"

  /// What the pool answers, with refusals as the transport has them.
  private static func deferred(
    _ call: @escaping @Sendable ([UInt8]) async throws -> [UInt8]
  ) -> FastPathMethod.Deferred {
    { bytes throws(CallRefusal) in
      do {
        return try await call(bytes)
      } catch {
        throw CallRefusal(
          error as? APIError ?? APIError(.internalError, "the call could not be answered"))
      }
    }
  }

  /// Calls with one answer.
  func unaryPaths() -> Set<String> { Set(operations.map(Self.path)) }

  private static func path(_ operation: Operation) -> String {
    "/\(operation.service)/\(operation.rpc)"
  }

  private func register(_ operation: Operation, in router: inout RPCRouter<Transport>) {
    let recorder = requestMetrics.recorder(operation: operation, transport: "grpc")
    router.registerHandler(
      forMethod: MethodDescriptor(
        fullyQualifiedService: operation.service, method: operation.rpc),
      deserializer: BytesDeserializer(), serializer: BytesSerializer()
    ) { request, _ in
      let start = recorder.start()
      do {
        let single = try await ServerRequest(stream: request)
        guard single.message.count <= operation.maximumRequestBytes else {
          throw APIError(
            .requestTooLarge, "a request has at most \(operation.maximumRequestBytes) bytes here")
        }
        var context = CallContext(single.metadata)
        context.throttle = throttle
        context.pool = threadPool
        let answer = try await operation.callEncoded(single.message, context)
        recorder.finish(start, reason: nil)
        return StreamingServerResponse(single: ServerResponse(message: answer))
      } catch let error as APIError {
        recorder.finish(start, reason: error.reason)
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
  init(_ metadata: Metadata) {
    session = metadata[stringValues: GRPCFrontend.bypassHeader].first { _ in true }
    sequence = metadata[stringValues: "x-moyeo-sequence"].first { _ in true }
    idempotencyKey = metadata[stringValues: "idempotency-key"].first { _ in true }
  }
}
