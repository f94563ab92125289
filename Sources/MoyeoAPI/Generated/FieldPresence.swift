// Made by proto/field-presence.py; do not edit.

package import Foundation
package import SwiftProtobuf

// Each optional field as a Swift optional: nil where the sender left it out.

extension Moyeo_V1_GetTileRequest {
  package var layerIfSet: String? { hasLayer ? layer : nil }
  package var zoomIfSet: Int32? { hasZoom ? zoom : nil }
  package var xIfSet: Int32? { hasX ? x : nil }
  package var yIfSet: Int32? { hasY ? y : nil }
  package var formatIfSet: String? { hasFormat ? format : nil }
  package var tagMatchIfSet: String? { hasTagMatch ? tagMatch : nil }
  package var ifNoneMatchIfSet: String? { hasIfNoneMatch ? ifNoneMatch : nil }
  package var minVersionIfSet: String? { hasMinVersion ? minVersion : nil }
}

extension Moyeo_V1_GetTileResponse {
  package var tileIfSet: Data? { hasTile ? tile : nil }
  package var contentTypeIfSet: String? { hasContentType ? contentType : nil }
  package var etagIfSet: String? { hasEtag ? etag : nil }
  package var notModifiedIfSet: Bool? { hasNotModified ? notModified : nil }
  package var versionIfSet: String? { hasVersion ? version : nil }
  package var lagMillisecondsIfSet: Int32? { hasLagMilliseconds ? lagMilliseconds : nil }
  package var truncatedIfSet: Bool? { hasTruncated ? truncated : nil }
}

extension Moyeo_V1_GetClustersRequest {
  package var layerIfSet: String? { hasLayer ? layer : nil }
  package var westIfSet: Double? { hasWest ? west : nil }
  package var southIfSet: Double? { hasSouth ? south : nil }
  package var eastIfSet: Double? { hasEast ? east : nil }
  package var northIfSet: Double? { hasNorth ? north : nil }
  package var zoomIfSet: Double? { hasZoom ? zoom : nil }
  package var metersPerPixelIfSet: Double? { hasMetersPerPixel ? metersPerPixel : nil }
  package var tagMatchIfSet: String? { hasTagMatch ? tagMatch : nil }
  package var minVersionIfSet: String? { hasMinVersion ? minVersion : nil }
  package var limitIfSet: Int32? { hasLimit ? limit : nil }
  package var maxStalenessSecondsIfSet: Double? { hasMaxStalenessSeconds ? maxStalenessSeconds : nil }
}

extension Moyeo_V1_Cluster {
  package var idIfSet: String? { hasID ? id : nil }
  package var latitudeIfSet: Double? { hasLatitude ? latitude : nil }
  package var longitudeIfSet: Double? { hasLongitude ? longitude : nil }
  package var pointCountIfSet: Int32? { hasPointCount ? pointCount : nil }
  package var expansionZoomIfSet: Int32? { hasExpansionZoom ? expansionZoom : nil }
  package var boundsIfSet: Moyeo_V1_Box? { hasBounds ? bounds : nil }
  package var aggregatesIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasAggregates ? aggregates : nil }
  package var coincidentIfSet: Bool? { hasCoincident ? coincident : nil }
  package var attributesIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasAttributes ? attributes : nil }
}

extension Moyeo_V1_GetClustersResponse {
  package var versionIfSet: String? { hasVersion ? version : nil }
  package var lagMillisecondsIfSet: Int32? { hasLagMilliseconds ? lagMilliseconds : nil }
  package var zoomIfSet: Int32? { hasZoom ? zoom : nil }
  package var truncatedIfSet: Bool? { hasTruncated ? truncated : nil }
  package var ageIfSet: Double? { hasAge ? age : nil }
  package var coalescedIfSet: Bool? { hasCoalesced ? coalesced : nil }
}

extension Moyeo_V1_GetChildrenRequest {
  package var layerIfSet: String? { hasLayer ? layer : nil }
  package var clusterIDIfSet: String? { hasClusterID ? clusterID : nil }
  package var minVersionIfSet: String? { hasMinVersion ? minVersion : nil }
}

extension Moyeo_V1_GetChildrenResponse {
  package var versionIfSet: String? { hasVersion ? version : nil }
}

extension Moyeo_V1_GetLeavesRequest {
  package var layerIfSet: String? { hasLayer ? layer : nil }
  package var clusterIDIfSet: String? { hasClusterID ? clusterID : nil }
  package var limitIfSet: Int32? { hasLimit ? limit : nil }
  package var cursorIfSet: String? { hasCursor ? cursor : nil }
  package var minVersionIfSet: String? { hasMinVersion ? minVersion : nil }
}

extension Moyeo_V1_GetLeavesResponse {
  package var nextCursorIfSet: String? { hasNextCursor ? nextCursor : nil }
  package var versionIfSet: String? { hasVersion ? version : nil }
}

extension Moyeo_V1_GetExpansionZoomRequest {
  package var layerIfSet: String? { hasLayer ? layer : nil }
  package var clusterIDIfSet: String? { hasClusterID ? clusterID : nil }
  package var minVersionIfSet: String? { hasMinVersion ? minVersion : nil }
}

extension Moyeo_V1_GetExpansionZoomResponse {
  package var expansionZoomIfSet: Int32? { hasExpansionZoom ? expansionZoom : nil }
  package var versionIfSet: String? { hasVersion ? version : nil }
}

extension Moyeo_V1_WatchTilesRequest {
  package var layerIfSet: String? { hasLayer ? layer : nil }
  package var westIfSet: Double? { hasWest ? west : nil }
  package var southIfSet: Double? { hasSouth ? south : nil }
  package var eastIfSet: Double? { hasEast ? east : nil }
  package var northIfSet: Double? { hasNorth ? north : nil }
  package var zoomIfSet: Double? { hasZoom ? zoom : nil }
  package var intervalMillisecondsIfSet: Int32? { hasIntervalMilliseconds ? intervalMilliseconds : nil }
  package var resumeTokenIfSet: String? { hasResumeToken ? resumeToken : nil }
}

extension Moyeo_V1_TileRef {
  package var zoomIfSet: Int32? { hasZoom ? zoom : nil }
  package var xIfSet: Int32? { hasX ? x : nil }
  package var yIfSet: Int32? { hasY ? y : nil }
}

extension Moyeo_V1_WatchTilesEvent {
  package var kindIfSet: String? { hasKind ? kind : nil }
  package var resumeTokenIfSet: String? { hasResumeToken ? resumeToken : nil }
}

extension Moyeo_V1_Point {
  package var latitudeIfSet: Double? { hasLatitude ? latitude : nil }
  package var longitudeIfSet: Double? { hasLongitude ? longitude : nil }
}

extension Moyeo_V1_Place {
  package var nameIfSet: String? { hasName ? name : nil }
  package var latitudeIfSet: Double? { hasLatitude ? latitude : nil }
  package var longitudeIfSet: Double? { hasLongitude ? longitude : nil }
}

extension Moyeo_V1_Box {
  package var westIfSet: Double? { hasWest ? west : nil }
  package var southIfSet: Double? { hasSouth ? south : nil }
  package var eastIfSet: Double? { hasEast ? east : nil }
  package var northIfSet: Double? { hasNorth ? north : nil }
}

extension Moyeo_V1_CommuteRider {
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var joinedAtIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasJoinedAt ? joinedAt : nil }
  package var destinationIfSet: Moyeo_V1_Place? { hasDestination ? destination : nil }
  package var boardingIfSet: Moyeo_V1_Place? { hasBoarding ? boarding : nil }
  package var seatsIfSet: Int32? { hasSeats ? seats : nil }
  package var maxShareIfSet: Int64? { hasMaxShare ? maxShare : nil }
}

extension Moyeo_V1_CommuteOccurrence {
  package var dateIfSet: String? { hasDate ? date : nil }
  package var departureTimeIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasDepartureTime ? departureTime : nil }
  package var stateIfSet: String? { hasState ? state : nil }
  package var partyIDIfSet: String? { hasPartyID ? partyID : nil }
  package var requestIDIfSet: String? { hasRequestID ? requestID : nil }
  package var reasonIfSet: String? { hasReason ? reason : nil }
  package var clockChangeIfSet: String? { hasClockChange ? clockChange : nil }
}

extension Moyeo_V1_Commute {
  package var idIfSet: String? { hasID ? id : nil }
  package var versionIfSet: String? { hasVersion ? version : nil }
  package var stateIfSet: String? { hasState ? state : nil }
  package var hostIDIfSet: String? { hasHostID ? hostID : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var localTimeIfSet: String? { hasLocalTime ? localTime : nil }
  package var timeZoneIfSet: String? { hasTimeZone ? timeZone : nil }
  package var fromIfSet: String? { hasFrom ? from : nil }
  package var toIfSet: String? { hasTo ? to : nil }
  package var holidaysIfSet: String? { hasHolidays ? holidays : nil }
  package var originIfSet: Moyeo_V1_Place? { hasOrigin ? origin : nil }
  package var destinationIfSet: Moyeo_V1_Place? { hasDestination ? destination : nil }
  package var departureWindowSecondsIfSet: Double? { hasDepartureWindowSeconds ? departureWindowSeconds : nil }
  package var seatsIfSet: Int32? { hasSeats ? seats : nil }
  package var hostSeatsIfSet: Int32? { hasHostSeats ? hostSeats : nil }
  package var maxWalkMetersIfSet: Double? { hasMaxWalkMeters ? maxWalkMeters : nil }
  package var maxDetourRatioIfSet: Double? { hasMaxDetourRatio ? maxDetourRatio : nil }
  package var minSharedRatioIfSet: Double? { hasMinSharedRatio ? minSharedRatio : nil }
  package var maxRideSecondsIfSet: Double? { hasMaxRideSeconds ? maxRideSeconds : nil }
  package var maxDetourSecondsIfSet: Double? { hasMaxDetourSeconds ? maxDetourSeconds : nil }
  package var policyIfSet: Moyeo_V1_PartyPolicy? { hasPolicy ? policy : nil }
  package var policyPackIfSet: String? { hasPolicyPack ? policyPack : nil }
  package var splitRuleIfSet: String? { hasSplitRule ? splitRule : nil }
  package var allowRaisedSharesIfSet: Bool? { hasAllowRaisedShares ? allowRaisedShares : nil }
  package var calledIfSet: Bool? { hasCalled ? called : nil }
  package var tariffIDIfSet: String? { hasTariffID ? tariffID : nil }
  package var vehicleClassIfSet: String? { hasVehicleClass ? vehicleClass : nil }
  package var boardingIfSet: Moyeo_V1_Place? { hasBoarding ? boarding : nil }
  package var maxShareIfSet: Int64? { hasMaxShare ? maxShare : nil }
  package var allowsOverlapIfSet: Bool? { hasAllowsOverlap ? allowsOverlap : nil }
  package var createdAtIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasCreatedAt ? createdAt : nil }
  package var riderCountIfSet: Int32? { hasRiderCount ? riderCount : nil }
  package var endReasonIfSet: String? { hasEndReason ? endReason : nil }
  package var agreedFareIfSet: Moyeo_V1_AgreedFare? { hasAgreedFare ? agreedFare : nil }
  package var approvalIfSet: String? { hasApproval ? approval : nil }
  package var holdSeatsIfSet: Bool? { hasHoldSeats ? holdSeats : nil }
  package var arriveByIfSet: String? { hasArriveBy ? arriveBy : nil }
}

