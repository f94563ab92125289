import RideMatching
import TaxiFares
package import WireFormat

extension PartyRecord {
  /// A party in which somebody has another name, and nothing that policies look at.
  ///
  /// - Parameters:
  ///   - userID: Whom to look for, aboard and among those who settled.
  ///   - pseudonym: Their name from now on.
  ///   - bytes: The record as it is.
  /// - Returns: The record and whose party it is; nil when the party does not name them.
  /// - Throws: ``WireFormatError``.
  package static func replacing(
    _ userID: String, by pseudonym: String, in bytes: [UInt8]
  ) throws(WireFormatError) -> (bytes: [UInt8], ownerID: String)? {
    let known = try decode(bytes)
    var party = known
    func renamed(_ id: String) -> String { id == userID ? pseudonym : id }
    for i in party.riders.indices where party.riders[i].id == userID {
      party.riders[i].id = pseudonym
      party.riders[i].attributes = [:]
      if let stop = party.riders[i].boarding {
        // Where the taxi stops is the party's; where they stood is theirs.
        party.riders[i].boarding?.asked = stop.place.coordinate
        party.riders[i].boarding?.place.name = ""
      }
    }
    party.route.stopOrder = party.route.stopOrder.map(renamed)
    for i in party.route.stops.indices {
      party.route.stops[i].riderID = renamed(party.route.stops[i].riderID)
    }
    for i in party.joinRequests.indices where party.joinRequests[i].riderID == userID {
      // That somebody asked stays; who, from where and to where does not.
      party.joinRequests[i].join = JoinParty(
        riderID: pseudonym, seats: party.joinRequests[i].join.seats)
    }
    if var settlement = party.settlement {
      settlement.payerID = renamed(settlement.payerID)
      for i in settlement.shares.indices {
        settlement.shares[i].riderID = renamed(settlement.shares[i].riderID)
      }
      party.settlement = settlement
    }
    return party == known ? nil : (encode(party, hasRoom: true), party.hostID)
  }

  /// Everybody whom a party names.
  ///
  /// - Throws: ``WireFormatError``.
  package static func people(in bytes: [UInt8]) throws(WireFormatError) -> [String] {
    let party = try decode(bytes)
    var out = party.riders.map(\.id) + party.joinRequests.map(\.riderID)
    if let settlement = party.settlement {
      out.append(settlement.payerID)
      out += settlement.shares.map(\.riderID)
    }
    return out
  }
}
