import GRPCCore
import GRPCNIOTransportHTTP2
import GRPCProtobuf
import MoyeoAPI
import NIOCore
import NIOPosix
import SwiftProtobuf
import Testing

@testable import MoyeoClient

/// A few methods of the position service with fixed answers; the rest is unimplemented.
private struct FakePositions: RegistrableRPCService {
  private typealias Method = Moyeo_V1_PositionService.Method

  func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
    unary(&router, Method.Report.descriptor) { (request: Moyeo_V1_ReportRequest) in
      var response = Moyeo_V1_ReportResponse()
      response.accepted = Int32(request.positions.count)
      response.version = request.layer
      return response
    }
    unary(&router, Method.Get.descriptor) { (request: Moyeo_V1_GetPositionRequest) in
      var response = Moyeo_V1_GetPositionResponse()
      response.position.id = request.layer + "/" + request.id
      return response
    }
    unary(&router, Method.Remove.descriptor) {
      (_: Moyeo_V1_RemovePositionRequest) -> Moyeo_V1_RemovePositionResponse in
      throw RPCError(code: .internalError, message: "plain")
    }
    unary(&router, Method.Nearby.descriptor) {
      (_: Moyeo_V1_NearbyRequest) -> Moyeo_V1_NearbyResponse in
      throw GoogleRPCStatus(
        code: .resourceExhausted, message: "busy",
        details: [
          .errorInfo(reason: "overloaded", domain: "moyeo"),
          .badRequest(
            violations: [.init(field: "f", description: "d", reason: "r", localizedMessage: nil)]),
          .retryInfo(delay: .milliseconds(40)),
        ])
    }
    unary(&router, Method.Within.descriptor) { (_: Moyeo_V1_WithinRequest) in
      // Longer than any test waits.
      try await Task.sleep(for: .seconds(3600))
      return Moyeo_V1_WithinResponse()
    }
    router.registerHandler(
      forMethod: Method.StreamReports.descriptor,
      deserializer: ProtobufDeserializer<Moyeo_V1_StreamReportsRequest>(),
      serializer: ProtobufSerializer<Moyeo_V1_StreamReportsResponse>()
    ) { request, _ in
      StreamingServerResponse { writer in
        for try await message in request.messages {
          var answer = Moyeo_V1_StreamReportsResponse()
          answer.sequence = message.sequence
          answer.accepted = Int32(message.packed.handles.count)
          try await writer.write(answer)
        }
        return [:]
      }
    }
  }

  private func unary<
    Transport: ServerTransport, Request: Message & Sendable, Response: Message & Sendable
  >(
    _ router: inout RPCRouter<Transport>, _ method: MethodDescriptor,
    _ answer: @escaping @Sendable (Request) async throws -> Response
  ) {
    router.registerHandler(
      forMethod: method, deserializer: ProtobufDeserializer<Request>(),
      serializer: ProtobufSerializer<Response>()
    ) { request, _ in
      let single = try await ServerRequest(stream: request)
      return StreamingServerResponse(
        single: ServerResponse(message: try await answer(single.message)))
    }
  }
}

@Suite("gRPC client")
struct GRPCClientTests {
  /// Runs `body` against a served ``FakePositions``.
  static func served(
    timeout: Duration = .seconds(20), _ body: @Sendable (MoyeoClient) async throws -> Void
  ) async throws {
    let server = GRPCServer(
      transport: .http2NIOPosix(
        address: .ipv4(host: "127.0.0.1", port: 0), transportSecurity: .plaintext),
      services: [FakePositions()])
    try await withThrowingTaskGroup(of: Void.self) { group in
      // Cancelled at the end, with what may still be under way.
      group.addTask { try? await server.serve() }
      let address = try await server.listeningAddress
      let port = try #require(address?.ipv4?.port)
      try await MoyeoClient.with(
        .grpc(host: "127.0.0.1", port: port),
        configuration: .init(timeout: timeout, retries: .never), body)
      group.cancelAll()
    }
  }

  @Test("calls reach their methods")
  func calls() async throws {
    try await Self.served { client in
      var request = Moyeo_V1_ReportRequest()
      request.layer = "users"
      request.positions = [Moyeo_V1_Position(), Moyeo_V1_Position()]
      let answer = try await client.report(request)
      #expect(answer.accepted == 2 && answer.version == "users")
      #expect(try await client.get(layer: "l", id: "a/b").position.id == "l/a/b")
    }
  }

  @Test("status details become the refusal")
  func refusal() async throws {
    try await Self.served { client in
      let error = await #expect(throws: MoyeoError.self) {
        try await client.nearby(Moyeo_V1_NearbyRequest())
      }
      #expect(
        error
          == .refused(
            Refusal(
              code: "RESOURCE_EXHAUSTED", reason: "overloaded", message: "busy",
              fields: [.init(field: "f", reason: "r", message: "d")],
              retryAfter: .milliseconds(40))))
      let plain = await #expect(throws: MoyeoError.self) {
        try await client.remove(layer: "l", id: "i")
      }
      #expect(plain?.refusal?.code == "INTERNAL" && plain?.refusal?.message == "plain")
      let unknown = await #expect(throws: MoyeoError.self) { try await client.listTariffs() }
      #expect(unknown?.refusal?.isUnknownCall == true)
    }
  }

  @Test("a report stream is answered message by message")
  func stream() async throws {
    try await Self.served { client in
      let (answers, continuation) = AsyncStream.makeStream(of: (Int64, Int32).self)
      try await client.streamReports { writer in
        for i in 1...3 {
          var message = Moyeo_V1_StreamReportsRequest()
          message.sequence = Int64(i)
          message.packed.handles = Array(repeating: 7, count: i)
          try await writer.write(message)
        }
      } onAnswer: { answer in
        continuation.yield((answer.sequence, answer.accepted))
      }
      continuation.finish()
      var seen: [String] = []
      for await (sequence, accepted) in answers { seen.append("\(sequence):\(accepted)") }
      #expect(seen == ["1:1", "2:2", "3:3"])
    }
  }

  @Test("no answer in time is timed out")
  func timeout() async throws {
    try await Self.served(timeout: .milliseconds(50)) { client in
      let error = await #expect(throws: MoyeoError.self) {
        try await client.within(Moyeo_V1_WithinRequest())
      }
      guard case .timedOut? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  /// As a stopped process: its port takes connections, and nobody reads.
  @Test("a peer that never speaks is timed out")
  func silent() async throws {
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(listener.localAddress?.port)
    let start = ContinuousClock.now
    await #expect {
      try await MoyeoClient.with(
        .grpc(host: "127.0.0.1", port: port),
        configuration: .init(timeout: .milliseconds(200), retries: .never)
      ) { try await $0.get(layer: "l", id: "i") }
    } throws: { error in
      if case .timedOut? = error as? MoyeoError { true } else { false }
    }
    // Without a limit of the client's own this takes minutes.
    #expect(ContinuousClock.now - start < .seconds(30))
    try await listener.close()
  }

  @Test("nobody there is unreachable at once")
  func nobody() async throws {
    let port = try await unusedPort()
    await #expect {
      try await MoyeoClient.with(
        .grpc(host: "127.0.0.1", port: port), configuration: .init(retries: .never)
      ) {
        try await $0.get(layer: "l", id: "i")
      }
    } throws: { error in
      guard case .unreachable(_, let cause, _)? = error as? MoyeoError else { return false }
      return cause == "connection refused"
    }
  }
}
