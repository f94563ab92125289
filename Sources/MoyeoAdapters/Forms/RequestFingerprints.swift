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

  /// Two generations, so that forgetting costs nothing a write.
  private struct State {
    var newer: [Fingerprint: Instant] = [:]
    var older: [Fingerprint: Instant] = [:]
    var turnedAt = Instant(milliseconds: 0)

    mutating func firstArrival(of fingerprint: Fingerprint, now: Instant) -> Instant {
      let age = now.milliseconds(since: turnedAt)
      if !(0..<windowMilliseconds).contains(age) {
        older = (0..<2 * windowMilliseconds).contains(age) ? newer : [:]
        newer = [:]
        turnedAt = now
      }
      if let seen = newer[fingerprint] ?? older[fingerprint],
        (0..<windowMilliseconds).contains(now.milliseconds(since: seen))
      {
        return seen
      }
      if newer.count < limit { newer[fingerprint] = now }
      return now
    }
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
    let first = state.withLock { $0.firstArrival(of: fingerprint, now: now) }
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
