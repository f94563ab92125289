import GeoMath

/// The heads of four rows, which cost together what one costs alone.
struct FourHeads {
  typealias Four = SIMD4<Float>
  typealias Mask = SIMDMask<SIMD4<Int32>>

  let from: FourPoints
  let to: FourPoints
  private let budgetMeters: Four
  private let pathMeters: Four
  private let start: SIMD4<Int32>
  private let spans: SIMD4<UInt32>
  let limitMeters: Four
  let othersWeight: Four
  let accepted: Four
  private let detourRatio: Four
  private let walkLimit: Four
  private let traits: SIMD4<UInt32>

  @inline(__always)
  init(_ a: CorridorHead, _ b: CorridorHead, _ c: CorridorHead, _ d: CorridorHead) {
    let from = Four.columns(a.from, b.from, c.from, d.from)
    let to = Four.columns(a.to, b.to, c.to, d.to)
    let times = Four.columns(a.times, b.times, c.times, d.times)
    let terms = Four.columns(a.terms, b.terms, c.terms, d.terms)
    self.from = FourPoints(x: from.0, y: from.1, z: from.2)
    self.to = FourPoints(x: to.0, y: to.1, z: to.2)
    budgetMeters = from.3
    pathMeters = to.3
    start = SIMD4<Int32>(truncatingIfNeeded: Self.bits(times.0))
    spans = Self.bits(times.1)
    limitMeters = times.2
    othersWeight = times.3
    accepted = terms.0
    detourRatio = terms.1
    walkLimit = terms.2
    traits = Self.bits(terms.3)
  }

  @inline(__always)
  private static func bits(_ four: Four) -> SIMD4<UInt32> {
    SIMD4(four.x.bitPattern, four.y.bitPattern, four.z.bitPattern, four.w.bitPattern)
  }

  /// Which of them may serve somebody, in doubt all: a bit for each.
  @inline(__always)
  func mayServe(_ question: HeadsQuestion) -> UInt8 {
    let toPlace = from.chords(to: question.place)
    let served = mayServe(question, toPlace: toPlace)
    guard any(served) else { return 0 }
    let (least, most) = question.arrivals(toPlace)
    let met = served .& mayBeMet(question, least: least, most: most)
    let bits = SIMD4<Int32>(1, 2, 4, 8).replacing(with: 0, where: .!met)
    return UInt8(truncatingIfNeeded: bits.wrappedSum())
  }

  /// Whether straight lines allow it that a rider is met and let out, in doubt true.
  @inline(__always)
  private func mayServe(_ question: HeadsQuestion, toPlace: Four) -> Mask {
    let onward = to.chords(to: question.place)
    let last = to.chords(to: question.drop) - CorridorRow.marginMeters
    let around = aroundMeters(toPlace, onward)
    let walk = question.walk.replacing(with: 0, where: around .> question.reach)
    let far = toPlace - walk - CorridorRow.marginMeters
    let near = onward - walk - CorridorRow.marginMeters
    let isNear = far + near.orMore(.zero) .<= budgetMeters
    let isBefore = far + (question.direct - walk) + last .<= budgetMeters
    let isBehind = near + last .<= question.ownBudget
    return isNear .& (isBefore .| isBehind)
  }

  /// How far the place is from the paths at least, meters: half of what a way by the place is longer, less what
  /// rounding and flat pieces may make of it.
  @inline(__always)
  private func aroundMeters(_ toPlace: Four, _ onward: Four) -> Four {
    (toPlace + onward - pathMeters) * 0.499 - 10
  }

  /// The same more closely: from the straight line by more than half the width of the ellipse of all ways as long
  /// as the path.
  @inline(__always)
  func besideMeters(_ question: HeadsQuestion) -> Four {
    let toPlace = from.chords(to: question.place)
    let onward = to.chords(to: question.place)
    let straight = from.chords(to: to).orMore(Four(repeating: 1))
    let toSquared = toPlace * toPlace
    let squared = straight * straight
    let inLine = (toSquared + squared - onward * onward) / (2 * straight)
    let nearest = inLine.orMore(.zero).orLess(straight)
    // Less what single precision may make of it.
    let apart = toSquared - nearest * (2 * inLine - nearest) - (toSquared + squared) * 5e-7
    let halfWidth = (pathMeters * pathMeters - squared).orMore(.zero).squareRoot() * 0.5
    let bend = pathMeters * pathMeters * question.bendPerSquare
    let across = apart.orMore(.zero).squareRoot() - halfWidth - bend - 10
    return aroundMeters(toPlace, onward).orMore(across)
  }

  /// Whether a party may be met at all.
  ///
  /// - Parameters:
  ///   - question: Who asks.
  ///   - least: Seconds at least from the departure to the place for a taxi that comes straight from where
  ///     the row begins. By other halts it comes no sooner.
  ///   - most: The same at most; no later if nobody else is aboard.
  /// - Returns: By row.
  @inline(__always)
  private func mayBeMet(_ question: HeadsQuestion, least: Four, most: Four) -> Mask {
    let (begins, slack) = begins(question)
    let ends = begins + seconds(spans & 0xFFFF)
    let ofAll = begins + seconds(spans &>> 16)
    let isOfOne = SIMD4<Int32>(truncatingIfNeeded: traits &>> 25 & 1) .== 1
    let last = ofAll.replacing(with: ofAll.orLess(ends + most), where: isOfOne) + slack
    let isEarly = begins + least .<= question.through + slack
    let isLate = (last .>= question.from) .& (last .>= question.now)
    return isEarly .& isLate .& (ends + slack .>= question.now)
  }

  /// Seconds from the start of each window: when a taxi must come at the latest, and when it must not have been
  /// long since.
  @inline(__always)
  func arrivals(_ question: HeadsQuestion) -> (latest: Four, earliest: Four) {
    let (begins, slack) = begins(question)
    return (
      question.through - begins + slack,
      max(question.from, question.now) - begins - seconds(spans & 0xFFFF) - slack - 1
    )
  }

  /// When the windows start, from the question's second, with what is allowed for its rounding.
  @inline(__always)
  private func begins(_ question: HeadsQuestion) -> (begins: Four, slack: Four) {
    let near = start.replacing(with: question.latest, where: start .> question.latest)
      .replacing(with: question.earliest, where: start .< question.earliest)
    let begins = Four(near &- SIMD4(repeating: question.zero))
    // A second for the rounding of moments, and what single precision makes of distant ones.
    return (begins, begins.orMore(-begins) * 2e-7 + 1)
  }

  /// The greatest number stands for all longer spans.
  @inline(__always)
  private func seconds(_ span: SIMD4<UInt32>) -> Four {
    Four(SIMD4<Int32>(truncatingIfNeeded: span))
      .replacing(with: .infinity, where: SIMD4<Int32>(truncatingIfNeeded: span) .== 0xFFFF)
  }

  /// Which of them go straight through all halts of their parties: ``CorridorRow/Flags/followsHalts``.
  @inline(__always)
  var followHalts: Mask { SIMD4<Int32>(truncatingIfNeeded: traits &>> 26 & 1) .== 1 }

  /// The longest walks of a rider with such wishes at most, meters.
  @inline(__always)
  func walks(_ wishes: RideWishes) -> Four {
    wishes.maxWalkMeters.map { Four(repeating: Float($0).nextUp) } ?? walkLimit
  }

  /// The largest detours of a rider with such wishes at most.
  @inline(__always)
  func detourRatios(_ wishes: RideWishes) -> Four {
    wishes.maxDetourRatio.map { Four(repeating: Float($0).nextUp) } ?? detourRatio
  }
}
