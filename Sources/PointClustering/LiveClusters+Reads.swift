public import GeoMath

extension LiveClusters {
  /// The largest zoom at which points cluster.
  public static let maximumClusterZoom = 16
  /// The largest zoom at which clusters can be read.
  public static let maximumZoom = 22

  /// Returns the clusters drawn in a box, which may cross 180 degrees, in the order of their ids.
  ///
  /// `zoom` is 0...22; beyond 16 there are single points and points that coincide.
  ///
  /// - Throws: ``ClusterError/zoomOutOfRange(_:)`` for a zoom outside 0...22.
  /// - Complexity: O(clusters in the box), and with a filter also the members that may match.
  public func clusters(
    in box: GeoBox, zoom: Int, filter: ClusterFilter? = nil, details: ClusterDetails = []
  ) throws(ClusterError) -> [LiveCluster] {
    try viewport(in: box, zoom: zoom, filter: filter, details: details).clusters
  }

  /// Returns the clusters drawn in a box, at most `limit`, with the version that they have
  /// together.
  ///
  /// - Throws: ``ClusterError/zoomOutOfRange(_:)`` for a zoom outside 0...22.
  public func viewport(
    in box: GeoBox, zoom: Int, filter: ClusterFilter? = nil, details: ClusterDetails = [],
    limit: Int = .max
  ) throws(ClusterError) -> ClusterReading {
    guard (0...Self.maximumZoom).contains(zoom) else { throw .zoomOutOfRange(zoom) }
    return read(UnitBox(box), zoom: zoom, filter: filter, details: details, limit: limit)
  }

  /// Returns the clusters drawn in a tile and a margin around it, in the order of their ids.
  ///
  /// `marginUnits` is in Mercator units and is cut to one tile's side.
  ///
  /// - Throws: ``ClusterError/zoomOutOfRange(_:)`` for a zoom outside 0...22.
  public func tile(
    _ address: TileAddress, marginUnits: UInt64 = 0, filter: ClusterFilter? = nil,
    details: ClusterDetails = []
  ) throws(ClusterError) -> [LiveCluster] {
    try versionedTile(
      address, marginUnits: marginUnits, filter: filter, details: details
    ).clusters
  }

  /// Returns the newest change in what ``tile(_:marginUnits:filter:details:)`` reads. Equal
  /// versions mean equal answers.
  ///
  /// `filtered` is for answers with a filter, which also change with members that are not shown.
  ///
  /// - Throws: ``ClusterError/zoomOutOfRange(_:)`` for a zoom outside 0...22.
  public func tileVersion(
    _ address: TileAddress, marginUnits: UInt64 = 0, filtered: Bool = false
  ) throws(ClusterError) -> UInt64 {
    guard address.zoom <= Self.maximumZoom else { throw .zoomOutOfRange(address.zoom) }
    let box = UnitBox(address, margin: marginUnits)
    return reading { $0.newestChange(in: box, zoom: address.zoom, visible: !filtered) }
  }

  /// Returns a tile and its version, both of one state, with at most `limit` features.
  ///
  /// - Throws: ``ClusterError/zoomOutOfRange(_:)`` for a zoom outside 0...22.
  public func versionedTile(
    _ address: TileAddress, marginUnits: UInt64 = 0, filter: ClusterFilter? = nil,
    details: ClusterDetails = [], limit: Int = .max
  ) throws(ClusterError) -> ClusterReading {
    guard address.zoom <= Self.maximumZoom else { throw .zoomOutOfRange(address.zoom) }
    return read(
      UnitBox(address, margin: marginUnits), zoom: address.zoom, filter: filter, details: details,
      limit: limit)
  }

