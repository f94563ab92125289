import GeoMath
import MoyeoAPI

import ObjectModel
import RideMatching
import SwiftProtobuf
import TaxiFares

/// Parties as messages.
struct PartyMessage: Sendable {
  /// Digits of minor units stand with the tariffs.
  let catalog: TariffCatalog

  func party(_ party: Party) -> Moyeo_V1_Party {
    var out = Moyeo_V1_Party()
    out.id = party.id
    if let commute = party.commuteID { out.commuteID = commute }
    out.version = String(party.version)
    out.state = party.state.rawValue
    out.hostID = party.hostID
    out.riders = party.riders.map { Self.rider($0, party) }
    out.riderCount = Int32(party.riders.count)
    out.seats = Int32(clamping: party.seats)
    out.seatsFree = Int32(clamping: party.seatsFree)
    out.origin = Self.place(party.meetingPlace ?? party.origin)
    if party.meetingPlace != nil {
      out.originPrecision = OriginPrecision.snapped.rawValue
      out.snappedOrigin = Self.place(party.origin)
    }
    out.destination = Self.place(party.destination)
    out.departureTime = Google_Protobuf_Timestamp(party.window.time)
    out.departureWindowSeconds = Double(party.window.toleranceMilliseconds) / 1000
    out.maxDetourRatio = party.limits.maxDetourRatio
    out.maxWalkMeters = party.limits.maxWalkMeters
    if let ratio = party.limits.minSharedRatio { out.minSharedRatio = ratio }
    if let seconds = party.limits.maxRideSeconds { out.maxRideSeconds = seconds }
    if let seconds = party.limits.maxDetourSeconds { out.maxDetourSeconds = seconds }
    out.tags = party.tags
    out.policy = Self.policy(party.policy)
    out.route = Self.route(party.route)
    if party.hasPrice {
      out.fare = fare(party)
      out.perPersonNow = party.fare.perPersonNow
      out.perPersonIfFull = party.fare.perPersonIfFull
    }
    if let agreed = party.agreedFare { out.agreedFare = Self.agreedFare(agreed) }
    if party.needsApproval {
      out.approval = "host"
      out.holdSeats = party.holdsSeats
      out.joinRequests = party.joinRequests.map { Self.joinRequest($0, party) }
      out.pendingRequests = Int32(clamping: party.pendingRequests.count)
    }
    out.splitRule = party.splitRule.rawValue
    out.allowRaisedShares = party.allowsRaisedShares
    out.called = party.isCalled
    out.createdAt = Google_Protobuf_Timestamp(party.createdAt)
    if let settlement = party.settlement { out.settlement = Self.settlement(settlement) }
    if let reason = party.endReason { out.endReason = reason }
    return out
  }

  private static func rider(_ rider: PartyRider, _ party: Party) -> Moyeo_V1_PartyRider {
    var out = Moyeo_V1_PartyRider()
    out.riderID = rider.id
    out.joinedAt = Google_Protobuf_Timestamp(rider.joinedAt)
    if let drop = rider.dropOff { out.dropOff = place(drop) }
    out.seats = Int32(clamping: rider.seats)
    if party.hasPrice {
      out.share = rider.share
      out.acceptedShare = rider.acceptedShare
    }
    if party.hasTariff {
      out.soloFare = rider.soloFare
      out.saving = rider.soloFare - rider.share
    }
    out.rideSeconds = rider.rideSeconds
    out.detourSeconds = rider.detourSeconds
    if let weight = rider.weight { out.weight = weight }
    if let boarding = rider.boarding {
      out.boarding = place(boarding.place)
      out.walkMeters = boarding.walkMeters
      if let time = party.boardingTime(rider.id) { out.boardingTime = .init(time) }
    }
    if let seconds = rider.limits.maxRideSeconds { out.maxRideSeconds = seconds }
    if let seconds = rider.limits.maxDetourSeconds { out.maxDetourSeconds = seconds }
    if let time = rider.limits.arriveBy { out.arriveBy = .init(time) }
    return out
  }

