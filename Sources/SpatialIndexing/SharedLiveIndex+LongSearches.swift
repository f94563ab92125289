import GeoMath
public import ObjectModel

/// Searches that look at many objects: they leave the lock every few thousand steps, so that
/// neither writers nor, behind them, other readers wait for more than one slice.
///
/// What stays where it is while such a search runs is answered as by a search under one hold of the
/// lock; of what moves meanwhile an answer tells where it stood at some moment in between.
extension SharedLiveIndex {
  /// Steps that a search may do under one hold of the lock: what the event loops allow a call.
  static let stepsPerHold = 16_384

  /// How many of a search's steps take as long as one that tests no polygon: an exact test looks at
  /// every edge of the polygon's row. Writers wait for a hold to end, and other readers behind them.
  static func stepCost(_ area: SearchArea?) -> Int {
    guard case .polygon(let polygon)? = area else { return 1 }
    return 1 + polygon.corners.count / 64
  }

  /// The steps of a slice; a slice comes down to a leaf in any case.
  static func stepsPerSlice(_ area: SearchArea?) -> Int {
    max(128, AreaSlices.stepsPerSlice / stepCost(area))
  }

  /// Visits the nearest hits in order; what the search did is added to `work`.
  ///
  /// A search whose budget allows more than ``stepsPerHold`` steps and that needs them goes on in
  /// slices.
  ///
  /// - Returns: How many hits were visited; 0 when the budget ended it.
  @discardableResult
  public func nearest(
    _ query: NearestQuery, now: Instant, work: inout SearchWork, _ visit: (HitView) -> Void
  ) -> Int {
    let (found, isCut) = underOneHold(query, &work) { index, area, work in
      index.nearest(query, area: area, now: now, &work, visit)
    }
    guard isCut else { return found }
    return nearestInSlices(
      query, now: now, stepsPerSlice: Self.stepsPerSlice(query.filter.area), work: &work, visit)
  }

  /// Visits, in no order, all objects that may be among the nearest by a distance that differs from
  /// the index's by no more than a slack: for a caller that measures in another way, and does so for
  /// each. What the search did is added to `work`.
  ///
  /// - Parameters:
  ///   - query: What is asked, by the index's distance. Its hits begin with the nearest.
  ///   - slack: What bounds the caller's distance.
  ///   - now: Objects that have expired by then are left out.
  ///   - work: Is added to.
  ///   - visit: Is shown the objects, whose ``HitView/distanceMillimeters`` is 0.
  /// - Returns: How many objects were visited. If they are fewer than the limit, nothing else is
  ///   within the radius. It is `nil`, and none was visited, where that is not found out quickly:
  ///   ``nearest(_:now:work:_:)`` knows then.
  public func nearestCandidates(
    _ query: NearestQuery, slack: DistanceSlack, now: Instant, work: inout SearchWork,
    _ visit: (HitView) -> Void
  ) -> Int? {
    underOneHold(query, &work) { index, area, work in
      index.nearestCandidates(query, slack: slack, area: area, now: now, &work, visit)
    }.answer
  }

  /// Runs a search under one hold of the lock, and with no more steps than that allows.
  ///
  /// - Returns: What it answers, and whether it ended for want of steps that the budget still has.
  @inline(__always)
  private func underOneHold<Answer>(
    _ query: NearestQuery, _ work: inout SearchWork,
    _ search: (borrowing LiveIndex, PreparedArea?, inout SearchWork) -> Answer
  ) -> (answer: Answer, isCut: Bool) {
    let area = query.filter.area.map(PreparedArea.init)
    let stepsPerHold = Self.stepsPerHold / Self.stepCost(query.filter.area)
    guard work.mayExceed(stepsPerHold) else {
      return (withIndex { index in search(index, area, &work) }, false)
    }
    var attempt = SearchWork(spending: WorkBudget(steps: stepsPerHold))
    let answer = withIndex { index in search(index, area, &attempt) }
    work += attempt
    return (answer, attempt.mustEnd())
  }

