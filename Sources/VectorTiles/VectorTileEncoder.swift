public import GeoMath

/// Point features to one-layer Mapbox Vector Tiles 2.1 (`application/vnd.mapbox-vector-tile`).
public enum VectorTileEncoder {
  /// Mapbox's registered media type.
  public static let mediaType = "application/vnd.mapbox-vector-tile"
  /// Tile coordinates a side, unless another is asked for.
  public static let defaultExtent: UInt32 = 4_096

  /// The bytes of a tile with one layer; none if there is no feature.
  public static func encode(
    layer: String, tile: TileAddress, extent: UInt32 = defaultExtent, features: [TileFeature]
  ) -> [UInt8] {
    var writer = VectorTileLayerWriter(name: layer, tile: tile, extent: extent)
    for feature in features { writer.add(feature) }
    return writer.finish()
  }
}