  private func fare(_ party: Party) -> Moyeo_V1_PartyFare {
    var out = fare(party.fare, tariffID: party.tariffID, at: party.window.time)
    out.distanceMeters = party.route.distanceMeters
    out.durationSeconds = party.route.durationSeconds
    out.shares = party.riders.map {
      Self.share($0.id, $0.share, soloFare: party.hasTariff ? $0.soloFare : nil)
    }
    return out
  }

  static func share(_ id: String, _ amount: Int64, soloFare: Int64?) -> Moyeo_V1_FareShare {
    share(FareShare(riderID: id, amount: amount, soloFare: soloFare))
  }

  func fare(_ fare: PartyFare, tariffID: String, at departure: Instant) -> Moyeo_V1_PartyFare {
    var out = Moyeo_V1_PartyFare()
    out.currency = fare.currency
    out.expected = fare.expected
    out.low = fare.low
    out.high = fare.high
    if !tariffID.isEmpty { out.tariffID = tariffID }
    out.source = fare.source
    let tariff = try? catalog.tariff(id: tariffID, at: departure)
    out.minorUnitDigits = Int32(
      tariff?.content.minorUnitDigits ?? CurrencyDigits.minorUnits(of: fare.currency))
    return out
  }

  /// Of a ride of the party with somebody else in it.
  func fare(_ ride: PricedRide, _ party: Party) -> Moyeo_V1_PartyFare {
    var out = fare(ride.fare, tariffID: party.tariffID, at: party.window.time)
    out.distanceMeters = ride.route.distanceMeters
    out.durationSeconds = ride.route.durationSeconds
    out.shares = ride.riders.map { terms in
      Self.share(terms.riderID, terms.share, soloFare: party.hasTariff ? terms.soloFare : nil)
    }
    return out
  }

  static func place(_ place: RidePlace) -> Moyeo_V1_Place {
    var out = Moyeo_V1_Place()
    out.name = place.name
    out.latitude = place.coordinate.latitude
    out.longitude = place.coordinate.longitude
    return out
  }

  static func policy(_ policy: RidePolicy) -> Moyeo_V1_PartyPolicy {
    var out = Moyeo_V1_PartyPolicy()
    out.sameAttributes = policy.sameAttributes
    if let pack = policy.pack { out.pack = pack }
    if let value = policy.maxWalkMeters { out.maxWalkMeters = value }
    if let value = policy.maxDetourRatio { out.maxDetourRatio = value }
    if let value = policy.maxDetourSeconds { out.maxDetourSeconds = value }
    if let value = policy.minSharedRatio { out.minSharedRatio = value }
    return out
  }

  static func route(_ route: PartyRoute) -> Moyeo_V1_PartyRoute {
    var out = Moyeo_V1_PartyRoute()
    out.distanceMeters = route.distanceMeters
    out.durationSeconds = route.durationSeconds
    out.path = route.path.map { place in
      var pair = Google_Protobuf_ListValue()
      pair.values = [.init(numberValue: place.longitude), .init(numberValue: place.latitude)]
      return pair
    }
    out.stopOrder = route.stopOrder
    out.source = route.source
    out.stops = route.stops.map { stop in
      var halt = Moyeo_V1_PartyStop()
      halt.riderID = stop.riderID
      halt.kind = stop.isBoarding ? "board" : "alight"
      halt.distanceMeters = stop.meters
      halt.durationSeconds = stop.seconds
      return halt
    }
    return out
  }

  private static func settlement(_ settlement: PartySettlement) -> Moyeo_V1_PartySettlement {
    var out = Moyeo_V1_PartySettlement()
    out.payerID = settlement.payerID
    out.amount = settlement.amount
    out.tolls = settlement.tolls
    out.at = Google_Protobuf_Timestamp(settlement.at)
    out.shares = settlement.shares.map(share)
    return out
  }

