public import GeoMath

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The rules by which ``StaticClusters`` groups points. Names and defaults are supercluster's.
public struct StaticClusterOptions: Hashable, Sendable {
  /// The coarsest zoom with clusters.
  public var minZoom: Int
  /// The finest zoom with clusters; beyond it there are single points.
  public var maxZoom: Int
  /// The fewest points that make a cluster.
  public var minPoints: Int
  /// The radius of a cluster in pixels.
  public var radius: Double
  /// The pixels of a tile's side, which ``radius`` is relative to.
  public var extent: Double

  /// Sets the options. One that is left out has supercluster's default.
  public init(
    minZoom: Int = 0, maxZoom: Int = 16, minPoints: Int = 2, radius: Double = 40,
    extent: Double = 512
  ) {
    self.minZoom = minZoom
    self.maxZoom = maxZoom
    self.minPoints = minPoints
    self.radius = radius
    self.extent = extent
  }

  /// The options with the zooms brought into 0...30, which ids can hold.
  var clamped: StaticClusterOptions {
    var result = self
    result.minZoom = max(0, min(30, minZoom))
    result.maxZoom = max(result.minZoom - 1, min(30, maxZoom))
    return result
  }
}

/// Clusters of a fixed set of points, with the same groups and counts as those of supercluster 8
/// (ISC, V. Agafonkin), at the same positions.
///
/// For each zoom from fine to coarse it goes greedily through the points in the order of input: all
/// points within the radius of the next unvisited point become one cluster at their weighted
/// centroid. As in supercluster, distances are those of positions rounded to 32-bit floating point
/// numbers in 0...1. Results depend on the order of input. Points that are too few for a cluster go
/// on to the coarser zoom in the order of input.
///
/// A cluster's id encodes where it began: `(index << 5) + zoom + 1 + number of points`.
///
/// - Complexity: Finding what is near a point is O(points near) through a ``BucketGrid`` for each
///   zoom.
public struct StaticClusters<Aggregate: Sendable>: Sendable {
  /// A point of the input in degrees. Longitudes beyond 180 are kept as they are.
  public struct Point: Hashable, Sendable {
    /// The longitude in degrees.
    public var longitude: Double
    /// The latitude in degrees.
    public var latitude: Double
    /// The feature's own id, which is handed through.
    public var id: Int?

    /// Describes a point.
    public init(longitude: Double, latitude: Double, id: Int? = nil) {
      self.longitude = longitude
      self.latitude = latitude
      self.id = id
    }

    /// Describes a point at a coordinate.
    public init(_ coordinate: Coordinate, id: Int? = nil) {
      self.init(longitude: coordinate.longitude, latitude: coordinate.latitude, id: id)
    }
  }

  /// A cluster or a single point.
  public struct Feature: Sendable {
    /// The id of a cluster; `nil` for a point.
    public var clusterID: Int?
    /// The place of a point in the input; `nil` for a cluster.
    public var pointIndex: Int?
    /// The id of a cluster, or a point's own if it has one.
    public var id: Int?
    /// The number of points in it; 1 for a point.
    public var count: Int
    /// The longitude in degrees.
    public var longitude: Double
    /// The latitude in degrees.
    public var latitude: Double
    /// The aggregate of a cluster; `nil` for a point, or without map and reduce.
    public var aggregate: Aggregate?
  }

  /// A feature with its place in a tile, in pixels of `extent`.
  public struct PlacedFeature: Sendable {
    /// The pixels east of the tile's western edge; outside 0..<extent in the margin.
    public var x: Int
    /// The pixels south of the tile's northern edge; outside 0..<extent in the margin.
    public var y: Int
    /// The feature that is at this place.
    public var feature: Feature
  }

  /// The flat records of one zoom and the grid over them.
  struct Level: Sendable {
    var x: [Double] = []
    var y: [Double] = []
    var visited: [Int] = []
    var id: [Int] = []
    var parent: [Int] = []
    var count: [Int] = []
    var aggregate: [Int] = []
    var grid = BucketGrid()
  }

  /// The options in use, with the zooms brought into 0...30.
  public let options: StaticClusterOptions
  let points: [Point?]
  /// The levels by zoom - minZoom; the last one holds the points themselves.
  var levels: [Level] = []
  var aggregates: [Aggregate] = []
  let map: (@Sendable (Int) -> Aggregate)?
  let reduce: (@Sendable (inout Aggregate, Aggregate) -> Void)?

