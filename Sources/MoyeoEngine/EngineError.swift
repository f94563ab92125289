/// What the engine refuses, with the offending value.
public enum EngineError: Error, Hashable, Sendable {
  /// Not `[a-z0-9][a-z0-9_-]{0,62}`.
  case badLayerName(String)
  /// Nothing was ever reported to it.
  case unknownLayer(String)
  /// The engine itself fills this layer.
  case reservedLayer(String)
  /// The tenant has as many layers as it may.
  case tooManyLayers(limit: Int)
  case unknownObject(layer: String, id: String)
  /// Not a version this service gave out.
  case badVersion(String)
  /// The version asked for was not reached in time.
  case versionNotReached(String)
  /// The cursor is not one of ours, or belongs to another query.
  case badCursor
}
