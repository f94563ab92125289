/// Points near enough to matter, by squared planar distance.
///
/// Appending costs nothing but the write; now and then the list is cut back to what can be among
/// the best `limit`, which tightens the bound.
@safe struct PlanarCandidates: ~Copyable {
  struct Candidate: BitwiseCopyable {
    var square: Float
    var slot: UInt32
  }

  private var buffer: UnsafeMutablePointer<Candidate>
  private var capacity: Int
  private(set) var count = 0
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
    capacity = nextReduction + 64
    unsafe buffer = .allocate(capacity: capacity)
  }

  deinit { unsafe buffer.deallocate() }

  subscript(i: Int) -> Candidate {
    assert(i < count)
    return unsafe buffer[i]
  }

  @inline(__always)
  mutating func append(_ square: Float, _ slot: UInt32) {
    if count == capacity { grow() }
    unsafe buffer[count] = Candidate(square: square, slot: slot)
    count += 1
  }

  /// Appends those of eight points that lie within the bound, without a branch for each.
  @inline(__always)
  mutating func append(_ squares: SIMD8<Float>, _ slots: SIMD8<UInt32>, lanes: Int) {
    if count + 8 > capacity { grow() }
    var n = count
    for lane in 0..<lanes {
      unsafe buffer[n] = Candidate(square: squares[lane], slot: slots[lane])
      n += squares[lane] <= bound ? 1 : 0
    }
    count = n
  }

  private mutating func grow() {
    let wider = UnsafeMutablePointer<Candidate>.allocate(capacity: capacity * 2)
    unsafe wider.update(from: buffer, count: count)
    unsafe buffer.deallocate()
    unsafe buffer = unsafe wider
    capacity *= 2
  }

  /// Tightens the bound when enough candidates have come together.
  @inline(__always)
  mutating func reduceIfWorthwhile() {
    if count >= nextReduction { reduce() }
  }

  mutating func reduce() {
    guard count >= limit else { return }
    let worst = selectKth()
    let units = scale.inflated(Double(worst).squareRoot())
    bound = min(bound, Float(units * units * (1 + 1e-6)))
    var kept = 0
    for i in 0..<count {
      let candidate = unsafe buffer[i]
      unsafe buffer[kept] = candidate
      kept += candidate.square <= bound ? 1 : 0
    }
    count = kept
    nextReduction = kept + max(12, kept / 4)
  }

  /// The `limit`-th smallest square (C. A. R. Hoare's selection); reorders the list.
  private mutating func selectKth() -> Float {
    let k = limit - 1
    var low = 0
    var high = count - 1
    while low < high {
      let pivot = unsafe buffer[(low + high) / 2].square
      var i = low
      var j = high
      while i <= j {
        while unsafe buffer[i].square < pivot { i += 1 }
        while unsafe buffer[j].square > pivot { j -= 1 }
        if i <= j {
          let candidate = unsafe buffer[i]
          unsafe buffer[i] = unsafe buffer[j]
          unsafe buffer[j] = candidate
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
    return unsafe buffer[k].square
  }
}
