/// Points that may be among the nearest, by squared planar distance.
///
/// Appending costs only the write. Now and then the list is reduced to what can be among the best
/// `limit`, which tightens the bound.
///
///     squares | s s s ... s | 8 spare |     slots | n n n ... n | 8 spare |     one allocation
@safe struct PlanarCandidates: ~Copyable {
  /// Whether `squares` begins memory of the list's own, and not of its caller's.
  private var ownsMemory = false
  private var squares: UnsafeMutablePointer<Float>
  private var slots: UnsafeMutablePointer<UInt32>
  private var capacity: Int
  private(set) var count = 0
  let limit: Int
  private let scale: PlanarScale
  /// The greatest square of a point that can still be among the best.
  private(set) var bound: Float
  /// An upper bound of the `limit`-th smallest square, once so many were seen.
  private(set) var worst = Float.greatestFiniteMagnitude
  /// The square up to which all points must have been looked at for the best to be certain.
  private(set) var needed = Float.greatestFiniteMagnitude
  private var nextReduction: Int
  /// The number of candidates beyond the best that are collected before the next reduction.
  private let margin: Int

  /// Lends an empty list, whose memory is on the stack if it is short.
  ///
  /// - Parameters:
  ///   - limit: How many points are wanted.
  ///   - scale: The scale of the plane.
  ///   - bound: The greatest square of a point that is of interest.
  ///   - margin: Small where a tight bound saves visits, greater where all is read anyway.
  ///   - body: Collects.
  /// - Returns: What `body` returns.
  @inline(__always)
  static func withEmpty<Answer>(
    limit: Int, scale: PlanarScale, bound: Float, margin: Int = 12,
    _ body: (inout PlanarCandidates) -> Answer
  ) -> Answer {
    let first = limit + max(margin, limit / 4)
    let capacity = first + 56
    return unsafe withUnsafeTemporaryAllocation(
      byteCount: bytes(capacity), alignment: 16
    ) { memory in
      var candidates = unsafe PlanarCandidates(
        limit: limit, scale: scale, bound: bound, margin: margin, nextReduction: first,
        capacity: capacity, memory: memory.baseAddress.unsafelyUnwrapped)
      return body(&candidates)
    }
  }

  private init(
    limit: Int, scale: PlanarScale, bound: Float, margin: Int, nextReduction: Int, capacity: Int,
    memory: UnsafeMutableRawPointer
  ) {
    self.limit = limit
    self.margin = margin
    self.scale = scale
    self.bound = bound
    self.nextReduction = nextReduction
    self.capacity = capacity
    unsafe (squares, slots) = unsafe Self.lists(in: memory, capacity)
  }

  deinit { if ownsMemory { unsafe squares.deallocate() } }

  private static func bytes(_ capacity: Int) -> Int { (capacity + 8) * 8 }

  private static func lists(
    in memory: UnsafeMutableRawPointer, _ capacity: Int
  ) -> (UnsafeMutablePointer<Float>, UnsafeMutablePointer<UInt32>) {
    unsafe (
      memory.bindMemory(to: Float.self, capacity: capacity + 8),
      (memory + (capacity + 8) * 4).bindMemory(to: UInt32.self, capacity: capacity + 8)
    )
  }

  /// Returns the slot of candidate `i`.
  @inline(__always)
  func slot(_ i: Int) -> UInt32 {
    assert(i < count)
    return unsafe slots[i]
  }

  @inline(__always)
  mutating func append(_ square: Float, _ slot: UInt32) {
    if count == capacity { grow() }
    unsafe squares[count] = square
    unsafe slots[count] = slot
    count += 1
  }

  /// Appends those of eight points that lie within the bound, without a branch for each.
  @inline(__always)
  mutating func append(_ eight: SIMD8<Float>, _ slotOf: UnsafePointer<UInt32>, lanes: Int) {
    if count + 8 > capacity { grow() }
    // All eight are written behind the list, then those within the bound are moved up: the writes
    // never pass the reads.
    let start = unsafe squares + count
    unsafe UnsafeMutableRawPointer(start).storeBytes(of: eight, as: SIMD8<Float>.self)
    var n = count
    for lane in 0..<lanes {
      let square = unsafe start[lane]
      unsafe squares[n] = square
      unsafe slots[n] = slotOf[lane]
      n += square <= bound ? 1 : 0
    }
    count = n
  }

  private mutating func grow() {
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: Self.bytes(capacity * 2), alignment: 16)
    let (wider, widerSlots) = unsafe Self.lists(in: memory, capacity * 2)
    unsafe wider.update(from: squares, count: count)
    unsafe widerSlots.update(from: slots, count: count)
    if ownsMemory { unsafe squares.deallocate() }
    ownsMemory = true
    unsafe squares = wider
    unsafe slots = widerSlots
    capacity *= 2
  }

  /// Tightens the bound when enough candidates have been collected, and returns whether it did.
  @inline(__always)
  @discardableResult
  mutating func reduceIfWorthwhile() -> Bool {
    guard count >= nextReduction else { return false }
    reduce()
    return true
  }

  mutating func reduce() {
    guard count >= limit, limit > 0 else { return }
    worst = min(worst, upperKth())
    let units = scale.inflated(Double(worst).squareRoot())
    needed = Float(units * units * (1 + 1e-6))
    bound = min(bound, needed)
    var kept = 0
    for i in 0..<count {
      let square = unsafe squares[i]
      unsafe squares[kept] = square
      unsafe slots[kept] = slots[i]
      kept += square <= bound ? 1 : 0
    }
    count = kept
    nextReduction = kept + max(margin, kept / 4)
  }

  /// Returns a square that `limit` candidates or a few more do not exceed.
  ///
  /// The false position method (regula falsi) runs over counts. The squares of points in a plane
  /// are spread evenly, so that a few passes of eight comparisons at a time take the place of a
  /// selection, whose branches cannot be predicted.
  private func upperKth() -> Float {
    for i in count..<count + 8 { unsafe squares[i] = .infinity }
    var low: Float = -1
    var lowCount = 0
    var high = maximum()
    var highCount = count
    let enough = limit + max(1, limit / 16)
    for pass in 0..<14 where highCount > enough {
      let share = Float(limit - lowCount) / Float(highCount - lowCount)
      let part: Float = pass % 3 == 2 ? 0.5 : min(0.97, share + 0.02)
      let guess = low + (high - low) * part
      guard guess > low && guess < high else { break }
      let n = countAtMost(guess)
      if n >= limit {
        high = guess
        highCount = n
      } else {
        low = guess
        lowCount = n
      }
    }
    return high
  }

  private func maximum() -> Float {
    var greatest = unsafe squares[0]
    for i in 1..<max(1, count) { greatest = unsafe max(greatest, squares[i]) }
    return greatest
  }

  @inline(__always)
  private func countAtMost(_ bound: Float) -> Int {
    let limit = SIMD8<Float>(repeating: bound)
    var sum = SIMD8<Int32>.zero
    var i = 0
    while i < count {
      let eight = unsafe UnsafeRawPointer(squares + i).loadUnaligned(as: SIMD8<Float>.self)
      let isWithin: SIMDMask<SIMD8<Int32>> = eight .<= limit
      // A lane that is true is -1.
      sum &-= unsafe unsafeBitCast(isWithin, to: SIMD8<Int32>.self)
      i += 8
    }
    return Int(sum.wrappedSum())
  }
}
