/// Where a rider gets in and out, as far as straight lines go. Places are of single precision, half a meter; bounds make up
/// for it.
struct CorridorEnds: Sendable {
  // Not vectors: they would take more room beside other things.
  private let fromX, fromY, fromZ, toX, toY, toZ: Float
  /// The longest way from the one to the other, through the Earth.
  private let budgetMeters: Float
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

  /// Whether straight lines allow it that a rider is met and let out, in doubt true. No branches: where
  /// one in five is passed, guesses cost more than the work.
  @inline(__always)
  func mayServe(_ question: BoardingBounds.EndsQuestion) -> Bool {
    // From the start and the end to the place, from the end to where the rider gets out.
    let x = SIMD4(fromX, toX, toX, 0) - question.x
    let y = SIMD4(fromY, toY, toY, 0) - question.y
    let z = SIMD4(fromZ, toZ, toZ, 0) - question.z
    let lines = (x * x + y * y + z * z).squareRoot()
    let beside = CorridorRow.besideMeters(lines[0], lines[1], pathMeters)
    let walk = beside > question.reach ? 0 : question.walk
    let toPlace = lines[0] - walk - CorridorRow.marginMeters
    let onward = lines[1] - walk - CorridorRow.marginMeters
    let last = lines[2] - CorridorRow.marginMeters
    let isNear = toPlace + max(0, onward) <= budgetMeters
    let isBefore = toPlace + question.direct - walk + last <= budgetMeters
    let isBehind = onward + last <= question.ownBudget
    // Not && and ||: they are branches.
    return UInt8(isNear ? 1 : 0) & (UInt8(isBefore ? 1 : 0) | UInt8(isBehind ? 1 : 0)) == 1
  }
}

/// The part of a row by which most rows are passed by, as small as can be.
struct CorridorHead: Sendable {
  var ends: CorridorEnds
  var times: CorridorTimes
}
