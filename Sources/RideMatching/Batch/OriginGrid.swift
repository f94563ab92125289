/// Who waits within walking distance: requests by the cube of space their origin is in (side: the
/// longest walk), each cube's list by the start of the window.
///
/// ```
///   runs   cube 3 ──▶ order[17..<23]   sorted by start
///   near   cube 3 ──▶ runs of the up to 27 cubes that touch it
/// ```
/// Cubes and not tiles of the map: there is no pole and no antimeridian to go round.
struct OriginGrid {
  /// Request indices, run by run.
  private var order: [Int] = []
  private var runs: [Range<Int>] = []
  /// All that can be in a group, ascending.
  let requests: [Int]
  private var runOfRequest: [Int]
  /// By run: itself and its neighbours.
  private var near: [[Int]] = []
  private let longestWindow: Int64

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
    longestWindow = usable.map { Self.span(instance, $0) }.max() ?? 0
    // The longest walk that bounds anything; at least 20 m, so that cubes are not endless.
    let walk = usable.map { instance.maxWalks[$0] }.filter { $0 > 0 }.max() ?? 0
    let side = min(2.0, max(20, walk) / BatchInstance.leastRadiusMeters * (1 + 1e-9))
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
      let begin = order.count
      order += entry.requests.sorted {
        (instance.starts[$0], $0) < (instance.starts[$1], $1)
      }
      runs.append(begin..<order.count)
      for request in entry.requests { runOfRequest[request] = run }
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

  /// Calls `body` with every other request whose origin may be within the longest walk and whose
  /// window meets that of `anchor`; never leaves one out.
  func forEachNear(_ anchor: Int, _ instance: BatchInstance, _ body: (Int) -> Void) {
    guard runOfRequest[anchor] >= 0 else { return }
    let last = instance.ends[anchor]
    let (earliest, overflow) = instance.starts[anchor].subtractingReportingOverflow(longestWindow)
    let first = overflow ? Int64.min : earliest
    for run in near[runOfRequest[anchor]] {
      let range = runs[run]
      var at = lowerBound(range, first, instance)
      while at < range.upperBound {
        let request = order[at]
        if instance.starts[request] > last { break }
        if request != anchor && instance.ends[request] >= instance.starts[anchor] {
          body(request)
        }
        at += 1
      }
    }
  }

  private func lowerBound(_ range: Range<Int>, _ first: Int64, _ instance: BatchInstance) -> Int {
    var low = range.lowerBound
    var high = range.upperBound
    while low < high {
      let middle = (low + high) / 2
      if instance.starts[order[middle]] < first { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
