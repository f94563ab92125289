/// Four places.
struct FourPoints: Sendable {
  var x = SIMD4<Float>.zero
  var y = SIMD4<Float>.zero
  var z = SIMD4<Float>.zero

  init() {}

  @inline(__always)
  init(x: SIMD4<Float>, y: SIMD4<Float>, z: SIMD4<Float>) { (self.x, self.y, self.z) = (x, y, z) }

  init(all place: SIMD3<Float>) {
    x = SIMD4(repeating: place.x)
    y = SIMD4(repeating: place.y)
    z = SIMD4(repeating: place.z)
  }

  subscript(number: Int) -> SIMD3<Float> {
    @inline(__always)
    get { SIMD3(x[number], y[number], z[number]) }
    set { (x[number], y[number], z[number]) = (newValue.x, newValue.y, newValue.z) }
  }

  /// Through the Earth to others.
  @inline(__always)
  func chords(to other: FourPoints) -> SIMD4<Float> {
    let (east, north, up) = (x - other.x, y - other.y, z - other.z)
    return (east * east + north * north + up * up).squareRoot()
  }
}
