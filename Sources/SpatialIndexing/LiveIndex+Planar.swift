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

  /// Planar distance below which everything is nearer than `meters`.
  func unitsBelow(meters: Double) -> Double {
    max(0, meters / most(within: Self.maximumUnits) * (1 - 1e-6) - Self.slackUnits)
  }
}

/// Points near enough to matter, by squared planar distance.
struct PlanarCandidates {
  struct Candidate: BitwiseCopyable {
    var square: Float
    var slot: UInt32
  }

  private(set) var list: [Candidate] = []
  let limit: Int
  private let scale: PlanarScale
  /// Squares above it cannot be among the best.
  private(set) var bound: Float
  private var nextReduction: Int

  init(limit: Int, scale: PlanarScale, bound: Float) {
    self.limit = limit
    self.scale = scale
    self.bound = bound
    nextReduction = limit + max(12, limit / 4)
    list.reserveCapacity(nextReduction + 64)
  }

  @inline(__always)
  mutating func append(_ square: Float, _ slot: UInt32) {
    list.append(Candidate(square: square, slot: slot))
  }

  /// Tightens the bound when enough candidates have come together.
  @inline(__always)
  mutating func reduceIfWorthwhile() {
    if list.count >= nextReduction { reduce() }
  }

  mutating func reduce() {
    guard list.count >= limit else { return }
    let worst = selectKth()
    let units = scale.inflated(Double(worst).squareRoot())
    bound = min(bound, Float(units * units * (1 + 1e-6)))
    var kept = 0
    unsafe list.withUnsafeMutableBufferPointer { list in
      for i in list.indices where unsafe list[i].square <= bound {
        unsafe list[kept] = unsafe list[i]
        kept += 1
      }
    }
    list.removeLast(list.count - kept)
    nextReduction = kept + max(12, kept / 4)
  }

  /// The `limit`-th smallest square (Hoare's selection); reorders the list.
  private mutating func selectKth() -> Float {
    unsafe list.withUnsafeMutableBufferPointer { list in
      let k = limit - 1
      var low = 0
      var high = list.count - 1
      while low < high {
        let pivot = unsafe list[(low + high) / 2].square
        var i = low
        var j = high
        while i <= j {
          while unsafe list[i].square < pivot { i += 1 }
          while unsafe list[j].square > pivot { j -= 1 }
          if i <= j {
            unsafe list.swapAt(i, j)
            i += 1
            j -= 1
          }
        }
        if k <= j {
          high = j
        } else if k >= i {
          low = i
        } else {
          break
        }
      }
      return unsafe list[k].square
    }
  }
}

