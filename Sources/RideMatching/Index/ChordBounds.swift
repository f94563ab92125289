import GeoMath
import RoutePlanning

/// Straight distances by lines through the Earth, as they are stored, near a place.
struct ChordBounds: Sendable {
  /// Distance / haversine, of points less than ``TravelBounds/farMeters`` from the place.
  let ratios: ClosedRange<Double>

  /// Of a line that is so much longer or shorter at most.
  @inline(__always)
  func straight(_ chord: Float, walk: Float) -> ClosedRange<Double> {
    let least = Double(max(0, chord - walk - CorridorRow.marginMeters))
    let most = Double(chord + walk + CorridorRow.marginMeters)
    guard most < TravelBounds.farMeters else {
      return least * HaversineBounds.minimumRatio...Double.infinity
    }
    return least * ratios.lowerBound...most * ratios.upperBound
  }

  /// The same of four.
  @inline(__always)
  func straight(
    _ chords: SIMD4<Float>, walk: SIMD4<Float>
  ) -> (least: SIMD4<Float>, most: SIMD4<Float>) {
    let walked = walk + CorridorRow.marginMeters
    let least = (chords - walked).orMore(.zero)
    let most = chords + walked
    let isFar = most .>= Float(TravelBounds.farMeters)
    return (
      (least * Float(ratios.lowerBound)).replacing(
        with: least * Float(HaversineBounds.minimumRatio), where: isFar),
      (most * Float(ratios.upperBound)).replacing(with: .infinity, where: isFar)
    )
  }
}