  /// Groups points.
  ///
  /// - Parameters:
  ///   - points: The points, `nil` for a feature without geometry, which is left out but keeps its
  ///     index.
  ///   - options: The rules.
  ///   - map: Returns the aggregate of one point, by its index.
  ///   - reduce: Adds one aggregate to another.
  /// - Complexity: O(n) expected for each zoom, less as points merge.
  public init(
    _ points: [Point?], options: StaticClusterOptions = StaticClusterOptions(),
    map: @escaping @Sendable (Int) -> Aggregate,
    reduce: @escaping @Sendable (inout Aggregate, Aggregate) -> Void
  ) {
    self.init(points, options, map, reduce)
  }

  init(
    _ points: [Point?], _ options: StaticClusterOptions, _ map: (@Sendable (Int) -> Aggregate)?,
    _ reduce: (@Sendable (inout Aggregate, Aggregate) -> Void)?
  ) {
    self.options = options.clamped
    self.points = points
    self.map = map
    self.reduce = reduce
    build()
  }

  // MARK: - Reading

  /// Returns the clusters and points in a box in degrees. A box with `west > east` crosses 180
  /// degrees, and longitudes are brought into -180..<180.
  public func clusters(west: Double, south: Double, east: Double, north: Double, zoom: Int)
    -> [Feature]
  {
    func wrapped(_ longitude: Double) -> Double {
      ((longitude + 180).truncatingRemainder(dividingBy: 360) + 360)
        .truncatingRemainder(dividingBy: 360) - 180
    }
    var minLongitude = wrapped(west)
    let minLatitude = max(-90, min(90, south))
    var maxLongitude = east == 180 ? 180 : wrapped(east)
    let maxLatitude = max(-90, min(90, north))
    if east - west >= 360 {
      minLongitude = -180
      maxLongitude = 180
    } else if minLongitude > maxLongitude {
      return clusters(
        west: minLongitude, south: minLatitude, east: 180, north: maxLatitude, zoom: zoom)
        + clusters(
          west: -180, south: minLatitude, east: maxLongitude, north: maxLatitude, zoom: zoom)
    }
    let level = levels[levelIndex(zoom)]
    return level.grid.range(
      minX: Self.x(longitude: minLongitude), minY: Self.y(latitude: maxLatitude),
      maxX: Self.x(longitude: maxLongitude), maxY: Self.y(latitude: minLatitude)
    ).map { feature(level, $0) }
  }

  /// Returns the clusters and points of a box.
  public func clusters(in box: GeoBox, zoom: Int) -> [Feature] {
    clusters(west: box.west, south: box.south, east: box.east, north: box.north, zoom: zoom)
  }

  /// Returns what a cluster is made of at the next finer zoom.
  ///
  /// - Throws: ``ClusterError/unknownCluster(_:)`` where no cluster has the id.
  public func children(_ clusterID: Int) throws(ClusterError) -> [Feature] {
    let (zoom, found) = try childIndices(clusterID)
    let level = levels[zoom - options.minZoom]
    return found.map { feature(level, $0) }
  }

  /// Returns points of a cluster: `limit` of them (0 means 10) after the first `offset`.
  ///
  /// - Throws: ``ClusterError/unknownCluster(_:)`` where no cluster has the id.
  public func leaves(_ clusterID: Int, limit: Int = 10, offset: Int = 0) throws(ClusterError)
    -> [Feature]
  {
    var leaves: [Feature] = []
    _ = try appendLeaves(
      &leaves, clusterID: clusterID, limit: limit == 0 ? 10 : limit, offset: offset, skipped: 0)
    return leaves
  }

  /// Returns the zoom at which a cluster comes apart, at most `maxZoom + 1`.
  ///
  /// - Throws: ``ClusterError/unknownCluster(_:)`` where no cluster has the id.
  public func expansionZoom(_ clusterID: Int) throws(ClusterError) -> Int {
    var clusterID = clusterID
    var zoom = originZoom(clusterID) - 1
    while zoom <= options.maxZoom {
      let children = try children(clusterID)
      zoom += 1
      guard children.count == 1 else { break }
      guard let only = children[0].clusterID else { throw .unknownCluster(UInt64(clusterID)) }
      clusterID = only
    }
    return zoom
  }

  /// Returns the features of a tile and of a margin of one radius around it. At the world's western
  /// and eastern edges they include those beyond the edge. It is `nil` if there are none.
  public func tile(zoom: Int, x: Int, y: Int) -> [PlacedFeature]? {
    let level = levels[levelIndex(zoom)]
    let side = pow(2, Double(zoom))
    let p = options.radius / options.extent
    let top = (Double(y) - p) / side
    let bottom = (Double(y) + 1 + p) / side
    var found: [PlacedFeature] = []
    func add(_ minX: Double, _ maxX: Double, _ column: Double) {
      for i in level.grid.range(minX: minX, minY: top, maxX: maxX, maxY: bottom) {
        found.append(tileFeature(level, i, column: column, row: Double(y), side: side))
      }
    }
    add((Double(x) - p) / side, (Double(x) + 1 + p) / side, Double(x))
    if x == 0 { add(1 - p / side, 1, side) }
    if Double(x) == side - 1 { add(0, p / side, -1) }
    return found.isEmpty ? nil : found
  }

