public import GeoMath
public import ObjectModel

extension TicketIndex {
  /// Finds people.
  ///
  /// - Complexity: O(cells within the radius + people in them + limit log limit).
  public func search(_ search: TicketSearch) -> TicketSearchResult {
    var scan = TicketScan(search, self)
    let origin = DistanceOrigin(isProtected ? grid.snapped(search.around) : search.around)
    forEachCell(around: search.around, radiusMillimeters: search.radiusMillimeters) { bucket in
      guard isProtected else {
        for i in bucket.rows.indices {
          let row = bucket.rows[i]
          scan.look(
            at: i..<i + 1, of: bucket,
            millimeters: origin.millimeters(latitude: row.latitude, longitude: row.longitude))
        }
        return
      }
      // One distance for all: they stand at one point.
      let millimeters = origin.millimeters(
        latitude: bucket.rows[0].latitude, longitude: bucket.rows[0].longitude)
      guard millimeters <= search.radiusMillimeters else {
        scan.passOver(bucket.rows.count)
        return
      }
      scan.look(at: bucket.rows.indices, of: bucket, millimeters: millimeters)
    }
    return scan.result()
  }

  /// Somebody as a search would list them, wherever they are and whatever its filters; nil: they do
  /// not wait.
  public func hit(of userID: String, _ search: TicketSearch) -> TicketHit? {
    guard let row = row(of: userID), row.expiresAt > search.now.milliseconds else { return nil }
    let origin = DistanceOrigin(isProtected ? grid.snapped(search.around) : search.around)
    return TicketScan(search, self).hit(
      row, in: bucket(of: userID),
      millimeters: origin.millimeters(latitude: row.latitude, longitude: row.longitude))
  }

  /// The interests of most people around, those of fewer than ``popularFrom`` left out; most first,
  /// then by text.
  ///
  /// - Complexity: O(cells within the radius + interests of people in them).
  public func popularTags(
    around place: Coordinate, radiusMillimeters: Int64, now: Instant, limit: Int
  ) -> [PopularTag] {
    var counts: [UInt64: (slot: Int, count: Int)] = [:]
    let origin = DistanceOrigin(isProtected ? grid.snapped(place) : place)
    forEachCell(around: place, radiusMillimeters: radiusMillimeters) { bucket in
      for row in bucket.rows where row.expiresAt > now.milliseconds && row.tagSignature != 0 {
        guard
          origin.millimeters(latitude: row.latitude, longitude: row.longitude)
            <= radiusMillimeters
        else { continue }
        for i in row.firstWord..<row.firstWord + row.tagCount {
          counts[bucket.words[i], default: (row.slot, 0)].count += 1
        }
      }
    }
    let told = counts.compactMap { tag, carriers -> PopularTag? in
      guard carriers.count >= Self.popularFrom,
        let name = details[carriers.slot]?.tagNames.first(where: { word($0) == tag })
      else { return nil }
      return PopularTag(tag: name, count: carriers.count)
    }
    return Array(told.sorted { ($1.count, $0.tag) < ($0.count, $1.tag) }.prefix(limit))
  }

  private func forEachCell(
    around place: Coordinate, radiusMillimeters: Int64, _ visit: (Bucket) -> Void
  ) {
    let snapped = isProtected ? grid.snapped(place) : place
    for level in 0...(isProtected ? grid.maximumLevel : 0) {
      grid.forEachCell(
        level: level, around: snapped, radiusMeters: Double(radiusMillimeters) / 1000
      ) { cell in
        if let found = buckets[cell.key] { visit(found) }
      }
    }
  }
}

extension TicketIndex {
  fileprivate func bucket(of userID: String) -> Bucket? {
    row(of: userID).flatMap { details[$0.slot] }.flatMap { buckets[$0.cell.key] }
  }
}

extension TicketIndex.Bucket {
  /// Whether one of a row's words is among some.
  @inline(__always)
  fileprivate func words(_ first: Int, _ count: Int, holdAnyOf wanted: [UInt64]) -> Bool {
    for i in first..<first + count where wanted.contains(words[i]) { return true }
    return false
  }
}