extension Moyeo_V1_CommuteResponse {
  package var commuteIfSet: Moyeo_V1_Commute? { hasCommute ? commute : nil }
}

extension Moyeo_V1_CreateCommuteRequest {
  package var hostIDIfSet: String? { hasHostID ? hostID : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var localTimeIfSet: String? { hasLocalTime ? localTime : nil }
  package var timeZoneIfSet: String? { hasTimeZone ? timeZone : nil }
  package var fromIfSet: String? { hasFrom ? from : nil }
  package var toIfSet: String? { hasTo ? to : nil }
  package var holidaysIfSet: String? { hasHolidays ? holidays : nil }
  package var originIfSet: Moyeo_V1_Place? { hasOrigin ? origin : nil }
  package var destinationIfSet: Moyeo_V1_Place? { hasDestination ? destination : nil }
  package var departureWindowSecondsIfSet: Double? { hasDepartureWindowSeconds ? departureWindowSeconds : nil }
  package var seatsIfSet: Int32? { hasSeats ? seats : nil }
  package var hostSeatsIfSet: Int32? { hasHostSeats ? hostSeats : nil }
  package var maxWalkMetersIfSet: Double? { hasMaxWalkMeters ? maxWalkMeters : nil }
  package var maxDetourRatioIfSet: Double? { hasMaxDetourRatio ? maxDetourRatio : nil }
  package var minSharedRatioIfSet: Double? { hasMinSharedRatio ? minSharedRatio : nil }
  package var maxRideSecondsIfSet: Double? { hasMaxRideSeconds ? maxRideSeconds : nil }
  package var maxDetourSecondsIfSet: Double? { hasMaxDetourSeconds ? maxDetourSeconds : nil }
  package var attributesIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasAttributes ? attributes : nil }
  package var policyIfSet: Moyeo_V1_PartyPolicy? { hasPolicy ? policy : nil }
  package var policyPackIfSet: String? { hasPolicyPack ? policyPack : nil }
  package var splitRuleIfSet: String? { hasSplitRule ? splitRule : nil }
  package var allowRaisedSharesIfSet: Bool? { hasAllowRaisedShares ? allowRaisedShares : nil }
  package var calledIfSet: Bool? { hasCalled ? called : nil }
  package var tariffIDIfSet: String? { hasTariffID ? tariffID : nil }
  package var vehicleClassIfSet: String? { hasVehicleClass ? vehicleClass : nil }
  package var weightIfSet: Double? { hasWeight ? weight : nil }
  package var boardingIfSet: Moyeo_V1_Place? { hasBoarding ? boarding : nil }
  package var maxShareIfSet: Int64? { hasMaxShare ? maxShare : nil }
  package var allowsOverlapIfSet: Bool? { hasAllowsOverlap ? allowsOverlap : nil }
  package var agreedFareIfSet: Moyeo_V1_AgreedFare? { hasAgreedFare ? agreedFare : nil }
  package var approvalIfSet: String? { hasApproval ? approval : nil }
  package var holdSeatsIfSet: Bool? { hasHoldSeats ? holdSeats : nil }
  package var arriveByIfSet: String? { hasArriveBy ? arriveBy : nil }
}

extension Moyeo_V1_GetCommuteRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var daysIfSet: Int32? { hasDays ? days : nil }
}

extension Moyeo_V1_ListCommutesRequest {
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var hostIDIfSet: String? { hasHostID ? hostID : nil }
}

extension Moyeo_V1_UpdateCommuteRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var localTimeIfSet: String? { hasLocalTime ? localTime : nil }
  package var timeZoneIfSet: String? { hasTimeZone ? timeZone : nil }
  package var fromIfSet: String? { hasFrom ? from : nil }
  package var toIfSet: String? { hasTo ? to : nil }
  package var holidaysIfSet: String? { hasHolidays ? holidays : nil }
  package var departureWindowSecondsIfSet: Double? { hasDepartureWindowSeconds ? departureWindowSeconds : nil }
  package var seatsIfSet: Int32? { hasSeats ? seats : nil }
  package var includeAppearedIfSet: Bool? { hasIncludeAppeared ? includeAppeared : nil }
  package var arriveByIfSet: String? { hasArriveBy ? arriveBy : nil }
  package var originIfSet: Moyeo_V1_Place? { hasOrigin ? origin : nil }
  package var destinationIfSet: Moyeo_V1_Place? { hasDestination ? destination : nil }
  package var maxWalkMetersIfSet: Double? { hasMaxWalkMeters ? maxWalkMeters : nil }
  package var maxDetourRatioIfSet: Double? { hasMaxDetourRatio ? maxDetourRatio : nil }
  package var minSharedRatioIfSet: Double? { hasMinSharedRatio ? minSharedRatio : nil }
  package var maxRideSecondsIfSet: Double? { hasMaxRideSeconds ? maxRideSeconds : nil }
  package var maxDetourSecondsIfSet: Double? { hasMaxDetourSeconds ? maxDetourSeconds : nil }
  package var attributesIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasAttributes ? attributes : nil }
  package var hostSeatsIfSet: Int32? { hasHostSeats ? hostSeats : nil }
  package var policyIfSet: Moyeo_V1_PartyPolicy? { hasPolicy ? policy : nil }
  package var policyPackIfSet: String? { hasPolicyPack ? policyPack : nil }
  package var splitRuleIfSet: String? { hasSplitRule ? splitRule : nil }
  package var allowRaisedSharesIfSet: Bool? { hasAllowRaisedShares ? allowRaisedShares : nil }
  package var calledIfSet: Bool? { hasCalled ? called : nil }
  package var tariffIDIfSet: String? { hasTariffID ? tariffID : nil }
  package var vehicleClassIfSet: String? { hasVehicleClass ? vehicleClass : nil }
  package var weightIfSet: Double? { hasWeight ? weight : nil }
  package var agreedFareIfSet: Moyeo_V1_AgreedFare? { hasAgreedFare ? agreedFare : nil }
  package var approvalIfSet: String? { hasApproval ? approval : nil }
  package var holdSeatsIfSet: Bool? { hasHoldSeats ? holdSeats : nil }
  package var boardingIfSet: Moyeo_V1_Place? { hasBoarding ? boarding : nil }
  package var maxShareIfSet: Int64? { hasMaxShare ? maxShare : nil }
  package var allowsOverlapIfSet: Bool? { hasAllowsOverlap ? allowsOverlap : nil }
}

extension Moyeo_V1_CancelCommuteRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var reasonIfSet: String? { hasReason ? reason : nil }
  package var includeAppearedIfSet: Bool? { hasIncludeAppeared ? includeAppeared : nil }
}

extension Moyeo_V1_JoinCommuteRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var destinationIfSet: Moyeo_V1_Place? { hasDestination ? destination : nil }
  package var attributesIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasAttributes ? attributes : nil }
  package var seatsIfSet: Int32? { hasSeats ? seats : nil }
  package var maxShareIfSet: Int64? { hasMaxShare ? maxShare : nil }
  package var originIfSet: Moyeo_V1_Place? { hasOrigin ? origin : nil }
  package var maxWalkMetersIfSet: Double? { hasMaxWalkMeters ? maxWalkMeters : nil }
  package var maxDetourRatioIfSet: Double? { hasMaxDetourRatio ? maxDetourRatio : nil }
  package var weightIfSet: Double? { hasWeight ? weight : nil }
  package var minSharedRatioIfSet: Double? { hasMinSharedRatio ? minSharedRatio : nil }
  package var boardingIfSet: Moyeo_V1_Place? { hasBoarding ? boarding : nil }
  package var maxRideSecondsIfSet: Double? { hasMaxRideSeconds ? maxRideSeconds : nil }
  package var maxDetourSecondsIfSet: Double? { hasMaxDetourSeconds ? maxDetourSeconds : nil }
}

extension Moyeo_V1_LeaveCommuteRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
}

extension Moyeo_V1_RouteSegment {
  package var distanceMetersIfSet: Double? { hasDistanceMeters ? distanceMeters : nil }
  package var durationSecondsIfSet: Double? { hasDurationSeconds ? durationSeconds : nil }
}

extension Moyeo_V1_FareRider {
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var dropOffIfSet: Moyeo_V1_Place? { hasDropOff ? dropOff : nil }
  package var seatsIfSet: Int32? { hasSeats ? seats : nil }
  package var weightIfSet: Double? { hasWeight ? weight : nil }
}

extension Moyeo_V1_EstimateFareRequest {
  package var originIfSet: Moyeo_V1_Place? { hasOrigin ? origin : nil }
  package var destinationIfSet: Moyeo_V1_Place? { hasDestination ? destination : nil }
  package var distanceMetersIfSet: Double? { hasDistanceMeters ? distanceMeters : nil }
  package var durationSecondsIfSet: Double? { hasDurationSeconds ? durationSeconds : nil }
  package var departureTimeIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasDepartureTime ? departureTime : nil }
  package var tariffIDIfSet: String? { hasTariffID ? tariffID : nil }
  package var vehicleClassIfSet: String? { hasVehicleClass ? vehicleClass : nil }
  package var riderCountIfSet: Int32? { hasRiderCount ? riderCount : nil }
  package var splitRuleIfSet: String? { hasSplitRule ? splitRule : nil }
  package var tollsIfSet: Int64? { hasTolls ? tolls : nil }
  package var flatTripIfSet: String? { hasFlatTrip ? flatTrip : nil }
  package var slowSecondsIfSet: Double? { hasSlowSeconds ? slowSeconds : nil }
  package var calledIfSet: Bool? { hasCalled ? called : nil }
  package var outOfAreaIfSet: Bool? { hasOutOfArea ? outOfArea : nil }
  package var hostIDIfSet: String? { hasHostID ? hostID : nil }
  package var seatsIfSet: Int32? { hasSeats ? seats : nil }
  package var seedIfSet: Int64? { hasSeed ? seed : nil }
}

