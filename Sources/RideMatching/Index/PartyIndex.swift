import GeoMath
import ObjectModel
import RoutePlanning

/// The parties of one tenant, found by origin and departure.
///
/// A value: a copy is a snapshot that many threads may read while one thread goes on changing the
/// original. Copies share their parts until one changes; a change then copies a 64th of a grid's
/// directory and one cell. Hold it behind a lock that is taken only to copy it or to change it.
///
/// Parties stand in grids by how wide their limits are, so that a few generous ones do not make
/// every search wide. Open, full and departed ones are kept; ``update(_:)`` drops the others.
///
/// - Complexity: A change O(rows of its slot); a match O(rows of the cells and slots in reach), a
///   scan of everything where limits are so wide that cells do not help.
public struct PartyIndex: Sendable {
  /// Prices parties as they are put in, and joins as they are tried.
  public let pricing: PartyPricing
  private(set) var grids: [PartyGrid] = []
  private(set) var profiles: [TrafficProfile] = []
  /// Of ``profiles``.
  private(set) var travelBounds: [TravelBounds] = []
  /// Of any of them; nil where there is none.
  private(set) var anyTravelBounds: TravelBounds?
  private(set) var corridors = CorridorIndex()
  /// By id, sharded so that a change copies little.
  private var directory: [[String: Location]]

  private struct Location: Sendable {
    var grid: Int
    var address: PartyGrid.Address
    var entry: IndexedParty
    var corridors: CorridorIndex.Placement?
  }

  /// Upper ends of the classes of limits: meters of walk, and milliseconds of tolerance.
  private static let walkClasses = [400.0, 1600, 6400, .infinity]
  private static let toleranceClasses: [Int64] = [900_000, 3_600_000, 14_400_000, .max]
  private static let directoryCount = 512

  /// Makes an index of no parties.
  public init(pricing: PartyPricing) {
    self.pricing = pricing
    directory = Array(repeating: [:], count: Self.directoryCount)
    for walk in 0..<Self.walkClasses.count {
      for tolerance in 0..<Self.toleranceClasses.count {
        grids.append(
          PartyGrid(
            cellMeters: [300, 1200, 4800, 19_200][walk],
            slotMilliseconds: [600_000, 1_800_000, 7_200_000, 86_400_000][tolerance]))
      }
    }
  }

  /// Parties held: open, full and departed ones.
  public var count: Int { grids.reduce(0) { $0 + $1.count } }

  /// Finds the newest state that was put in, if the party is held.
  public func party(_ id: String) -> Party? {
    directory[Self.shard(id)][id]?.entry.party
  }

  /// Puts in the newest state of a party in place of the one before. Cancelled and ended parties
  /// are taken out.
  /// - Throws: ``PartyError/fare(_:)`` where it cannot be priced; it is then not in the index.
  public mutating func update(_ party: Party) throws(PartyError) {
    let known = directory[Self.shard(party.id)].removeValue(forKey: party.id)
    if let known { grids[known.grid].remove(id: party.id, at: known.address) }
    let entry: IndexedParty
    do throws(PartyError) {
      switch party.state {
      case .cancelled, .ended:
        corridors.remove(known?.corridors)
        return
      case .open, .full, .departed: entry = try IndexedParty(party, pricing: pricing)
      }
    } catch {
      corridors.remove(known?.corridors)
      throw error
    }
    let walk = party.policy.bounding(party.limits).maxWalkMeters
    let tolerance = party.window.toleranceMilliseconds
    let walkClass = Self.walkClasses.firstIndex { walk <= $0 } ?? Self.walkClasses.count - 1
    let timeClass = Self.toleranceClasses.firstIndex { tolerance <= $0 } ?? 3
    let grid = walkClass * Self.toleranceClasses.count + timeClass
    let address = grids[grid].address(party)
    let profile = profile(entry)
    grids[grid].insert(PartyRow(entry, profile: profile), at: address)
    directory[Self.shard(party.id)][party.id] = Location(
      grid: grid, address: address, entry: entry,
      corridors: corridors.update(entry, profile: profile, from: known?.corridors))
  }

  /// Takes a party out; one that is not held changes nothing.
  public mutating func remove(id: String) {
    guard let known = directory[Self.shard(id)].removeValue(forKey: id) else { return }
    grids[known.grid].remove(id: id, at: known.address)
    corridors.remove(known.corridors)
  }

  private mutating func profile(_ entry: IndexedParty) -> UInt8 {
    let profile = entry.ride.travel.profile
    if let known = profiles.firstIndex(of: profile) { return UInt8(known) }
    guard profiles.count < Int(PartyRow.unknownProfile) else { return PartyRow.unknownProfile }
    profiles.append(profile)
    travelBounds.append(TravelBounds(profile))
    anyTravelBounds = TravelBounds(anyOf: travelBounds)
    return UInt8(profiles.count - 1)
  }

  private static func shard(_ id: String) -> Int {
    Int(truncatingIfNeeded: StableHash.hash64(id) % UInt64(directoryCount))
  }
}
