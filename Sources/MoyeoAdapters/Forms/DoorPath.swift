import MoyeoServer

/// The segments of a path.
enum DoorPath {
  /// Decoded; nil where the escapes are broken.
  static func segments(_ path: String) -> [String]? {
    var out: [String] = []
    for part in path.utf8.dropFirst().split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    {
      guard let text = PercentCoding.decode(ArraySlice(Array(part)), plusIsSpace: false) else {
        return nil
      }
      out.append(text)
    }
    return out
  }

  /// Whether a path is `root` or stands below it.
  static func stands(_ path: String, under root: String) -> Bool {
    path.hasPrefix(root)
      && (path.utf8.count == root.utf8.count
        || path.utf8.dropFirst(root.utf8.count).first == UInt8(ascii: "/"))
  }
}
