import GeoMath
import ObjectModel
import SeoulWorkload
import SpatialIndexing

let suiteStart = Instant(milliseconds: 1_760_000_000_000)

/// An index full of the workload's points.
struct Fixture {
  let workload = SeoulWorkload()
  let count: Int
  let index: SharedLiveIndex
  var places: [Place]
  var handles: [ObjectHandle] = []
  let queries: [Place]
  /// Seconds in `apply` while filling.
  var insertSeconds = 0.0
  /// Numbers of the ids of objects that were renewed.
  private var names: [Int: Int] = [:]
  private var renewed = 0

  init(count: Int, places: [Place]? = nil, queries: [Place]? = nil, tagged: Bool = true) {
    self.count = count
    index = SharedLiveIndex(configuration: .init(columnCount: 1))
    self.places = places ?? workload.places(count, seed: 2)
    self.queries = queries ?? workload.places(10_000, seed: 3)
    var batch = UpdateBatch(columnCount: 1)
    var outcomes: [UpdateOutcome] = []
    var i = 0
    while i < count {
      batch.removeAll()
      let end = min(i + 1000, count)
      for j in i..<end {
        batch.append(
          id: SeoulWorkload.identifier(j), latitude: self.places[j].latitude,
          longitude: self.places[j].longitude, tags: tagged ? SeoulWorkload.tags(j) : [],
          columns: [Double(j % 100)], observedAt: suiteStart,
          expiresAt: suiteStart.advanced(milliseconds: 3_600_000))
      }
      let start = batchNanoseconds()
      index.apply(batch, now: suiteStart, outcomes: &outcomes)
      insertSeconds += Double(batchNanoseconds() - start) / 1e9
      i = end
    }
    i = 0
    while i < count {
      let end = min(i + 1000, count)
      let ids = (i..<end).map { SeoulWorkload.identifier($0) }
      handles += index.handles(ids: ids, now: suiteStart).map { $0! }
      i = end
    }
  }

  /// Removes objects and inserts as many with ids that are new, in the same places, by the thousand;
  /// answers nanoseconds an insert.
  mutating func renew(_ inserts: Int) -> Double {
    var g = WorkloadGenerator(seed: UInt64(renewed) + 7)
    var batch = UpdateBatch(columnCount: 1)
    var outcomes: [UpdateOutcome] = []
    var spent: UInt64 = 0
    let step = min(1000, count / 10)
    for _ in 0..<inserts / step {
      var chosen: [Int] = []
      var isChosen = Set<Int>()
      while chosen.count < step {
        let i = Int(g.next() % UInt64(count))
        if isChosen.insert(i).inserted { chosen.append(i) }
      }
      let removed = index.remove(ids: chosen.map(identifier), now: suiteStart)
      precondition(removed.allSatisfy { $0 })
      batch.removeAll()
      for i in chosen {
        names[i] = count + renewed
        renewed += 1
        batch.append(
          id: identifier(i), latitude: places[i].latitude, longitude: places[i].longitude,
          tags: SeoulWorkload.tags(i), columns: [Double(i % 100)], observedAt: suiteStart,
          expiresAt: suiteStart.advanced(milliseconds: 3_600_000))
      }
      let start = batchNanoseconds()
      index.apply(batch, now: suiteStart, outcomes: &outcomes)
      spent += batchNanoseconds() - start
      precondition(outcomes.allSatisfy { $0 == .inserted })
      for (i, handle) in zip(
        chosen, index.handles(ids: chosen.map(identifier), now: suiteStart))
      {
        handles[i] = handle!
      }
    }
    return Double(spent) / Double(inserts / step * step)
  }

  private func identifier(_ i: Int) -> String { SeoulWorkload.identifier(names[i] ?? i) }

  /// Moves `moves` random objects by `meters` in batches; answers nanoseconds a move spent in
  /// `apply`, and with building the batch.
  ///
  /// - Parameter isFed: whether somebody follows the changes.
  mutating func move(
    meters: Double, moves: Int, batchSize: Int, seed: UInt64, isFed: Bool = false
  ) -> (apply: Double, withBatch: Double) {
    var g = WorkloadGenerator(seed: seed)
    var batch = UpdateBatch(columnCount: 1)
    var outcomes: [UpdateOutcome] = []
    var applied: UInt64 = 0
    var built: UInt64 = 0
    var chosen = [(Int, Place)](
      repeating: (0, Place(latitude: 0, longitude: 0)), count: batchSize)
    let time = suiteStart.advanced(milliseconds: Int64(seed))
    let expiry = time.advanced(milliseconds: 3_600_000)
    var changed = 0
    let follow: ((UnsafeBufferPointer<IndexChange>) -> Void)? =
      isFed ? { changed += $0.count } : nil
    for _ in 0..<moves / batchSize {
      for k in 0..<batchSize {
        let i = Int(g.next() % UInt64(count))
        let place = SeoulWorkload.moved(places[i], meters: meters, &g)
        places[i] = place
        chosen[k] = (i, place)
      }
      let start = batchNanoseconds()
      batch.removeAll()
      for (i, place) in chosen {
        batch.append(
          handle: handles[i], latitude: place.latitude, longitude: place.longitude,
          observedAt: time, expiresAt: expiry)
      }
      let middle = batchNanoseconds()
      index.apply(batch, now: time, outcomes: &outcomes, changes: follow)
      let end = batchNanoseconds()
      precondition(outcomes.allSatisfy { $0 == .updated })
      applied += end - middle
      built += end - start
    }
    precondition(changed == (isFed ? moves / batchSize * batchSize : 0))
    return (Double(applied) / Double(moves), Double(built) / Double(moves))
  }

  /// Latencies of nearest queries in nanoseconds.
  func nearest(
    limit: Int, radiusMeters: Double? = nil, filter: SearchFilter = SearchFilter(),
    queries count: Int = 10_000, clock: () -> UInt64 = nanoseconds
  ) -> [UInt64] {
    var samples: [UInt64] = []
    samples.reserveCapacity(count)
    var sink: UInt64 = 0
    for i in 0..<count {
      let place = queries[i % queries.count]
      let query = NearestQuery(
        latitude: place.latitude, longitude: place.longitude, limit: limit,
        maximumDistanceMillimeters: radiusMeters.map { Int64($0 * 1000) }, filter: filter)
      let start = clock()
      index.nearest(query, now: suiteStart) { hit in
        sink &+= UInt64(hit.distanceMillimeters) ^ UInt64(hit.handle.slot)
      }
      samples.append(clock() - start)
    }
    precondition(sink != 1)
    return samples
  }
}
