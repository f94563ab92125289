package import ObjectModel

/// What a command carries beside its content: who asks, how often, how long they wait.
package struct CommandContext: Hashable, Sendable {
  /// Who calls, as authenticated; part of the scope of the idempotency key.
  package var caller: String
  /// Part of the scope, e.g. `POST`; the same over gRPC and HTTP.
  package var method: String
  /// Part of the scope, e.g. `/v1/parties/p1/join`; the same over gRPC and HTTP.
  package var path: String
  /// 1-128 bytes; nil: the command may be carried out twice.
  package var idempotencyKey: String?
  /// Of the request's content (``requestHash(_:)``): the same key with another one is refused.
  package var requestHash: UInt64
  /// The command is not applied after it.
  package var deadline: Instant?

  package init(
    caller: String = "", method: String = "POST", path: String = "",
    idempotencyKey: String? = nil, requestHash: UInt64 = 0, deadline: Instant? = nil
  ) {
    self.caller = caller
    self.method = method
    self.path = path
    self.idempotencyKey = idempotencyKey
    self.requestHash = requestHash
    self.deadline = deadline
  }

  /// A request's fingerprint: of bytes that are the same for the same request.
  package static func requestHash(_ bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBytes { StableHash.hash64($0, seed: 0x7265_7175_6573_7421) }
  }

  package static let idempotencyKeyBytes = 1...128
}
