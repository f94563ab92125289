public import GeoMath

/// The name of a live cluster: its zoom and its seed object. It fits 53 bits, so that it is exact
/// as a JavaScript number and as the id of a vector tile feature.
///
///     bit 52..48  zoom 0...16, 17 for points that coincide
///     bit 47..0   the first 48 bits of the seed's id hash
public struct ClusterID: Hashable, Sendable, BitwiseCopyable {
  public let rawValue: UInt64

  init(zoom: Int, hash: UInt64) { rawValue = UInt64(zoom) << 48 | hash >> 16 }

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
  var hashPrefix: UInt64 { rawValue & 0xFFFF_FFFF_FFFF }
}

/// Sums and least values over a cluster's members.
public struct ClusterAggregates: Hashable, Sendable, BitwiseCopyable {
  public var seatsFree: Int64
  /// `.max` when no member has one.
  public var earliestDeparture: Int64
  /// `.max` when no member has one.
  public var lowestFarePerPerson: Int64

  public static let none = ClusterAggregates()

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
  public var id: ClusterID
  /// The zoom it was read at, 0...22.
  public var zoom: Int
  /// Where to draw it: a single point's exact position; else the members' centroid, at most a
  /// quarter of the radius from ``anchor``.
  public var position: MercatorPoint
  /// Centre of the seed's micro-cell: anchors of one zoom are more than a radius apart.
  public var anchor: MercatorPoint
  /// Members, or matching members when a filter was given.
  public var count: Int
  /// Key of the seed; of the object itself when ``count`` is 1.
  public var key: UInt64
  /// Several members, all at exactly ``position``: no zoom takes them apart.
  public var isCoincident: Bool
  /// `.none` unless the layer has aggregates.
  public var aggregates: ClusterAggregates
  var extra: Extra?

  /// Empty unless asked for: keys of at most ten members, lowest hash first.
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
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }
  public static let sampleKeys = ClusterDetails(rawValue: 1)
  public static let bounds = ClusterDetails(rawValue: 2)
  public static let expansionZoom = ClusterDetails(rawValue: 4)
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
/// A filtered read keeps the clusters, ids and positions of the unfiltered one and counts the
/// matching members only: a cluster without any vanishes, a cluster with one becomes that single
/// point, and the counts of all clusters sum to the number of matching objects.
public struct ClusterFilter: Sendable {
  /// An object matches only if its mask has all these bits.
  public var allOf: UInt64
  /// If not 0, an object matches only if its mask has at least one of these bits.
  public var anyOf: UInt64
  /// The exact test by key, asked only where the masks leave it open; `nil` if masks are exact.
  /// It is called under the clusters' lock: it must be quick and must not call back.
  public var matches: (@Sendable (_ key: UInt64) -> Bool)?

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
  public var idHash: UInt64
  public var key: UInt64
  public var position: MercatorPoint
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