extension Moyeo_V1_FareLine {
  package var kindIfSet: String? { hasKind ? kind : nil }
  package var amountIfSet: Int64? { hasAmount ? amount : nil }
  package var quantityIfSet: Double? { hasQuantity ? quantity : nil }
  package var ruleIfSet: String? { hasRule ? rule : nil }
}

extension Moyeo_V1_FareShare {
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var amountIfSet: Int64? { hasAmount ? amount : nil }
  package var soloFareIfSet: Int64? { hasSoloFare ? soloFare : nil }
  package var savingIfSet: Int64? { hasSaving ? saving : nil }
  package var exceedsSoloBecauseIfSet: String? { hasExceedsSoloBecause ? exceedsSoloBecause : nil }
}

extension Moyeo_V1_Fare {
  package var currencyIfSet: String? { hasCurrency ? currency : nil }
  package var expectedIfSet: Int64? { hasExpected ? expected : nil }
  package var lowIfSet: Int64? { hasLow ? low : nil }
  package var highIfSet: Int64? { hasHigh ? high : nil }
  package var tariffIDIfSet: String? { hasTariffID ? tariffID : nil }
  package var tariffEffectiveIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasTariffEffective ? tariffEffective : nil }
  package var distanceMetersIfSet: Double? { hasDistanceMeters ? distanceMeters : nil }
  package var durationSecondsIfSet: Double? { hasDurationSeconds ? durationSeconds : nil }
  package var sourceIfSet: String? { hasSource ? source : nil }
  package var minorUnitDigitsIfSet: Int32? { hasMinorUnitDigits ? minorUnitDigits : nil }
  package var fallbackReasonIfSet: String? { hasFallbackReason ? fallbackReason : nil }
  package var perPersonNowIfSet: Int64? { hasPerPersonNow ? perPersonNow : nil }
  package var perPersonIfFullIfSet: Int64? { hasPerPersonIfFull ? perPersonIfFull : nil }
  package var tariffNameIfSet: String? { hasTariffName ? tariffName : nil }
  package var tariffSourceIfSet: String? { hasTariffSource ? tariffSource : nil }
  package var departureTimeIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasDepartureTime ? departureTime : nil }
}

extension Moyeo_V1_EstimateFareResponse {
  package var fareIfSet: Moyeo_V1_Fare? { hasFare ? fare : nil }
}

extension Moyeo_V1_SplitRider {
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var soloFareIfSet: Int64? { hasSoloFare ? soloFare : nil }
  package var distanceMetersIfSet: Double? { hasDistanceMeters ? distanceMeters : nil }
  package var weightIfSet: Double? { hasWeight ? weight : nil }
  package var seatsIfSet: Int32? { hasSeats ? seats : nil }
}

extension Moyeo_V1_SplitLeg {
  package var amountIfSet: Int64? { hasAmount ? amount : nil }
}

extension Moyeo_V1_SplitFareRequest {
  package var amountIfSet: Int64? { hasAmount ? amount : nil }
  package var currencyIfSet: String? { hasCurrency ? currency : nil }
  package var ruleIfSet: String? { hasRule ? rule : nil }
  package var tollsIfSet: Int64? { hasTolls ? tolls : nil }
  package var seedIfSet: Int64? { hasSeed ? seed : nil }
  package var hostIDIfSet: String? { hasHostID ? hostID : nil }
}

extension Moyeo_V1_SplitFareResponse {
  package var currencyIfSet: String? { hasCurrency ? currency : nil }
}

extension Moyeo_V1_ListTariffsRequest {
  package var areaIfSet: String? { hasArea ? area : nil }
  package var tariffIDIfSet: String? { hasTariffID ? tariffID : nil }
  package var atIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasAt ? at : nil }
}

extension Moyeo_V1_Tariff {
  package var idIfSet: String? { hasID ? id : nil }
  package var nameIfSet: String? { hasName ? name : nil }
  package var areaIfSet: String? { hasArea ? area : nil }
  package var currencyIfSet: String? { hasCurrency ? currency : nil }
  package var effectiveIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasEffective ? effective : nil }
  package var supersededIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasSuperseded ? superseded : nil }
  package var sourceIfSet: String? { hasSource ? source : nil }
  package var verifiedIfSet: Bool? { hasVerified ? verified : nil }
  package var timeZoneIfSet: String? { hasTimeZone ? timeZone : nil }
}

extension Moyeo_V1_PartyPolicy {
  package var packIfSet: String? { hasPack ? pack : nil }
  package var maxWalkMetersIfSet: Double? { hasMaxWalkMeters ? maxWalkMeters : nil }
  package var maxDetourRatioIfSet: Double? { hasMaxDetourRatio ? maxDetourRatio : nil }
  package var maxDetourSecondsIfSet: Double? { hasMaxDetourSeconds ? maxDetourSeconds : nil }
  package var minSharedRatioIfSet: Double? { hasMinSharedRatio ? minSharedRatio : nil }
}

extension Moyeo_V1_PartyRider {
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var joinedAtIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasJoinedAt ? joinedAt : nil }
  package var dropOffIfSet: Moyeo_V1_Place? { hasDropOff ? dropOff : nil }
  package var seatsIfSet: Int32? { hasSeats ? seats : nil }
  package var shareIfSet: Int64? { hasShare ? share : nil }
  package var acceptedShareIfSet: Int64? { hasAcceptedShare ? acceptedShare : nil }
  package var soloFareIfSet: Int64? { hasSoloFare ? soloFare : nil }
  package var savingIfSet: Int64? { hasSaving ? saving : nil }
  package var rideSecondsIfSet: Double? { hasRideSeconds ? rideSeconds : nil }
  package var detourSecondsIfSet: Double? { hasDetourSeconds ? detourSeconds : nil }
  package var attributesIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasAttributes ? attributes : nil }
  package var weightIfSet: Double? { hasWeight ? weight : nil }
  package var maxWalkMetersIfSet: Double? { hasMaxWalkMeters ? maxWalkMeters : nil }
  package var maxDetourRatioIfSet: Double? { hasMaxDetourRatio ? maxDetourRatio : nil }
  package var minSharedRatioIfSet: Double? { hasMinSharedRatio ? minSharedRatio : nil }
  package var originIfSet: Moyeo_V1_Place? { hasOrigin ? origin : nil }
  package var maxShareIfSet: Int64? { hasMaxShare ? maxShare : nil }
  package var boardingIfSet: Moyeo_V1_Place? { hasBoarding ? boarding : nil }
  package var boardingTimeIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasBoardingTime ? boardingTime : nil }
  package var walkMetersIfSet: Double? { hasWalkMeters ? walkMeters : nil }
  package var maxRideSecondsIfSet: Double? { hasMaxRideSeconds ? maxRideSeconds : nil }
  package var maxDetourSecondsIfSet: Double? { hasMaxDetourSeconds ? maxDetourSeconds : nil }
  package var arriveByIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasArriveBy ? arriveBy : nil }
}

extension Moyeo_V1_PartyStop {
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var kindIfSet: String? { hasKind ? kind : nil }
  package var distanceMetersIfSet: Double? { hasDistanceMeters ? distanceMeters : nil }
  package var durationSecondsIfSet: Double? { hasDurationSeconds ? durationSeconds : nil }
}

extension Moyeo_V1_PartyRoute {
  package var distanceMetersIfSet: Double? { hasDistanceMeters ? distanceMeters : nil }
  package var durationSecondsIfSet: Double? { hasDurationSeconds ? durationSeconds : nil }
  package var sourceIfSet: String? { hasSource ? source : nil }
}

extension Moyeo_V1_PartyFare {
  package var currencyIfSet: String? { hasCurrency ? currency : nil }
  package var expectedIfSet: Int64? { hasExpected ? expected : nil }
  package var lowIfSet: Int64? { hasLow ? low : nil }
  package var highIfSet: Int64? { hasHigh ? high : nil }
  package var tariffIDIfSet: String? { hasTariffID ? tariffID : nil }
  package var sourceIfSet: String? { hasSource ? source : nil }
  package var minorUnitDigitsIfSet: Int32? { hasMinorUnitDigits ? minorUnitDigits : nil }
  package var distanceMetersIfSet: Double? { hasDistanceMeters ? distanceMeters : nil }
  package var durationSecondsIfSet: Double? { hasDurationSeconds ? durationSeconds : nil }
}

extension Moyeo_V1_AgreedFare {
  package var amountIfSet: Int64? { hasAmount ? amount : nil }
  package var currencyIfSet: String? { hasCurrency ? currency : nil }
}

extension Moyeo_V1_JoinRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var stateIfSet: String? { hasState ? state : nil }
  package var expiresAtIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasExpiresAt ? expiresAt : nil }
  package var createdAtIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasCreatedAt ? createdAt : nil }
  package var endedAtIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasEndedAt ? endedAt : nil }
  package var endReasonIfSet: String? { hasEndReason ? endReason : nil }
  package var seatsIfSet: Int32? { hasSeats ? seats : nil }
  package var dropOffIfSet: Moyeo_V1_Place? { hasDropOff ? dropOff : nil }
  package var boardingIfSet: Moyeo_V1_Place? { hasBoarding ? boarding : nil }
  package var maxShareIfSet: Int64? { hasMaxShare ? maxShare : nil }
  package var shareIfSet: Int64? { hasShare ? share : nil }
}

extension Moyeo_V1_PartySettlement {
  package var payerIDIfSet: String? { hasPayerID ? payerID : nil }
  package var amountIfSet: Int64? { hasAmount ? amount : nil }
  package var tollsIfSet: Int64? { hasTolls ? tolls : nil }
  package var atIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasAt ? at : nil }
}

