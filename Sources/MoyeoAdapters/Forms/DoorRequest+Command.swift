import DurableCommands
import MoyeoServer
import ObjectModel

extension DoorRequest {
  /// How long the apps' clients wait for a command, in milliseconds.
  private static var commandMilliseconds: Int64 { 5000 }

  /// The circumstances of a command that this request asks for.
  ///
  /// - Parameters:
  ///   - userID: Who asks.
  ///   - key: Makes repetitions one; nil where the command sets a state.
  ///   - now: When it came.
  /// - Returns: A context whose deadline is near.
  func command(of userID: String, key: String? = nil, now: Instant) -> CommandContext {
    CommandContext(
      caller: userID, method: method, path: path, idempotencyKey: key,
      requestHash: CommandContext.requestHash(body),
      deadline: now.advanced(milliseconds: Self.commandMilliseconds))
  }
}
