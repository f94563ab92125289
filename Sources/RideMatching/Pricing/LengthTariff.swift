import ObjectModel
import TaxiFares

extension Tariff {
  /// What stands in for a tariff where there is none: a whole meter costs one unit, time nothing. Shares
  /// by fares alone, by leg and by Shapley value are then shares by length. Its amounts are never shown.
  static let byLength: Tariff = {
    let content = TariffContent(
      id: "length", name: "length", area: "anywhere", vehicleClasses: ["any"], currency: "XXX",
      timeZone: "UTC", offsets: UTCOffsets(initialSeconds: 0),
      effective: FareLimits.departures.lowerBound, baseAmount: 0, baseDistanceMeters: 0,
      stepAmount: 1, stepDistanceMeters: 1, stepSeconds: 3600, accrual: .exclusive,
      chargeOn: .completion, source: "one unit a meter")
    do {
      return try Tariff(content)
    } catch {
      preconditionFailure("the tariff of lengths is no tariff: \(error)")
    }
  }()
}

/// How the price of a ride comes about.
enum RidePrice: Hashable, Sendable {
  /// The meter's.
  case metered
  /// The same whatever the route.
  case agreed(AgreedFare)
  /// None.
  case unpriced

  init(_ party: Party) {
    if let agreed = party.agreedFare {
      self = .agreed(agreed)
    } else {
      self = party.hasTariff ? .metered : .unpriced
    }
  }

  /// What the ride costs whatever its route, minor units; nil where the meter says it.
  var fixedAmount: Int64? {
    switch self {
    case .metered: nil
    case .agreed(let fare): fare.amount
    case .unpriced: 0
    }
  }

  func currency(_ tariff: Tariff) -> String {
    switch self {
    case .metered: tariff.currency
    case .agreed(let fare): fare.currency
    case .unpriced: ""
    }
  }

  /// `estimate` for a fare by the meter.
  func source(_ estimate: String) -> String {
    switch self {
    case .metered: estimate
    case .agreed: PartyFare.agreedSource
    case .unpriced: PartyFare.noSource
    }
  }
}
