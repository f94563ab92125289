import BaselineTrees
import Glibc
import SeoulWorkload

/// The classic libraries on the same points, in metres of the local plane.
struct Baselines {
  let count: Int
  var xy: [Double]
  let queries: [(x: Double, y: Double)]
  let report: Report

  static func plane(_ place: Place) -> (x: Double, y: Double) {
    (
      (place.longitude - SeoulWorkload.center.longitude) * 88_330,
      (place.latitude - SeoulWorkload.center.latitude) * 110_990
    )
  }

  init(places: [Place], queries: [Place], report: Report) {
    count = places.count
    xy = []
    xy.reserveCapacity(count * 2)
    for place in places {
      let p = Self.plane(place)
      xy.append(p.x)
      xy.append(p.y)
    }
    self.queries = queries.map(Self.plane)
    self.report = report
  }

  private func latencies(_ body: (Double, Double, UnsafeMutablePointer<UInt32>) -> Void)
    -> [UInt64]
  {
    var out = [UInt32](repeating: 0, count: 4096)
    var samples: [UInt64] = []
    for q in queries {
      let start = nanoseconds()
      body(q.x, q.y, &out)
      samples.append(nanoseconds() - start)
    }
    return samples
  }

  mutating func run(moves: Int) {
    let packed = boost_tree_make(xy, UInt32(count))
    _ = latencies { _ = boost_tree_nearest(packed, $0, $1, 20, $2) }
    report.addLatencies(
      "boost packed nearest 20", latencies { _ = boost_tree_nearest(packed, $0, $1, 20, $2) })
    report.addLatencies(
      "boost packed radius 1 km limit 50",
      latencies { _ = boost_tree_radius(packed, $0, $1, 1000, 50, $2) })
    let flags = (0..<count).map { i -> UInt8 in
      let tags = SeoulWorkload.tags(i)
      return (tags.contains("t1") ? 1 : 0) | (tags.contains("t01") ? 2 : 0)
    }
    report.addLatencies(
      "boost packed nearest 20 tag 1 %",
      latencies { _ = boost_tree_nearest_flagged(packed, $0, $1, 20, flags, 1, $2) })
    boost_tree_free(packed)
    let flann = flann_tree_make(xy, UInt32(count))
    report.addLatencies(
      "nanoflann static nearest 20",
      latencies { _ = flann_tree_nearest(flann, $0, $1, 20, $2) })
    report.addLatencies(
      "nanoflann static radius 1 km limit 50",
      latencies { _ = flann_tree_radius(flann, $0, $1, 1000, 50, $2) })
    flann_tree_free(flann)
    movesInBoost(moves)
    bruteForce()
  }

  private mutating func movesInBoost(_ moves: Int) {
    let start = batchNanoseconds()
    let tree = boost_tree_insert_all(xy, UInt32(count))
    report.add(
      "boost dynamic insert", Double(count) * 1000 / Double(batchNanoseconds() - start), "M/s",
      higherIsBetter: true)
    report.addLatencies(
      "boost dynamic nearest 20", latencies { _ = boost_tree_nearest(tree, $0, $1, 20, $2) })
    for meters in [5.0, 50] {
      var g = WorkloadGenerator(seed: 9)
      var spent: UInt64 = 0
      for _ in 0..<moves / 100 {
        let changes = (0..<100).map { _ in
          (Int(g.next() % UInt64(count)), 2 * .pi * g.unit())
        }
        let start = batchNanoseconds()
        for (i, angle) in changes {
          let x = xy[2 * i]
          let y = xy[2 * i + 1]
          xy[2 * i] = x + meters * cos(angle)
          xy[2 * i + 1] = y + meters * sin(angle)
          boost_tree_move(tree, UInt32(i), x, y, xy[2 * i], xy[2 * i + 1])
        }
        spent += batchNanoseconds() - start
      }
      report.add(
        "boost dynamic moves of \(Int(meters)) m", Double(moves) * 1000 / Double(spent), "M/s",
        higherIsBetter: true)
    }
    boost_tree_free(tree)
  }

  /// Squared distances to all points, the best 20 kept: what an index must beat.
  private func bruteForce() {
    var samples: [UInt64] = []
    for q in queries.prefix(20) {
      let start = batchNanoseconds()
      var best = [Double](repeating: .infinity, count: 20)
      xy.withUnsafeBufferPointer { xy in
        for i in 0..<count {
          let dx = xy[2 * i] - q.x
          let dy = xy[2 * i + 1] - q.y
          let square = dx * dx + dy * dy
          if square < best[19] {
            var j = 19
            while j > 0 && best[j - 1] > square {
              best[j] = best[j - 1]
              j -= 1
            }
            best[j] = square
          }
        }
      }
      samples.append(batchNanoseconds() - start)
      precondition(best[19] < .infinity)
    }
    report.addLatencies("brute force nearest 20", samples)
  }
}
