import GeoMath
import ObjectModel
import RoutePlanning

/// A party in the index, made ready for matching; never changes.
final class IndexedParty: Sendable {
  let ride: PreparedRide
  let boarding: BoardingRide
  let riderIDs: [String]
  let departure: Instant
  let windowEnd: Instant
  /// The claim on the time of those aboard.
  let interval: PartyInterval
  let party: Party
  /// On the leg with the most people.
  let seatsFree: Int
  let boardsOnTheWay: Bool

  init(_ party: Party, pricing: PartyPricing) throws(PartyError) {
    self.party = party
    riderIDs = party.riders.map(\.id)
    departure = party.window.time
    windowEnd = party.window.end
    interval = party.interval
    ride = try PreparedRide(party, pricing: pricing)
    boarding = try BoardingRide(party, ride)
    boardsOnTheWay = party.boardsOnTheWay
    seatsFree = party.seatsFree
  }
}

/// What most parties are refused by, side by side: a scan touches nothing else.
struct PartyRow: Sendable {
  static let unknownProfile = UInt8.max

  /// Milliseconds: the window's ends, included.
  var start: Int64
  var end: Int64
  var origin: SphereVector
  /// The first rider's drop-off.
  var drop: SphereVector
  /// Roads are at least so many times the line through the Earth.
  var roadPerChord: Double
  /// Of the first rider, in meters: a lower bound of the road to the drop-off when nobody new gets
  /// out before, and the longest ride.
  var shortest: Double
  var longest: Double
  /// For those who state none; within the policy.
  var walkLimit: Double
  var detourRatio: Double
  /// The policy's own; infinite without one.
  var walkCap: Double
  var detourCap: Double
  var seatsFree: Int8
  var isOpen: Bool
  var hasAttributeRules: Bool
  /// Whether riders get in on the way: the bounds below, of a first rider from the origin, are none.
  var boardsOnTheWay: Bool
  /// Which of the index's traffic profiles, or ``unknownProfile``.
  var profile: UInt8
  /// Bits of the riders' ids: who has none of them is not aboard.
  var riderBits: UInt64
  var ride: PreparedRide
  var entry: IndexedParty

  static func bit(_ riderID: String) -> UInt64 { 1 << (StableHash.hash64(riderID) & 63) }

  init(_ entry: IndexedParty, profile: UInt8) {
    let party = entry.party
    let ride = entry.ride
    start = party.window.start.milliseconds
    end = party.window.end.milliseconds
    origin = SphereVector(party.origin.coordinate)
    drop = SphereVector(ride.stops.first?.place ?? party.destination.coordinate)
    let circuity = ride.travel.profile.circuity.values.lowerBound
    boardsOnTheWay = entry.boardsOnTheWay
    roadPerChord = boardsOnTheWay ? 0 : circuity * HaversineBounds.minimumRatio
    // By way of other stops the estimated road may be shorter: its circuity depends on length.
    shortest =
      ride.stops.count == 1
      ? ride.stops[0].directMeters : origin.chordMeters(to: drop) * roadPerChord
    longest = boardsOnTheWay ? .infinity : ride.stops.first?.limitMeters ?? .infinity
    let limits = party.policy.bounding(party.limits)
    walkLimit = limits.maxWalkMeters
    detourRatio = limits.maxDetourRatio
    walkCap = party.policy.maxWalkMeters ?? .infinity
    detourCap = party.policy.maxDetourRatio ?? .infinity
    seatsFree = Int8(clamping: party.seatsFree)
    isOpen = party.state == .open
    hasAttributeRules = ride.hasAttributeRules
    self.profile = profile
    riderBits = entry.riderIDs.reduce(0) { $0 | Self.bit($1) }
    self.ride = ride
    self.entry = entry
  }
}