extension Moyeo_V1_Party {
  package var idIfSet: String? { hasID ? id : nil }
  package var versionIfSet: String? { hasVersion ? version : nil }
  package var stateIfSet: String? { hasState ? state : nil }
  package var hostIDIfSet: String? { hasHostID ? hostID : nil }
  package var seatsIfSet: Int32? { hasSeats ? seats : nil }
  package var seatsFreeIfSet: Int32? { hasSeatsFree ? seatsFree : nil }
  package var originIfSet: Moyeo_V1_Place? { hasOrigin ? origin : nil }
  package var destinationIfSet: Moyeo_V1_Place? { hasDestination ? destination : nil }
  package var departureTimeIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasDepartureTime ? departureTime : nil }
  package var departureWindowSecondsIfSet: Double? { hasDepartureWindowSeconds ? departureWindowSeconds : nil }
  package var maxDetourRatioIfSet: Double? { hasMaxDetourRatio ? maxDetourRatio : nil }
  package var maxWalkMetersIfSet: Double? { hasMaxWalkMeters ? maxWalkMeters : nil }
  package var policyIfSet: Moyeo_V1_PartyPolicy? { hasPolicy ? policy : nil }
  package var routeIfSet: Moyeo_V1_PartyRoute? { hasRoute ? route : nil }
  package var fareIfSet: Moyeo_V1_PartyFare? { hasFare ? fare : nil }
  package var perPersonNowIfSet: Int64? { hasPerPersonNow ? perPersonNow : nil }
  package var perPersonIfFullIfSet: Int64? { hasPerPersonIfFull ? perPersonIfFull : nil }
  package var splitRuleIfSet: String? { hasSplitRule ? splitRule : nil }
  package var allowRaisedSharesIfSet: Bool? { hasAllowRaisedShares ? allowRaisedShares : nil }
  package var calledIfSet: Bool? { hasCalled ? called : nil }
  package var createdAtIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasCreatedAt ? createdAt : nil }
  package var settlementIfSet: Moyeo_V1_PartySettlement? { hasSettlement ? settlement : nil }
  package var endReasonIfSet: String? { hasEndReason ? endReason : nil }
  package var riderCountIfSet: Int32? { hasRiderCount ? riderCount : nil }
  package var minSharedRatioIfSet: Double? { hasMinSharedRatio ? minSharedRatio : nil }
  package var maxRideSecondsIfSet: Double? { hasMaxRideSeconds ? maxRideSeconds : nil }
  package var maxDetourSecondsIfSet: Double? { hasMaxDetourSeconds ? maxDetourSeconds : nil }
  package var agreedFareIfSet: Moyeo_V1_AgreedFare? { hasAgreedFare ? agreedFare : nil }
  package var approvalIfSet: String? { hasApproval ? approval : nil }
  package var holdSeatsIfSet: Bool? { hasHoldSeats ? holdSeats : nil }
  package var pendingRequestsIfSet: Int32? { hasPendingRequests ? pendingRequests : nil }
  package var originPrecisionIfSet: String? { hasOriginPrecision ? originPrecision : nil }
  package var snappedOriginIfSet: Moyeo_V1_Place? { hasSnappedOrigin ? snappedOrigin : nil }
  package var commuteIDIfSet: String? { hasCommuteID ? commuteID : nil }
}

extension Moyeo_V1_PartyResponse {
  package var partyIfSet: Moyeo_V1_Party? { hasParty ? party : nil }
  package var versionIfSet: String? { hasVersion ? version : nil }
  package var joinRequestIfSet: Moyeo_V1_JoinRequest? { hasJoinRequest ? joinRequest : nil }
}

extension Moyeo_V1_CreatePartyRequest {
  package var hostIDIfSet: String? { hasHostID ? hostID : nil }
  package var originIfSet: Moyeo_V1_Place? { hasOrigin ? origin : nil }
  package var destinationIfSet: Moyeo_V1_Place? { hasDestination ? destination : nil }
  package var departureTimeIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasDepartureTime ? departureTime : nil }
  package var departureWindowSecondsIfSet: Double? { hasDepartureWindowSeconds ? departureWindowSeconds : nil }
  package var seatsIfSet: Int32? { hasSeats ? seats : nil }
  package var hostSeatsIfSet: Int32? { hasHostSeats ? hostSeats : nil }
  package var maxDetourRatioIfSet: Double? { hasMaxDetourRatio ? maxDetourRatio : nil }
  package var maxWalkMetersIfSet: Double? { hasMaxWalkMeters ? maxWalkMeters : nil }
  package var policyIfSet: Moyeo_V1_PartyPolicy? { hasPolicy ? policy : nil }
  package var splitRuleIfSet: String? { hasSplitRule ? splitRule : nil }
  package var attributesIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasAttributes ? attributes : nil }
  package var tariffIDIfSet: String? { hasTariffID ? tariffID : nil }
  package var vehicleClassIfSet: String? { hasVehicleClass ? vehicleClass : nil }
  package var calledIfSet: Bool? { hasCalled ? called : nil }
  package var allowRaisedSharesIfSet: Bool? { hasAllowRaisedShares ? allowRaisedShares : nil }
  package var weightIfSet: Double? { hasWeight ? weight : nil }
  package var policyPackIfSet: String? { hasPolicyPack ? policyPack : nil }
  package var minSharedRatioIfSet: Double? { hasMinSharedRatio ? minSharedRatio : nil }
  package var maxRideSecondsIfSet: Double? { hasMaxRideSeconds ? maxRideSeconds : nil }
  package var maxDetourSecondsIfSet: Double? { hasMaxDetourSeconds ? maxDetourSeconds : nil }
  package var arriveByIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasArriveBy ? arriveBy : nil }
  package var agreedFareIfSet: Moyeo_V1_AgreedFare? { hasAgreedFare ? agreedFare : nil }
  package var approvalIfSet: String? { hasApproval ? approval : nil }
  package var holdSeatsIfSet: Bool? { hasHoldSeats ? holdSeats : nil }
  package var originPrecisionIfSet: String? { hasOriginPrecision ? originPrecision : nil }
}

extension Moyeo_V1_GetPartyRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var minVersionIfSet: String? { hasMinVersion ? minVersion : nil }
}

extension Moyeo_V1_ListPartiesRequest {
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var hostIDIfSet: String? { hasHostID ? hostID : nil }
  package var limitIfSet: Int32? { hasLimit ? limit : nil }
  package var cursorIfSet: String? { hasCursor ? cursor : nil }
  package var requesterIDIfSet: String? { hasRequesterID ? requesterID : nil }
}

extension Moyeo_V1_PartyListResponse {
  package var nextCursorIfSet: String? { hasNextCursor ? nextCursor : nil }
  package var versionIfSet: String? { hasVersion ? version : nil }
  package var ageIfSet: Double? { hasAge ? age : nil }
  package var coalescedIfSet: Bool? { hasCoalesced ? coalesced : nil }
}

extension Moyeo_V1_UpdatePartyRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var departureTimeIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasDepartureTime ? departureTime : nil }
  package var departureWindowSecondsIfSet: Double? { hasDepartureWindowSeconds ? departureWindowSeconds : nil }
  package var seatsIfSet: Int32? { hasSeats ? seats : nil }
}

extension Moyeo_V1_DepartPartyRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
}

extension Moyeo_V1_RemoveRiderRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var reasonIfSet: String? { hasReason ? reason : nil }
  package var hostIDIfSet: String? { hasHostID ? hostID : nil }
}

extension Moyeo_V1_SettlePartyRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var payerIDIfSet: String? { hasPayerID ? payerID : nil }
  package var amountIfSet: Int64? { hasAmount ? amount : nil }
  package var tollsIfSet: Int64? { hasTolls ? tolls : nil }
}

extension Moyeo_V1_CancelPartyRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var reasonIfSet: String? { hasReason ? reason : nil }
}

extension Moyeo_V1_JoinPartyRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var destinationIfSet: Moyeo_V1_Place? { hasDestination ? destination : nil }
  package var attributesIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasAttributes ? attributes : nil }
  package var seatsIfSet: Int32? { hasSeats ? seats : nil }
  package var maxShareIfSet: Int64? { hasMaxShare ? maxShare : nil }
  package var originIfSet: Moyeo_V1_Place? { hasOrigin ? origin : nil }
  package var maxWalkMetersIfSet: Double? { hasMaxWalkMeters ? maxWalkMeters : nil }
  package var maxDetourRatioIfSet: Double? { hasMaxDetourRatio ? maxDetourRatio : nil }
  package var weightIfSet: Double? { hasWeight ? weight : nil }
  package var minSharedRatioIfSet: Double? { hasMinSharedRatio ? minSharedRatio : nil }
  package var boardingIfSet: Moyeo_V1_Place? { hasBoarding ? boarding : nil }
  package var departureTimeIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasDepartureTime ? departureTime : nil }
  package var departureWindowSecondsIfSet: Double? { hasDepartureWindowSeconds ? departureWindowSeconds : nil }
  package var maxRideSecondsIfSet: Double? { hasMaxRideSeconds ? maxRideSeconds : nil }
  package var maxDetourSecondsIfSet: Double? { hasMaxDetourSeconds ? maxDetourSeconds : nil }
  package var arriveByIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasArriveBy ? arriveBy : nil }
}

extension Moyeo_V1_ApproveJoinRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var requestIDIfSet: String? { hasRequestID ? requestID : nil }
  package var hostIDIfSet: String? { hasHostID ? hostID : nil }
}

extension Moyeo_V1_DeclineJoinRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var requestIDIfSet: String? { hasRequestID ? requestID : nil }
  package var hostIDIfSet: String? { hasHostID ? hostID : nil }
}

extension Moyeo_V1_WithdrawJoinRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var requestIDIfSet: String? { hasRequestID ? requestID : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
}

extension Moyeo_V1_LeavePartyRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
}

extension Moyeo_V1_SearchPartiesRequest {
  package var latitudeIfSet: Double? { hasLatitude ? latitude : nil }
  package var longitudeIfSet: Double? { hasLongitude ? longitude : nil }
  package var radiusMetersIfSet: Double? { hasRadiusMeters ? radiusMeters : nil }
  package var boxIfSet: Moyeo_V1_Box? { hasBox ? box : nil }
  package var destinationIfSet: Moyeo_V1_Point? { hasDestination ? destination : nil }
  package var destinationRadiusMetersIfSet: Double? { hasDestinationRadiusMeters ? destinationRadiusMeters : nil }
  package var fromIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasFrom ? from : nil }
  package var toIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasTo ? to : nil }
  package var seatsIfSet: Int32? { hasSeats ? seats : nil }
  package var limitIfSet: Int32? { hasLimit ? limit : nil }
  package var cursorIfSet: String? { hasCursor ? cursor : nil }
  package var tagMatchIfSet: String? { hasTagMatch ? tagMatch : nil }
  package var minVersionIfSet: String? { hasMinVersion ? minVersion : nil }
  package var maxStalenessSecondsIfSet: Double? { hasMaxStalenessSeconds ? maxStalenessSeconds : nil }
}