/// One pass over rows: filters, scores, keeps the best.
private struct TicketScan {
  private struct Candidate {
    var score: Int64
    var slot: Int
    var millimeters: Int64
    var common: Int
    var lastSeen: Int64
    var stars: Double
    var latitude: Double
    var longitude: Double
  }

  private let search: TicketSearch
  private let index: TicketIndex
  private let ownNumber: UInt64
  private let now: Int64
  private let tags: [UInt64]
  private let tagSignature: UInt64
  private let wishSignatures: [UInt64]
  private let wishWords: [[UInt64]]
  private let attributes: [UInt64]
  private let attributeSignature: UInt64
  private let blocked: Set<UInt64>
  private let radius: Double
  /// A heap whose root is the worst of the best.
  private var best: [Candidate] = []
  private var considered = 0
  private var removed = [Int](repeating: 0, count: TicketFilterRule.allCases.count)
  private var matching = 0

  init(_ search: TicketSearch, _ index: TicketIndex) {
    self.search = search
    self.index = index
    ownNumber = index.word(search.userID)
    now = search.now.milliseconds
    let isForAnything = search.tags.contains(TicketIndex.anything)
    tags = isForAnything ? [] : Array(Set(search.tags.map(index.word)))
    tagSignature = TicketIndex.signature(tags)
    wishWords = search.wanted.map { wish in
      wish.values.map { index.pair(wish.name, $0) }
    }
    wishSignatures = wishWords.map(TicketIndex.signature)
    attributes = search.attributes.map { index.pair($0.key, $0.value) }
    attributeSignature = TicketIndex.signature(attributes)
    blocked = Set(search.blocked.map(index.word))
    radius = max(1, Double(search.radiusMillimeters))
    best.reserveCapacity(search.limit + 1)
  }

  mutating func passOver(_ count: Int) {
    considered += count
    removed[0] += count
  }

  mutating func look(
    at places: Range<Int>, of bucket: TicketIndex.Bucket, millimeters: Int64
  ) {
    for place in places { look(at: bucket.rows[place], in: bucket, millimeters: millimeters) }
  }

  @inline(__always)
  private mutating func look(
    at row: TicketIndex.Row, in bucket: TicketIndex.Bucket, millimeters: Int64
  ) {
    guard row.number != ownNumber else { return }
    // Who is blocked by somebody sees, and counts, nothing of them.
    if row.hasBlocks, index.details[row.slot]?.blocked.contains(ownNumber) == true { return }
    considered += 1
    if let rule = failure(row, bucket, millimeters) {
      removed[Self.place(of: rule)] += 1
      return
    }
    matching += 1
    guard search.limit > 0, search.passedOver.isEmpty || !search.passedOver.contains(row.number)
    else { return }
    keep(candidate(row, bucket, millimeters))
  }

  private func candidate(
    _ row: TicketIndex.Row, _ bucket: TicketIndex.Bucket, _ millimeters: Int64
  ) -> Candidate {
    var common = 0
    if tagSignature & row.tagSignature != 0 {
      for i in row.firstWord..<row.firstWord + row.tagCount where tags.contains(bucket.words[i]) {
        common += 1
      }
    }
    var candidate = Candidate(
      score: 0, slot: row.slot, millimeters: millimeters, common: common,
      lastSeen: row.lastSeen, stars: row.stars, latitude: row.latitude, longitude: row.longitude)
    candidate.score = score(candidate).millionths
    return candidate
  }

  func hit(
    _ row: TicketIndex.Row, in bucket: TicketIndex.Bucket?, millimeters: Int64
  ) -> TicketHit? {
    bucket.map { hit(candidate(row, $0, millimeters)) }
  }

  private static func place(of rule: TicketFilterRule) -> Int {
    switch rule {
    case .distance: 0
    case .expired: 1
    case .tags: 2
    case .wanted: 3
    case .online: 4
    case .rating: 5
    case .wantedByThem: 6
    case .blocked: 7
    }
  }

