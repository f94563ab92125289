import DurableCommands
import MoyeoServer
package import ObjectModel
import Threading

/// Keys for apps that send none: a write that comes again within a minute, after its token was
/// refreshed or its answer was lost, is the same write.
///
/// What makes a write the same is its caller (not the token, which the refresh replaced), its path and
/// its body. The key names the minute of the first arrival, so a daemon that was started again in
/// between still knows the write by its record.
package final class RequestFingerprints: Sendable {
  /// How long a write is the same.
  package static let windowMilliseconds: Int64 = 60_000
  /// Writes of one minute that are remembered; of more, a repetition is told by its minute alone.
  private static let limit = 65_536

  private struct Fingerprint: Hashable {
    let high: UInt64
    let low: UInt64
  }

  private struct State {
    var firstSeen: [Fingerprint: Instant] = [:]
    var sweptAt = Instant(milliseconds: .min)
  }

  private let state = StateLock(State())

  package init() {}

  /// The key under which a write has one effect.
  ///
  /// - Parameters:
  ///   - caller: Whose write it is.
  ///   - path: As it was sent.
  ///   - body: All of it.
  ///   - now: When it arrived.
  /// - Returns: At most 64 bytes; equal for equal writes within ``windowMilliseconds``.
  package func key(caller: String, path: String, body: [UInt8], now: Instant) -> String {
    let fingerprint = Self.fingerprint(caller: caller, path: path, body: body)
    let first = state.withLock { state in
      if now.milliseconds(since: state.sweptAt) >= Self.windowMilliseconds
        || state.firstSeen.count >= Self.limit
      {
        state.firstSeen = state.firstSeen.filter {
          now.milliseconds(since: $0.value) < Self.windowMilliseconds
        }
        state.sweptAt = now
      }
      if let seen = state.firstSeen[fingerprint],
        (0..<Self.windowMilliseconds).contains(now.milliseconds(since: seen))
      {
        return seen
      }
      if state.firstSeen.count < Self.limit { state.firstSeen[fingerprint] = now }
      return now
    }
    let minute = first.milliseconds / Self.windowMilliseconds
    return "door-\(String(fingerprint.high, radix: 16))-\(String(fingerprint.low, radix: 16))"
      + "-\(minute)"
  }

  private static func fingerprint(caller: String, path: String, body: [UInt8]) -> Fingerprint {
    // Lengths stand in front, so that no two writes run together.
    var bytes = Array("\(caller.utf8.count) \(path.utf8.count) ".utf8)
    bytes += caller.utf8
    bytes += path.utf8
    bytes += body
    return bytes.withUnsafeBytes { raw in
      Fingerprint(
        high: StableHash.hash64(raw, seed: 0x646F_6F72_2D68_6967),
        low: StableHash.hash64(raw, seed: 0x646F_6F72_2D6C_6F77))
    }
  }
}