extension Moyeo_V1_MatchPartiesRequest {
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var originIfSet: Moyeo_V1_Place? { hasOrigin ? origin : nil }
  package var destinationIfSet: Moyeo_V1_Place? { hasDestination ? destination : nil }
  package var departureTimeIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasDepartureTime ? departureTime : nil }
  package var departureWindowSecondsIfSet: Double? { hasDepartureWindowSeconds ? departureWindowSeconds : nil }
  package var maxWalkMetersIfSet: Double? { hasMaxWalkMeters ? maxWalkMeters : nil }
  package var maxDetourRatioIfSet: Double? { hasMaxDetourRatio ? maxDetourRatio : nil }
  package var minSharedRatioIfSet: Double? { hasMinSharedRatio ? minSharedRatio : nil }
  package var attributesIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasAttributes ? attributes : nil }
  package var seatsIfSet: Int32? { hasSeats ? seats : nil }
  package var limitIfSet: Int32? { hasLimit ? limit : nil }
  package var explainIfSet: Bool? { hasExplain ? explain : nil }
  package var maxShareIfSet: Int64? { hasMaxShare ? maxShare : nil }
  package var minVersionIfSet: String? { hasMinVersion ? minVersion : nil }
  package var maxStalenessSecondsIfSet: Double? { hasMaxStalenessSeconds ? maxStalenessSeconds : nil }
  package var allowsOverlapIfSet: Bool? { hasAllowsOverlap ? allowsOverlap : nil }
  package var boardingIfSet: Moyeo_V1_Place? { hasBoarding ? boarding : nil }
  package var maxRideSecondsIfSet: Double? { hasMaxRideSeconds ? maxRideSeconds : nil }
  package var maxDetourSecondsIfSet: Double? { hasMaxDetourSeconds ? maxDetourSeconds : nil }
  package var arriveByIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasArriveBy ? arriveBy : nil }
}

extension Moyeo_V1_MatchCandidate {
  package var partyIfSet: Moyeo_V1_Party? { hasParty ? party : nil }
  package var walkMetersIfSet: Double? { hasWalkMeters ? walkMeters : nil }
  package var detourSecondsIfSet: Double? { hasDetourSeconds ? detourSeconds : nil }
  package var sharedRatioIfSet: Double? { hasSharedRatio ? sharedRatio : nil }
  package var routeIfSet: Moyeo_V1_PartyRoute? { hasRoute ? route : nil }
  package var yourFareIfSet: Int64? { hasYourFare ? yourFare : nil }
  package var yourSavingIfSet: Int64? { hasYourSaving ? yourSaving : nil }
  package var timeGapSecondsIfSet: Double? { hasTimeGapSeconds ? timeGapSeconds : nil }
  package var boardingIfSet: Moyeo_V1_Place? { hasBoarding ? boarding : nil }
  package var boardingTimeIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasBoardingTime ? boardingTime : nil }
}

extension Moyeo_V1_MatchRelaxation {
  package var ruleIfSet: String? { hasRule ? rule : nil }
  package var fieldIfSet: String? { hasField ? field : nil }
  package var valueIfSet: Double? { hasValue ? value : nil }
  package var partyIDIfSet: String? { hasPartyID ? partyID : nil }
  package var messageIfSet: String? { hasMessage ? message : nil }
  package var amountIfSet: Double? { hasAmount ? amount : nil }
  package var boardingIfSet: Moyeo_V1_Place? { hasBoarding ? boarding : nil }
}

extension Moyeo_V1_MatchExplanation {
  package var consideredIfSet: Int32? { hasConsidered ? considered : nil }
  package var removedIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasRemoved ? removed : nil }
  package var relaxationIfSet: Moyeo_V1_MatchRelaxation? { hasRelaxation ? relaxation : nil }
  package var matchedIfSet: Int32? { hasMatched ? matched : nil }
}

extension Moyeo_V1_MatchPartiesResponse {
  package var explanationIfSet: Moyeo_V1_MatchExplanation? { hasExplanation ? explanation : nil }
  package var versionIfSet: String? { hasVersion ? version : nil }
  package var ageIfSet: Double? { hasAge ? age : nil }
  package var coalescedIfSet: Bool? { hasCoalesced ? coalesced : nil }
}

extension Moyeo_V1_PreviewJoinRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var destinationIfSet: Moyeo_V1_Place? { hasDestination ? destination : nil }
  package var attributesIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasAttributes ? attributes : nil }
  package var seatsIfSet: Int32? { hasSeats ? seats : nil }
  package var originIfSet: Moyeo_V1_Place? { hasOrigin ? origin : nil }
  package var maxWalkMetersIfSet: Double? { hasMaxWalkMeters ? maxWalkMeters : nil }
  package var maxDetourRatioIfSet: Double? { hasMaxDetourRatio ? maxDetourRatio : nil }
  package var maxShareIfSet: Int64? { hasMaxShare ? maxShare : nil }
  package var weightIfSet: Double? { hasWeight ? weight : nil }
  package var minSharedRatioIfSet: Double? { hasMinSharedRatio ? minSharedRatio : nil }
  package var boardingIfSet: Moyeo_V1_Place? { hasBoarding ? boarding : nil }
  package var departureTimeIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasDepartureTime ? departureTime : nil }
  package var departureWindowSecondsIfSet: Double? { hasDepartureWindowSeconds ? departureWindowSeconds : nil }
  package var maxRideSecondsIfSet: Double? { hasMaxRideSeconds ? maxRideSeconds : nil }
  package var maxDetourSecondsIfSet: Double? { hasMaxDetourSeconds ? maxDetourSeconds : nil }
  package var arriveByIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasArriveBy ? arriveBy : nil }
}

extension Moyeo_V1_PreviewShare {
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var shareIfSet: Int64? { hasShare ? share : nil }
  package var rideSecondsIfSet: Double? { hasRideSeconds ? rideSeconds : nil }
  package var detourSecondsIfSet: Double? { hasDetourSeconds ? detourSeconds : nil }
  package var soloFareIfSet: Int64? { hasSoloFare ? soloFare : nil }
  package var savingIfSet: Int64? { hasSaving ? saving : nil }
  package var sharedRatioIfSet: Double? { hasSharedRatio ? sharedRatio : nil }
}

extension Moyeo_V1_PreviewJoinResponse {
  package var routeIfSet: Moyeo_V1_PartyRoute? { hasRoute ? route : nil }
  package var fareIfSet: Moyeo_V1_PartyFare? { hasFare ? fare : nil }
  package var refusalIfSet: String? { hasRefusal ? refusal : nil }
  package var refusalMessageIfSet: String? { hasRefusalMessage ? refusalMessage : nil }
  package var versionIfSet: String? { hasVersion ? version : nil }
  package var boardingIfSet: Moyeo_V1_Place? { hasBoarding ? boarding : nil }
  package var boardingTimeIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasBoardingTime ? boardingTime : nil }
  package var walkMetersIfSet: Double? { hasWalkMeters ? walkMeters : nil }
}

extension Moyeo_V1_WatchMatchesRequest {
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var originIfSet: Moyeo_V1_Place? { hasOrigin ? origin : nil }
  package var destinationIfSet: Moyeo_V1_Place? { hasDestination ? destination : nil }
  package var departureTimeIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasDepartureTime ? departureTime : nil }
  package var departureWindowSecondsIfSet: Double? { hasDepartureWindowSeconds ? departureWindowSeconds : nil }
  package var maxWalkMetersIfSet: Double? { hasMaxWalkMeters ? maxWalkMeters : nil }
  package var maxDetourRatioIfSet: Double? { hasMaxDetourRatio ? maxDetourRatio : nil }
  package var minSharedRatioIfSet: Double? { hasMinSharedRatio ? minSharedRatio : nil }
  package var attributesIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasAttributes ? attributes : nil }
  package var seatsIfSet: Int32? { hasSeats ? seats : nil }
  package var limitIfSet: Int32? { hasLimit ? limit : nil }
  package var maxShareIfSet: Int64? { hasMaxShare ? maxShare : nil }
  package var allowsOverlapIfSet: Bool? { hasAllowsOverlap ? allowsOverlap : nil }
  package var boardingIfSet: Moyeo_V1_Place? { hasBoarding ? boarding : nil }
  package var maxRideSecondsIfSet: Double? { hasMaxRideSeconds ? maxRideSeconds : nil }
  package var maxDetourSecondsIfSet: Double? { hasMaxDetourSeconds ? maxDetourSeconds : nil }
  package var arriveByIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasArriveBy ? arriveBy : nil }
  package var storeIfSet: Bool? { hasStore ? store : nil }
  package var resumeTokenIfSet: String? { hasResumeToken ? resumeToken : nil }
}

extension Moyeo_V1_WatchMatchesEvent {
  package var kindIfSet: String? { hasKind ? kind : nil }
  package var partyIDIfSet: String? { hasPartyID ? partyID : nil }
  package var matchIDIfSet: String? { hasMatchID ? matchID : nil }
  package var resumeTokenIfSet: String? { hasResumeToken ? resumeToken : nil }
  package var offerIfSet: Moyeo_V1_RideOffer? { hasOffer ? offer : nil }
}

extension Moyeo_V1_BatchRequest {
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var originIfSet: Moyeo_V1_Place? { hasOrigin ? origin : nil }
  package var destinationIfSet: Moyeo_V1_Place? { hasDestination ? destination : nil }
  package var departureTimeIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasDepartureTime ? departureTime : nil }
  package var departureWindowSecondsIfSet: Double? { hasDepartureWindowSeconds ? departureWindowSeconds : nil }
  package var maxWalkMetersIfSet: Double? { hasMaxWalkMeters ? maxWalkMeters : nil }
  package var maxDetourRatioIfSet: Double? { hasMaxDetourRatio ? maxDetourRatio : nil }
  package var seatsIfSet: Int32? { hasSeats ? seats : nil }
  package var attributesIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasAttributes ? attributes : nil }
  package var minSharedRatioIfSet: Double? { hasMinSharedRatio ? minSharedRatio : nil }
  package var boardingIfSet: Moyeo_V1_Place? { hasBoarding ? boarding : nil }
  package var maxRideSecondsIfSet: Double? { hasMaxRideSeconds ? maxRideSeconds : nil }
  package var maxDetourSecondsIfSet: Double? { hasMaxDetourSeconds ? maxDetourSeconds : nil }
  package var arriveByIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasArriveBy ? arriveBy : nil }
}