  /// Returns the tiles of a viewport that changed after a version.
  ///
  /// - Returns: The tiles, row by row, and the version to ask with next.
  /// - Throws: ``ClusterError/tooManyTiles(_:)`` for more than 4,096 tiles.
  public func changedTiles(
    in box: GeoBox, zoom: Int, since version: UInt64, marginUnits: UInt64 = 0,
    filtered: Bool = false
  ) throws(ClusterError) -> (tiles: [TileAddress], version: UInt64) {
    guard (0...Self.maximumZoom).contains(zoom) else { throw .zoomOutOfRange(zoom) }
    let units = UnitBox(box)
    let shift = UInt64(32 - zoom)
    let columns = UInt64(1) << UInt64(zoom)
    let first = UInt64(units.x) >> shift
    let columnCount = min(columns, ((UInt64(units.x) + units.width - 1) >> shift) - first + 1)
    let rows = (UInt64(units.y) >> shift)...((UInt64(units.y) + units.height - 1) >> shift)
    guard columnCount * UInt64(rows.count) <= 4_096 else {
      throw .tooManyTiles(Int(clamping: columnCount * UInt64(rows.count)))
    }
    return reading { net in
      var tiles: [TileAddress] = []
      for row in rows {
        for offset in 0..<columnCount {
          let column = (first + offset) & (columns - 1)
          guard let tile = TileAddress(zoom: zoom, x: Int(column), y: Int(row)) else { continue }
          let box = UnitBox(tile, margin: marginUnits)
          if net.newestChange(in: box, zoom: zoom, visible: !filtered) > version {
            tiles.append(tile)
          }
        }
      }
      return (tiles, net.versions.current)
    }
  }

  /// Returns the cluster with this id as it is now.
  ///
  /// - Throws: ``ClusterError/unknownCluster(_:)`` where no cluster has the id.
  public func cluster(
    _ id: ClusterID, filter: ClusterFilter? = nil, details: ClusterDetails = []
  ) throws(ClusterError) -> LiveCluster {
    let found = read(filter, details) { net in net.part(id).map { [$0] } }
    guard let found = found?.first else { throw .unknownCluster(id.rawValue) }
    return found
  }

  /// Returns what the cluster comes apart into at its expansion zoom; it is empty for a cluster
  /// that never comes apart.
  ///
  /// - Throws: ``ClusterError/unknownCluster(_:)`` where no cluster has the id.
  public func children(
    _ id: ClusterID, filter: ClusterFilter? = nil, details: ClusterDetails = []
  ) throws(ClusterError) -> [LiveCluster] {
    let found = read(filter, details) { $0.children(id) }
    guard let found else { throw .unknownCluster(id.rawValue) }
    return found.sorted { $0.id.rawValue < $1.id.rawValue }
  }

  /// Returns members in ascending order of their ranks: the first `limit` after a position.
  ///
  /// Paging by the last leaf's position neither repeats nor skips a member that stays.
  ///
  /// - Throws: ``ClusterError/unknownCluster(_:)`` where no cluster has the id.
  /// - Complexity: O((skipped + limit) log) of the members.
  public func leaves(
    _ id: ClusterID, limit: Int, after last: ClusterLeaf.Position? = nil,
    filter: ClusterFilter? = nil
  ) throws(ClusterError) -> (leaves: [ClusterLeaf], hasMore: Bool) {
    let found = reading { $0.leaves(id, limit: max(0, limit), after: last, filter: filter) }
    guard let found else { throw .unknownCluster(id.rawValue) }
    return found
  }

  /// Returns the first zoom at which the cluster comes apart, 1...17. It is `nil` for what never
  /// comes apart: a single point, or points that coincide.
  ///
  /// - Throws: ``ClusterError/unknownCluster(_:)`` where no cluster has the id.
  public func expansionZoom(_ id: ClusterID) throws(ClusterError) -> Int? {
    let found: Int?? = reading { net in
      let item = net.resolve(id)
      if item == ClusterNet.none { return nil }
      return .some(id.zoom > Self.maximumClusterZoom ? nil : net.expansionZoom(item, id.zoom))
    }
    guard let found else { throw .unknownCluster(id.rawValue) }
    return found
  }
}

extension UnitBox {
  init(_ box: GeoBox) {
    let x = MercatorPoint.x(longitude: box.west)
    let east = MercatorPoint.x(longitude: box.east)
    let north = MercatorPoint.y(latitude: box.north)
    let south = MercatorPoint.y(latitude: box.south)
    let width = box.longitudeSpan >= 360 ? 1 << 32 : UInt64(east &- x) + 1
    self.init(x: x, y: Int64(north), width: width, height: UInt64(south) - UInt64(north) + 1)
  }

  init(_ address: TileAddress, margin: UInt64) {
    self = UnitBox(
      x: UInt32(truncatingIfNeeded: address.minimumX), y: Int64(address.minimumY),
      width: address.sideUnits, height: address.sideUnits
    ).grown(by: min(margin, address.sideUnits))
  }
}
