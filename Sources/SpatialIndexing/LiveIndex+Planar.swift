import GeoMath

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How far Mercator units tell about meters around one origin.
///
/// On the sphere the angle between two points lies between the smallest and the greatest
/// cos(latitude) near the origin times their planar distance in radians; over `u` radians of
/// planar distance these differ from the origin's by less than a factor 1 ± 3u (u <= 0.02). The
/// one distance function multiplies the angle by a mean of M and N.
struct PlanarScale {
  /// Beyond this planar distance, in units, the plane is left: 0.02 rad, about 100 km at Seoul.
  static let maximumUnits = 0.02 / unit
  /// Radians a unit.
  private static let unit = 2 * Double.pi / 4_294_967_296
  /// Rounding of both ends and of the clamped last column.
  static let slackUnits = 3.0

  private let meridional: Double
  private let primeVertical: Double

  init(latitude: Double) {
    let phi = latitude * (.pi / 180)
    let w = 1 - Earth.eccentricitySquared * (sin(phi) * sin(phi))
    let n = Earth.semiMajorAxisMeters / w.squareRoot()
    primeVertical = n * cos(phi) * Self.unit
    meridional = n * (1 - Earth.eccentricitySquared) / w * cos(phi) * Self.unit
  }

  /// Meters a unit, at least, within `units` of the origin.
  @inline(__always)
  func least(within units: Double) -> Double { meridional * (1 - 3 * units * Self.unit) }

  /// Meters a unit, at most, within `units` of the origin.
  @inline(__always)
  func most(within units: Double) -> Double { primeVertical * (1 + 3 * units * Self.unit) }

  /// Planar distance beyond which everything is further by the one function than a point at
  /// `units` may be. Pays for the rounding of 32-bit floats.
  @inline(__always)
  func inflated(_ units: Double) -> Double {
    let near = units + Self.slackUnits
    let ratio = (most(within: near) / least(within: 2 * near)) * (1 + 1e-6)
    return near * ratio + Self.slackUnits
  }

  /// Planar distance beyond which everything is further than `meters`, or `nil` if that is more
  /// than the plane is good for.
  func unitsBeyond(meters: Double) -> Double? {
    let units =
      meters / least(within: Self.maximumUnits) * (1 + 1e-6) + Self.slackUnits
    return units <= Self.maximumUnits ? units : nil
  }

  /// Whether everything within a planar distance lies in the part of the plane that tells the truth.
  static func isTrusted(_ center: MercatorPoint, square: Float) -> Bool {
    let reach = Double(square).squareRoot() + 2 * slackUnits
    return reach <= maximumUnits && Double(center.y) > reach
      && Double(center.y) + reach < 4_294_967_294
  }

  /// Planar distance below which everything is nearer than `meters`.
  func unitsBelow(meters: Double) -> Double {
    max(0, meters / most(within: Self.maximumUnits) * (1 - 1e-6) - Self.slackUnits)
  }
}

extension LiveIndex {
  enum PlanarAnswer {
    case found([TopHits.Hit])
    /// The plane cannot be trusted here: too far, too near the clamped rows, or not enough
    /// matches within reach.
    case outOfPlane
    /// So many points fail the filter that another way is better.
    case tooManyFail
  }

  /// The nearest search in the Mercator plane.
  func planarNearest(_ search: NearestSearch) -> PlanarAnswer {
    let origin = search.meter.origin
    guard origin.latitude.magnitude < 84.9 else { return .outOfPlane }
    let center = MercatorPoint(latitude: origin.latitude, longitude: origin.longitude)
    let scale = PlanarScale(latitude: origin.latitude)
    var bound = Float.greatestFiniteMagnitude
    var isBounded = false
    if search.radius != .max,
      let units = scale.unitsBeyond(meters: (Double(search.radius) + 1) / 1000)
    {
      bound = Float(units * units * (1 + 1e-6))
      isBounded = true
    }
    var inner: Float = -1
    if let after = search.after {
      guard scale.unitsBeyond(meters: (Double(after.distance) + 1) / 1000) != nil else {
        return .outOfPlane
      }
      let units = scale.unitsBelow(meters: (Double(after.distance) - 1) / 1000)
      inner = Float(units * units * (1 - 1e-6))
    }
    if !isBounded && count < search.limit { return .outOfPlane }
    var candidates = PlanarCandidates(limit: search.limit, scale: scale, bound: bound)
    guard planarScan(search, center, inner: inner, &candidates) else { return .tooManyFail }
    candidates.reduce()
    guard candidates.count >= search.limit || isBounded,
      PlanarScale.isTrusted(center, square: candidates.bound)
    else { return .outOfPlane }
    return .found(finish(search, candidates))
  }

