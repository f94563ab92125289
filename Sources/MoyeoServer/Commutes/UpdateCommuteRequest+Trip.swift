import MoyeoAPI
import RideMatching
import SwiftProtobuf

extension Moyeo_V1_UpdateCommuteRequest {
  /// The fields of the trip that are given.
  var namedTripFields: Set<CommuteTripChange.Field> {
    let given: [(CommuteTripChange.Field, Bool)] = [
      (.tags, !tags.isEmpty),
      (.origin, hasOrigin),
      (.destination, hasDestination),
      (.departureWindowSeconds, hasDepartureWindowSeconds),
      (.seats, hasSeats),
      (.maxWalkMeters, hasMaxWalkMeters),
      (.maxDetourRatio, hasMaxDetourRatio),
      (.minSharedRatio, hasMinSharedRatio),
      (.maxRideSeconds, hasMaxRideSeconds),
      (.maxDetourSeconds, hasMaxDetourSeconds),
      (.attributes, !attributes.fields.isEmpty),
      (.hostSeats, hasHostSeats),
      (.policy, hasPolicy),
      (.policyPack, hasPolicyPack),
      (.splitRule, hasSplitRule),
      (.allowRaisedShares, hasAllowRaisedShares),
      (.called, hasCalled),
      (.tariffID, hasTariffID),
      (.vehicleClass, hasVehicleClass),
      (.weight, hasWeight),
      (.agreedFare, hasAgreedFare),
      (.approval, hasApproval),
      (.holdSeats, hasHoldSeats),
      (.boarding, hasBoarding),
      (.maxShare, hasMaxShare),
      (.allowsOverlap, hasAllowsOverlap),
    ]
    return Set(given.filter(\.1).map(\.0))
  }

  /// The same fields of the trip.
  var asCreateRequest: Moyeo_V1_CreateCommuteRequest {
    var same = Moyeo_V1_CreateCommuteRequest()
    same.tags = tags
    if hasOrigin { same.origin = origin }
    if hasDestination { same.destination = destination }
    if hasDepartureWindowSeconds { same.departureWindowSeconds = departureWindowSeconds }
    if hasSeats { same.seats = seats }
    if hasMaxWalkMeters { same.maxWalkMeters = maxWalkMeters }
    if hasMaxDetourRatio { same.maxDetourRatio = maxDetourRatio }
    if hasMinSharedRatio { same.minSharedRatio = minSharedRatio }
    if hasMaxRideSeconds { same.maxRideSeconds = maxRideSeconds }
    if hasMaxDetourSeconds { same.maxDetourSeconds = maxDetourSeconds }
    if hasAttributes { same.attributes = attributes }
    if hasHostSeats { same.hostSeats = hostSeats }
    if hasPolicy { same.policy = policy }
    if hasPolicyPack { same.policyPack = policyPack }
    if hasSplitRule { same.splitRule = splitRule }
    if hasAllowRaisedShares { same.allowRaisedShares = allowRaisedShares }
    if hasCalled { same.called = called }
    if hasTariffID { same.tariffID = tariffID }
    if hasVehicleClass { same.vehicleClass = vehicleClass }
    if hasWeight { same.weight = weight }
    if hasAgreedFare { same.agreedFare = agreedFare }
    if hasApproval { same.approval = approval }
    if hasHoldSeats { same.holdSeats = holdSeats }
    if hasBoarding { same.boarding = boarding }
    if hasMaxShare { same.maxShare = maxShare }
    if hasAllowsOverlap { same.allowsOverlap = allowsOverlap }
    return same
  }
}
