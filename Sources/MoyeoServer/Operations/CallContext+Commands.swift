import DurableCommands
import Identity
import MoyeoAPI
import ObjectModel
import SwiftProtobuf

extension CallContext {
  /// A command that has not been applied by then is dropped.
  private static let commandMilliseconds: Int64 = 5000

  /// What a durable command carries: the scope of its idempotency key (tenant, caller, method and
  /// path, the same over gRPC and HTTP), what was asked under it, and its deadline. In open mode all
  /// callers are one.
  ///
  /// - Parameters:
  ///   - request: What was asked.
  ///   - route: Of the call; gRPC takes its path, too.
  ///   - ids: Values of the route's parameters, in their order.
  ///   - now: The deadline counts from it.
  /// - Returns: The command's context.
  /// - Throws: `bad_value` for a request that cannot be encoded.
  func command(
    _ request: some Message, _ route: Operation.Route, _ ids: [String], now: Instant
  ) throws(APIError) -> CommandContext {
    var out = CommandContext(
      caller: caller.name, method: route.method, path: route.path(ids),
      idempotencyKey: idempotencyKey,
      deadline: now.advanced(milliseconds: Self.commandMilliseconds))
    guard idempotencyKey != nil else { return out }
    var options = BinaryEncodingOptions()
    options.useDeterministicOrdering = true
    guard let bytes: [UInt8] = try? request.serializedBytes(options: options) else {
      throw APIError(.badValue, field: "body", "body cannot be encoded")
    }
    out.requestHash = CommandContext.requestHash(bytes)
    return out
  }
}

extension CallContext {
  /// Holds the key of a call that takes effect as often as it comes to what a key may be.
  ///
  /// - Throws: `bad_value` for a key that is empty or too long.
  func requireUsableKey() throws(APIError) {
    guard let idempotencyKey,
      !CommandContext.idempotencyKeyBytes.contains(idempotencyKey.utf8.count)
    else { return }
    throw APIError(
      .badValue, field: "idempotencyKey", "idempotencyKey \(BadIdempotencyKey.message)")
  }
}

extension Operation.Route {
  /// The path with values in place of the parameters.
  fileprivate func path(_ ids: [String]) -> String {
    var rest = ids[...]
    return segments.reduce(into: "") { path, segment in
      path += "/"
      path += segment.hasPrefix("{") ? rest.popFirst() ?? "" : String(segment)
    }
  }
}

extension Reason {
  /// Why a command was not carried out, whatever the rules say of it.
  init(_ failure: CommitFailure) {
    switch failure {
    case .overloaded: self = .overloaded
    case .deadlineExceeded: self = .deadlineExceeded
    case .idempotencyMismatch: self = .idempotencyMismatch
    case .unavailable, .unreadable, .stopped: self = .unavailable
    case .readOnly: self = .readOnly
    }
  }
}
