import GRPCCore
import GRPCProtobuf
import Testing

extension GRPCRefusal {
  /// What a call was refused with; records an issue when it was not.
  static func of(
    sourceLocation: SourceLocation = #_sourceLocation, _ call: () async throws -> Void
  ) async throws -> GRPCRefusal {
    do {
      try await call()
    } catch let error as RPCError {
      let status = try error.unpackGoogleRPCStatus()
      let details = status?.details ?? []
      return GRPCRefusal(
        code: error.code, reason: details.compactMap { $0.errorInfo?.reason }.first,
        domain: details.compactMap { $0.errorInfo?.domain }.first,
        fields: details.compactMap { $0.badRequest?.violations.map(\.field) }.first ?? [])
    }
    Issue.record("the call was not refused", sourceLocation: sourceLocation)
    throw CancellationError()
  }
}
