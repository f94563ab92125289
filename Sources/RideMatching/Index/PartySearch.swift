public import GeoMath
public import ObjectModel

/// Parties to be listed: open and full ones near a place or in a box.
public struct PartySearch: Hashable, Sendable {
  public enum Area: Hashable, Sendable {
    /// The radius is inclusive.
    case near(Coordinate, radiusMeters: Double)
    case box(GeoBox)
  }

  /// Where the origin must lie.
  public var area: Area
  /// Where the destination must lie; the radius is inclusive.
  public var destination: Coordinate?
  public var destinationRadiusMeters: Double
  /// The departure window must meet from...to, ends included; nil: no bound.
  public var from: Instant?
  public var to: Instant?
  /// At least so many free; 0 lists full ones too.
  public var seats: Int
  /// All of them, normalised.
  public var tags: [String]
  public var now: Instant
  public var limit: Int
  /// Where the page before ended.
  public var after: PartySearchPosition?

  public init(
    area: Area, now: Instant, destination: Coordinate? = nil,
    destinationRadiusMeters: Double = 1000, from: Instant? = nil, to: Instant? = nil,
    seats: Int = 0, tags: [String] = [], limit: Int = 20, after: PartySearchPosition? = nil
  ) {
    self.area = area
    self.destination = destination
    self.destinationRadiusMeters = destinationRadiusMeters
    self.from = from
    self.to = to
    self.seats = seats
    self.tags = tags
    self.now = now
    self.limit = limit
    self.after = after
  }
}

/// A place in the order of a search: whole millimeters from the place, or the origin's Morton code
/// in a box; then the id as UTF-8 bytes.
public struct PartySearchPosition: Hashable, Sendable {
  public var key: UInt64
  public var id: String

  public init(key: UInt64, id: String) {
    self.key = key
    self.id = id
  }

  static func isBefore(_ a: PartySearchPosition, _ b: PartySearchPosition) -> Bool {
    a.key != b.key ? a.key < b.key : a.id.utf8.lexicographicallyPrecedes(b.id.utf8)
  }
}

/// A party found.
public struct PartyHit: Hashable, Sendable {
  public var party: Party
  public var position: PartySearchPosition
  /// From the place of the search; nil in a box.
  public var distanceMeters: Double?
}

extension PartyIndex {
  /// Open and full parties whose window has not ended, in order, at most ``PartySearch/limit``.
  /// `next` is where a following page begins after; nil at the end.
  ///
  /// - Complexity: O(rows in reach + hits log hits).
  public func search(
    _ search: PartySearch
  ) -> (hits: [PartyHit], next: PartySearchPosition?) {
    let limit = max(0, min(search.limit, 1_000_000))
    let filter = PartySearchFilter(search)
    var found: [PartyHit] = []
    let first = search.from ?? search.now
    for grid in grids where grid.count > 0 {
      let from = first.advanced(milliseconds: -grid.widestTolerance).milliseconds
      let to = (search.to ?? .distantFuture).advanced(milliseconds: grid.widestTolerance)
      let times = min(from, to.milliseconds)...max(from, to.milliseconds)
      func look(at rows: [PartyRow]) {
        for i in rows.indices where filter.mayHold(rows[i]) {
          if let hit = filter.hit(rows[i].entry.party) { found.append(hit) }
        }
      }
      switch search.area {
      case .near(let place, let radius):
        grid.visit(near: place, radiusMeters: radius, times: times, look)
      case .box(let box): grid.visit(in: box, times: times, look)
      }
    }
    found.sort { PartySearchPosition.isBefore($0.position, $1.position) }
    let hits = Array(found.prefix(limit))
    return (hits, found.count > limit ? hits.last?.position ?? search.after : nil)
  }
}

/// What a search asks of one party.
private struct PartySearchFilter {
  private let search: PartySearch
  private let origin: DistanceOrigin?
  private let destination: DistanceOrigin?
  private let now: Int64
  private let from: Int64
  private let to: Int64

  init(_ search: PartySearch) {
    self.search = search
    if case .near(let place, _) = search.area {
      origin = DistanceOrigin(place)
    } else {
      origin = nil
    }
    destination = search.destination.map { DistanceOrigin($0) }
    now = search.now.milliseconds
    from = search.from?.milliseconds ?? .min
    to = search.to?.milliseconds ?? .max
  }

  func mayHold(_ row: PartyRow) -> Bool {
    (row.isOpen || row.isFull) && row.end > now && row.end >= from && row.start <= to
      && Int(row.seatsFree) >= search.seats
  }

  func hit(_ party: Party) -> PartyHit? {
    let place = party.origin.coordinate
    let key: UInt64
    var meters: Double?
    switch search.area {
    case .near(_, let radius):
      guard let origin else { return nil }
      let distance = origin.meters(latitude: place.latitude, longitude: place.longitude)
      let millimeters = origin.millimeters(latitude: place.latitude, longitude: place.longitude)
      guard Double(millimeters) <= (radius * 1000).rounded() else { return nil }
      key = UInt64(max(0, millimeters))
      meters = distance
    case .box(let box):
      guard box.contains(place) else { return nil }
      key = MortonCode(MercatorPoint(place)).rawValue
    }
    if let destination {
      let there = party.destination.coordinate
      let millimeters = destination.millimeters(
        latitude: there.latitude, longitude: there.longitude)
      guard Double(millimeters) <= (search.destinationRadiusMeters * 1000).rounded() else {
        return nil
      }
    }
    guard search.tags.allSatisfy(party.tags.contains) else { return nil }
    let position = PartySearchPosition(key: key, id: party.id)
    if let after = search.after, !PartySearchPosition.isBefore(after, position) { return nil }
    return PartyHit(party: party, position: position, distanceMeters: meters)
  }
}
