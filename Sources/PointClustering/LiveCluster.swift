public import GeoMath
public import ObjectModel

/// The name of a live cluster, made of its zoom and its seed object. It fits 53 bits, so that it is
/// exact as a JavaScript number and as the id of a vector tile feature.
///
///     bit 52..48  zoom 0...16, 17 for points that coincide
///     bit 47..0   the first 48 bits of the seed's rank
public struct ClusterID: Hashable, Sendable, BitwiseCopyable {
  /// The number, which is below 2^53.
  public let rawValue: UInt64

  init(zoom: Int, rank: ObjectRank) { rawValue = UInt64(zoom) << 48 | rank.high >> 16 }

  /// Makes an id of a number; `nil` unless the number is a possible id (zoom 0...17).
  public init?(rawValue: UInt64) {
    guard rawValue >> 48 <= 17 else { return nil }
    self.rawValue = rawValue
  }

  /// Reads 16 hexadecimal digits; `nil` for anything else.
  public init?(hexadecimal text: some StringProtocol) {
    let digits = text.utf8
    guard digits.count == 16, digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-"),
      let value = UInt64(text, radix: 16)
    else { return nil }
    self.init(rawValue: value)
  }

  /// The id as 16 lower-case hexadecimal digits.
  public var hexadecimal: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  /// The zoom, 0...16, or 17 for points that coincide.
  public var zoom: Int { Int(rawValue >> 48) }
  var rankPrefix: UInt64 { rawValue & 0xFFFF_FFFF_FFFF }
}

/// Sums and least values over the members of a cluster.
public struct ClusterAggregates: Hashable, Sendable, BitwiseCopyable {
  /// The sum of the members' free seats.
  public var seatsFree: Int64
  /// The earliest departure of a member; `.max` when no member has one.
  public var earliestDeparture: Int64
  /// The lowest fare for each person; `.max` when no member has one.
  public var lowestFarePerPerson: Int64

  /// The aggregates of no members.
  public static let none = ClusterAggregates()

  /// Describes aggregates. A part that is left out is that of no members.
  public init(
    seatsFree: Int64 = 0, earliestDeparture: Int64 = .max, lowestFarePerPerson: Int64 = .max
  ) {
    self.seatsFree = seatsFree
    self.earliestDeparture = earliestDeparture
    self.lowestFarePerPerson = lowestFarePerPerson
  }

  mutating func add(_ other: ClusterAggregates) {
    seatsFree += other.seatsFree
    earliestDeparture = min(earliestDeparture, other.earliestDeparture)
    lowestFarePerPerson = min(lowestFarePerPerson, other.lowestFarePerPerson)
  }
}

extension ClusterAggregates {
  init(_ contribution: ClusterContribution) {
    self.init(
      seatsFree: Int64(contribution.seatsFree),
      earliestDeparture: contribution.earliestDeparture,
      lowestFarePerPerson: contribution.lowestFarePerPerson)
  }
}

/// A cluster, a single point, or several points at one place, as a map shows it.
public struct LiveCluster: Hashable, Sendable {
  /// The name of the cluster, which holds while its seed stays in its micro-cell.
  public var id: ClusterID
  /// The zoom that the cluster was read at, 0...22.
  public var zoom: Int
  /// The place where it is drawn: the exact position of a single point, else the members' mean,
  /// moved to at most a quarter of the radius from ``anchor`` and always inside their ``bounds``.
  /// With a filter the members are those that match.
  public var position: MercatorPoint
  /// The centre of the seed's micro-cell. Anchors of one zoom are more than a radius apart.
  public var anchor: MercatorPoint
  /// The number of members, or of matching members when a filter was given.
  public var count: Int
  /// The key of the seed, or of the object itself when ``count`` is 1.
  public var key: UInt64
  /// Whether there are several members, all at exactly ``position``, so that no zoom takes them
  /// apart. It is `false` for points beyond the projection's edge (85.0511 degrees), where
  /// positions do not tell latitudes apart.
  public var isCoincident: Bool
  /// The aggregates, `.none` unless the layer has them.
  public var aggregates: ClusterAggregates
  var extra: Extra?

  /// The keys of at most ten members, the lowest rank first; empty unless asked for.
  public var sampleKeys: [UInt64] { extra?.sampleKeys ?? [] }
  /// The box of all members; `nil` unless asked for.
  public var bounds: GeoBox? { extra?.bounds }
  /// The first zoom at which the cluster comes apart, 1...17. It is `nil` unless asked for, and for
  /// what never comes apart: a single point, or points that coincide.
  public var expansionZoom: Int? { extra?.expansionZoom }