  /// Looks through growing boxes around the origin, each in slices, until the hits are certain.
  ///
  /// Each box is chosen to hold eight times the objects of the one before, however they lie, and one
  /// that would hold half of all is everywhere, so that the boxes before the last add little work.
  ///
  /// - Parameters:
  ///   - query: What is asked.
  ///   - now: Objects that have expired by then are left out.
  ///   - stepsPerSlice: Steps from which on a slice takes no further node.
  ///   - work: Is added to.
  ///   - afterSlice: Is told what was done whenever the lock was released.
  ///   - visit: Is shown the hits, under one more hold of the lock.
  /// - Returns: How many hits were visited.
  func nearestInSlices(
    _ query: NearestQuery, now: Instant, stepsPerSlice: Int, work: inout SearchWork,
    afterSlice: (SearchWork) -> Void = { _ in }, _ visit: (HitView) -> Void
  ) -> Int {
    let center = Coordinate(uncheckedLatitude: query.latitude, longitude: query.longitude)
    let filterArea = query.filter.area.map(PreparedArea.init)
    let farthest = min(query.maximumDistanceMillimeters ?? .max, Self.farthestMillimeters)
    var population = 2 * stepsPerSlice
    let limit: Int
    var reach: Int64
    (reach, limit) = withIndex { index in
      // No more than there are, so that any limit may be asked for.
      (index.reach(around: center, holding: population), min(query.limit, index.count))
    }
    guard limit > 0, farthest >= 0 else { return 0 }
    while !work.mustEnd() {
      let isLast = reach >= farthest
      reach = min(reach, farthest)
      let box = GeoBox(covering: center, radiusMillimeters: reach)
      var slices = AreaSlices(
        area: isLast && farthest == Self.farthestMillimeters ? nil : .box(box),
        stepsPerSlice: stepsPerSlice)
      var found = DistantCandidates(limit: limit)
      var hasMore = true
      while hasMore {
        var measured = 0
        hasMore = withIndex { index in
          let search = NearestSearch(query, now: now, index, area: filterArea)
          return index.visitNextSlice(of: &slices, plan: search.plan, now: now, &work) { matches in
            measured += matches.count
            for match in matches {
              let distance = search.distance(match.slot, index)
              if distance <= min(search.radius, reach),
                search.isAfterCursor(distance, match.slot, index)
              {
                found.offer(index.handle(match.slot), distance: distance)
              }
            }
          }
        }
        work.exactTests += measured
        afterSlice(work)
      }
      if work.mustEnd() { return 0 }
      if isLast || found.candidates.count >= limit {
        let count = withIndex { index in
          index.visit(
            found, of: NearestSearch(query, now: now, index, area: filterArea),
            within: isLast ? .max : reach, visit)
        }
        // Nil: so many left meanwhile that others may take their place.
        if let count { return count }
        if isLast {
          return withIndex { index in
            index.nearest(query, area: filterArea, now: now, &work, visit)
          }
        }
      }
      population *= Self.populationGrowth
      reach = withIndex { index in
        max(reach * 2, index.reach(around: center, holding: population))
      }
    }
    return 0
  }

  /// How many times the objects of the box before the next one is to hold.
  private static let populationGrowth = 8
  /// No two places are farther apart.
  fileprivate static let farthestMillimeters: Int64 = 20_100_000_000

  /// Visits the objects of an area in order; what the search did is added to `work`.
  ///
  /// A search whose budget allows more than ``stepsPerHold`` steps goes on in slices.
  ///
  /// - Returns: How many hits were visited.
  @discardableResult
  public func within(
    _ query: WithinQuery, now: Instant, work: inout SearchWork, _ visit: (HitView) -> Void
  ) -> Int {
    let isLong = work.mayExceed(Self.stepsPerHold / Self.stepCost(query.area))
    return withinInSlices(
      query, now: now, stepsPerSlice: isLong ? Self.stepsPerSlice(query.area) : .max, work: &work,
      visit)
  }

  /// The same in slices, of which one without a bound is all; see ``nearestInSlices(_:now:stepsPerSlice:work:afterSlice:_:)``.
  func withinInSlices(
    _ query: WithinQuery, now: Instant, stepsPerSlice: Int, work: inout SearchWork,
    afterSlice: (SearchWork) -> Void = { _ in }, _ visit: (HitView) -> Void
  ) -> Int {
    var slice = WithinSlice(query, stepLimit: stepsPerSlice)
    repeat {
      _ = withIndex { index in
        index.within(query, now: now, slice: &slice, &work, visit)
      }
      afterSlice(work)
    } while slice.isCut && !work.mustEnd()
    return slice.found
  }
}

extension LiveIndex {
  /// A distance in millimetres around a place within which about `population` objects lie; the
  /// farthest there is if they are half of all or more.
  fileprivate borrowing func reach(around center: Coordinate, holding population: Int) -> Int64 {
    guard population < count / 2 else { return SharedLiveIndex.farthestMillimeters }
    let point = MercatorPoint(center)
    let node = tree.nodes[
      tree.smallest(around: point, holding: UInt32(population), downTo: 24)]
    let units = Double(UInt64(1) << UInt64(32 - node.level)) / 2
    let meters = units * MercatorPoint.metersPerUnit(latitude: point.coordinate.latitude)
    return Int64(max(100, meters) * 1000)
  }

  /// Visits the nearest of some candidates in order, as they are now.
  ///
  /// - Returns: How many were visited; nil if objects that are no candidates may be nearer than the
  ///   last of them.
  fileprivate borrowing func visit(
    _ found: DistantCandidates, of search: NearestSearch, within reach: Int64,
    _ visit: (HitView) -> Void
  ) -> Int? {
    let bound = min(search.radius, reach, found.reach)
    var hits = NearestHeap(limit: search.limit)
    var seen: Set<UInt32> = []
    for candidate in found.candidates {
      guard let slot = slot(of: candidate.handle, now: search.now),
        // What moved may have been found twice.
        seen.insert(slot).inserted,
        search.plan.matches(slot, signature: signature(slot), self)
      else { continue }
      let distance = search.distance(slot, self)
      guard distance <= bound, search.isAfterCursor(distance, slot, self) else { continue }
      hits.offer(distance: distance, slot: slot, self)
    }
    // Nothing was left out unless something bounds the candidates more than the query does.
    guard hits.isFull || bound == search.radius else { return nil }
    let sorted = hits.sorted(self)
    visitHits(sorted, of: search, visit)
    return sorted.count
  }
}
