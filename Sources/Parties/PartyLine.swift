package import GeoMath
import RideMatching

/// The way that a party takes, for maps: from where it begins through all places where somebody gets in or
/// out.
package struct PartyLine: Hashable, Sendable {
  package var path: [Coordinate]
  package var distanceMeters: Double
  package var durationSeconds: Double
  /// Where the way comes from, such as `estimate`.
  package var source: String

  /// Reads a party as the store keeps it; nil for one whose way is not known, as of an older
  /// release, or that cannot be read.
  package init?(record: [UInt8]) {
    guard let route = try? PartyRecord.decode(record).route, route.path.count > 1 else {
      return nil
    }
    path = route.path
    distanceMeters = route.distanceMeters
    durationSeconds = route.durationSeconds
    source = route.source
  }
}
