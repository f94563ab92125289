import GeoMath

import ObjectModel
import QueryCoalescing

/// Encoded tiles, each given again while it is still what a fresh read would make: the newest
/// change among the blocks it was read from is the same, and none of its single objects expired.
///
/// Bounded by bytes; what is asked for again stays longest.
final class TileCache: Sendable {
  struct Key: Hashable, Sendable {
    let layer: String
    let address: TileAddress
    let format: TileAnswer.Format
    let isGzipped: Bool
    /// ``ObjectFilter/fingerprint``.
    let filter: UInt64
  }

  struct Tile: Sendable {
    let bytes: [UInt8]
    let isGzipped: Bool
    /// See ``ClusterTile``.
    let version: UInt64
    let omittedCount: Int
    let isTruncated: Bool
    let expiresAt: ObjectModel.Instant
    /// Of the objects in it that stand alone, where it is noted who sees them; else empty.
    var shownIDs: [String] = []
  }

  enum Lookup {
    case miss
    /// Of this version, but one of its objects expired: what a read makes has another tag.
    case outlived
    case hit(Tile)
  }

  private let cache: FreshnessCache<Key, Tile>

  init(capacityBytes: Int = 64 << 20) { cache = FreshnessCache(capacityBytes: capacityBytes) }

  /// Looks for a tile that is what a fresh read would make.
  ///
  /// - Parameters:
  ///   - key: What the caller asks for.
  ///   - version: Of the tile now.
  ///   - now: The time by which the tile's objects have expired or not.
  /// - Returns: The tile; or that it is kept no more, has another version, or has outlived an
  ///   object.
  func lookup(_ key: Key, version: UInt64, now: ObjectModel.Instant) -> Lookup {
    // The version alone decides: readings are of time 0, and nobody accepts one by its age.
    let freshness = Freshness(maximumAge: 0, sufficientVersion: version)
    guard case .hit(let tile, _, _) = cache.lookup(key, freshness: freshness, at: 1) else {
      return .miss
    }
    return tile.expiresAt > now ? .hit(tile) : .outlived
  }

  func keep(_ tile: Tile, for key: Key) {
    cache.insert(
      key, tile, reading: Reading(time: 0, version: tile.version),
      bytes: tile.bytes.count + key.layer.utf8.count
        + tile.shownIDs.reduce(0) { $0 + $1.utf8.count + 16 })
  }

  var statistics: FreshnessCacheStatistics { cache.statistics }
}
