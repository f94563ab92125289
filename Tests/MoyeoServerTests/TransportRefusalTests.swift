import GRPCCore
import GRPCProtobuf
import GRPCServerTransport
import MoyeoAPI
import Testing

@testable import MoyeoServer

/// What the transport refuses is told in the API's words.
@Suite struct TransportRefusalTests {
  @Test(arguments: [
    (RefusalCause.unknownMethod(path: "/a/b"), Reason.unknownRoute, RPCError.Code.unimplemented),
    (.malformedRequest("A call is a POST."), .malformedRequest, .invalidArgument),
    (.unsupportedEncoding("gzip"), .unsupportedMediaType, .unimplemented),
    (.messageTooLarge(maximumBytes: 9), .requestTooLarge, .resourceExhausted),
    (.deadlineExceeded, .deadlineExceeded, .deadlineExceeded),
    (.requestTimedOut, .deadlineExceeded, .deadlineExceeded),
    (.tooManyStreams(maximum: 100), .quotaExceeded, .resourceExhausted),
    (.tooManyRequestBytes, .overloaded, .resourceExhausted),
    (.shuttingDown, .unavailable, .unavailable),
    (.internalError("There is no channel."), .internalError, .internalError),
  ])
  func everyCauseHasAReason(cause: RefusalCause, reason: Reason, code: RPCError.Code) throws {
    let refusal = CallRefusal(APIError(cause))
    #expect(refusal.reason == reason.rawValue)
    #expect(refusal.rpcErrorCode == code && refusal.rpcErrorCode == cause.code)
    let error = RPCError(code: code, message: "", metadata: refusal.rpcErrorMetadata)
    let details = try #require(try error.unpackGoogleRPCStatus()).details
    #expect(details.compactMap(\.errorInfo?.reason) == [reason.rawValue])
  }

  /// Half of the connections on each port, and most of a port's for one peer.
  @Test func thePortsShareTheLimitOfConnections() {
    var settings = ConnectionSettings()
    settings.maximum = 200
    let limits = settings.makeLimits()
    #expect(limits.grpc.maximum == 100 && limits.http.maximum == 100)
    #expect(limits.grpc.maximumPerPeer == 75 && limits.http.maximumPerPeer == 75)
    settings.maximumPerPeer = 10
    #expect(settings.makeLimits().grpc.maximumPerPeer == 10)
    // Whatever is asked for, descriptors are left for files.
    settings.maximum = .max
    #expect(settings.makeLimits().grpc.maximum < .max / 2)
  }
}