  /// The details that most readers do not ask for, kept apart so that clusters stay small.
  final class Extra: Hashable, Sendable {
    let sampleKeys: [UInt64]
    let bounds: GeoBox?
    let expansionZoom: Int?

    init(sampleKeys: [UInt64], bounds: GeoBox?, expansionZoom: Int?) {
      self.sampleKeys = sampleKeys
      self.bounds = bounds
      self.expansionZoom = expansionZoom
    }

    static func == (a: Extra, b: Extra) -> Bool {
      a.sampleKeys == b.sampleKeys && a.bounds == b.bounds && a.expansionZoom == b.expansionZoom
    }
    func hash(into hasher: inout Hasher) {
      hasher.combine(sampleKeys)
      hasher.combine(bounds)
      hasher.combine(expansionZoom)
    }
  }
}

/// The details that a read computes besides position and count.
public struct ClusterDetails: OptionSet, Sendable {
  /// The bits of the set, one for each detail.
  public let rawValue: Int
  /// Makes a set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }
  /// Asks for the keys of at most ten members.
  public static let sampleKeys = ClusterDetails(rawValue: 1)
  /// Asks for the box of all members.
  public static let bounds = ClusterDetails(rawValue: 2)
  /// Asks for the first zoom at which the cluster comes apart.
  public static let expansionZoom = ClusterDetails(rawValue: 4)
  /// Asks for all details, for single points too.
  public static let all: ClusterDetails = [.sampleKeys, .bounds, .expansionZoom]
  /// Leaves the details of single points out, where they say nothing new.
  public static let exceptSingles = ClusterDetails(rawValue: 8)

  @inline(__always)
  func applies(toCount count: Int) -> Bool {
    !isEmpty && (count > 1 || !contains(.exceptSingles))
  }
}

/// Selects the objects that count.
///
/// A filtered read keeps the clusters and ids of the unfiltered one and counts only the matching
/// members: a cluster without any is left out, one with some is drawn at their mean, one with a
/// single match becomes that point, and the counts of all clusters sum to the number of matching
/// objects. The place where a cluster is drawn then decides which tile or box it is in.
public struct ClusterFilter: Sendable {
  /// The bits that an object's mask must all have.
  public var allOf: UInt64
  /// The bits of which an object's mask must have at least one; 0 stands for no such condition.
  public var anyOf: UInt64
  /// The exact test by key, which is asked only where the masks do not decide; `nil` if masks are
  /// exact. It is called under the clusters' lock, so that it must be quick and must not call back.
  public var matches: (@Sendable (_ key: UInt64) -> Bool)?

  /// Describes a filter. A condition that is left out lets everything pass.
  public init(
    allOf: UInt64 = 0, anyOf: UInt64 = 0, matches: (@Sendable (_ key: UInt64) -> Bool)? = nil
  ) {
    self.allOf = allOf
    self.anyOf = anyOf
    self.matches = matches
  }

  @inline(__always)
  func mayMatch(_ mask: UInt64) -> Bool {
    mask & allOf == allOf && (anyOf == 0 || mask & anyOf != 0)
  }
  @inline(__always)
  func isMatch(mask: UInt64, key: UInt64) -> Bool {
    mayMatch(mask) && (matches?(key) ?? true)
  }
}

/// An object of a cluster.
public struct ClusterLeaf: Hashable, Sendable {
  /// The object's rank, which is its place in the order of leaves.
  public var rank: ObjectRank
  /// The handle that the caller gave the object.
  public var key: UInt64
  /// The position of the object.
  public var position: MercatorPoint

  /// The place after which the next page of leaves begins.
  public var end: Position { Position(rank: rank, key: key) }

  /// A place in the order of leaves.
  public struct Position: Hashable, Sendable {
    /// The rank of the last leaf.
    public var rank: ObjectRank
    /// Its key, which decides where ranks are equal.
    public var key: UInt64

    /// Names a place, whether or not an object is there.
    public init(rank: ObjectRank, key: UInt64) {
      self.rank = rank
      self.key = key
    }

    func precedes(_ rank: ObjectRank, _ key: UInt64) -> Bool {
      self.rank != rank ? self.rank < rank : self.key < key
    }
  }
}

/// The reasons for which clusters cannot be read.
public enum ClusterError: Error, Hashable, Sendable {
  /// No cluster has this id now: it never existed, or its seed moved away.
  case unknownCluster(UInt64)
  /// The zoom of a tile or box is outside 0...22, or a tile's column or row outside its zoom's.
  case zoomOutOfRange(Int)
  /// The viewport has more tiles than one call may compare.
  case tooManyTiles(Int)
}