  /// Measures the candidates exactly and orders them.
  func finish(
    _ search: NearestSearch, _ candidates: borrowing PlanarCandidates
  ) -> [TopHits.Hit] {
    // Far more candidates than hits: points at one place. Keep the best while measuring.
    if candidates.count > 4 * search.limit + 1024 {
      var hits = TopHits(limit: search.limit)
      for i in 0..<candidates.count { search.offer(candidates[i].slot, to: &hits, self) }
      return hits.sorted(self)
    }
    var folded: UInt32 = 0
    for i in 0..<candidates.count {
      unsafe folded &+= slots.base[Int(candidates[i].slot)].generation
    }
    finishWarming(folded)
    var hits: [TopHits.Hit] = []
    hits.reserveCapacity(candidates.count)
    for i in 0..<candidates.count {
      let distance = search.distance(candidates[i].slot, self)
      if distance <= search.radius {
        hits.append(TopHits.Hit(distance: distance, slot: candidates[i].slot))
      }
    }
    TopHits.sort(&hits, self)
    if hits.count > search.limit { hits.removeLast(hits.count - search.limit) }
    return hits
  }

  /// One node waiting on the stack.
  private struct Pending: BitwiseCopyable {
    var node: UInt32
    var x: UInt32
    var y: UInt32
    var square: Float
  }

  /// Depth first, nearest child first. Answers `false` when so many points fail the filter that
  /// another way is better.
  private func planarScan(
    _ search: NearestSearch, _ center: MercatorPoint, inner: Float,
    _ candidates: inout PlanarCandidates
  ) -> Bool {
    // At most three siblings wait at each of 32 levels.
    unsafe withUnsafeTemporaryAllocation(of: Pending.self, capacity: 132) { stack in
      unsafe stack[0] = Pending(node: 0, x: 0, y: 0, square: 0)
      var depth = 1
      var folded: UInt32 = 0
      var budget = search.plan.scanBudget
      let tick = times.tick(search.now)
      let isPlain = search.plan.isTrivial && search.after == nil
      while depth > 0 {
        depth -= 1
        let pending = unsafe stack[depth]
        guard pending.square <= candidates.bound else { continue }
        let node = unsafe tree.nodes.pointer(pending.node)
        if unsafe node.pointee.isInner {
          unsafe expand(
            node, pending, center, search.plan, candidates.bound,
            stack.baseAddress.unsafelyUnwrapped,
            &depth, &folded)
          continue
        }
        if unsafe isPlain && node.pointee.earliest > tick && node.pointee.level < 32 {
          unsafe scanPlainLeaf(node, center, &candidates)
        } else {
          scanLeaf(pending.node, search, center, inner: inner, tick: tick, &candidates)
          unsafe budget -= Int(node.pointee.count)
          if budget < 0 { return false }
        }
        candidates.reduceIfWorthwhile()
      }
      finishWarming(folded)
      return true
    }
  }

