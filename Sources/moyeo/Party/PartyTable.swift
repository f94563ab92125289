import MoyeoAPI
import SwiftProtobuf

/// Parties as text.
enum PartyTable {
  static func money(_ amount: Int64, _ fare: Moyeo_V1_PartyFare) -> String {
    let digits =
      fare.hasMinorUnitDigits
      ? Int(max(0, min(6, fare.minorUnitDigits))) : MoneyText.minorUnitDigits(fare.currency)
    return MoneyText.format(amount, digits: digits)
  }

  /// One party with its riders.
  static func print(_ party: Moyeo_V1_Party, _ clock: LocalClock) {
    for line in lines(party, clock) { Swift.print(TextTable.printable(line)) }
  }

  static func lines(_ party: Moyeo_V1_Party, _ clock: LocalClock) -> [String] {
    let fare = party.fare
    var lines = [
      "party \(party.id)  \(party.state)\(party.hasEndReason ? " (\(party.endReason))" : "")",
      "\(name(party.origin)) -> \(name(party.destination)), "
        + "\(NumberText.distance(party.route.distanceMeters)), "
        + "\(NumberText.duration(party.route.durationSeconds)), route: \(party.route.source)",
      "departs \(clock.text(party.departureTime)) "
        + "+- \(NumberText.duration(party.departureWindowSeconds)), \(seats(party))",
      price(party),
    ]
    if party.hasApproval {
      lines.append(
        "the host decides who gets in; \(party.pendingRequests) waiting"
          + (party.holdSeats ? ", their seats are held" : ""))
    }
    if !party.tags.isEmpty { lines.append("tags " + party.tags.joined(separator: " ")) }
    if !party.policy.sameAttributes.isEmpty {
      lines.append("same for all: " + party.policy.sameAttributes.joined(separator: ", "))
    }
    if !party.riders.isEmpty {
      var table = TextTable([
        ("rider", .left), ("seats", .right), ("share", .right), ("alone", .right),
        ("saves", .right), ("detour", .right), ("gets out at", .left),
      ])
      for rider in party.riders {
        table.append([
          rider.riderID + (rider.riderID == party.hostID ? " (host)" : ""), "\(rider.seats)",
          rider.hasShare ? money(rider.share, fare) : "",
          rider.hasSoloFare ? money(rider.soloFare, fare) : "",
          rider.hasSaving ? money(rider.saving, fare) : "",
          NumberText.duration(rider.detourSeconds),
          rider.hasDropOff ? name(rider.dropOff) : "",
        ])
      }
      lines += [""] + table.lines
    }
    lines += party.joinRequests.map { joinRequest($0, clock) }
    if party.hasSettlement {
      let settlement = party.settlement
      lines.append("settled: \(settlement.payerID) paid \(money(settlement.amount, fare))")
      for share in settlement.shares where share.riderID != settlement.payerID {
        lines.append("  \(share.riderID) owes \(money(share.amount, fare))")
      }
    }
    return lines
  }

  private static func price(_ party: Moyeo_V1_Party) -> String {
    guard party.hasFare else { return "no price: no tariff is known here and none was agreed on" }
    let fare = party.fare
    let total = "fare \(money(fare.expected, fare)) \(fare.currency)"
    let seat =
      "a seat: \(money(party.perPersonNow, fare)) now, "
      + "\(money(party.perPersonIfFull, fare)) if full"
    guard fare.source != "agreed" else { return "\(total), agreed on; \(seat)" }
    return "\(total) (\(money(fare.low, fare))-\(money(fare.high, fare))); \(seat)"
  }

  /// One request to join.
  static func joinRequest(_ request: Moyeo_V1_JoinRequest, _ clock: LocalClock) -> String {
    var out = "request \(request.id) of \(request.riderID): \(request.state)"
    if request.state == "pending" { out += " until \(clock.text(request.expiresAt))" }
    if request.hasEndReason { out += " (\(request.endReason))" }
    return out
  }

  /// Seats are free while somebody can still take one.
  private static func seats(_ party: Moyeo_V1_Party) -> String {
    ["open", "full"].contains(party.state)
      ? "\(party.seatsFree) of \(party.seats) seats free" : "\(party.seats) seats"
  }

  static func list(_ parties: [Moyeo_V1_Party], nextCursor: String?, _ clock: LocalClock) {
    guard !parties.isEmpty else { return Terminal.note("no parties") }
    var table = TextTable([
      ("party", .left), ("state", .left), ("free", .right), ("departs", .left),
      ("from", .left), ("to", .left), ("a seat if full", .right), ("", .left),
    ])
    for party in parties {
      table.append([
        party.id, party.state, "\(party.seatsFree)/\(party.seats)",
        clock.text(party.departureTime), name(party.origin), name(party.destination),
        party.hasPerPersonIfFull ? money(party.perPersonIfFull, party.fare) : "",
        party.fare.currency,
      ])
    }
    table.print()
    if let nextCursor { Terminal.note("more: --cursor \(nextCursor)") }
  }

  static func name(_ place: Moyeo_V1_Place) -> String {
    if place.hasName, !place.name.isEmpty { return place.name }
    return JSONOutput.numberText(place.latitude) + "," + JSONOutput.numberText(place.longitude)
  }

  static func event(_ event: Moyeo_V1_Event, _ clock: LocalClock) -> String {
    var out = "\(event.sequence)  \(clock.text(event.at))  \(event.kind)"
    if event.hasPartyID { out += "  \(event.partyID)" }
    if event.hasCommuteID { out += "  \(event.commuteID)" }
    let fields = event.body.fields
    for key in [
      "requestId", "riderId", "otherId", "from", "hostId", "reason", "until", "expiresAt", "state",
      "seatsFree",
    ] {
      if let value = fields[key] { out += "  \(key)=\(JSONOutput.inline(value))" }
    }
    return TextTable.printable(out)
  }
}