  @inline(__always)
  private func failure(
    _ row: TicketIndex.Row, _ bucket: TicketIndex.Bucket, _ millimeters: Int64
  ) -> TicketFilterRule? {
    if millimeters > search.radiusMillimeters { return .distance }
    if row.expiresAt <= now { return .expired }
    if tagSignature != 0, row.tagSignature != 0 {
      if tagSignature & row.tagSignature == 0 { return .tags }
      if !bucket.words(row.firstWord, row.tagCount, holdAnyOf: tags) { return .tags }
    }
    // By index: iterating would retain each wish's words for every row.
    for i in wishSignatures.indices {
      if wishSignatures[i] & row.attributeSignature == 0 { return .wanted }
      let first = row.firstWord + row.tagCount
      if !bucket.words(first, row.attributeCount, holdAnyOf: wishWords[i]) { return .wanted }
    }
    if search.onlineOnly, row.lastSeen + index.leaseMilliseconds <= now { return .online }
    if let stars = search.minimumStars, row.stars < stars { return .rating }
    if row.wishSignature != 0, !isWanted(by: row) { return .wantedByThem }
    if !blocked.isEmpty, blocked.contains(row.number) { return .blocked }
    return nil
  }

  private func isWanted(by row: TicketIndex.Row) -> Bool {
    if row.wishSignature & attributeSignature == 0 { return false }
    return index.details[row.slot]?.wishes.allSatisfy { $0.contains(where: attributes.contains) }
      ?? true
  }

  private func score(_ candidate: Candidate) -> TicketScore {
    let weights = search.ranking
    let away = max(0, Double(now - candidate.lastSeen))
    let isOnline = candidate.lastSeen + index.leaseMilliseconds > now
    var score = TicketScore(
      millionths: 0,
      commonTags: tags.isEmpty
        ? 0 : weights.commonTags * Double(candidate.common) / Double(tags.count),
      distance: weights.distance * (1 - Double(candidate.millimeters) / radius),
      online: isOnline ? weights.online : 0,
      rating: weights.rating * (candidate.stars < 0 ? 0.6 : candidate.stars / 5),
      lastSeen: weights.lastSeen / (1 + away / 600_000))
    let sum = score.commonTags + score.distance + score.online + score.rating + score.lastSeen
    score.millionths = Int64((sum * 1_000_000).rounded())
    return score
  }

  // MARK: The best

  private func isBetter(_ a: Candidate, _ b: Candidate) -> Bool {
    if a.score != b.score { return a.score > b.score }
    let left = index.details[a.slot]!.userID
    let right = index.details[b.slot]!.userID
    return left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  /// Keeps one more than the limit, to know whether more follow.
  private mutating func keep(_ candidate: Candidate) {
    if best.count <= search.limit {
      best.append(candidate)
      var child = best.count - 1
      while child > 0, case let parent = (child - 1) / 2, isBetter(best[parent], best[child]) {
        best.swapAt(child, parent)
        child = parent
      }
    } else if isBetter(candidate, best[0]) {
      best[0] = candidate
      var parent = 0
      while true {
        var child = 2 * parent + 1
        guard child < best.count else { break }
        if child + 1 < best.count, isBetter(best[child], best[child + 1]) { child += 1 }
        guard isBetter(best[parent], best[child]) else { break }
        best.swapAt(parent, child)
        parent = child
      }
    }
  }

  func result() -> TicketSearchResult {
    let sorted = best.sorted(by: isBetter)
    var result = TicketSearchResult(
      hits: sorted.prefix(search.limit).map(hit), hasMore: sorted.count > search.limit)
    if search.explains {
      result.considered = considered
      result.matching = matching
      for rule in TicketFilterRule.allCases where removed[Self.place(of: rule)] > 0 {
        result.removed[rule] = removed[Self.place(of: rule)]
      }
    }
    return result
  }

  private func hit(_ candidate: Candidate) -> TicketHit {
    let detail = index.details[candidate.slot]!
    let isForAnything = detail.tagNames.contains(TicketIndex.anything)
    let common = isForAnything ? [] : Set(detail.tagNames.map(index.word))
    return TicketHit(
      userID: detail.userID,
      position: Coordinate(
        uncheckedLatitude: candidate.latitude, longitude: candidate.longitude),
      cellMeters: index.isProtected ? index.grid.sideMeters(of: detail.cell) : 0,
      distanceMillimeters: candidate.millimeters,
      commonTags: search.tags.filter { common.contains(index.word($0)) },
      isOnline: candidate.lastSeen + index.leaseMilliseconds > now,
      lastSeen: Instant(milliseconds: candidate.lastSeen), score: score(candidate))
  }
}
