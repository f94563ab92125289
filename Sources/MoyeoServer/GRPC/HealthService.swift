import GRPCCore
import GRPCProtobuf
import MoyeoAPI
import SwiftProtobuf

/// The gRPC health checking protocol: SERVING from when the daemon is ready, until the shutdown begins
/// or an operator drains it; what `/readyz` answers 200 for.
struct HealthService: Grpc_Health_V1_Health.SimpleServiceProtocol {
  typealias Status = Grpc_Health_V1_HealthCheckResponse.ServingStatus

  let shutdown: ShutdownSignal
  let readiness: Readiness
  /// Known by name besides the server as a whole (the empty name).
  let services: Set<String>

  private func status(of service: String) -> Status? {
    guard service.isEmpty || services.contains(service) else { return nil }
    let serves =
      readiness.isReady && !readiness.isDraining && readiness.behindReason == nil
      && !shutdown.isShuttingDown
    return serves ? .serving : .notServing
  }

  func check(
    request: Grpc_Health_V1_HealthCheckRequest, context: ServerContext
  ) async throws -> Grpc_Health_V1_HealthCheckResponse {
    guard let status = status(of: request.service) else {
      throw RPCError(code: .notFound, message: "no service \(quoted(request.service))")
    }
    return .with { $0.status = status }
  }

  /// Tells the status, and each one that differs from the last; ends with the shutdown or its caller.
  func watch(
    request: Grpc_Health_V1_HealthCheckRequest,
    response: RPCWriter<Grpc_Health_V1_HealthCheckResponse>, context: ServerContext
  ) async throws {
    let changes = readiness.changes()
    let told = try await withThrowingTaskGroup(of: Status?.self) { tasks in
      tasks.addTask {
        var told: Status?
        for await _ in changes {
          let status = status(of: request.service) ?? .serviceUnknown
          guard status != told else { continue }
          try await response.write(.with { $0.status = status })
          told = status
        }
        return told
      }
      tasks.addTask {
        await shutdown.wait()
        return nil
      }
      tasks.addTask {
        // gRPC tells of a caller that left through its own handle.
        try? await context.cancellation.cancelled
        return nil
      }
      _ = try await tasks.next()
      tasks.cancelAll()
      return try await tasks.reduce(nil) { $0 ?? $1 }
    }
    guard shutdown.isShuttingDown, told != .notServing, status(of: request.service) != nil else {
      return
    }
    try await response.write(.with { $0.status = .notServing })
  }
}
