import DurableCommands
import ObjectModel
import RideMatching

@testable import Parties

/// Something that a client wants once, under one key, however often it has to ask.
struct SimulatedIntent {
  enum Kind: Hashable {
    /// By a host of its own: the record must never hold two of them.
    case create(host: String)
    /// `isOwn`: by a rider of its own, who must never have got in twice.
    case join(party: String, rider: String, isOwn: Bool)
    case leave(party: String, rider: String)
    case other(party: String)
  }

  /// What the caller was told last.
  enum Answer: Hashable {
    /// Nothing yet, or that it is not known.
    case none
    case done(party: String, version: UInt64)
    case refused
  }

  let number: Int
  let kind: Kind
  let command: PartyServiceCommand
  var answer = Answer.none
  var asked = 0

  var key: IdempotencyHash { IdempotencyHash(high: 0x51, low: UInt64(number)) }

  func claim(requestHash: UInt64? = nil) -> IdempotencyClaim {
    IdempotencyClaim(
      tenant: "default", key: key, requestHash: requestHash ?? UInt64(number) &* 31)
  }
}

/// A call under way: which intent, of which life of the daemon, and what its caller expects.
struct SimulatedCall: Sendable {
  let intent: Int
  let life: Int
  /// The same key with another request.
  var isMisused = false
  /// Its caller has left: the answer is read by nobody.
  var isAbandoned = false
  /// The deadline had passed when it was sent.
  var isLate = false
  /// How often the wall clock had been set when it was sent: set back, it has time again.
  var clockSteps = 0
  /// The version that the caller knew when it was sent: no answer goes back behind it. Of calls under
  /// way together one may have been decided before the other's effect.
  var knownVersion: UInt64 = 0
}