extension Moyeo_V1_MatchBatchRequest {
  package var maxSeatsIfSet: Int32? { hasMaxSeats ? maxSeats : nil }
  package var seedIfSet: Int64? { hasSeed ? seed : nil }
  package var iterationsIfSet: Int32? { hasIterations ? iterations : nil }
  package var timeBudgetMillisecondsIfSet: Int32? { hasTimeBudgetMilliseconds ? timeBudgetMilliseconds : nil }
  package var policyIfSet: Moyeo_V1_PartyPolicy? { hasPolicy ? policy : nil }
  package var tariffIDIfSet: String? { hasTariffID ? tariffID : nil }
}

extension Moyeo_V1_BatchBoarding {
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var boardingIfSet: Moyeo_V1_Place? { hasBoarding ? boarding : nil }
  package var boardingTimeIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasBoardingTime ? boardingTime : nil }
  package var walkMetersIfSet: Double? { hasWalkMeters ? walkMeters : nil }
}

extension Moyeo_V1_BatchGroup {
  package var pickUpIfSet: Moyeo_V1_Place? { hasPickUp ? pickUp : nil }
  package var departureTimeIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasDepartureTime ? departureTime : nil }
  package var distanceMetersIfSet: Double? { hasDistanceMeters ? distanceMeters : nil }
  package var durationSecondsIfSet: Double? { hasDurationSeconds ? durationSeconds : nil }
  package var fareIfSet: Int64? { hasFare ? fare : nil }
  package var savingIfSet: Int64? { hasSaving ? saving : nil }
  package var currencyIfSet: String? { hasCurrency ? currency : nil }
  package var departureWindowSecondsIfSet: Double? { hasDepartureWindowSeconds ? departureWindowSeconds : nil }
  package var tariffIDIfSet: String? { hasTariffID ? tariffID : nil }
  package var soloFaresIfSet: Int64? { hasSoloFares ? soloFares : nil }
}

extension Moyeo_V1_MatchBatchResponse {
  package var savingIfSet: Int64? { hasSaving ? saving : nil }
  package var iterationsIfSet: Int32? { hasIterations ? iterations : nil }
  package var currencyIfSet: String? { hasCurrency ? currency : nil }
  package var endIfSet: String? { hasEnd ? end : nil }
}

extension Moyeo_V1_RideRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var stateIfSet: String? { hasState ? state : nil }
  package var originIfSet: Moyeo_V1_Place? { hasOrigin ? origin : nil }
  package var destinationIfSet: Moyeo_V1_Place? { hasDestination ? destination : nil }
  package var boardingIfSet: Moyeo_V1_Place? { hasBoarding ? boarding : nil }
  package var departureTimeIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasDepartureTime ? departureTime : nil }
  package var departureWindowSecondsIfSet: Double? { hasDepartureWindowSeconds ? departureWindowSeconds : nil }
  package var maxWalkMetersIfSet: Double? { hasMaxWalkMeters ? maxWalkMeters : nil }
  package var maxDetourRatioIfSet: Double? { hasMaxDetourRatio ? maxDetourRatio : nil }
  package var minSharedRatioIfSet: Double? { hasMinSharedRatio ? minSharedRatio : nil }
  package var maxRideSecondsIfSet: Double? { hasMaxRideSeconds ? maxRideSeconds : nil }
  package var maxDetourSecondsIfSet: Double? { hasMaxDetourSeconds ? maxDetourSeconds : nil }
  package var arriveByIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasArriveBy ? arriveBy : nil }
  package var seatsIfSet: Int32? { hasSeats ? seats : nil }
  package var maxShareIfSet: Int64? { hasMaxShare ? maxShare : nil }
  package var allowsOverlapIfSet: Bool? { hasAllowsOverlap ? allowsOverlap : nil }
  package var createdAtIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasCreatedAt ? createdAt : nil }
  package var offerIDIfSet: String? { hasOfferID ? offerID : nil }
  package var commuteIDIfSet: String? { hasCommuteID ? commuteID : nil }
}

extension Moyeo_V1_ListRideRequestsRequest {
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
}

extension Moyeo_V1_GetRideRequestRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
}

extension Moyeo_V1_RideRequestResponse {
  package var requestIfSet: Moyeo_V1_RideRequest? { hasRequest ? request : nil }
}

extension Moyeo_V1_WithdrawRideRequestRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
}

extension Moyeo_V1_RideOffer {
  package var idIfSet: String? { hasID ? id : nil }
  package var requestIDIfSet: String? { hasRequestID ? requestID : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var stateIfSet: String? { hasState ? state : nil }
  package var answerIfSet: String? { hasAnswer ? answer : nil }
  package var createdAtIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasCreatedAt ? createdAt : nil }
  package var expiresAtIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasExpiresAt ? expiresAt : nil }
  package var endedAtIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasEndedAt ? endedAt : nil }
  package var endReasonIfSet: String? { hasEndReason ? endReason : nil }
  package var partyIDIfSet: String? { hasPartyID ? partyID : nil }
  package var ridersIfSet: Int32? { hasRiders ? riders : nil }
  package var acceptedIfSet: Int32? { hasAccepted ? accepted : nil }
  package var departureTimeIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasDepartureTime ? departureTime : nil }
  package var departureWindowSecondsIfSet: Double? { hasDepartureWindowSeconds ? departureWindowSeconds : nil }
  package var originIfSet: Moyeo_V1_Place? { hasOrigin ? origin : nil }
  package var boardingIfSet: Moyeo_V1_Place? { hasBoarding ? boarding : nil }
  package var shareIfSet: Int64? { hasShare ? share : nil }
  package var soloFareIfSet: Int64? { hasSoloFare ? soloFare : nil }
  package var fareIfSet: Int64? { hasFare ? fare : nil }
  package var currencyIfSet: String? { hasCurrency ? currency : nil }
  package var walkMetersIfSet: Double? { hasWalkMeters ? walkMeters : nil }
  package var rideSecondsIfSet: Double? { hasRideSeconds ? rideSeconds : nil }
  package var detourSecondsIfSet: Double? { hasDetourSeconds ? detourSeconds : nil }
}

extension Moyeo_V1_ListRideOffersRequest {
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
}

extension Moyeo_V1_GetRideOfferRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
}

extension Moyeo_V1_RideOfferResponse {
  package var offerIfSet: Moyeo_V1_RideOffer? { hasOffer ? offer : nil }
}

extension Moyeo_V1_AcceptRideOfferRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
}

extension Moyeo_V1_DeclineRideOfferRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
}

extension Moyeo_V1_WatchPartyRequest {
  package var idIfSet: String? { hasID ? id : nil }
  package var resumeTokenIfSet: String? { hasResumeToken ? resumeToken : nil }
  package var afterVersionIfSet: String? { hasAfterVersion ? afterVersion : nil }
}

extension Moyeo_V1_Event {
  package var sequenceIfSet: Int64? { hasSequence ? sequence : nil }
  package var kindIfSet: String? { hasKind ? kind : nil }
  package var atIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasAt ? at : nil }
  package var partyIDIfSet: String? { hasPartyID ? partyID : nil }
  package var matchIDIfSet: String? { hasMatchID ? matchID : nil }
  package var versionIfSet: String? { hasVersion ? version : nil }
  package var bodyIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasBody ? body : nil }
  package var resumeTokenIfSet: String? { hasResumeToken ? resumeToken : nil }
  package var commuteIDIfSet: String? { hasCommuteID ? commuteID : nil }
  package var rideOfferIDIfSet: String? { hasRideOfferID ? rideOfferID : nil }
}

extension Moyeo_V1_ListEventsRequest {
  package var afterIfSet: Int64? { hasAfter ? after : nil }
  package var waitSecondsIfSet: Double? { hasWaitSeconds ? waitSeconds : nil }
  package var limitIfSet: Int32? { hasLimit ? limit : nil }
}

extension Moyeo_V1_ListEventsResponse {
  package var nextIfSet: Int64? { hasNext ? next : nil }
}

extension Moyeo_V1_WatchEventsRequest {
  package var afterIfSet: Int64? { hasAfter ? after : nil }
  package var resumeTokenIfSet: String? { hasResumeToken ? resumeToken : nil }
}

extension Moyeo_V1_NamedPlace {
  package var idIfSet: String? { hasID ? id : nil }
  package var nameIfSet: String? { hasName ? name : nil }
  package var addressIfSet: String? { hasAddress ? address : nil }
  package var categoryIfSet: String? { hasCategory ? category : nil }
  package var latitudeIfSet: Double? { hasLatitude ? latitude : nil }
  package var longitudeIfSet: Double? { hasLongitude ? longitude : nil }
  package var distanceMetersIfSet: Double? { hasDistanceMeters ? distanceMeters : nil }
  package var sourceIfSet: String? { hasSource ? source : nil }
}

extension Moyeo_V1_SearchPlacesRequest {
  package var qIfSet: String? { hasQ ? q : nil }
  package var latitudeIfSet: Double? { hasLatitude ? latitude : nil }
  package var longitudeIfSet: Double? { hasLongitude ? longitude : nil }
  package var radiusMetersIfSet: Double? { hasRadiusMeters ? radiusMeters : nil }
  package var limitIfSet: Int32? { hasLimit ? limit : nil }
}

extension Moyeo_V1_ReversePlacesRequest {
  package var latitudeIfSet: Double? { hasLatitude ? latitude : nil }
  package var longitudeIfSet: Double? { hasLongitude ? longitude : nil }
  package var limitIfSet: Int32? { hasLimit ? limit : nil }
}

extension Moyeo_V1_Position {
  package var idIfSet: String? { hasID ? id : nil }
  package var latitudeIfSet: Double? { hasLatitude ? latitude : nil }
  package var longitudeIfSet: Double? { hasLongitude ? longitude : nil }
  package var attributesIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasAttributes ? attributes : nil }
  package var ttlSecondsIfSet: Double? { hasTtlSeconds ? ttlSeconds : nil }
  package var observedAtIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasObservedAt ? observedAt : nil }
}

extension Moyeo_V1_ReportRequest {
  package var layerIfSet: String? { hasLayer ? layer : nil }
}

extension Moyeo_V1_Rejection {
  package var indexIfSet: Int32? { hasIndex ? index : nil }
  package var idIfSet: String? { hasID ? id : nil }
  package var fieldIfSet: String? { hasField ? field : nil }
  package var reasonIfSet: String? { hasReason ? reason : nil }
  package var messageIfSet: String? { hasMessage ? message : nil }
}

extension Moyeo_V1_ReportResponse {
  package var acceptedIfSet: Int32? { hasAccepted ? accepted : nil }
  package var versionIfSet: String? { hasVersion ? version : nil }
}

