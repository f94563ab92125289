/// Who waits within walking distance: requests by the cube of space their origin is in (side: the
/// longest walk), each cube's list by the start of the window.
///
/// ```
///   runs   cube 3 ──▶ order[17..<23]   sorted by start
///   near   cube 3 ──▶ runs of the up to 27 cubes that touch it
/// ```
/// Cubes and not tiles of the map: there is no pole and no antimeridian to go round.
struct OriginGrid {
  /// A request as a look around sees it. Vectors are of the unit sphere, from a place in the batch:
  /// of a city exact to a millimeter, of the whole Earth to a few meters.
  struct Row {
    var request: Int32
    var seats: Int32
    var start: Int64
    var end: Int64
    var origin: Place
    var destination: Place
    /// Chord from origin to destination.
    var direct: Float
    /// The square of the longest walk as a chord, rather too long; below 0 for none.
    var walkSquared: Float
  }

  struct Place {
    var x: Float
    var y: Float
    var z: Float

    @inline(__always)
    func squaredChord(to other: Place) -> Float {
      let dx = x - other.x
      let dy = y - other.y
      let dz = z - other.z
      return dx * dx + dy * dy + dz * dz
    }
  }

  /// Run by run.
  private(set) var rows: [Row] = []
  private var runs: [Range<Int>] = []
  /// All that can be in a group, ascending.
  let requests: [Int]
  private var rowOfRequest: [Int]
  private var runOfRequest: [Int]
  /// By run: itself and its neighbours.
  private var near: [[Int]] = []
  private let longestWindowMilliseconds: Int64

  private struct Cube: Hashable {
    var x: Int32
    var y: Int32
    var z: Int32
  }

  /// - Complexity: O(n log n).
  init(_ instance: BatchInstance) {
    let usable = (0..<instance.count).filter { instance.isUsable[$0] }
    requests = usable
    runOfRequest = Array(repeating: -1, count: instance.count)
    rowOfRequest = runOfRequest
    longestWindowMilliseconds = usable.map { Self.span(instance, $0) }.max() ?? 0
    // The longest walk that bounds anything; at least 20 m, so that cubes are not endless.
    let walk = usable.map { instance.maxWalks[$0] }.filter { $0 > 0 }.max() ?? 0
    let side = min(2.0, max(20, walk) / BatchInstance.minimumRadiusMeters * (1 + 1e-9))
    var cubes: [Cube: [Int]] = [:]
    for request in usable {
      let cell = (instance.origins[request] / side).rounded(.down)
      cubes[Cube(x: Int32(cell.x), y: Int32(cell.y), z: Int32(cell.z)), default: []]
        .append(request)
    }
    let sorted = cubes.map { (cube: $0.key, requests: $0.value) }.sorted {
      $0.requests[0] < $1.requests[0]
    }
    var runOfCube: [Cube: Int] = [:]
    for (run, entry) in sorted.enumerated() {
      runOfCube[entry.cube] = run
      let begin = rows.count
      let order = entry.requests.sorted {
        (instance.starts[$0], $0) < (instance.starts[$1], $1)
      }
      for request in order {
        runOfRequest[request] = run
        rowOfRequest[request] = rows.count
        rows.append(Self.row(request, instance))
      }
      runs.append(begin..<rows.count)
    }
    near = sorted.map { entry in
      var list: [Int] = []
      for x in -1...1 {
        for y in -1...1 {
          for z in -1...1 {
            let cube = Cube(
              x: entry.cube.x + Int32(x), y: entry.cube.y + Int32(y), z: entry.cube.z + Int32(z))
            if let run = runOfCube[cube] { list.append(run) }
          }
        }
      }
      return list
    }
  }

  private static func span(_ instance: BatchInstance, _ request: Int) -> Int64 {
    let (span, overflow) = instance.ends[request].subtractingReportingOverflow(
      instance.starts[request])
    return overflow ? .max : span
  }

  private static func row(_ request: Int, _ instance: BatchInstance) -> Row {
    func place(_ vector: SIMD3<Double>) -> Place {
      let from = vector - instance.origins[0]
      return Place(x: Float(from.x), y: Float(from.y), z: Float(from.z))
    }
    let walk = instance.maxWalks[request]
    let chord = Float(walk / BatchInstance.minimumRadiusMeters) * 1.0001 + 1e-6
    return Row(
      request: Int32(request), seats: Int32(instance.seats[request]),
      start: instance.starts[request], end: instance.ends[request],
      origin: place(instance.origins[request]),
      destination: place(instance.destinations[request]),
      direct: Float(instance.directChords[request]), walkSquared: walk >= 0 ? chord * chord : -1)
  }

  func row(of request: Int) -> Row { rows[rowOfRequest[request]] }

  /// Calls `body` with every other request whose origin may be within its longest walk of a usable
  /// request's and whose window meets that one's; never leaves one out.
  /// - Returns: How many rows were looked at.
  @inline(__always)
  func forEachNear(_ anchor: Int, _ body: (Row) -> Void) -> Int {
    var looked = 0
    let own = row(of: anchor)
    let (earliest, overflow) = own.start.subtractingReportingOverflow(longestWindowMilliseconds)
    let first = overflow ? Int64.min : earliest
    for run in near[runOfRequest[anchor]] {
      let range = runs[run]
      for at in lowerBound(range, first)..<range.upperBound {
        if rows[at].start > own.end { break }
        looked += 1
        guard rows[at].origin.squaredChord(to: own.origin) <= rows[at].walkSquared,
          rows[at].end >= own.start,
          rows[at].request != own.request
        else { continue }
        body(rows[at])
      }
    }
    return looked
  }

  private func lowerBound(_ range: Range<Int>, _ first: Int64) -> Int {
    var low = range.lowerBound
    var high = range.upperBound
    while low < high {
      let middle = (low + high) / 2
      if rows[middle].start < first { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