  @inline(__always)
  private func expand(
    _ node: UnsafeMutablePointer<TreeNode>, _ pending: Pending, _ center: MercatorPoint,
    _ plan: FilterPlan, _ bound: Float, _ stack: UnsafeMutablePointer<Pending>,
    _ depth: inout Int, _ folded: inout UInt32
  ) {
    let side = unsafe UInt32(1) &<< (31 &- node.pointee.level)
    let x0 = Self.squaredGap(center.x, pending.x, side)
    let x1 = Self.squaredGap(center.x, pending.x &+ side, side)
    let y0 = Self.squaredGap(center.y, pending.y, side)
    let y1 = Self.squaredGap(center.y, pending.y &+ side, side)
    // Nearest quadrant first: it is pushed last.
    let nearColumn: UInt32 = x0 <= x1 ? 0 : 1
    let nearRow: UInt32 = y0 <= y1 ? 0 : 2
    let near = nearColumn | nearRow
    let columnFirst = min(x0, x1) + max(y0, y1) <= max(x0, x1) + min(y0, y1)
    let second = columnFirst ? near ^ 2 : near ^ 1
    let group = unsafe tree.nodes.pointer(node.pointee.first)
    push(near ^ 3)
    push(second ^ 3)
    push(second)
    push(near)
    @inline(__always)
    func push(_ quadrant: UInt32) {
      let square = (quadrant & 1 == 0 ? x0 : x1) + (quadrant & 2 == 0 ? y0 : y1)
      let child = unsafe group + Int(quadrant)
      guard square <= bound, unsafe child.pointee.count > 0,
        unsafe plan.admits(child.pointee.signature)
      else {
        return
      }
      if unsafe child.pointee.fourth != TreeNode.inner {
        // The coordinates of the first blocks, to be there when the leaf's turn comes.
        unsafe folded &+= tree.blocks.base[Int(child.pointee.first)].x[0]
        if unsafe child.pointee.count > 8 && child.pointee.level < 32 {
          unsafe folded &+= tree.blocks.base[Int(child.pointee.second)].x[0]
        }
      }
      unsafe stack[depth] = unsafe Pending(
        node: node.pointee.first &+ quadrant, x: pending.x &+ (quadrant & 1) &* side,
        y: pending.y &+ (quadrant &>> 1) &* side, square: square)
      depth += 1
    }
  }

  /// Square of the distance from a coordinate to a run of `side` units, the short way round.
  @inline(__always)
  private static func squaredGap(_ at: UInt32, _ start: UInt32, _ side: UInt32) -> Float {
    let offset = at &- start
    let gap = offset < side ? 0 : min(offset &- (side &- 1), 0 &- offset)
    let width = Float(gap)
    return width * width
  }

  /// A leaf that is no pile, where every point counts.
  @inline(__always)
  private func scanPlainLeaf(
    _ node: UnsafeMutablePointer<TreeNode>, _ center: MercatorPoint,
    _ candidates: inout PlanarCandidates
  ) {
    let x = SIMD8<UInt32>(repeating: center.x)
    let y = SIMD8<UInt32>(repeating: center.y)
    let ids = unsafe UnsafeRawPointer(node).assumingMemoryBound(to: UInt32.self)
    var left = unsafe Int(node.pointee.count)
    var i = 0
    while left > 0 {
      let block = unsafe tree.blocks.pointer(ids[i])
      let squares = unsafe EightLanes.squares(block.pointee.x, block.pointee.y, x, y)
      if EightLanes.anyIsWithin(squares, candidates.bound) {
        unsafe candidates.append(squares, block.pointee.slot, lanes: min(8, left))
      }
      left -= 8
      i += 1
    }
  }

  @inline(__always)
  private func scanLeaf(
    _ leaf: UInt32, _ search: NearestSearch, _ center: MercatorPoint, inner: Float, tick: UInt32,
    _ candidates: inout PlanarCandidates
  ) {
    let mayBeExpired = tree.nodes[leaf].earliest <= tick
    let x = SIMD8<UInt32>(repeating: center.x)
    let y = SIMD8<UInt32>(repeating: center.y)
    tree.forEachBlock(of: leaf) { id, lanes in
      let block = unsafe tree.blocks.pointer(id)
      let squares = unsafe EightLanes.squares(block.pointee.x, block.pointee.y, x, y)
      let bound = candidates.bound
      guard EightLanes.anyIsWithin(squares, bound) else { return }
      for lane in 0..<lanes where squares[lane] <= bound && squares[lane] >= inner {
        let slot = unsafe block.pointee.slot[lane]
        guard unsafe search.plan.matches(slot, signature: block.pointee.signature[lane], self)
        else {
          continue
        }
        if mayBeExpired && expiresAt(slot) <= search.now { continue }
        if search.after != nil
          && !search.isAfterCursor(search.distance(slot, self), slot, self)
        {
          continue
        }
        candidates.append(squares[lane], slot)
      }
    }
  }
}
