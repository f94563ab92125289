import MoyeoAPI
import RideMatching
import SwiftProtobuf

extension Moyeo_V1_UpdateCommuteRequest {
  /// The fields of the trip that are given, and a new commute's request with them alone.
  var trip: (fields: Set<CommuteTripChange.Field>, request: Moyeo_V1_CreateCommuteRequest) {
    var fields: Set<CommuteTripChange.Field> = []
    var same = Moyeo_V1_CreateCommuteRequest()
    func take<Value>(
      _ field: CommuteTripChange.Field, _ isGiven: Bool,
      _ path: WritableKeyPath<Moyeo_V1_CreateCommuteRequest, Value>, _ value: Value
    ) {
      guard isGiven else { return }
      fields.insert(field)
      same[keyPath: path] = value
    }
    take(.tags, !tags.isEmpty, \.tags, tags)
    take(.origin, hasOrigin, \.origin, origin)
    take(.destination, hasDestination, \.destination, destination)
    take(
      .departureWindowSeconds, hasDepartureWindowSeconds, \.departureWindowSeconds,
      departureWindowSeconds)
    take(.seats, hasSeats, \.seats, seats)
    take(.maxWalkMeters, hasMaxWalkMeters, \.maxWalkMeters, maxWalkMeters)
    take(.maxDetourRatio, hasMaxDetourRatio, \.maxDetourRatio, maxDetourRatio)
    take(.minSharedRatio, hasMinSharedRatio, \.minSharedRatio, minSharedRatio)
    take(.maxRideSeconds, hasMaxRideSeconds, \.maxRideSeconds, maxRideSeconds)
    take(.maxDetourSeconds, hasMaxDetourSeconds, \.maxDetourSeconds, maxDetourSeconds)
    take(.attributes, !attributes.fields.isEmpty, \.attributes, attributes)
    take(.hostSeats, hasHostSeats, \.hostSeats, hostSeats)
    take(.policy, hasPolicy, \.policy, policy)
    take(.policyPack, hasPolicyPack, \.policyPack, policyPack)
    take(.splitRule, hasSplitRule, \.splitRule, splitRule)
    take(.allowRaisedShares, hasAllowRaisedShares, \.allowRaisedShares, allowRaisedShares)
    take(.called, hasCalled, \.called, called)
    take(.tariffID, hasTariffID, \.tariffID, tariffID)
    take(.vehicleClass, hasVehicleClass, \.vehicleClass, vehicleClass)
    take(.weight, hasWeight, \.weight, weight)
    take(.agreedFare, hasAgreedFare, \.agreedFare, agreedFare)
    take(.approval, hasApproval, \.approval, approval)
    take(.holdSeats, hasHoldSeats, \.holdSeats, holdSeats)
    take(.boarding, hasBoarding, \.boarding, boarding)
    take(.maxShare, hasMaxShare, \.maxShare, maxShare)
    take(.allowsOverlap, hasAllowsOverlap, \.allowsOverlap, allowsOverlap)
    return (fields, same)
  }
}
