import Foundation
import GeoMath
import ObjectModel
import RideMatching

/// Makes the instances of `data/matching-instances`. A fixed seed gives the same file on one
/// machine; the files are committed, since sine and logarithm may differ in a last digit elsewhere.
struct InstanceGenerator {
  struct Shape {
    var name: String
    var seed: UInt64
    var requests: Int
    /// Where people start and where they go: so many places of different weight.
    var origins: Int
    var destinations: Int
    /// Around each place, meters (one standard deviation).
    var originSpread: Double
    var destinationSpread: Double
    /// Half the size of the area east-west and north-south, meters.
    var halfWidth: Double
    var halfHeight: Double
    var minutes: Double
    var tolerance: Int64
    var limits: RideLimits
  }

  static let shapes = [
    // A city at large: many small crowds.
    Shape(
      name: "spread-1000", seed: 1, requests: 1000, origins: 60, destinations: 120,
      originSpread: 300, destinationSpread: 600, halfWidth: 6000, halfHeight: 6000, minutes: 10,
      tolerance: 300, limits: .standard),
    // A long island: everybody near everybody, short rides.
    Shape(
      name: "island-1000", seed: 2, requests: 1000, origins: 400, destinations: 400,
      originSpread: 250, destinationSpread: 500, halfWidth: 1300, halfHeight: 6000, minutes: 5,
      tolerance: 300, limits: .standard),
    // After the last train: a few crowds going home, millions of feasible groups.
    Shape(
      name: "night-1000", seed: 3, requests: 1000, origins: 15, destinations: 80,
      originSpread: 250, destinationSpread: 500, halfWidth: 6500, halfHeight: 6500, minutes: 10,
      tolerance: 300, limits: .standard),
    // A stadium empties: everybody at one place, nearly all pairs within a walk.
    Shape(
      name: "crowd-1000", seed: 4, requests: 1000, origins: 1, destinations: 80,
      originSpread: 80, destinationSpread: 500, halfWidth: 6500, halfHeight: 6500, minutes: 10,
      tolerance: 300, limits: .standard),
  ]

  /// The same kinds of crowds by other seeds than those of the files.
  static func unseen(_ seed: UInt64) -> [Shape] {
    shapes.map { shape in
      var shape = shape
      shape.seed = 100 * shape.seed + seed
      shape.name = "\(shape.name)/\(shape.seed)"
      return shape
    }
  }

  private static let center = (latitude: 37.52, longitude: 127.0)
  private static let begin: Int64 = 1_767_200_000

  private var state: UInt64

  static func requests(_ shape: Shape) -> [RideRequest] {
    var generator = InstanceGenerator(state: shape.seed)
    let from = generator.places(shape.origins, shape)
    let to = generator.places(shape.destinations, shape)
    return (0..<shape.requests).map { index in
      let origin = generator.around(from, shape.originSpread)
      let destination = generator.around(to, shape.destinationSpread)
      let at = begin + Int64(generator.unit() * shape.minutes * 60)
      return RideRequest(
        riderID: "r\(index)", origin: RidePlace(coordinate: origin),
        destination: RidePlace(coordinate: destination),
        window: DepartureWindow(
          time: Instant(seconds: at), toleranceMilliseconds: shape.tolerance * 1000),
        limits: shape.limits, seats: generator.unit() < 0.12 ? 2 : 1)
    }
  }

  private mutating func unit() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((z ^ (z >> 31)) >> 11) * 0x1p-53
  }

  private mutating func normal() -> Double {
    (-2 * log(max(unit(), 1e-300))).squareRoot() * cos(2 * .pi * unit())
  }

  private mutating func places(_ count: Int, _ shape: Shape) -> [(x: Double, y: Double)] {
    (0..<count).map { _ in
      ((unit() * 2 - 1) * shape.halfWidth, (unit() * 2 - 1) * shape.halfHeight)
    }
  }

  /// Early places are the busy ones. Six decimals, a tenth of a meter.
  private mutating func around(_ places: [(x: Double, y: Double)], _ spread: Double) -> Coordinate {
    let place = places[min(places.count - 1, Int(Double(places.count) * unit() * unit()))]
    let x = place.x + spread * normal()
    let y = place.y + spread * normal()
    func rounded(_ value: Double) -> Double { (value * 1e6).rounded() / 1e6 }
    return Coordinate(
      uncheckedLatitude: rounded(Self.center.latitude + y / 111_000),
      longitude: rounded(
        Self.center.longitude + x / (111_320 * cos(Self.center.latitude * .pi / 180))))
  }
}
