public import ObjectModel
public import RideMatching

/// What a command carries beside its content: who asks, how often, how long they wait.
public struct CommandContext: Hashable, Sendable {
  /// Who calls, as authenticated; part of the scope of the idempotency key.
  public var caller: String
  /// Part of the scope, e.g. `POST`; the same over gRPC and HTTP.
  public var method: String
  /// Part of the scope, e.g. `/v1/parties/p1/join`; the same over gRPC and HTTP.
  public var path: String
  /// 1-128 bytes; nil: the command may be carried out twice.
  public var idempotencyKey: String?
  /// Of the request's content (``requestHash(_:)``): the same key with another one is refused.
  public var requestHash: UInt64
  /// The command is not applied after it.
  public var deadline: Instant?

  public init(
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
  public static func requestHash(_ bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBytes { StableHash.hash64($0, seed: 0x7265_7175_6573_7421) }
  }

  public static let idempotencyKeyBytes = 1...128
}

/// A command's effect, or what is so already.
public struct PartyAnswer: Hashable, Sendable {
  /// The newest state; of a repeated command too: its effect is in it.
  public var party: Party
  /// Of the layer `parties`, for `minVersion` of reads.
  public var layerVersion: String

  public init(party: Party, layerVersion: String) {
    self.party = party
    self.layerVersion = layerVersion
  }
}
