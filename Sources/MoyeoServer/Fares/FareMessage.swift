import MoyeoAPI
import FareEstimation
import ObjectModel
import SwiftProtobuf
import TaxiFares

extension FareOperations {
  func message(of estimate: FareEstimate) -> Moyeo_V1_Fare {
    var fare = Moyeo_V1_Fare()
    fare.currency = estimate.currency
    fare.expected = estimate.expected
    fare.low = estimate.low
    fare.high = estimate.high
    fare.tariffID = estimate.tariffID
    fare.tariffEffective = Google_Protobuf_Timestamp(estimate.tariffEffective)
    fare.distanceMeters = estimate.distanceMeters
    fare.durationSeconds = estimate.durationSeconds
    fare.lines = estimate.lines.map { line in
      var out = Moyeo_V1_FareLine()
      out.kind = line.kind.rawValue
      out.amount = line.amount
      if let quantity = line.quantity { out.quantity = Double(quantity) }
      out.rule = line.rule
      return out
    }
    fare.shares = estimate.shares.map(message)
    fare.source = estimate.source
    fare.unverified = estimate.unverifiedFields
    fare.minorUnitDigits = Int32(estimate.minorUnitDigits)
    if let reason = estimate.fallbackReason { fare.fallbackReason = reason }
    fare.perPersonNow = estimate.perPersonNow
    fare.perPersonIfFull = estimate.perPersonIfFull
    fare.tariffName = estimate.tariffName
    fare.tariffSource = estimate.tariffSource
    fare.departureTime = Google_Protobuf_Timestamp(estimate.departure)
    fare.stopOrder = estimate.stopOrder
    return fare
  }

  func message(of share: FareShare) -> Moyeo_V1_FareShare {
    var out = Moyeo_V1_FareShare()
    out.riderID = share.riderID
    out.amount = share.amount
    if let solo = share.soloFare { out.soloFare = solo }
    if let saving = share.saving { out.saving = saving }
    if let why = share.exceedsSoloBecause { out.exceedsSoloBecause = why }
    return out
  }

  func message(of tariff: TaxiFares.Tariff) -> Moyeo_V1_Tariff {
    let content = tariff.content
    var out = Moyeo_V1_Tariff()
    out.id = content.id
    out.name = content.name
    out.area = content.area
    out.vehicleClasses = content.vehicleClasses
    out.currency = content.currency
    out.effective = Google_Protobuf_Timestamp(content.effective)
    if let end = end(of: tariff) { out.superseded = Google_Protobuf_Timestamp(end) }
    out.source = content.source
    out.verified = content.unverified.isEmpty
    out.unverifiedFields = content.unverified
    out.timeZone = content.timeZone
    return out
  }

  /// When the next version of its id takes over, or when it says itself that it ends.
  private func end(of tariff: TaxiFares.Tariff) -> Instant? {
    let next = estimator.tariffs.filter { $0.id == tariff.id && $0.effective > tariff.effective }
      .map(\.effective).min()
    return [next, tariff.content.until].compactMap(\.self).min()
  }
}

extension Google_Protobuf_Timestamp {
  init(_ instant: Instant) {
    self.init()
    let (quotient, remainder) = instant.milliseconds.quotientAndRemainder(dividingBy: 1000)
    seconds = remainder < 0 ? quotient - 1 : quotient
    nanos = Int32((remainder < 0 ? remainder + 1000 : remainder) * 1_000_000)
  }
}
