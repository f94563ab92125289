// Made by proto/schema-texts.py; do not edit.

/// What the comments in proto/ say, a line each: a name without its package, a space, the text.
let schemaTextLines = #"""
  AgreedFare A price of the whole ride in place of what a meter would say.
  AgreedFare.amount Minor units.
  AgreedFare.currency ISO 4217.
  ApproveJoinRequest.hostId Who approves; may be absent from services.
  AttributeCondition `equals`, or a closed range.
  AttributeCondition.equals A string, number or boolean.
  BatchBoarding A member of a group who gets in on its way.
  BatchBoarding.boardingTime If the taxi leaves at the group's departure time.
  BatchGroup.boardings Who gets in on the way: Create with the others as its riders, then Join with `boarding`, in this order, and the group costs what it says here.
  BatchGroup.departureWindowSeconds As wide as all members' windows allow around the departure.
  BatchGroup.saving Solo fares less the fare and the cost of walking.
  BatchGroup.soloFares Sum of what the members pay alone from the pick-up. Minor units.
  BatchGroup.tariffId Of the pick-up; Create with it and the group costs what it says here.
  BatchRequest.boarding Where the rider would get in on the way of a group, as in JoinPartyRequest.
  BatchRequest.maxRideSeconds As in JoinPartyRequest.
  BatchRequest.minSharedRatio The part of the way that must be shared, 0-1.
  Box Edges included; west > east crosses 180 degrees.
  CancelCommuteRequest.includeAppeared Days that have appeared and that nobody has joined are called off as well.
  CancelCommuteRequest.riderId Who made it; may be absent from services.
  CancelPartyRequest.riderId The host; may be absent from services.
  Cluster.coincident All members stand at one identical position.
  Cluster.expansionZoom Absent for single objects and coincident ones.
  Cluster.id 16 hex digits, or the object's id when pointCount is 1.
  Cluster.sampleIds At most 10 members.
  Cluster.tags Of a single object.
  ClusterService Clusters of a layer at each zoom, always current.
  ClusterService.GetChildren What a cluster falls into at the next zoom.
  ClusterService.GetClusters The clusters of a layer in a box, at a zoom.
  ClusterService.GetExpansionZoom The first zoom at which a cluster falls apart.
  ClusterService.GetLeaves The objects in a cluster.
  ClusterService.GetTile A tile of a layer's clusters as a vector tile or as JSON.
  ClusterService.WatchTiles Tells which tiles of a box have changed, for as long as the caller listens.
  Commute.added Dates that run whatever weekday they are, holidays too.
  Commute.agreedFare Of a host's commute, as in Party.
  Commute.arriveBy Of the arrival at the latest, as clocks of the zone show it; the next day where it is before localTime.
  Commute.endReason Why it was cancelled.
  Commute.from The first date that may run.
  Commute.holidays The calendar whose holidays do not run.
  Commute.hostId Of a host's commute.
  Commute.localTime Of the departure, as clocks of the zone show it, such as "07:45".
  Commute.occurrences Days that were decided and are not long past, then those to come.
  Commute.removed Dates that do not run.
  Commute.riderId Of a rider's commute.
  Commute.riders Who joins each day as it appears.
  Commute.state "active", "cancelled" or "ended".
  Commute.timeZone The IANA name, such as "Asia/Seoul".
  Commute.to The last date that may run; included.
  Commute.version Opaque; grows with each change.
  Commute.weekdays "MON" to "SUN".
  CommuteListResponse.commutes Oldest first; at most as many as a person may have.
  CommuteOccurrence One day of a commute.
  CommuteOccurrence.clockChange "skipped" where clocks are put forward over the local time, which is then read by the offset from before the change; "repeated" where they are put back over it, and the first of the two is meant.
  CommuteOccurrence.date In the commute's zone, such as "2026-11-30".
  CommuteOccurrence.partyId Of a host's commute, once it has appeared.
  CommuteOccurrence.reason Why nothing appeared: a word of the error table.
  CommuteOccurrence.requestId Of a rider's commute, once it has appeared.
  CommuteOccurrence.state "planned", "appeared" or "skipped".
  CommuteRider Somebody who joins each day as it appears.
  CommuteRider.destination Absent: the commute's.
  CommuteService Trips that repeat: a host's party, or a rider's request, that appears anew for each day. A day's party is an ordinary one with `commuteId`: it is found, joined and left like any other. Commands are set-state and take an idempotency key, as those of PartyService do.
  CommuteService.Cancel No further day appears; with includeAppeared those are called off too that nobody has joined.
  CommuteService.Create Makes a commute of a host (hostId) or of a rider (riderId). Its days appear some time ahead of their departures, each once.
  CommuteService.Get One commute with its next days.
  CommuteService.Join Joins each day as it appears, and those that have. A day that refuses is told by an event.
  CommuteService.Leave Joins no further day, and leaves those that have not departed.
  CommuteService.List The commutes under way of a host or a rider, oldest first.
  CommuteService.Update Changes the days that have not appeared; with includeAppeared those too that nobody has joined.
  CreateCommuteRequest.added Dates that run whatever weekday they are, holidays too.
  CreateCommuteRequest.agreedFare Of a host's commute, as in CreatePartyRequest.
  CreateCommuteRequest.arriveBy Of the arrival at the latest, as clocks of the zone show it, such as "08:40"; the next day where it is before localTime.
  CreateCommuteRequest.boarding Of a rider's commute, as in WatchMatchesRequest.
  CreateCommuteRequest.departureWindowSeconds 600 when absent.
  CreateCommuteRequest.from The first date that may run; today when absent.
  CreateCommuteRequest.holidays The calendar whose holidays do not run, such as "kr-public".
  CreateCommuteRequest.hostId One of the two: whose party, or whose request, repeats.
  CreateCommuteRequest.hostSeats Of a host's commute, as in CreatePartyRequest.
  CreateCommuteRequest.localTime Of the departure, as clocks of the zone show it, such as "07:45".
  CreateCommuteRequest.removed Dates that do not run.
  CreateCommuteRequest.seats Of the party, host included (4 in most places); or those that the request asks for: 1.
  CreateCommuteRequest.timeZone The IANA name, such as "Asia/Seoul".
  CreateCommuteRequest.to The last date that may run; included.
  CreateCommuteRequest.weekdays "MON" to "SUN".
  CreatePartyRequest.agreedFare Stands in place of the tariff's; where no tariff is either, the party has no price.
  CreatePartyRequest.approval "host": a join is a request until the host approves it.
  CreatePartyRequest.arriveBy Of the host alone: the latest arrival if the taxi leaves at the departure time.
  CreatePartyRequest.attributes Of the host.
  CreatePartyRequest.departureWindowSeconds 600 when absent.
  CreatePartyRequest.holdSeats A pending request keeps its seats from others. Only with `approval`.
  CreatePartyRequest.hostSeats Taken by the host, 1 when absent.
  CreatePartyRequest.maxRideSeconds The longest ride, and the most beyond the direct one.
  CreatePartyRequest.minSharedRatio The part of the way that must be shared, 0-1.
  CreatePartyRequest.originPrecision "exact" (as when absent), or "snapped": only members see where exactly they meet.
  CreatePartyRequest.policyPack A named pack of rules, such as "kr-small-taxi".
  CreatePartyRequest.riders Who is aboard from the start; all or nothing.
  CreatePartyRequest.seats In all, host included; 4 when absent.
  CreatePartyRequest.splitRule "bySoloFare" when absent.
  CreatePartyRequest.weight Of the host, for the rule `weights`.
  DeclineJoinRequest.hostId Who declines; may be absent from services.
  DeleteLayerResponse.removed Live objects that went with the layer.
  DepartPartyRequest.riderId The host.
  EstimateFareRequest.called The taxi is called, so that a call fee is due.
  EstimateFareRequest.flatTrip A flat trip of the tariff, e.g. "jfk"; absent: found from the two places.
  EstimateFareRequest.hostId Who pays under `hostPays`; the first rider when absent.
  EstimateFareRequest.outOfArea Absent: found from the destination.
  EstimateFareRequest.seats Seats of the taxi, for the price once it is full; 4 when absent.
  EstimateFareRequest.seed For sampled Shapley shares.
  EstimateFareRequest.slowSeconds Of durationSeconds, below the tariff's threshold speed; absent: unknown, so modelled.
  EstimateFareRequest.tolls Minor units.
  Event A durable event, at least once, in commit order.
  Event.commuteId Of an event of a commute, in place of partyId.
  Event.kind Such as "party.joined".
  Event.rideOfferId Of an event of an offer, in place of partyId.
  Event.sequence Dense per tenant.
  Event.userIds Who should hear of it.
  Event.version Of the party, after the change.
  EventService The tenant's event feed, for services.
  EventService.List Events of the tenant above a sequence, ascending: what is there, or a long poll.
  EventService.Watch Events of the tenant, for as long as the caller listens.
  Fare.fallbackReason Why the route's source is not the one configured.
  Fare.minorUnitDigits Decimal digits of the minor unit: 0 for KRW, 2 for USD.
  Fare.perPersonNow What a seat pays if the taxi leaves with those named, and once every seat is taken.
  Fare.stopOrder Riders in the order of getting out, where places were given.
  Fare.unverified Fields of the tariff, used here, that are not verified.
  FareRider.seats Taken, 1 when absent.
  FareRider.weight For the rule `weights`.
  FareService What a taxi trip costs, and how to share it.
  FareService.Estimate What a taxi trip costs: from a distance and a duration, or from places.
  FareService.ListTariffs The tariffs that are known, with where and from when each is in force.
  FareService.Split Splits an amount among riders by a rule, so that the shares sum exactly.
  FareShare.exceedsSoloBecause Why this rider pays more than alone, when that is so.
  Fence An area that is watched beside others; its events name it.
  Fence.id 1-128 bytes of UTF-8, each once in a request.
  Fence.latitude A circle, a box or a polygon.
  GetClustersRequest.limit Clusters in one answer, 1-10000; 10000 when absent.
  GetClustersRequest.maxStalenessSeconds How old an answer may be that was worked out for somebody else; 0 when absent. Over HTTP also `Cache-Control: max-age`.
  GetClustersRequest.zoom 0-22, fractions are rounded down; or metersPerPixel.
  GetClustersResponse.age Seconds since the state was read that this answer shows.
  GetClustersResponse.coalesced Whether it was worked out for another request.
  GetClustersResponse.truncated More clusters matched than the limit allowed.
  GetClustersResponse.zoom The zoom the clusters were read at.
  GetCommuteRequest.days How many days to come are answered, 0-400; 14 when absent.
  GetCommuteRequest.riderId Who asks; a rider's commute is known to its rider alone. May be absent from services.
  GetExpansionZoomResponse.expansionZoom Absent for coincident objects, which no zoom tells apart.
  GetLeavesRequest.limit 1-1000, 20 when absent.
  GetRideOfferRequest.riderId As whom it is seen.
  GetRideRequestRequest.riderId Whose it is; may be absent from services.
  GetTicketRequest.afterVersion Waits until the ticket is of a later version.
  GetTicketRequest.waitSeconds 0-30.
  GetTileRequest.format "mvt" (default) or "json".
  GetTileRequest.ifNoneMatch The ETag of the copy the caller holds: answered `not_modified` while it is current.
  GetTileResponse.lagMilliseconds How far clusters were behind the index when the tile was read.
  GetTileResponse.tile MVT 2.1, or GeoJSON text; empty when not_modified.
  GetTileResponse.truncated The tile has more features than one answer may; each of those in it says so too.
  JoinCommuteRequest As JoinPartyRequest, without times: each day has its own.
  JoinCommuteRequest.boarding Where the rider would get in on the way.
  JoinCommuteRequest.destination Absent: the commute's.
  JoinCommuteRequest.maxShare Days on which the share would be above it are refused. Minor units.
  JoinCommuteRequest.origin Where the rider walks from, when the walk shall be checked.
  JoinCommuteRequest.seats 1 when absent.
  JoinPartyRequest.arriveBy The latest arrival if the taxi leaves at its departure time.
  JoinPartyRequest.boarding Where the rider would get in on the way: the taxi stops there or at a meeting point on its path within the rider's walk. Absent: at the party's origin.
  JoinPartyRequest.departureTime When the rider can get in; absent: whenever the taxi is there. The window is 600 when absent.
  JoinPartyRequest.destination Absent: the party's.
  JoinPartyRequest.maxRideSeconds The longest ride, and the most beyond the direct one.
  JoinPartyRequest.maxShare Refuse with share_exceeded above it. Minor units.
  JoinPartyRequest.origin Where the rider walks from, when the walk shall be checked.
  JoinPartyRequest.seats 1 when absent.
  JoinRequest A rider's request to get into a party whose host decides.
  JoinRequest.boarding Where they asked to get in on the way.
  JoinRequest.dropOff Absent: the party's destination.
  JoinRequest.endReason Why it ended: "host", "rider", "time", "joined_another_party", "departed" or "cancelled".
  JoinRequest.expiresAt Ends by itself then: never after the departure.
  JoinRequest.share What they would have paid when it was made. Minor units.
  JoinRequest.state "pending", "approved", "declined", "withdrawn" or "expired".
  LayerSummary.clusters Whether clusters and tiles are kept.
  LayerSummary.columns Numeric attributes indexed for `where`.
  LayerSummary.objectCount Live objects.
  ListCommutesRequest.riderId One of the two. With riderId: those ridden with each day, and the rider's own requests.
  ListEventsRequest.after Events after this sequence; 0 or absent: from the oldest kept.
  ListEventsRequest.waitSeconds 0-30: waits so long for a first event.
  ListEventsResponse.next Give it as `after` next time.
  ListPartiesRequest.requesterId Who waits for a host's word: parties with a pending request of theirs.
  ListPartiesRequest.riderId One of the three.
  ListPartiesRequest.state Any when absent.
  ListTariffsRequest.at Only tariffs in force then.
  MatchBatchRequest.iterations Deterministic; takes precedence over no time budget.
  MatchBatchResponse.end Why the search ended: "finished", "work_limit" (repeated, the answer is the same) or "stopped" (by the clock: repeated, the answer may differ).
  MatchCandidate.boarding Where the taxi would stop on its way, and when if it leaves at its departure time.
  MatchCandidate.timeGapSeconds Between the two departure times; with boarding, from the stop to the rider's departure time.
  MatchCandidate.yourFare Absent where the ride has no price.
  MatchCandidate.yourSaving Absent where no tariff says what the ride costs alone.
  MatchExplanation.matched Parties that hold all rules, answered or beyond the limit.
  MatchExplanation.relaxations The smallest change of each rule, as far as one helps.
  MatchExplanation.removed By rule: how many it removed; with the candidates they add up to considered.
  MatchPartiesRequest.allowsOverlap Show parties, too, that overlap one of the rider's own and that Join refuses.
  MatchPartiesRequest.boarding As in JoinPartyRequest; the departure time and window are then when the taxi may stop there.
  MatchPartiesRequest.departureTime Now when absent.
  MatchPartiesRequest.maxStalenessSeconds An answer so old will do: 0 when absent. Not together with minVersion.
  MatchPartiesRequest.maxWalkMeters Absent: each party's own limit holds.
  MatchPartiesResponse.age Seconds since it was worked out, and whether it was shared.
  MatchRelaxation.amount How much more than asked for.
  MatchRelaxation.boarding Of a walk to get in further on: the meeting point.
  MatchRelaxation.field The field of the request to change and the least value that yields a match.
  MatchRelaxation.rule "window", "seats", "walk", "detour" or "price".
  NamedPlace A place that has a name.
  NamedPlace.distanceMeters From the position asked for; absent where none was given.
  NamedPlace.id Of the object, or what the provider calls the place.
  NamedPlace.source own, naver, kakao, nominatim or photon.
  NearbyBatchItem `body` when status is 200, else `error`.
  NearbyBatchRequest.requests At most 100; each takes the layer of this request.
  NearbyRequest.limit 1-1000, 20 when absent.
  NearbyRequest.maxStalenessSeconds How old an answer may be that was worked out for somebody else; 0, the present state, when absent. Over HTTP also `Cache-Control: max-age`.
  NearbyRequest.radiusMeters Inclusive, compared in whole millimetres.
  NearbyRequest.tagMatch "all" (default) or "any".
  NearbyResponse.age Seconds since the state was read that this answer shows.
  NearbyResponse.coalesced Whether it was worked out for another request.
  NearbyResponse.unknownAttributes Attributes of `where` that no object looked at has, when nothing was found: perhaps misspelt.
  OpenTicketRequest.attributes What others may look for: texts, numbers and booleans.
  OpenTicketRequest.expiresInSeconds 3,600 when absent.
  PackedReports Columns of equal length; a handle holds for its connection.
  PackedReports.latitudeE7 Degrees times 1e7.
  PackedReports.observedAtMilliseconds For all of them: milliseconds since 1970 UTC; absent means the time of receipt.
  PackedReports.ttlSeconds For all of them; absent means the layer's default.
  Party.approval "host" where joins are requests; absent: whoever joins is aboard.
  Party.commuteId The commute of which it is a day.
  Party.endReason Why it was cancelled.
  Party.fare Absent where the ride has no price; then no share of it is told either.
  Party.holdSeats Whether a pending request keeps its seats from others.
  Party.joinRequests Requests to join, oldest first: all that are pending and the last that ended. Hosts and services see all, riders their own.
  Party.originPrecision "snapped" where others than members see the middle of a cell of 250 m; absent: all see it exactly.
  Party.pendingRequests How many are pending.
  Party.perPersonNow What a seat pays if the taxi leaves as it is, and once every seat is taken.
  Party.riders Host first.
  Party.seats In all, host included.
  Party.snappedOrigin What others see as the origin, and what is searched, routed and priced; only where it is snapped.
  Party.state "open", "full", "departed", "cancelled" or "ended".
  Party.version Opaque; grows with each change.
  PartyFare.shares By rider; they sum to `expected`. Alone-fares stand in them where a tariff says them.
  PartyFare.source "estimate", the provider whose route was priced, or "agreed".
  PartyFare.tariffId Of what rides cost alone, too, where the fare was agreed; absent where there is none.
  PartyListResponse.age Seconds since it was worked out, and whether it was shared.
  PartyPolicy.maxWalkMeters Bind every rider, whatever wider limits they state.
  PartyPolicy.pack The named pack of rules that is in force beside, such as "kr-small-taxi". In answers.
  PartyPolicy.sameAttributes Attributes that must be the same for everyone aboard, such as "gender".
  PartyResponse.joinRequest Of Join where the host decides, and of the commands on requests.
  PartyResponse.version For `minVersion` of reads of the layer `parties`.
  PartyRider.acceptedShare What this rider agreed to pay at most.
  PartyRider.attributes In requests: what policies look at.
  PartyRider.boarding Where the taxi stops for this rider on its way, and when it does if it leaves at its departure time; absent: they get in at the origin.
  PartyRider.dropOff Absent: the party's destination.
  PartyRider.maxRideSeconds The rider's own limits of time, where they stated any.
  PartyRider.maxShare In requests: refuse with share_exceeded above it. Minor units.
  PartyRider.maxWalkMeters In requests: this rider's own limits; the party's are in force for the others.
  PartyRider.origin In requests: where the rider walks from, when the walk shall be checked.
  PartyRider.seats Taken by this rider, 1 when absent.
  PartyRider.share Minor units.
  PartyRider.walkMeters To there.
  PartyRider.weight For the rule `weights`.
  PartyRoute.path [longitude, latitude] pairs.
  PartyRoute.stopOrder Rider ids in the order of getting out.
  PartyRoute.stops Who gets in and out, in order; empty where everyone gets in at the origin.
  PartyService People who share one taxi: created, found, joined exactly once, left, settled. Commands are set-state: repeated, they change nothing more. `idempotency-key` (metadata or the header Idempotency-Key) makes a repeated command answer what it answered first.
  PartyService.AcceptRideOffer The rider would ride so. Once all of an offer have accepted, it is a party.
  PartyService.ApproveJoin The host lets a rider in who asked: a join at this moment, by all its rules. Refused, the request stays pending.
  PartyService.Cancel Calls a party off before it leaves.
  PartyService.Create Makes a party with everyone who comes along, or nothing.
  PartyService.DeclineJoin The host says no.
  PartyService.DeclineRideOffer The rider would not, which ends the offer; the requests of all of it go on.
  PartyService.Depart The taxi leaves: nobody joins any more. From the start of the window on.
  PartyService.Get One party.
  PartyService.GetRideOffer One offer.
  PartyService.GetRideRequest One standing request.
  PartyService.Join Takes a seat, once however often it is sent; where the host decides, asks for it.
  PartyService.Leave Gives the seat back.
  PartyService.List The parties of a rider or a host, newest first.
  PartyService.ListRideOffers Offers to a rider whose standing requests were matched with others: open ones and the last that ended, newest first.
  PartyService.ListRideRequests Standing requests of a rider, oldest first.
  PartyService.Match The parties that a rider's trip fits, the best first, with price, walk and detour.
  PartyService.MatchBatch Sorts waiting requests into taxis that save most.
  PartyService.PreviewJoin What joining would mean for everyone aboard, without joining.
  PartyService.RemoveRider Takes a rider out, as a no-show or because the host says so.
  PartyService.Search Open and full parties near a place or in a box.
  PartyService.Settle Splits the real amount by the party's rule.
  PartyService.Update Changes time, window or seats; refused where a rider's limits break.
  PartyService.Watch Events of one party, for as long as the caller listens.
  PartyService.WatchMatches Tells which parties match a trip, for as long as the caller listens or the request stands.
  PartyService.WithdrawJoin The rider no longer asks.
  PartyService.WithdrawRideRequest Ends a standing request.
  PartySettlement.amount What the meter said, tolls included.
  PartySettlement.shares They sum to the amount.
  PartyStop One halt of one rider.
  PartyStop.distanceMeters By the route from the origin, and from the departure on.
  PartyStop.kind "board" or "alight".
  Place A named point.
  PlaceService Places by name, and names by place.
  PlaceService.Reverse The named places nearest to a position.
  PlaceService.Search Places by name, also by the beginning of a name or its initial consonants.
  PlanRouteRequest.keepOrder Keep the stops in the order given.
  PlanRouteResponse.path [longitude, latitude] pairs.
  PlanRouteResponse.stopOrder Indices into the request's stops.
  Point A point in degrees on WGS 84.
  Polygon Closed by itself; edges are straight in degrees and go the short way round in longitude.
  PopularTag.count 0: one of the service's own.
  Position.attributes At most 2 KiB encoded.
  Position.id 1-128 bytes of UTF-8.
  Position.observedAt Absent, or more than 5 s ahead: the time of receipt.
  Position.tags At most 32 of 1-64 bytes each, after normalisation.
  Position.ttlSeconds 1-86400; absent means the layer's default, 0 means never expires.
  PositionService Positions of objects in layers: reported, expiring, found again.
  PositionService.DeleteLayer Ends a layer with all that is in it; a report begins it anew.
  PositionService.Get Where an object is.
  PositionService.ListLayers The layers there are, with how much is in each.
  PositionService.Nearby The nearest objects to a place, the nearest first.
  PositionService.NearbyBatch Many questions of Nearby at once, answered in their order.
  PositionService.Remove Takes an object out of its layer.
  PositionService.Report Takes positions of objects: what is known becomes newer, what is new appears.
  PositionService.StreamReports Takes positions for as long as the caller sends them; gRPC alone.
  PositionService.TagHistogram How many objects of an area carry which tags.
  PositionService.Watch Tells what enters, moves in and leaves an area, for as long as the caller listens.
  PositionService.Within The objects in a box or a polygon.
  PreviewJoinRequest.boarding As in JoinPartyRequest.
  PreviewJoinResponse.boarding Where the taxi would stop for the rider on its way, when, and how far they walk there.
  PreviewJoinResponse.now What joining would mean now: the same shape as `ifFull`.
  PreviewJoinResponse.refusal Set when the join would be refused: the reason it would answer.
  PreviewShare.sharedRatio The part of the ride with someone else aboard, 0-1.
  ProposeRequest.matchIfAsked When the other one has asked already: true, and when absent, makes the match; false refuses.
  RateUserRequest.comment At most 500 bytes.
  RateUserRequest.reputation The app's own words, 1 or 0 by their place in its list.
  RateUserRequest.stars 1-5.
  RegisterHandles Ids must have been reported before: a handle moves an object, it does not describe one.
  Rejection.index Index in the request's list.
  RemoveRiderRequest.hostId Who removes: the host; may be absent from services.
  RemoveRiderRequest.reason "no_show" or "host".
  RemoveRiderRequest.riderId Who is removed.
  ReportRequest.positions At most 1,000.
  ReversePlacesResponse.places Nearest first.
  RideOffer A taxi that riders with standing requests would share, as one of them sees it. Firm once all have accepted.
  RideOffer.answer The rider's: "pending", "accepted" or "declined".
  RideOffer.boarding Where the rider gets in on the way; absent: at the origin.
  RideOffer.endReason Why it was withdrawn: the reason of a refusal, or "request_ended".
  RideOffer.expiresAt Nobody can accept from then on.
  RideOffer.fare Of the whole ride. Minor units.
  RideOffer.origin Where those get in who do not on the way.
  RideOffer.partyId The party that it became.
  RideOffer.requestId The rider's standing request.
  RideOffer.riders How many riders would share the taxi, and how many of them have accepted.
  RideOffer.share What the rider would pay, and alone. Minor units.
  RideOffer.state "open", "confirmed", "declined", "expired" or "withdrawn".
  RideRequest What WatchMatches with `store` keeps until it is withdrawn, its rider joins a party or its window ends.
  RideRequest.commuteId The commute of which it is a day.
  RideRequest.foundPartyIds Parties that were told already, each once.
  RideRequest.offerId The offer that waits for answers.
  RideRequest.state "open" or "withdrawn".
  RideRequestListResponse.requests Oldest first; at most as many as a rider may have.
  RouteService How far, how long, in which order of stops.
  RouteService.Plan How far and how long a way through stops is, and in which order they cost least.
  RouteStop.kind "pick_up", "drop_off" or "stop" (default). A rider's pick-up comes before the drop-off.
  SearchPartiesRequest.from Departure windows that meet [from, to].
  SearchPartiesRequest.latitude Either a place with a radius (1,000 m when absent) or a box.
  SearchPartiesRequest.maxStalenessSeconds An answer so old will do: 0 when absent. Not together with minVersion.
  SearchPartiesRequest.seats Free at least; full parties are listed only when absent or 0.
  SearchPlacesRequest.latitude Where the asker is; both or none.
  SearchPlacesRequest.q A name, part of one, its initial consonants, or an address.
  SearchPlacesRequest.radiusMeters Only places so near; needs a position.
  SearchPlacesResponse.places Best match first, then nearest.
  SearchTicketsRequest.explain Answers why people stand where they stand, and whom each rule removed.
  SearchTicketsRequest.limit 20 when absent.
  SearchTicketsRequest.lookingAt Absent: where the searcher looks by their ticket, or is.
  SearchTicketsRequest.radiusMeters 3,000 when absent.
  SearchTicketsRequest.tags Absent and empty: those of the searcher's ticket. "anything" matches all.
  SearchTicketsRequest.wanted Beside those of the searcher's ticket.
  SearchTicketsResponse.around Best first.
  SearchTicketsResponse.askedMe Who asked the searcher, oldest first; not in `around`.
  SearchTicketsResponse.version Of the layer `tickets`.
  SettlePartyRequest.amount Minor units, tolls included.
  SplitFareRequest.seed For the sampled Shapley value beyond four riders.
  StoredPosition A stored position as reported, with its age.
  StoredPosition.expiresAt Absent when it never expires.
  StreamReportsRequest A first message of a stream names the layer; each further one carries positions, ids to register, or packed columns for handles registered on this connection.
  StreamReportsRequest.sequence Sent back in the answer to this message.
  StreamReportsResponse.handles One for each registered id, in order; 0 where the id is unknown.
  TagHistogramRequest The area is a box, a polygon, a circle, or all of the layer.
  Tariff.superseded Absent while it is in force.
  Ticket.dodgedBy Which of the two called the last match off.
  Ticket.here Where the person is, exactly: only they see it.
  Ticket.lastMatchedWith The one they met last.
  Ticket.lookingAt Where they look; absent: where they are.
  Ticket.online Whether the person was heard of just now.
  Ticket.penaltyUntil No waiting before it.
  Ticket.proposalsFrom Who asked and still waits, oldest first.
  Ticket.proposalsTo Whom the person asked, and who still waits, oldest first.
  Ticket.reviewed Whether the person has rated the one they meet, or met last.
  Ticket.shownAt Where others see them, and how wide the cell is of which that is the middle.
  Ticket.state "open", "matched", "closed" or "expired".
  Ticket.version Grows with each change.
  TicketExplanation.removed By rule: distance, expired, tags, wanted, online, rating, wantedByThem, blocked.
  TicketPerson Somebody who waits, as others see them.
  TicketPerson.asked Whether the searcher has asked them.
  TicketPerson.distanceMeters From where the searcher looks, both ends as others see them.
  TicketPerson.latitude The middle of the cell in which the person is.
  TicketPerson.score With `explain`.
  TicketPerson.stars On average; absent: unrated.
  TicketRanking What people are ordered by; absent weights are the service's.
  TicketResponse.version For `minVersion` of reads of the layer `tickets`.
  TicketScore What each weight contributes to a person's place.
  TicketService People who wait for somebody with the same interests nearby: they ask, accept, meet and rate. `userId` is who acts, `otherId` whom it concerns. Others see a person at the middle of a cell of 250 m to 2 km; only people themselves are shown their exact place. Commands are set-state and take `idempotency-key`, as those of parties do.
  TicketService.Accept Takes a proposal up: both are matched.
  TicketService.Block Never meets somebody again.
  TicketService.Close Somebody waits no longer.
  TicketService.Decline Turns a proposal down.
  TicketService.Dodge Leaves a match that was made, which costs a while of waiting.
  TicketService.Get A ticket as it is, or once it has changed.
  TicketService.Heartbeat Says that somebody is still there, and where.
  TicketService.Open Lets somebody wait for people to meet, or changes what they wish for.
  TicketService.Propose Asks somebody to meet.
  TicketService.Rate Says how a meeting went.
  TicketService.ReportUser Tells that somebody has behaved badly.
  TicketService.Search Who waits near a place and fits, the best first.
  TicketService.Unblock Lets two people meet again.
  TicketService.Watch Events of somebody's ticket, for as long as the caller listens.
  TicketService.Withdraw Takes a proposal back.
  UpdateCommuteRequest What is absent or empty stays as it is.
  UpdateCommuteRequest.added Dates that run from now on, removed ones too.
  UpdateCommuteRequest.arriveBy Of the arrival at the latest, as clocks of the zone show it; "" for none.
  UpdateCommuteRequest.attributes In place of those before, unless empty; a user's are those of the token.
  UpdateCommuteRequest.boarding Of a rider's commute, as in WatchMatchesRequest.
  UpdateCommuteRequest.cleared Fields of the trip that are from now on as though they had never been given, such as "tags" or "maxShare"; not origin, destination and attributes.
  UpdateCommuteRequest.holidays A calendar; "" for none.
  UpdateCommuteRequest.hostSeats Of a host's commute, as in CreatePartyRequest.
  UpdateCommuteRequest.includeAppeared Days that have appeared, would be others now, and that nobody has joined are made anew.
  UpdateCommuteRequest.removed Dates that no longer run, added ones too.
  UpdateCommuteRequest.restored Dates that are neither added nor removed any more.
  UpdateCommuteRequest.riderId Who made it; may be absent from services.
  UpdateCommuteRequest.tags In place of those before.
  UpdateCommuteRequest.weekdays In place of those before.
  UpdatePartyRequest.riderId The host.
  WantedAttribute Others must have one of these values.
  WatchMatchesEvent.kind "candidates" (those there are now), "candidate" (one more), "gone", "offer" (one to the rider, new or changed).
  WatchMatchesEvent.matchId Of a stored request.
  WatchMatchesRequest The fields of MatchPartiesRequest, with the same numbers.
  WatchMatchesRequest.resumeToken A soft stream: it begins with what is there now, whatever the token.
  WatchMatchesRequest.store Keeps the request until its window ends and reports through the event feed.
  WatchPartyRequest Without a token and version: what happens from now on.
  WatchPartyRequest.afterVersion Of the party, as an answer gave it: what happened after it, then what happens.
  WatchPositionsEvent Fields 1 to 8 as in Hit; an exit has the id alone.
  WatchPositionsEvent.distanceMeters From the centre of a circle.
  WatchPositionsEvent.fenceId Of a request with fences.
  WatchPositionsEvent.kind "enter" (also for an object that changed without leaving, when events were merged), "move", "exit"; "reset": forget all objects, those present follow; "heartbeat" (gRPC).
  WatchPositionsEvent.snapshot Whether it belongs to the objects present at the start or after a reset.
  WatchPositionsRequest One area (a circle, a box or a polygon), or fences; a filter; what to hear of.
  WatchPositionsRequest.fences At most 10,000, instead of one area.
  WatchPositionsRequest.intervalMilliseconds Least time between two batches of events, in which moves of one object merge; 100 when absent, 50-60000.
  WatchPositionsRequest.kinds "enter", "move", "exit"; all when empty.
  WatchPositionsRequest.tagMatch "all" (default) or "any".
  WatchTicketRequest.afterVersion Of the ticket, as an answer gave it: what happened after it, then what happens.
  WatchTilesEvent.kind "reset" (fetch every tile of the viewport), "changed".
  WatchTilesRequest.intervalMilliseconds Least time between two events; 250 when absent, 50-60000.
  WithdrawJoinRequest.riderId Whose it is; may be absent from services.
  WithdrawRideRequestRequest.riderId Whose it is; may be absent from services.
  WithinRequest A box (all four edges) or a polygon.
  WithinRequest.maxStalenessSeconds As in NearbyRequest.
  WithinRequest.within The same as `polygon`, by the name that Nearby uses.
  WithinResponse.age As in NearbyResponse.
  """#