extension Moyeo_V1_StreamReportsRequest {
  package var layerIfSet: String? { hasLayer ? layer : nil }
  package var registerIfSet: Moyeo_V1_RegisterHandles? { hasRegister ? register : nil }
  package var packedIfSet: Moyeo_V1_PackedReports? { hasPacked ? packed : nil }
  package var sequenceIfSet: Int64? { hasSequence ? sequence : nil }
}

extension Moyeo_V1_PackedReports {
  package var observedAtMillisecondsIfSet: Int64? { hasObservedAtMilliseconds ? observedAtMilliseconds : nil }
  package var ttlSecondsIfSet: Double? { hasTtlSeconds ? ttlSeconds : nil }
}

extension Moyeo_V1_StreamReportsResponse {
  package var acceptedIfSet: Int32? { hasAccepted ? accepted : nil }
  package var versionIfSet: String? { hasVersion ? version : nil }
  package var sequenceIfSet: Int64? { hasSequence ? sequence : nil }
}

extension Moyeo_V1_GetPositionRequest {
  package var layerIfSet: String? { hasLayer ? layer : nil }
  package var idIfSet: String? { hasID ? id : nil }
  package var minVersionIfSet: String? { hasMinVersion ? minVersion : nil }
}

extension Moyeo_V1_StoredPosition {
  package var idIfSet: String? { hasID ? id : nil }
  package var latitudeIfSet: Double? { hasLatitude ? latitude : nil }
  package var longitudeIfSet: Double? { hasLongitude ? longitude : nil }
  package var ageSecondsIfSet: Double? { hasAgeSeconds ? ageSeconds : nil }
  package var attributesIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasAttributes ? attributes : nil }
  package var observedAtIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasObservedAt ? observedAt : nil }
  package var expiresAtIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasExpiresAt ? expiresAt : nil }
}

extension Moyeo_V1_GetPositionResponse {
  package var positionIfSet: Moyeo_V1_StoredPosition? { hasPosition ? position : nil }
  package var versionIfSet: String? { hasVersion ? version : nil }
}

extension Moyeo_V1_RemovePositionRequest {
  package var layerIfSet: String? { hasLayer ? layer : nil }
  package var idIfSet: String? { hasID ? id : nil }
}

extension Moyeo_V1_RemovePositionResponse {
  package var removedIfSet: Bool? { hasRemoved ? removed : nil }
  package var versionIfSet: String? { hasVersion ? version : nil }
}

extension Moyeo_V1_AttributeCondition {
  package var attributeIfSet: String? { hasAttribute ? attribute : nil }
  package var equalsIfSet: SwiftProtobuf.Google_Protobuf_Value? { hasEquals ? equals : nil }
  package var minIfSet: Double? { hasMin ? min : nil }
  package var maxIfSet: Double? { hasMax ? max : nil }
}

extension Moyeo_V1_NearbyRequest {
  package var layerIfSet: String? { hasLayer ? layer : nil }
  package var latitudeIfSet: Double? { hasLatitude ? latitude : nil }
  package var longitudeIfSet: Double? { hasLongitude ? longitude : nil }
  package var limitIfSet: Int32? { hasLimit ? limit : nil }
  package var radiusMetersIfSet: Double? { hasRadiusMeters ? radiusMeters : nil }
  package var tagMatchIfSet: String? { hasTagMatch ? tagMatch : nil }
  package var withinIfSet: Moyeo_V1_Polygon? { hasWithin ? within : nil }
  package var maxAgeSecondsIfSet: Double? { hasMaxAgeSeconds ? maxAgeSeconds : nil }
  package var cursorIfSet: String? { hasCursor ? cursor : nil }
  package var minVersionIfSet: String? { hasMinVersion ? minVersion : nil }
  package var maxStalenessSecondsIfSet: Double? { hasMaxStalenessSeconds ? maxStalenessSeconds : nil }
}

extension Moyeo_V1_Hit {
  package var idIfSet: String? { hasID ? id : nil }
  package var latitudeIfSet: Double? { hasLatitude ? latitude : nil }
  package var longitudeIfSet: Double? { hasLongitude ? longitude : nil }
  package var distanceMetersIfSet: Double? { hasDistanceMeters ? distanceMeters : nil }
  package var bearingDegreesIfSet: Double? { hasBearingDegrees ? bearingDegrees : nil }
  package var ageSecondsIfSet: Double? { hasAgeSeconds ? ageSeconds : nil }
  package var attributesIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasAttributes ? attributes : nil }
}

extension Moyeo_V1_NearbyResponse {
  package var nextCursorIfSet: String? { hasNextCursor ? nextCursor : nil }
  package var versionIfSet: String? { hasVersion ? version : nil }
  package var ageIfSet: Double? { hasAge ? age : nil }
  package var coalescedIfSet: Bool? { hasCoalesced ? coalesced : nil }
}

extension Moyeo_V1_NearbyBatchRequest {
  package var layerIfSet: String? { hasLayer ? layer : nil }
}

extension Moyeo_V1_NearbyBatchItem {
  package var statusIfSet: Int32? { hasStatus ? status : nil }
  package var bodyIfSet: Moyeo_V1_NearbyResponse? { hasBody ? body : nil }
  package var errorIfSet: Moyeo_V1_Error? { hasError ? error : nil }
}

extension Moyeo_V1_Error {
  package var codeIfSet: String? { hasCode ? code : nil }
  package var reasonIfSet: String? { hasReason ? reason : nil }
  package var messageIfSet: String? { hasMessage ? message : nil }
  package var retryAfterMillisecondsIfSet: Int64? { hasRetryAfterMilliseconds ? retryAfterMilliseconds : nil }
}

extension Moyeo_V1_FieldError {
  package var fieldIfSet: String? { hasField ? field : nil }
  package var reasonIfSet: String? { hasReason ? reason : nil }
  package var messageIfSet: String? { hasMessage ? message : nil }
}

extension Moyeo_V1_WithinRequest {
  package var layerIfSet: String? { hasLayer ? layer : nil }
  package var westIfSet: Double? { hasWest ? west : nil }
  package var southIfSet: Double? { hasSouth ? south : nil }
  package var eastIfSet: Double? { hasEast ? east : nil }
  package var northIfSet: Double? { hasNorth ? north : nil }
  package var polygonIfSet: Moyeo_V1_Polygon? { hasPolygon ? polygon : nil }
  package var limitIfSet: Int32? { hasLimit ? limit : nil }
  package var tagMatchIfSet: String? { hasTagMatch ? tagMatch : nil }
  package var maxAgeSecondsIfSet: Double? { hasMaxAgeSeconds ? maxAgeSeconds : nil }
  package var cursorIfSet: String? { hasCursor ? cursor : nil }
  package var minVersionIfSet: String? { hasMinVersion ? minVersion : nil }
  package var withinIfSet: Moyeo_V1_Polygon? { hasWithin ? within : nil }
  package var maxStalenessSecondsIfSet: Double? { hasMaxStalenessSeconds ? maxStalenessSeconds : nil }
}

extension Moyeo_V1_WithinResponse {
  package var nextCursorIfSet: String? { hasNextCursor ? nextCursor : nil }
  package var versionIfSet: String? { hasVersion ? version : nil }
  package var ageIfSet: Double? { hasAge ? age : nil }
  package var coalescedIfSet: Bool? { hasCoalesced ? coalesced : nil }
}

extension Moyeo_V1_TagHistogramRequest {
  package var layerIfSet: String? { hasLayer ? layer : nil }
  package var westIfSet: Double? { hasWest ? west : nil }
  package var southIfSet: Double? { hasSouth ? south : nil }
  package var eastIfSet: Double? { hasEast ? east : nil }
  package var northIfSet: Double? { hasNorth ? north : nil }
  package var withinIfSet: Moyeo_V1_Polygon? { hasWithin ? within : nil }
  package var latitudeIfSet: Double? { hasLatitude ? latitude : nil }
  package var longitudeIfSet: Double? { hasLongitude ? longitude : nil }
  package var radiusMetersIfSet: Double? { hasRadiusMeters ? radiusMeters : nil }
  package var limitIfSet: Int32? { hasLimit ? limit : nil }
  package var maxAgeSecondsIfSet: Double? { hasMaxAgeSeconds ? maxAgeSeconds : nil }
  package var minVersionIfSet: String? { hasMinVersion ? minVersion : nil }
}

extension Moyeo_V1_TagCount {
  package var tagIfSet: String? { hasTag ? tag : nil }
  package var countIfSet: Int32? { hasCount ? count : nil }
}

extension Moyeo_V1_TagHistogramResponse {
  package var versionIfSet: String? { hasVersion ? version : nil }
}

extension Moyeo_V1_Fence {
  package var idIfSet: String? { hasID ? id : nil }
  package var latitudeIfSet: Double? { hasLatitude ? latitude : nil }
  package var longitudeIfSet: Double? { hasLongitude ? longitude : nil }
  package var radiusMetersIfSet: Double? { hasRadiusMeters ? radiusMeters : nil }
  package var boxIfSet: Moyeo_V1_Box? { hasBox ? box : nil }
  package var withinIfSet: Moyeo_V1_Polygon? { hasWithin ? within : nil }
}

extension Moyeo_V1_WatchPositionsRequest {
  package var layerIfSet: String? { hasLayer ? layer : nil }
  package var latitudeIfSet: Double? { hasLatitude ? latitude : nil }
  package var longitudeIfSet: Double? { hasLongitude ? longitude : nil }
  package var radiusMetersIfSet: Double? { hasRadiusMeters ? radiusMeters : nil }
  package var westIfSet: Double? { hasWest ? west : nil }
  package var southIfSet: Double? { hasSouth ? south : nil }
  package var eastIfSet: Double? { hasEast ? east : nil }
  package var northIfSet: Double? { hasNorth ? north : nil }
  package var withinIfSet: Moyeo_V1_Polygon? { hasWithin ? within : nil }
  package var tagMatchIfSet: String? { hasTagMatch ? tagMatch : nil }
  package var intervalMillisecondsIfSet: Int32? { hasIntervalMilliseconds ? intervalMilliseconds : nil }
  package var resumeTokenIfSet: String? { hasResumeToken ? resumeToken : nil }
}

