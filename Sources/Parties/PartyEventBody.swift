import DurableCommands
import GeoMath
import RideMatching
import TaxiFares
import WireFormat

/// What a party's event says, as a JSON object: the names of the API's Party where it has them.
enum PartyEventBody {
  static let kinds: Set<String> = [
    "party.created", "party.joined", "party.left", "party.removed", "party.host_changed",
    "party.updated", "party.shares_changed", "party.departing", "party.departed",
    "party.cancelled", "party.ended", "party.settled", "party.join_requested",
    "party.request_approved", "party.request_declined", "party.request_withdrawn",
    "party.request_expired",
  ]

  /// The body of an event.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - party: After the change.
  /// - Returns: A JSON object as UTF-8.
  static func bytes(_ event: PartyEvent, _ party: Party) -> [UInt8] {
    JSONWriter.object { json in
      switch event.detail {
      case .created(let party): created(party, &json)
      case .joined(let rider):
        json.string("riderId", rider.id)
        json.integer("seats", Int64(rider.seats))
        if let drop = rider.dropOff { place("dropOff", drop, &json) }
        if let boarding = rider.boarding {
          place("boarding", boarding.place, &json)
          if let time = party.boardingTime(rider.id) {
            json.string("boardingTime", RFC3339.utc(time))
          }
        }
        seats(party, &json)
      case .left(let id):
        json.string("riderId", id)
        seats(party, &json)
      case .removed(let id, let reason):
        json.string("riderId", id)
        json.string("reason", reason.rawValue)
        seats(party, &json)
      case .hostChanged(let from, let to):
        json.string("from", from)
        json.string("hostId", to)
      case .updated(let window, let total):
        json.string("departureTime", RFC3339.utc(window.time))
        json.number("departureWindowSeconds", Double(window.toleranceMilliseconds) / 1000)
        json.integer("seats", Int64(total))
        json.integer("seatsFree", Int64(party.seatsFree))
        json.string("state", party.state.rawValue)
      case .sharesChanged(let ride): shares(ride, party, &json)
      case .departing:
        json.string("departureTime", RFC3339.utc(party.window.time))
        seats(party, &json)
      case .departed(let byHost): json.bool("byHost", byHost)
      case .cancelled(let reason): json.string("reason", reason)
      case .ended: json.string("state", party.state.rawValue)
      case .settled(let settlement): settled(settlement, party, &json)
      case .joinRequested(let request): requested(request, party, &json)
      case .requestEnded(let id, let rider, let state, let reason):
        json.string("requestId", id)
        json.string("riderId", rider)
        json.string("requestState", state.rawValue)
        json.string("reason", reason.rawValue)
        json.integer("pendingRequests", Int64(party.pendingRequests.count))
        seats(party, &json)
      }
    }
  }

  private static func created(_ party: Party, _ json: inout JSONWriter) {
    json.string("hostId", party.hostID)
    if let commute = party.commuteID { json.string("commuteId", commute) }
    place("origin", party.origin, &json)
    place("destination", party.destination, &json)
    json.string("departureTime", RFC3339.utc(party.window.time))
    json.number(
      "departureWindowSeconds", Double(party.window.toleranceMilliseconds) / 1000)
    json.integer("seats", Int64(party.seats))
    seats(party, &json)
    json.strings("tags", party.tags)
    json.objects("riders", party.riders) { rider, json in
      json.string("riderId", rider.id)
      json.integer("seats", Int64(rider.seats))
      if party.hasPrice { json.integer("share", rider.share) }
    }
    if party.needsApproval {
      json.string("approval", "host")
      json.bool("holdSeats", party.holdsSeats)
    }
    fare(party, &json)
  }

  private static func requested(
    _ request: PartyJoinRequest, _ party: Party, _ json: inout JSONWriter
  ) {
    json.string("requestId", request.id)
    json.string("riderId", request.riderID)
    json.string("requestState", request.state.rawValue)
    json.string("expiresAt", RFC3339.utc(request.expiresAt))
    json.integer("seats", Int64(request.seats))
    if let drop = request.join.destination { place("dropOff", drop, &json) }
    if let boarding = request.join.boarding { place("boarding", boarding, &json) }
    if party.hasPrice { json.integer("share", request.share) }
    json.integer("pendingRequests", Int64(party.pendingRequests.count))
    seats(party, &json)
  }

  private static func seats(_ party: Party, _ json: inout JSONWriter) {
    json.integer("seatsFree", Int64(party.seatsFree))
    json.string("state", party.state.rawValue)
  }

  private static func shares(_ ride: PricedRide, _ party: Party, _ json: inout JSONWriter) {
    json.objects("shares", ride.riders) { terms, json in
      json.string("riderId", terms.riderID)
      if party.hasPrice { json.integer("share", terms.share) }
      json.number("rideSeconds", terms.rideSeconds)
      json.number("detourSeconds", terms.detourSeconds)
      if party.hasTariff {
        json.integer("soloFare", terms.soloFare)
        json.integer("saving", terms.saving)
      }
    }
    json.strings("stopOrder", party.route.stopOrder)
    if !ride.route.stops.isEmpty {
      json.objects("stops", ride.route.stops) { stop, json in
        json.string("riderId", stop.riderID)
        json.string("kind", stop.isBoarding ? "board" : "alight")
        json.number("distanceMeters", stop.meters)
        json.number("durationSeconds", stop.seconds)
      }
    }
    fare(party, &json)
  }

  /// Nothing where the ride has no price.
  private static func fare(_ party: Party, _ json: inout JSONWriter) {
    guard party.hasPrice else { return }
    let fare = party.fare
    json.string("currency", fare.currency)
    json.integer("expected", fare.expected)
    json.integer("perPersonNow", fare.perPersonNow)
    json.integer("perPersonIfFull", fare.perPersonIfFull)
  }

  private static func settled(
    _ settlement: PartySettlement, _ party: Party, _ json: inout JSONWriter
  ) {
    json.string("payerId", settlement.payerID)
    json.integer("amount", settlement.amount)
    json.integer("tolls", settlement.tolls)
    json.objects("shares", settlement.shares) { share, json in
      json.string("riderId", share.riderID)
      json.integer("amount", share.amount)
    }
  }

  static func place(_ name: String, _ place: RidePlace, _ json: inout JSONWriter) {
    json.object(name) { json in
      json.string("name", place.name)
      json.number("latitude", place.coordinate.latitude)
      json.number("longitude", place.coordinate.longitude)
    }
  }
}