extension LiveIndex {
  /// The nearest search in the Mercator plane, or `nil` where the plane cannot be trusted: too
  /// far, too near the clamped rows, or not enough matches within reach.
  func planarNearest(_ search: NearestSearch) -> [TopHits.Hit]? {
    let origin = search.meter.origin
    guard origin.latitude.magnitude < 84.9 else { return nil }
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
      guard scale.unitsBeyond(meters: Double(after.distance + 1) / 1000) != nil else { return nil }
      let units = scale.unitsBelow(meters: (Double(after.distance) - 1) / 1000)
      inner = Float(units * units * (1 - 1e-6))
    }
    if !isBounded && count < search.limit { return nil }
    var candidates = PlanarCandidates(limit: search.limit, scale: scale, bound: bound)
    guard planarScan(search, center, inner: inner, &candidates) else { return nil }
    candidates.reduce()
    let isFull = candidates.list.count >= search.limit
    guard isFull || isBounded else { return nil }
    // Everything within the bound must lie in the part of the plane that tells the truth.
    let reach = Double(candidates.bound).squareRoot() + 2 * PlanarScale.slackUnits
    guard reach <= PlanarScale.maximumUnits, Double(center.y) > reach,
      Double(center.y) + reach < 4_294_967_294
    else { return nil }
    return finish(search, candidates)
  }

  /// Measures the candidates exactly and orders them.
  private func finish(_ search: NearestSearch, _ candidates: PlanarCandidates) -> [TopHits.Hit]? {
    // Far more candidates than hits: points at one place. Keep the best while measuring.
    if candidates.list.count > 4 * search.limit + 1024 {
      var hits = TopHits(limit: search.limit)
      for candidate in candidates.list { search.offer(candidate.slot, to: &hits, self) }
      return hits.sorted(self)
    }
    var hits: [TopHits.Hit] = []
    hits.reserveCapacity(candidates.list.count)
    for candidate in candidates.list {
      let distance = search.distance(candidate.slot, self)
      if distance <= search.radius {
        hits.append(TopHits.Hit(distance: distance, slot: candidate.slot))
      }
    }
    var sorted = TopHits.sort(hits, self)
    if sorted.count > search.limit { sorted.removeLast(sorted.count - search.limit) }
    return sorted
  }

  /// One node waiting on the stack.
  private struct Pending: BitwiseCopyable {
    var node: UInt32
    var x: UInt32
    var y: UInt32
    var square: Float
  }

  /// Depth first, nearest child first. Answers `false` when it gives up.
  private func planarScan(
    _ search: NearestSearch, _ center: MercatorPoint, inner: Float,
    _ candidates: inout PlanarCandidates
  ) -> Bool {
    // At most three siblings wait at each of 32 levels.
    unsafe withUnsafeTemporaryAllocation(of: Pending.self, capacity: 132) { stack in
      unsafe stack[0] = Pending(node: 0, x: 0, y: 0, square: 0)
      var depth = 1
      while depth > 0 {
        depth -= 1
        let pending = unsafe stack[depth]
        guard pending.square <= candidates.bound else { continue }
        let node = unsafe tree.nodes.pointer(pending.node)
        if unsafe node.pointee.isInner {
          unsafe expand(node, pending, center, search.plan, candidates.bound, stack, &depth)
        } else if unsafe node.pointee.count > 0 {
          planarScanLeaf(pending.node, search, center, inner: inner, &candidates)
          candidates.reduceIfWorthwhile()
        }
      }
      return true
    }
  }

  @inline(__always)
  private func expand(
    _ node: UnsafeMutablePointer<TreeNode>, _ pending: Pending, _ center: MercatorPoint,
    _ plan: FilterPlan, _ bound: Float, _ stack: UnsafeMutableBufferPointer<Pending>,
    _ depth: inout Int
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
    let third = columnFirst ? near ^ 1 : near ^ 2
    push(near ^ 3)
    push(third)
    push(second)
    push(near)
    @inline(__always)
    func push(_ quadrant: UInt32) {
      let square = (quadrant & 1 == 0 ? x0 : x1) + (quadrant & 2 == 0 ? y0 : y1)
      let child = unsafe node.pointee.first + quadrant
      let info = unsafe tree.nodes.pointer(child)
      guard square <= bound, unsafe info.pointee.count > 0,
        unsafe plan.admits(info.pointee.signature)
      else {
        return
      }
      unsafe stack[depth] = Pending(
        node: child, x: pending.x &+ (quadrant & 1) &* side,
        y: pending.y &+ (quadrant &>> 1) &* side, square: square)
      depth += 1
    }
  }

  /// Square of the distance from a coordinate to a run of `side` units, the short way round.
  @inline(__always)
  private static func squaredGap(_ at: UInt32, _ start: UInt32, _ side: UInt32) -> Float {
    let offset = at &- start
    if offset < side { return 0 }
    let gap = Float(min(offset &- (side &- 1), 0 &- offset))
    return gap * gap
  }

  @inline(__always)
  private func planarScanLeaf(
    _ leaf: UInt32, _ search: NearestSearch, _ center: MercatorPoint, inner: Float,
    _ candidates: inout PlanarCandidates
  ) {
    let mayBeExpired = tree.nodes[leaf].earliest <= times.tick(search.now)
    let qx = SIMD8<UInt32>(repeating: center.x)
    let qy = SIMD8<UInt32>(repeating: center.y)
    tree.forEachBlock(of: leaf) { id, lanes in
      let block = unsafe tree.blocks.pointer(id)
      let dx = unsafe SIMD8<Float>(SIMD8<Int32>(truncatingIfNeeded: block.pointee.x &- qx))
      let dy = unsafe SIMD8<Float>(SIMD8<Int32>(truncatingIfNeeded: block.pointee.y &- qy))
      let squares = dx * dx + dy * dy
      let bound = candidates.bound
      for lane in 0..<lanes where squares[lane] <= bound && squares[lane] >= inner {
        let slot = unsafe block.pointee.slot[lane]
        if mayBeExpired && expiresAt(slot) <= search.now { continue }
        guard unsafe search.plan.matches(slot, signature: block.pointee.signature[lane], self)
        else {
          continue
        }
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
