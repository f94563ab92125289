public import ObjectModel

/// When a party may keep its riders busy: from the window's start to its end plus the ride, ends
/// included.
public struct PartyInterval: Hashable, Sendable {
  public var partyID: String
  public var from: Instant
  public var through: Instant

  public init(partyID: String, from: Instant, through: Instant) {
    self.partyID = partyID
    self.from = from
    self.through = through
  }

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
