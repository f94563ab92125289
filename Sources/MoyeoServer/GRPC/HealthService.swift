import GRPCCore
import GRPCProtobuf
import MoyeoAPI
import SwiftProtobuf

/// The gRPC health checking protocol: SERVING until the shutdown begins.
struct HealthService: Grpc_Health_V1_Health.SimpleServiceProtocol {
  let shutdown: ShutdownSignal
  /// Known by name besides the server as a whole (the empty name).
  let services: Set<String>

  private func status(of service: String) -> Grpc_Health_V1_HealthCheckResponse.ServingStatus? {
    guard service.isEmpty || services.contains(service) else { return nil }
    return shutdown.isShuttingDown ? .notServing : .serving
  }

  func check(
    request: Grpc_Health_V1_HealthCheckRequest, context: ServerContext
  ) async throws -> Grpc_Health_V1_HealthCheckResponse {
    guard let status = status(of: request.service) else {
      throw RPCError(code: .notFound, message: "no service \(quoted(request.service))")
    }
    return .with { $0.status = status }
  }

  func watch(
    request: Grpc_Health_V1_HealthCheckRequest,
    response: RPCWriter<Grpc_Health_V1_HealthCheckResponse>, context: ServerContext
  ) async throws {
    let known = status(of: request.service)
    try await response.write(.with { $0.status = known ?? .serviceUnknown })
    await shutdown.wait()
    if known != nil { try await response.write(.with { $0.status = .notServing }) }
  }
}