  static func share(_ share: FareShare) -> Moyeo_V1_FareShare {
    var out = Moyeo_V1_FareShare()
    out.riderID = share.riderID
    out.amount = share.amount
    if let solo = share.soloFare { out.soloFare = solo }
    if let saving = share.saving { out.saving = saving }
    if let why = share.exceedsSoloBecause { out.exceedsSoloBecause = why }
    return out
  }

  // MARK: - Matches and previews

  func candidate(_ candidate: MatchCandidate) -> Moyeo_V1_MatchCandidate {
    var out = Moyeo_V1_MatchCandidate()
    out.party = party(candidate.party)
    out.walkMeters = candidate.walkMeters
    out.detourSeconds = candidate.detourSeconds
    out.sharedRatio = candidate.sharedRatio
    out.stopOrder = candidate.stopOrder
    out.route = Self.route(candidate.route)
    if candidate.party.hasPrice { out.yourFare = candidate.yourFare }
    if candidate.party.hasTariff { out.yourSaving = candidate.yourSaving }
    out.timeGapSeconds = Double(candidate.timeGapMilliseconds) / 1000
    if let boarding = candidate.boarding {
      out.boarding = Self.place(boarding.place)
      if let time = candidate.boardingTime { out.boardingTime = .init(time) }
    }
    return out
  }

  static func explanation(
    _ explanation: MatchExplanation, removedByTags: Int
  ) -> Moyeo_V1_MatchExplanation {
    var out = Moyeo_V1_MatchExplanation()
    out.considered = Int32(clamping: explanation.considered)
    out.matched = Int32(clamping: explanation.matched)
    for rule in MatchRule.allCases {
      let count = explanation.removed[rule] ?? 0
      out.removed.fields[rule.rawValue] = .init(numberValue: Double(count))
    }
    if removedByTags > 0 {
      out.removed.fields["tags"] = .init(numberValue: Double(removedByTags))
    }
    if let relaxation = explanation.relaxation { out.relaxation = Self.relaxation(relaxation) }
    out.relaxations = explanation.relaxations.map(Self.relaxation)
    return out
  }

  private static func relaxation(_ relaxation: MatchRelaxation) -> Moyeo_V1_MatchRelaxation {
    var out = Moyeo_V1_MatchRelaxation()
    out.rule = relaxation.rule.rawValue
    out.value = relaxation.value
    out.amount = relaxation.amount
    out.partyID = relaxation.partyID
    let value = Int64(relaxation.value.rounded(.up))
    switch relaxation.rule {
    case .window:
      out.field = "departureWindowSeconds"
      out.message = "a window of \(value) s would match"
    case .seats:
      out.field = "seats"
      out.message = "\(value) seats would match"
    case .walk:
      out.field = "maxWalkMeters"
      out.message = "a walk of \(value) m would match"
      if let point = relaxation.boarding {
        out.boarding = place(RidePlace(coordinate: point))
        out.message = "board \(value) m further on: a walk of \(value) m would match"
      }
    case .detour:
      out.field = "maxDetourRatio"
      out.message = "a detour ratio of \(relaxation.value) would match"
    case .price:
      out.field = "maxShare"
      out.message = "a share of \(value) would match"
    // Nothing that the rider could ask for mends these.
    case .state, .policy, .overlap: break
    }
    return out
  }

  static func terms(_ terms: RiderTerms, _ party: Party) -> Moyeo_V1_PreviewShare {
    var out = Moyeo_V1_PreviewShare()
    out.riderID = terms.riderID
    if party.hasPrice { out.share = terms.share }
    out.rideSeconds = terms.rideSeconds
    out.detourSeconds = terms.detourSeconds
    if party.hasTariff {
      out.soloFare = terms.soloFare
      out.saving = terms.saving
    }
    out.sharedRatio = terms.sharedRatio
    return out
  }
}
