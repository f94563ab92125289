/// The reasons for which layers refuse a request, with the offending value.
package enum LayerError: Error, Hashable, Sendable {
  /// The name does not match `[a-z0-9][a-z0-9_-]{0,62}`.
  case badLayerName(String)
  /// Nothing was ever reported to the layer.
  case unknownLayer(String)
  /// Only the service itself fills this layer.
  case reservedLayer(String)
  /// The tenant has as many layers as it may.
  case tooManyLayers(limit: Int)
  case unknownObject(layer: String, id: String)
  /// The text is not a version that this service gave out.
  case badVersion(String)
  /// The version asked for was not reached in time.
  case versionNotReached(String)
  /// The cursor was not given out by this service, or belongs to another query.
  case badCursor
  /// The layer keeps no clusters.
  case clustersOff(layer: String)
  /// No cluster has this id now: it never existed, or its seed moved away.
  case unknownCluster(UInt64)
  /// The zoom is outside 0...22.
  case badZoom(Int)
  /// The viewport has more tiles than one call compares.
  case tooManyTiles(Int)
  /// The search would take more than the request's budget of steps; `field` names the field that
  /// makes it long.
  case tooMuchWork(limit: Int, field: String)
  /// The caller has left, or its deadline has passed.
  case abandoned
  /// The layer watches as many areas as it may.
  case tooManyWatches(limit: Int)
}
