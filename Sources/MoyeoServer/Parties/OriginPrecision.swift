import ObjectModel
import PositionProtection
import RideMatching

/// How exactly others than its members see where a party meets.
///
/// A snapped origin is snapped before anything is computed of it, so that neither walks, routes and fares nor
/// the layer of parties tell more than the cell.
enum OriginPrecision: String, CaseIterable, Sendable {
  case exact
  /// As the middle of a cell of 250 m, the smallest of ``ProtectionSettings``.
  case snapped

  private static let grid = ProtectionGrid(settings: ProtectionSettings(), marginKey: HashKey(0, 0))

  /// The middle of the cell of a place. The place's name would tell where in it that is.
  static func snapped(_ place: RidePlace) -> RidePlace {
    RidePlace(coordinate: grid.snapped(place.coordinate))
  }
}
