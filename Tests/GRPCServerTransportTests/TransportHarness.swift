import CallTracing
import Dispatch
import GRPCCore
import NIOCore
import NIOPosix
import Synchronization

@testable import GRPCServerTransport

/// The transport with a few methods of a test's own behind it.
struct TransportHarness: Sendable {
  let port: Int
  let server: GRPCServer<FastPathServerTransport>
  /// One entry for each thing a handler went through.
  let events: AsyncStream<String>
  let gate: Gate

  /// Lets a call that holds go on.
  final class Gate: Sendable {
    private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    func open() { continuation.finish() }
    func wait() async { for await _ in stream {} }
  }

  /// - `/test.Test/Echo`: sends each message back; `x-echo` and `x-echo-bin` as metadata, at the
  ///   start and at the end.
  /// - `/test.Test/Unary`: one message back, as long as its first four bytes say.
  /// - `/test.Test/Flood`: 400 messages of 10 kB, telling of each that was taken.
  /// - `/test.Test/Hold`: a message back once the gate opens.
  /// - `/test.Test/Cancelled`: waits until the call is cancelled.
  /// - `/test.Test/Fail`: a status with a message that is not ASCII.
  /// - `/test.Test/Early`: answers without reading.
  static func run(
    _ change: (inout FastPathServerTransport.Settings) -> Void = { _ in },
    _ body: @escaping @Sendable (TransportHarness) async throws -> Void
  ) async throws {
    let gate = Gate()
    let (events, tell) = AsyncStream.makeStream(of: String.self)
    let (ports, hears) = AsyncStream.makeStream(of: Int.self)
    var settings = FastPathServerTransport.Settings()
    let router = Self.router(gate, tell)
    settings.refusal = { cause in
      CallRefusal(
        code: cause.code, message: cause.message, metadata: ["x-reason": .string(cause.name)],
        reason: cause.name)
    }
    settings.paths = Set(router.methods.map { "/\($0.fullyQualifiedMethod)" })
    settings.unaryPaths = ["/test.Test/Unary"]
    // A busy machine may take its time; tests of a time limit set it themselves.
    settings.connection.prefaceTimeout = .minutes(10)
    settings.connection.firstCallTimeout = .minutes(10)
    settings.connection.requestTimeout = .minutes(10)
    settings.connection.keepaliveTimeout = .minutes(10)
    settings.connection.goAwayTimeout = .minutes(10)
    settings.connection.shutdownGrace = .minutes(10)
    if TransportSecurity.current != nil {
      settings.certificates = try ServerCertificates(TestCertificates.files())
    }
    change(&settings)
    let transport = FastPathServerTransport(
      settings: settings, eventLoopGroup: .singleton,
      onListening: { hears.yield($0) })
    let server = GRPCServer(transport: transport, router: router)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await server.serve() }
      var port: Int?
      for await found in ports {
        port = found
        break
      }
      let harness = TransportHarness(
        port: port ?? 0, server: server, events: events, gate: gate)
      let outcome: Result<Void, any Error>
      do {
        try await body(harness)
        outcome = .success(())
      } catch {
        outcome = .failure(error)
      }
      gate.open()
      server.beginGracefulShutdown()
      try await tasks.waitForAll()
      try outcome.get()
    }
  }

  /// How often something out of the ordinary has happened.
  func count(_ event: String) -> Int { server.transport.events.all[event] ?? 0 }

  /// The same once it has come to `expected`, or after a minute: a client may see that its
  /// connection has ended before the server has counted why, as with the alert of TLS.
  func count(_ event: String, reaching expected: Int) async -> Int {
    let deadline = ContinuousClock.now + .seconds(60)
    while count(event) < expected, ContinuousClock.now < deadline { await Task.yield() }
    return count(event)
  }

  private static func router(
    _ gate: Gate, _ events: AsyncStream<String>.Continuation
  ) -> RPCRouter<FastPathServerTransport> {
    var router = RPCRouter<FastPathServerTransport>()
    func add(
      _ method: String,
      _ handler:
        @escaping @Sendable (
          StreamingServerRequest<[UInt8]>, ServerContext, RPCWriter<[UInt8]>
        ) async throws -> Metadata
    ) {
      router.registerHandler(
        forMethod: MethodDescriptor(fullyQualifiedService: "test.Test", method: method),
        deserializer: BytesDeserializer(), serializer: BytesSerializer()
      ) { request, context in
        var metadata = Metadata()
        for text in request.metadata[stringValues: "x-echo"] {
          metadata.addString(text, forKey: "x-echo")
        }
        for bytes in request.metadata[binaryValues: "x-echo-bin"] {
          metadata.addBinary(bytes, forKey: "x-echo-bin")
        }
        return StreamingServerResponse(metadata: metadata) { writer in
          try await handler(request, context, writer)
        }
      }
    }
    add("Echo") { request, _, writer in
      for try await message in request.messages { try await writer.write(message) }
      var trailers = Metadata()
      for bytes in request.metadata[binaryValues: "x-echo-bin"] {
        trailers.addBinary(Array(bytes.reversed()), forKey: "x-turned-bin")
      }
      return trailers
    }
    add("Unary") { request, _, writer in
      for try await message in request.messages {
        let length = message.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        try await writer.write([UInt8](repeating: 7, count: length))
      }
      return [:]
    }
    add("Flood") { _, _, writer in
      for i in 0..<400 {
        try await writer.write([UInt8](repeating: UInt8(i & 0xFF), count: 10_000))
        events.yield("wrote \(i)")
      }
      return [:]
    }
    add("Hold") { _, _, writer in
      events.yield("holds")
      await gate.wait()
      try await writer.write([1])
      return [:]
    }
    add("Cancelled") { _, context, _ in
      events.yield("waits")
      try await context.cancellation.cancelled
      events.yield("cancelled")
      throw RPCError(code: .deadlineExceeded, message: "too late")
    }
    add("Fail") { _, _, _ in
      throw RPCError(code: .failedPrecondition, message: "안 됨 100%\n")
    }
    add("Early") { _, _, writer in
      try await writer.write([9])
      return [:]
    }
    return router
  }
}

/// Counts nothing.
struct NoRecorder: CallRecorder {
  func start() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
  func finish(_ start: UInt64, refusal: CallRefusal?, tags: CallTags?) {}
}
