/// Where a rider gets in and out, as far as straight lines go. Places are of single precision, half a meter; bounds make up
/// for it.
struct CorridorEnds: Sendable {
  // Not vectors: they would take more room beside other things.
  fileprivate let fromX, fromY, fromZ, toX, toY, toZ: Float
  /// The longest way from the one to the other, through the Earth.
  fileprivate let budgetMeters: Float
  /// The party's path from end to end, through the Earth, where it is all between the two; else
  /// infinite.
  let pathMeters: Float

  /// - Parameters:
  ///   - from: Where the rider gets in.
  ///   - to: Where they get out.
  ///   - budgetMeters: The longest way from the one to the other, through the Earth.
  ///   - pathMeters: As ``pathMeters``.
  init(_ from: SphereVector, _ to: SphereVector, budgetMeters: Double, pathMeters: Double) {
    fromX = Float(from.x)
    fromY = Float(from.y)
    fromZ = Float(from.z)
    toX = Float(to.x)
    toY = Float(to.y)
    toZ = Float(to.z)
    self.budgetMeters = Float(budgetMeters).nextUp
    self.pathMeters = Float(pathMeters).nextUp
  }

  @inline(__always)
  var from: SIMD3<Float> { SIMD3(fromX, fromY, fromZ) }
  @inline(__always)
  var to: SIMD3<Float> { SIMD3(toX, toY, toZ) }

  /// Whether straight lines allow it that a rider is met and let out, in doubt true.
  @inline(__always)
  func mayServe(_ question: BoardingBounds.EndsQuestion) -> Bool {
    FourEnds(self, self, self, self).mayServe(question)[0]
  }
}

/// The ends of four rows, which cost together what one costs alone.
struct FourEnds {
  private let fromX, fromY, fromZ, toX, toY, toZ, budgetMeters, pathMeters: SIMD4<Float>

  @inline(__always)
  init(_ a: CorridorEnds, _ b: CorridorEnds, _ c: CorridorEnds, _ d: CorridorEnds) {
    fromX = SIMD4(a.fromX, b.fromX, c.fromX, d.fromX)
    fromY = SIMD4(a.fromY, b.fromY, c.fromY, d.fromY)
    fromZ = SIMD4(a.fromZ, b.fromZ, c.fromZ, d.fromZ)
    toX = SIMD4(a.toX, b.toX, c.toX, d.toX)
    toY = SIMD4(a.toY, b.toY, c.toY, d.toY)
    toZ = SIMD4(a.toZ, b.toZ, c.toZ, d.toZ)
    budgetMeters = SIMD4(a.budgetMeters, b.budgetMeters, c.budgetMeters, d.budgetMeters)
    pathMeters = SIMD4(a.pathMeters, b.pathMeters, c.pathMeters, d.pathMeters)
  }

  /// Of each of them, ``CorridorEnds/mayServe(_:)``.
  @inline(__always)
  func mayServe(_ question: BoardingBounds.EndsQuestion) -> SIMDMask<SIMD4<Int32>> {
    let place = question.place
    let drop = question.drop
    let toPlace = Self.lengths(fromX - place.x, fromY - place.y, fromZ - place.z)
    let onward = Self.lengths(toX - place.x, toY - place.y, toZ - place.z)
    let last =
      Self.lengths(toX - drop.x, toY - drop.y, toZ - drop.z) - CorridorRow.marginMeters
    let beside = CorridorRow.besideMeters(toPlace, onward, pathMeters)
    let walk = SIMD4(repeating: question.walk).replacing(with: 0, where: beside .> question.reach)
    let walked = walk + CorridorRow.marginMeters
    let isNear = toPlace - walked + pointwiseMax(.zero, onward - walked) .<= budgetMeters
    let isBefore = toPlace - walked + (question.direct - walk) + last .<= budgetMeters
    let isBehind = onward - walked + last .<= question.ownBudget
    return isNear .& (isBefore .| isBehind)
  }

  @inline(__always)
  private static func lengths(
    _ x: SIMD4<Float>, _ y: SIMD4<Float>, _ z: SIMD4<Float>
  ) -> SIMD4<Float> {
    (x * x + y * y + z * z).squareRoot()
  }
}

/// The part of a row by which most rows are passed by, as small as can be.
struct CorridorHead: Sendable {
  var ends: CorridorEnds
  var times: CorridorTimes
}