extension Moyeo_V1_WatchPositionsEvent {
  package var idIfSet: String? { hasID ? id : nil }
  package var latitudeIfSet: Double? { hasLatitude ? latitude : nil }
  package var longitudeIfSet: Double? { hasLongitude ? longitude : nil }
  package var distanceMetersIfSet: Double? { hasDistanceMeters ? distanceMeters : nil }
  package var ageSecondsIfSet: Double? { hasAgeSeconds ? ageSeconds : nil }
  package var attributesIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasAttributes ? attributes : nil }
  package var kindIfSet: String? { hasKind ? kind : nil }
  package var fenceIDIfSet: String? { hasFenceID ? fenceID : nil }
  package var snapshotIfSet: Bool? { hasSnapshot ? snapshot : nil }
  package var resumeTokenIfSet: String? { hasResumeToken ? resumeToken : nil }
}

extension Moyeo_V1_DeleteLayerRequest {
  package var layerIfSet: String? { hasLayer ? layer : nil }
}

extension Moyeo_V1_DeleteLayerResponse {
  package var removedIfSet: Int32? { hasRemoved ? removed : nil }
}

extension Moyeo_V1_LayerSummary {
  package var nameIfSet: String? { hasName ? name : nil }
  package var objectCountIfSet: Int32? { hasObjectCount ? objectCount : nil }
  package var clustersIfSet: Bool? { hasClusters ? clusters : nil }
}

extension Moyeo_V1_RouteStop {
  package var riderIDIfSet: String? { hasRiderID ? riderID : nil }
  package var latitudeIfSet: Double? { hasLatitude ? latitude : nil }
  package var longitudeIfSet: Double? { hasLongitude ? longitude : nil }
  package var kindIfSet: String? { hasKind ? kind : nil }
}

extension Moyeo_V1_PlanRouteRequest {
  package var originIfSet: Moyeo_V1_Place? { hasOrigin ? origin : nil }
  package var destinationIfSet: Moyeo_V1_Place? { hasDestination ? destination : nil }
  package var departureTimeIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasDepartureTime ? departureTime : nil }
  package var keepOrderIfSet: Bool? { hasKeepOrder ? keepOrder : nil }
}

extension Moyeo_V1_RouteLeg {
  package var distanceMetersIfSet: Double? { hasDistanceMeters ? distanceMeters : nil }
  package var durationSecondsIfSet: Double? { hasDurationSeconds ? durationSeconds : nil }
}

extension Moyeo_V1_PlanRouteResponse {
  package var distanceMetersIfSet: Double? { hasDistanceMeters ? distanceMeters : nil }
  package var durationSecondsIfSet: Double? { hasDurationSeconds ? durationSeconds : nil }
  package var sourceIfSet: String? { hasSource ? source : nil }
  package var fallbackReasonIfSet: String? { hasFallbackReason ? fallbackReason : nil }
  package var lowDurationSecondsIfSet: Double? { hasLowDurationSeconds ? lowDurationSeconds : nil }
  package var highDurationSecondsIfSet: Double? { hasHighDurationSeconds ? highDurationSeconds : nil }
}

extension Moyeo_V1_WantedAttribute {
  package var nameIfSet: String? { hasName ? name : nil }
}

extension Moyeo_V1_Ticket {
  package var userIDIfSet: String? { hasUserID ? userID : nil }
  package var versionIfSet: String? { hasVersion ? version : nil }
  package var stateIfSet: String? { hasState ? state : nil }
  package var hereIfSet: Moyeo_V1_Point? { hasHere ? here : nil }
  package var lookingAtIfSet: Moyeo_V1_Point? { hasLookingAt ? lookingAt : nil }
  package var shownAtIfSet: Moyeo_V1_Point? { hasShownAt ? shownAt : nil }
  package var cellMetersIfSet: Double? { hasCellMeters ? cellMeters : nil }
  package var attributesIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasAttributes ? attributes : nil }
  package var matchedWithIfSet: String? { hasMatchedWith ? matchedWith : nil }
  package var matchIDIfSet: String? { hasMatchID ? matchID : nil }
  package var expiresAtIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasExpiresAt ? expiresAt : nil }
  package var onlineIfSet: Bool? { hasOnline ? online : nil }
  package var lastSeenSecondsIfSet: Double? { hasLastSeenSeconds ? lastSeenSeconds : nil }
  package var dodgedByIfSet: String? { hasDodgedBy ? dodgedBy : nil }
  package var reviewedIfSet: Bool? { hasReviewed ? reviewed : nil }
  package var penaltyUntilIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasPenaltyUntil ? penaltyUntil : nil }
  package var bannedUntilIfSet: SwiftProtobuf.Google_Protobuf_Timestamp? { hasBannedUntil ? bannedUntil : nil }
  package var lastMatchedWithIfSet: String? { hasLastMatchedWith ? lastMatchedWith : nil }
}

extension Moyeo_V1_TicketResponse {
  package var ticketIfSet: Moyeo_V1_Ticket? { hasTicket ? ticket : nil }
  package var versionIfSet: String? { hasVersion ? version : nil }
}

extension Moyeo_V1_OpenTicketRequest {
  package var userIDIfSet: String? { hasUserID ? userID : nil }
  package var hereIfSet: Moyeo_V1_Point? { hasHere ? here : nil }
  package var lookingAtIfSet: Moyeo_V1_Point? { hasLookingAt ? lookingAt : nil }
  package var attributesIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasAttributes ? attributes : nil }
  package var expiresInSecondsIfSet: Double? { hasExpiresInSeconds ? expiresInSeconds : nil }
}

extension Moyeo_V1_CloseTicketRequest {
  package var userIDIfSet: String? { hasUserID ? userID : nil }
}

extension Moyeo_V1_GetTicketRequest {
  package var userIDIfSet: String? { hasUserID ? userID : nil }
  package var afterVersionIfSet: String? { hasAfterVersion ? afterVersion : nil }
  package var waitSecondsIfSet: Double? { hasWaitSeconds ? waitSeconds : nil }
}

extension Moyeo_V1_HeartbeatTicketRequest {
  package var userIDIfSet: String? { hasUserID ? userID : nil }
}

extension Moyeo_V1_OtherUserRequest {
  package var userIDIfSet: String? { hasUserID ? userID : nil }
  package var otherIDIfSet: String? { hasOtherID ? otherID : nil }
}

extension Moyeo_V1_ProposeRequest {
  package var userIDIfSet: String? { hasUserID ? userID : nil }
  package var otherIDIfSet: String? { hasOtherID ? otherID : nil }
  package var matchIfAskedIfSet: Bool? { hasMatchIfAsked ? matchIfAsked : nil }
}

extension Moyeo_V1_RateUserRequest {
  package var userIDIfSet: String? { hasUserID ? userID : nil }
  package var otherIDIfSet: String? { hasOtherID ? otherID : nil }
  package var starsIfSet: Int32? { hasStars ? stars : nil }
  package var commentIfSet: String? { hasComment ? comment : nil }
}

extension Moyeo_V1_TicketRanking {
  package var commonTagsIfSet: Double? { hasCommonTags ? commonTags : nil }
  package var distanceIfSet: Double? { hasDistance ? distance : nil }
  package var onlineIfSet: Double? { hasOnline ? online : nil }
  package var ratingIfSet: Double? { hasRating ? rating : nil }
  package var lastSeenIfSet: Double? { hasLastSeen ? lastSeen : nil }
}

extension Moyeo_V1_SearchTicketsRequest {
  package var userIDIfSet: String? { hasUserID ? userID : nil }
  package var lookingAtIfSet: Moyeo_V1_Point? { hasLookingAt ? lookingAt : nil }
  package var radiusMetersIfSet: Double? { hasRadiusMeters ? radiusMeters : nil }
  package var limitIfSet: Int32? { hasLimit ? limit : nil }
  package var cursorIfSet: String? { hasCursor ? cursor : nil }
  package var onlineOnlyIfSet: Bool? { hasOnlineOnly ? onlineOnly : nil }
  package var minimumStarsIfSet: Double? { hasMinimumStars ? minimumStars : nil }
  package var rankingIfSet: Moyeo_V1_TicketRanking? { hasRanking ? ranking : nil }
  package var explainIfSet: Bool? { hasExplain ? explain : nil }
}

extension Moyeo_V1_TicketScore {
  package var commonTagsIfSet: Double? { hasCommonTags ? commonTags : nil }
  package var distanceIfSet: Double? { hasDistance ? distance : nil }
  package var onlineIfSet: Double? { hasOnline ? online : nil }
  package var ratingIfSet: Double? { hasRating ? rating : nil }
  package var lastSeenIfSet: Double? { hasLastSeen ? lastSeen : nil }
  package var totalIfSet: Double? { hasTotal ? total : nil }
}

extension Moyeo_V1_TicketPerson {
  package var userIDIfSet: String? { hasUserID ? userID : nil }
  package var latitudeIfSet: Double? { hasLatitude ? latitude : nil }
  package var longitudeIfSet: Double? { hasLongitude ? longitude : nil }
  package var cellMetersIfSet: Double? { hasCellMeters ? cellMeters : nil }
  package var distanceMetersIfSet: Double? { hasDistanceMeters ? distanceMeters : nil }
  package var attributesIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasAttributes ? attributes : nil }
  package var onlineIfSet: Bool? { hasOnline ? online : nil }
  package var lastSeenSecondsIfSet: Double? { hasLastSeenSeconds ? lastSeenSeconds : nil }
  package var starsIfSet: Double? { hasStars ? stars : nil }
  package var askedIfSet: Bool? { hasAsked ? asked : nil }
  package var scoreIfSet: Moyeo_V1_TicketScore? { hasScore ? score : nil }
}

extension Moyeo_V1_PopularTag {
  package var tagIfSet: String? { hasTag ? tag : nil }
  package var countIfSet: Int32? { hasCount ? count : nil }
}

extension Moyeo_V1_TicketExplanation {
  package var consideredIfSet: Int32? { hasConsidered ? considered : nil }
  package var removedIfSet: SwiftProtobuf.Google_Protobuf_Struct? { hasRemoved ? removed : nil }
  package var matchingIfSet: Int32? { hasMatching ? matching : nil }
}

extension Moyeo_V1_SearchTicketsResponse {
  package var nextCursorIfSet: String? { hasNextCursor ? nextCursor : nil }
  package var explanationIfSet: Moyeo_V1_TicketExplanation? { hasExplanation ? explanation : nil }
  package var versionIfSet: String? { hasVersion ? version : nil }
}

extension Moyeo_V1_WatchTicketRequest {
  package var userIDIfSet: String? { hasUserID ? userID : nil }
  package var resumeTokenIfSet: String? { hasResumeToken ? resumeToken : nil }
  package var afterVersionIfSet: String? { hasAfterVersion ? afterVersion : nil }
}
