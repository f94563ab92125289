import GRPCCore
import GRPCNIOTransportHTTP2
import GRPCProtobuf
import MoyeoAPI
import NIOCore
import NIOPosix

/// The operations, the streams and the health service behind gRPC's official transport.
struct GRPCFrontend: Sendable {
  let operations: [Operation]
  let positions: PositionOperations
  let streams: [StreamOperation]
  let pump: StreamPump
  let throttle: SessionThrottle
  let requestMetrics: RequestMetrics
  let shutdown: ShutdownSignal

  typealias Transport = HTTP2ServerTransport.Posix

  func makeRouter() -> RPCRouter<Transport> {
    var router = RPCRouter<Transport>()
    for operation in operations { register(operation, in: &router) }
    registerStreamReports(in: &router)
    for stream in streams {
      stream.register(
        in: &router, pump: pump,
        recorder: requestMetrics.recorder(name: stream.name, transport: "grpc"))
    }
    let services = Set(operations.map(\.service) + streams.map(\.service))
    HealthService(shutdown: shutdown, services: services)
      .registerMethods(with: &router)
    return router
  }

  /// The calls that the hot lane answers, by path.
  func hotMethods() -> [String: HotLane.Method] {
    var methods: [String: HotLane.Method] = [:]
    for operation in operations {
      guard let call = operation.callInPlace else { continue }
      methods["/\(operation.service)/\(operation.rpc)"] = HotLane.Method(
        maximumRequestBytes: operation.maximumRequestBytes,
        recorder: requestMetrics.recorder(operation: operation, transport: "grpc"),
        isThrottled: operation.isThrottled, call: call)
    }
    return methods
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

extension CallContext {
  init(_ metadata: Metadata) {
    session = metadata[stringValues: "x-moyeo-session"].first { _ in true }
    sequence = metadata[stringValues: "x-moyeo-sequence"].first { _ in true }
    idempotencyKey = metadata[stringValues: "idempotency-key"].first { _ in true }
  }
}

/// Hands bytes through as they are.
struct BytesSerializer: MessageSerializer {
  func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) throws -> Bytes { Bytes(message) }
}

struct BytesDeserializer: MessageDeserializer {
  func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> [UInt8] {
    bytes.withUnsafeBytes { Array($0) }
  }
}

/// Runs the jobs of gRPC calls on the event loops themselves: a hop less for each step of a call
/// (67 to 53 us of CPU a unary call). Handlers must not block.
final class EventLoopTaskExecutor: TaskExecutor {
  private let group: MultiThreadedEventLoopGroup

  init(_ group: MultiThreadedEventLoopGroup) { self.group = group }

  func enqueue(_ job: consuming ExecutorJob) {
    let unowned = UnownedJob(job)
    group.any().execute { unowned.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
