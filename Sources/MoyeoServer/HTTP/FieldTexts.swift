/// What a field means wherever it has this name and the declaration says nothing of its own, for
/// /openapi.json.
enum FieldTexts {
  /// - Parameter name: lowerCamelCase.
  /// - Returns: One sentence or phrase; nil: nothing is said.
  static func text(of name: String) -> String? { all[name[...]].map(String.init) }

  private static let all: [Substring: Substring] = Dictionary(
    uniqueKeysWithValues: lines.split(separator: "\n").compactMap { line in
      guard let space = line.firstIndex(of: " ") else { return nil }
      return (line[..<space], line[line.index(after: space)...])
    })

  /// A name, a space, the text; by name.
  private static let lines = """
    aboard Ids of the riders aboard on this leg.
    accepted How many were taken.
    address As the provider writes it.
    after Only events above this sequence.
    ageSeconds Seconds since the position was observed.
    aggregates By attribute: sum, least and greatest value of the members.
    agreedFare What the whole ride costs, whatever a meter would say.
    allowRaisedShares Whether a share may rise when somebody leaves.
    allowsOverlap Also parties that overlap one of the rider's own.
    amount In minor units of the currency.
    approval "host" where who joins asks the host first.
    area The name of an area of tariffs, such as "kr-seoul".
    arriveBy The latest arrival if the taxi leaves at its departure time.
    at When it happened.
    attribute The name of an attribute.
    attributes Names with texts, numbers or booleans, made by the app.
    bannedUntil Takes part in nothing before it.
    bearingDegrees From the place asked for, clockwise from north, 0 to 360.
    blocked Ids of people whom this one never meets.
    boarding Where the rider gets in on the way.
    boardingTime When the taxi stops there if it leaves at its departure time.
    body The answer, or what an event tells.
    bounds The box around all members.
    box Edges included; west > east crosses 180 degrees.
    called The taxi is called, so that a call fee is due.
    candidates Parties that match, the best first.
    category What kind of place it is, in the provider's words.
    cellMeters How wide the cell is in which the person is shown.
    clusterId As `id` of a cluster gave it.
    clusters In no order.
    coalesced Whether it was worked out for another request.
    code The gRPC status, such as "INVALID_ARGUMENT".
    comments What others wrote about the person, newest first.
    commonTags For tags that both carry; of a person, those tags.
    commute As it is after the call.
    considered How many were looked at.
    contentType Of the tile.
    count How many.
    createdAt When it was made.
    currency ISO 4217, such as "KRW".
    cursor `nextCursor` of the page before; the request is otherwise the same.
    departureTime When the taxi leaves, or when the rider wants to; RFC 3339.
    departureWindowSeconds How much earlier or later the departure may be, in seconds.
    destination Where the trip ends.
    destinationRadiusMeters How far from the destination, in meters.
    detourSeconds What the ride takes beyond the direct one, in seconds.
    distance For being near.
    distanceMeters In meters.
    dropOff Where the rider gets out.
    durationSeconds In seconds.
    east Longitude of the eastern edge, in degrees.
    effective In force from here on.
    endedAt When it ended.
    endReason Why it ended.
    error Why there is no answer.
    etag Names this state of the tile.
    events In the order of their commits.
    excludeIds Objects that are not wanted.
    expected The fare that is expected, in minor units.
    expiresAt Until then, unless it is renewed.
    explain Also tell what each rule removed.
    explanation What each rule removed; where it was asked for.
    fallbackReason Why the source is not the one configured.
    fare What the trip costs.
    field The field that is meant, as JSON calls it.
    fields All fields that are wrong.
    from The beginning of a time; included.
    groups One taxi each.
    handles Numbers that stand for ids on this connection.
    here Where the person is, exactly.
    high The most that it may come to, in minor units.
    highDurationSeconds The most that it may take, in seconds.
    hits In the order that the call names.
    holdSeats Whether a pending request keeps its seats from others.
    hostId Who offers the party.
    hostSeats Seats that the host and who comes along take.
    id Names one of its kind.
    ids Of objects.
    ifFull The same once every seat is taken.
    iterations Steps of the search that were taken.
    joinedAt When the rider got in.
    joinRequest The request to join that the answer is about.
    joinRequests Requests to join, oldest first, as far as the reader may see them.
    kind What it is.
    kinds Only these kinds; all when empty.
    lagMilliseconds How far clusters were behind the index when they were read.
    lastSeen For having been heard of lately.
    lastSeenSeconds Seconds since the person was heard of.
    latitude Degrees north, WGS 84.
    layer Lower case letters, digits, `_` and `-`; at most 63.
    layers By name.
    legs From one stop to the next, in order.
    limit How many at most.
    lines What the fare is made of.
    localTime As clocks of the zone show it, such as "07:45".
    longitude Degrees east, WGS 84.
    longitudeE7 Degrees times 1e7.
    lookingAt Where the person looks for others.
    low The least that it may come to, in minor units.
    lowDurationSeconds The least that it may take, in seconds.
    matchedWith Whom the person meets.
    matchId Names a match of two people, or a standing request.
    matching How many fit.
    max The greatest value that fits; included.
    maxAgeSeconds Only positions observed so lately, in seconds.
    maxDetourRatio The most of the ride's length to the direct one's; 1 allows no detour.
    maxDetourSeconds The most beyond the direct ride, in seconds.
    maxRideSeconds The longest ride, in seconds.
    maxSeats Of one taxi.
    maxShare The most that the rider pays, in minor units.
    maxWalkMeters The farthest walk, in meters.
    message A whole sentence for people; programs read `reason`.
    metersPerPixel Of the map that is drawn, in place of a zoom.
    min The least value that fits; included.
    minimumStars Only people rated so well on average.
    minorUnitDigits Decimal digits of the minor unit: 0 for KRW, 2 for USD.
    minSharedRatio The part of the way that must be shared, 0-1.
    minVersion Waits for a state that holds the change which answered this version.
    name What it is called.
    nextCursor Give it as `cursor` for the next page; absent on the last one.
    north Latitude of the northern edge, in degrees.
    notModified The caller's copy is current.
    notTags None of these.
    observedAt When the object was there.
    offer A ride that was put together for the rider and waits for their answer.
    offers Rides that were put together for the rider, the newest first.
    online Whether the person was heard of just now; in a ranking, its weight.
    onlineOnly Only people who were heard of just now.
    origin Where the trip begins.
    originPrecision "exact", or "snapped" where only members see where exactly they meet.
    otherId Whom it concerns.
    packed Positions by handles, in columns.
    parties In the order that the call names.
    party As it is after the call.
    partyId Which party.
    payerId Who paid the driver.
    pendingRequests How many requests to join wait for the host.
    perPersonIfFull What a seat pays once every seat is taken, in minor units.
    pickUp Where everyone gets in.
    pointCount How many objects it stands for.
    points The corners, in order; the last one leads back to the first.
    policy Rules that bind everyone aboard.
    policyPack A set of rules by its name, shipped or the operator's.
    polygon An area by its corners.
    popularTags What many who wait there look for.
    position As it was reported last.
    positions By id, place and time.
    quantity How many units the line counts.
    radiusMeters How far from the place, in meters; included.
    ranking What people are ordered by.
    rating For being rated well.
    reason A word for programs; those of a call are listed with its refusals.
    refusalMessage The same as a sentence.
    register Ids that get handles.
    rejections Those that were not taken, and why.
    relaxation The smallest changes of the request with which something matches.
    removed Whether there was something to remove.
    reputation The app's own words about the person, by how often they were chosen.
    request The request as it stands.
    requesterId Who waits for a host's word.
    requestId Of a request to join.
    requests In the order in which they are answered.
    responses In the order of the requests.
    resumeToken Where a stream goes on: give that of the last event.
    retryAfterMilliseconds When another try may go better.
    riderCount How many are aboard.
    riderId Who rides.
    riderIds Who rides.
    riders Who rides.
    rideSeconds How long the rider is aboard, in seconds.
    route The way the taxi takes.
    rule What is applied, by its name.
    saving What is paid less than alone, in minor units.
    seats How many seats.
    seatsFree Seats that nobody has taken.
    seed Repeats a random search exactly.
    segments Parts of the way, each with its own speed.
    sequence As the request gave it.
    settlement What was paid in the end.
    share What the rider pays, in minor units.
    sharedRatio The part of the ride with somebody else aboard, 0-1.
    shares What each rider pays.
    snappedOrigin What others than members see as the origin.
    soloFare What the rider would pay alone, in minor units.
    source Where it comes from.
    south Latitude of the southern edge, in degrees.
    splitRule How the fare is shared.
    status Of HTTP.
    stopOrder Ids in the order of getting out.
    stops In order, as far as it is given.
    tag One tag, normalised.
    tagMatch "all" (default) or "any".
    tags Words that objects carry, in lower case.
    tariffEffective Since when the tariff is in force.
    tariffId The tariff, such as "kr-seoul"; absent: found from the place.
    tariffName What the tariff is called.
    tariffs With all their versions.
    tariffSource Who publishes the tariff.
    ticket As it is after the call.
    tiles Those that have changed.
    timeBudgetMilliseconds How long the search may take.
    timeZone In which the tariff's hours are meant.
    to The end of a time; included.
    tolls What is paid for roads, in minor units.
    total The sum that orders people.
    unknownAttributes Attributes of `where` that no object looked at has: perhaps misspelt.
    unmatched Requests that share no taxi.
    unverifiedFields Fields of the tariff whose source was not read.
    userId Who acts, or whose it is.
    value How much.
    values Any of them fits.
    vehicleClass Of the tariff, such as "standard" or "jumbo".
    vehicleClasses Those that the tariff has a price for.
    verified Whether every field was read in its source.
    version Opaque; grows with each change. For `minVersion`.
    walkMeters How far the rider walks, in meters.
    wanted What others must have.
    weight Of the rider, for the rule `weights`.
    west Longitude of the western edge, in degrees.
    where Conditions on attributes; all of them hold.
    within An area by its corners.
    x Column of the tile, from the west.
    y Row of the tile, from the north.
    yourFare What the rider pays, in minor units.
    yourSaving What the rider pays less than alone, in minor units.
    zoom Of the map, 0 to 22.
    """
}
