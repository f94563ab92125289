/// A price of the whole ride that its people agree on, in place of what a meter would show.
public struct AgreedFare: Hashable, Sendable {
  /// Minor units of ``currency``, from 0 on.
  public var amount: Int64
  /// The currency by its three letters (ISO 4217).
  public var currency: String

  /// Makes a fare; ``PartyRules/create(_:id:now:claims:)`` checks amount and currency.
  public init(amount: Int64, currency: String) {
    self.amount = amount
    self.currency = currency
  }
}

extension Party {
  /// Whether a tariff says what rides cost alone.
  public var hasTariff: Bool { !tariffID.isEmpty }
  /// Whether the ride has a price: an agreed fare, or that of a tariff.
  public var hasPrice: Bool { hasTariff || agreedFare != nil }
}

extension PartyFare {
  /// ``source`` of a fare that was agreed on.
  public static let agreedSource = "agreed"
  /// ``source`` of a ride without a price.
  static let noSource = "none"
}
