public import GeoMath
public import ObjectModel

/// The name of a live cluster: its zoom and its seed object. It fits 53 bits, so that it is exact
/// as a JavaScript number and as the id of a vector tile feature.
///
///     bit 52..48  zoom 0...16, 17 for points that coincide
///     bit 47..0   the first 48 bits of the seed's rank
public struct ClusterID: Hashable, Sendable, BitwiseCopyable {
  /// The number itself, below 2^53.
  public let rawValue: UInt64

  init(zoom: Int, rank: ObjectRank) { rawValue = UInt64(zoom) << 48 | rank.high >> 16 }

  /// `nil` unless the number is a possible id (zoom 0...17).
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

  /// 16 lower-case hexadecimal digits.
  public var hexadecimal: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  /// 0...16, or 17 for points that coincide.
  public var zoom: Int { Int(rawValue >> 48) }
  var rankPrefix: UInt64 { rawValue & 0xFFFF_FFFF_FFFF }
}

/// Sums and least values over a cluster's members.
public struct ClusterAggregates: Hashable, Sendable, BitwiseCopyable {
  /// The sum over the members.
  public var seatsFree: Int64
  /// `.max` when no member has one.
  public var earliestDeparture: Int64
  /// `.max` when no member has one.
  public var lowestFarePerPerson: Int64

  /// What no member adds up to.
  public static let none = ClusterAggregates()

  /// Describes aggregates; what is left out is that of no member.
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
  /// Names the cluster while its seed stays in its micro-cell.
  public var id: ClusterID
  /// The zoom it was read at, 0...22.
  public var zoom: Int
  /// Where to draw it: a single point's exact position; else the members' mean, at most a quarter
  /// of the radius from ``anchor`` and always inside their ``bounds``. With a filter the members are
  /// those that match.
  public var position: MercatorPoint
  /// Centre of the seed's micro-cell: anchors of one zoom are more than a radius apart.
  public var anchor: MercatorPoint
  /// Members, or matching members when a filter was given.
  public var count: Int
  /// Key of the seed; of the object itself when ``count`` is 1.
  public var key: UInt64
  /// Several members, all at exactly ``position``: no zoom takes them apart. Never said of points
  /// past the projection's edge (85.0511 degrees), whose latitudes it does not tell apart.
  public var isCoincident: Bool
  /// `.none` unless the layer has aggregates.
  public var aggregates: ClusterAggregates
  var extra: Extra?

  /// Empty unless asked for: keys of at most ten members, lowest rank first.
  public var sampleKeys: [UInt64] { extra?.sampleKeys ?? [] }
  /// `nil` unless asked for: the box of all members.
  public var bounds: GeoBox? { extra?.bounds }
  /// The first zoom at which it comes apart, 1...17; `nil` unless asked for, and for what never
  /// comes apart: a single point, or points that coincide.
  public var expansionZoom: Int? { extra?.expansionZoom }

  /// What most readers do not ask for, kept apart so that clusters stay small.
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

/// What to compute beside position and count.
public struct ClusterDetails: OptionSet, Sendable {
  /// One bit a detail.
  public let rawValue: Int
  /// Makes a set of its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }
  /// Keys of at most ten members.
  public static let sampleKeys = ClusterDetails(rawValue: 1)
  /// The box of all members.
  public static let bounds = ClusterDetails(rawValue: 2)
  /// The first zoom at which it comes apart.
  public static let expansionZoom = ClusterDetails(rawValue: 4)
  /// All of them, for single points too.
  public static let all: ClusterDetails = [.sampleKeys, .bounds, .expansionZoom]
  /// None for single points, where they say nothing new.
  public static let exceptSingles = ClusterDetails(rawValue: 8)

  @inline(__always)
  func applies(toCount count: Int) -> Bool {
    !isEmpty && (count > 1 || !contains(.exceptSingles))
  }
}

/// Which objects count.
///
/// A filtered read keeps the clusters and ids of the unfiltered one and counts the matching members
/// only: a cluster without any vanishes, one with some stands at their mean, one with a single match
/// becomes that point, and the counts of all clusters sum to the number of matching objects. Which
/// tile or box a cluster is in is decided by where it stands then.
public struct ClusterFilter: Sendable {
  /// An object matches only if its mask has all these bits.
  public var allOf: UInt64
  /// If not 0, an object matches only if its mask has at least one of these bits.
  public var anyOf: UInt64
  /// The exact test by key, asked only where the masks leave it open; `nil` if masks are exact.
  /// It is called under the clusters' lock: it must be quick and must not call back.
  public var matches: (@Sendable (_ key: UInt64) -> Bool)?

  /// Describes a filter; what is left out lets everything pass.
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
  /// The place in the order of leaves.
  public var rank: ObjectRank
  /// The handle that the caller gave the object.
  public var key: UInt64
  /// Where the object is.
  public var position: MercatorPoint

  /// Where a page of leaves ends, to ask for the next one with.
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

/// Why a cluster cannot be read.
public enum ClusterError: Error, Hashable, Sendable {
  /// No cluster has this id now: it never existed, or its seed moved away.
  case unknownCluster(UInt64)
  /// A tile address outside zoom 0...22 or its zoom's columns and rows, or a box's zoom.
  case zoomOutOfRange(Int)
  /// More tiles than one call may compare.
  case tooManyTiles(Int)
}