  // MARK: - Implementation

  private func tileFeature(
    _ level: Level, _ i: Int, column: Double, row: Double, side: Double
  ) -> PlacedFeature {
    var (px, py) = (level.x[i], level.y[i])
    if level.count[i] == 1, let point = points[level.id[i]] {
      (px, py) = (Self.x(longitude: point.longitude), Self.y(latitude: point.latitude))
    }
    return PlacedFeature(
      x: Self.rounded(options.extent * (px * side - column)),
      y: Self.rounded(options.extent * (py * side - row)), feature: feature(level, i))
  }

  /// Rounds like JavaScript, halves up.
  private static func rounded(_ value: Double) -> Int {
    let floor = value.rounded(.down)
    return Int(value - floor >= 0.5 ? floor + 1 : floor)
  }

  private func feature(_ level: Level, _ i: Int) -> Feature {
    if level.count[i] == 1, let point = points[level.id[i]] {
      return Feature(
        clusterID: nil, pointIndex: level.id[i], id: point.id, count: 1, longitude: point.longitude,
        latitude: point.latitude, aggregate: nil)
    }
    return Feature(
      clusterID: level.id[i], pointIndex: nil, id: level.id[i], count: level.count[i],
      longitude: Self.longitude(x: level.x[i]), latitude: Self.latitude(y: level.y[i]),
      aggregate: level.aggregate[i] < 0 ? nil : aggregates[level.aggregate[i]])
  }

  private func levelIndex(_ zoom: Int) -> Int {
    max(options.minZoom, min(zoom, options.maxZoom + 1)) - options.minZoom
  }

  private func originIndex(_ clusterID: Int) -> Int {
    Int(Int32(truncatingIfNeeded: clusterID - points.count) >> 5)
  }

  private func originZoom(_ clusterID: Int) -> Int { (clusterID - points.count) % 32 }

  private func childIndices(_ clusterID: Int) throws(ClusterError) -> (zoom: Int, [Int]) {
    let unknown = ClusterError.unknownCluster(UInt64(bitPattern: Int64(clusterID)))
    // The number is far outside what ids can be; the differences below must not overflow.
    guard clusterID >= points.count, clusterID < 1 << 53 else { throw unknown }
    let zoom = originZoom(clusterID)
    guard zoom >= options.minZoom, zoom <= options.maxZoom + 1 else { throw unknown }
    let level = levels[zoom - options.minZoom]
    let index = originIndex(clusterID)
    guard level.x.indices.contains(index) else { throw unknown }
    let r = radius(zoom - 1)
    var near: [Int] = []
    level.grid.within(x: level.x[index], y: level.y[index], radius: r, into: &near)
    let found = near.filter { level.parent[$0] == clusterID }
    guard !found.isEmpty else { throw unknown }
    return (zoom, found)
  }

  private func appendLeaves(
    _ result: inout [Feature], clusterID: Int, limit: Int, offset: Int, skipped: Int
  ) throws(ClusterError) -> Int {
    var skipped = skipped
    for child in try children(clusterID) {
      if let id = child.clusterID {
        if skipped + child.count <= offset {
          skipped += child.count
        } else {
          skipped = try appendLeaves(
            &result, clusterID: id, limit: limit, offset: offset, skipped: skipped)
        }
      } else if skipped < offset {
        skipped += 1
      } else {
        result.append(child)
      }
      if result.count == limit { break }
    }
    return skipped
  }

  static func x(longitude: Double) -> Double { longitude / 360 + 0.5 }

  static func y(latitude: Double) -> Double {
    let sine = sin(latitude * .pi / 180)
    let y = 0.5 - 0.25 * log((1 + sine) / (1 - sine)) / .pi
    return y < 0 ? 0 : y > 1 ? 1 : y
  }

  private static func longitude(x: Double) -> Double { (x - 0.5) * 360 }

  private static func latitude(y: Double) -> Double {
    360 * atan(exp((180 - y * 360) * .pi / 180)) / .pi - 90
  }
}

extension StaticClusters where Aggregate == Never {
  /// Groups points without aggregates.
  public init(_ points: [Point?], options: StaticClusterOptions = StaticClusterOptions()) {
    self.init(points, options, nil, nil)
  }
}
