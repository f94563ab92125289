import Foundation
import GRPCCore
import GRPCProtobuf
import GRPCServerTransport
import Identity
import LiveLayers
import MoyeoAPI
import ObjectModel
import DurableCommands
import Testing

@testable import MoyeoServer
import TestSupport

/// A verifier of tokens that are names: who they are stands here.
final class NamedCallers: TokenVerifier {
  static let end = RunningDaemon.start.advanced(milliseconds: 600_000)

  private static func caller(
    _ subject: String?, _ scopes: Scopes, tenant: String = Caller.defaultTenant,
    attributes: [String: ClaimValue] = [:], lives milliseconds: Int64 = 600_000
  ) -> Caller {
    Caller(
      tenant: tenant, subject: subject, scopes: scopes, attributes: attributes,
      issuedAt: RunningDaemon.start,
      expiresAt: RunningDaemon.start.advanced(milliseconds: milliseconds))
  }

  private static let user: Scopes = [.read, .report, .command]

  private let callers: [String: Caller] = [
    "ann": caller("ann", user, attributes: ["gender": .string("f")]),
    "ben": caller("ben", user, attributes: ["gender": .string("m")]),
    "cat": caller("cat", user, attributes: ["gender": .string("f")]),
    "reader": caller("ann", [.read]),
    "nothing": caller("ann", []),
    "server": caller(nil, [.read, .report, .command, .service]),
    "reading-server": caller(nil, [.read, .service]),
    "key": caller(nil, user),
    "north-ann": caller("ann", user, tenant: "north"),
    "north-server": caller(nil, [.read, .report, .command, .service], tenant: "north"),
    "south-server": caller(nil, [.read, .service], tenant: "south"),
    "east-server": caller(nil, [.read, .service], tenant: "east"),
    "long": caller("ann", user, lives: 7_200_000),
  ]

  func verify(_ token: String, now: ObjectModel.Instant) -> TokenVerdict {
    if token == "expired" { return .expired }
    guard let caller = callers[token] else { return .invalid("the token is not good") }
    return caller.refusal(now: now) == nil ? .caller(caller) : .expired
  }
}

extension RunningDaemon {
  /// A daemon that asks who calls.
  static func runWithTokens(
    usesFastPath: Bool = true, _ body: @Sendable (RunningDaemon) async throws -> Void
  ) async throws {
    try await run(
      usesFastPath: usesFastPath, parties: MemoryStore(), verifier: NamedCallers(), body)
  }

  func send(
    _ method: String, _ path: String, _ json: String? = nil, as token: String?,
    headers: [(String, String)] = []
  ) async throws -> HTTPAnswer {
    var headers = headers
    if let token { headers.append(("authorization", "Bearer \(token)")) }
    if json != nil { headers.append(("content-type", "application/json")) }
    return try await request(method, path, body: json.map { Data($0.utf8) }, headers: headers)
  }

  /// The reason for which gRPC refuses a call with one answer; nil: it is answered.
  func reason(_ path: String, _ message: [UInt8], as token: String?) async throws -> String? {
    let parts = path.split(separator: "/")
    do {
      _ = try await grpc.unary(
        request: ClientRequest(message: message, metadata: Self.metadata(token)),
        descriptor: MethodDescriptor(
          fullyQualifiedService: String(parts[0]), method: String(parts[1])),
        serializer: BytesSerializer(), deserializer: BytesDeserializer(),
        options: CallOptions.defaults
      ) { try $0.message }
      return nil
    } catch let error as RPCError {
      return try error.unpackedReason
    }
  }

  /// The same for a stream; nil: it has begun.
  func streamReason(_ path: String, _ message: [UInt8], as token: String?) async throws -> String? {
    let parts = path.split(separator: "/")
    do {
      return try await grpc.serverStreaming(
        request: ClientRequest(message: message, metadata: Self.metadata(token)),
        descriptor: MethodDescriptor(
          fullyQualifiedService: String(parts[0]), method: String(parts[1])),
        serializer: BytesSerializer(), deserializer: BytesDeserializer(),
        options: CallOptions.defaults
      ) { response -> String? in
        switch response.accepted {
        case .success: return nil
        case .failure(let error): return try error.unpackedReason
        }
      }
    } catch let error as RPCError {
      return try error.unpackedReason
    }
  }

  /// The reason for which a stream of reports is refused that has one message; nil: that is taken.
  func reportStreamReason(
    _ message: Moyeo_V1_StreamReportsRequest, as token: String?
  ) async throws -> String? {
    do {
      return try await grpc.bidirectionalStreaming(
        request: StreamingClientRequest(metadata: Self.metadata(token)) { writer in
          try await writer.write(message)
        },
        descriptor: Moyeo_V1_PositionService.Method.StreamReports.descriptor,
        serializer: ProtobufSerializer<Moyeo_V1_StreamReportsRequest>(),
        deserializer: ProtobufDeserializer<Moyeo_V1_StreamReportsResponse>(),
        options: CallOptions.defaults
      ) { response -> String? in
        do {
          for try await _ in response.messages { return nil }
        } catch let error as RPCError {
          return try error.unpackedReason
        }
        return nil
      }
    } catch let error as RPCError {
      return try error.unpackedReason
    }
  }

  private static func metadata(_ token: String?) -> Metadata {
    token.map { ["authorization": "Bearer \($0)"] } ?? [:]
  }
}

extension RPCError {
  /// The reason of a refusal of ours.
  var unpackedReason: String? {
    get throws {
      try unpackGoogleRPCStatus()?.details.compactMap { $0.errorInfo?.reason }.first
    }
  }
}
