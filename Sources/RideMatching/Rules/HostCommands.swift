public import ObjectModel

/// Changes of the host; nil stays as it is.
public struct UpdateParty: Hashable, Sendable {
  /// The new time in the middle of the window; nil: as it is.
  public var departureTime: Instant?
  /// How far the departure may be from that time both ways; nil: as it is.
  public var toleranceMilliseconds: Int64?
  /// Seats in all, those of the host included; nil: as they are.
  public var seats: Int?

  /// Makes a change of nothing but what is named.
  public init(
    departureTime: Instant? = nil, toleranceMilliseconds: Int64? = nil, seats: Int? = nil
  ) {
    self.departureTime = departureTime
    self.toleranceMilliseconds = toleranceMilliseconds
    self.seats = seats
  }
}

/// Why the host removes a rider.
public enum RemovalReason: String, Hashable, Sendable, CaseIterable {
  case noShow = "no_show"
  case host
}

/// What the meter said in the end.
public struct SettleParty: Hashable, Sendable {
  /// Who paid the driver.
  public var payerID: String
  /// Tolls included, minor units.
  public var amount: Int64
  /// Shared per seat, whatever the rule but `hostPays`.
  public var tolls: Int64

  /// Makes a settlement by the meter; tolls are part of the amount.
  public init(payerID: String, amount: Int64, tolls: Int64 = 0) {
    self.payerID = payerID
    self.amount = amount
    self.tolls = tolls
  }
}
