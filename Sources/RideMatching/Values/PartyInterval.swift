public import ObjectModel

/// When a party may keep its riders busy: from the window's start to its end plus the ride, ends
/// included.
public struct PartyInterval: Hashable, Sendable {
  /// The party that keeps the rider busy.
  public var partyID: String
  /// The window's start.
  public var from: Instant
  /// The window's end plus the ride.
  public var through: Instant

  /// Makes the claim of a party on its riders' time.
  public init(partyID: String, from: Instant, through: Instant) {
    self.partyID = partyID
    self.from = from
    self.through = through
  }

  /// Tells whether the two have a moment in common; ends count.
  public func meets(_ other: PartyInterval) -> Bool {
    from <= other.through && other.from <= through
  }
}

extension Party {
  /// The claim that each rider aboard has on their own time.
  public var interval: PartyInterval {
    PartyInterval(
      partyID: id, from: window.start, through: window.end.advanced(milliseconds: rideMilliseconds))
  }

  /// The whole ride as expected, rounded up.
  var rideMilliseconds: Int64 { Self.milliseconds(route.durationSeconds) }

  static func milliseconds(_ seconds: Double) -> Int64 {
    Int64((max(0, min(seconds, 1e9)) * 1000).rounded(.up))
  }
}
