import GeoMath
public import ObjectModel
import PositionProtection

extension TicketIndex {
  /// Finds people.
  ///
  /// - Complexity: O(cells within the radius + people in them + limit log limit).
  public func search(_ search: TicketSearch) -> TicketSearchResult {
    var endless = WorkBudget.unlimited
    do throws(WorkBudget.Exhaustion) {
      return try self.search(search, budget: &endless)
    } catch {
      preconditionFailure("an unlimited budget is spent: \(error)")
    }
  }

  /// Finds people, for as long as a budget lasts.
  ///
  /// - Parameters:
  ///   - search: Who is looked for.
  ///   - budget: Spent from a step for each cell and each person that is looked at; at least every
  ///     256 people.
  /// - Returns: Those who match, all of them looked at.
  /// - Throws: Why not all could be looked at.
  /// - Complexity: O(cells within the radius + people in them + limit log limit).
  public func search(
    _ search: TicketSearch, budget: inout WorkBudget
  ) throws(WorkBudget.Exhaustion) -> TicketSearchResult {
    var work = budget
    var exhaustion: WorkBudget.Exhaustion?
    let result = withScan(search) { scan -> TicketSearchResult in
      exhaustion = forEachCell(
        around: search.around, radiusMillimeters: search.radiusMillimeters, spending: &work
      ) { scan.add($0, $1) }
      guard exhaustion == nil else { return TicketSearchResult(hits: [], hasMore: false) }
      scan.finish()
      let (best, hasMore) = scan.winners()
      var result = TicketSearchResult(
        hits: best.map { hit($0, search, scan) }, hasMore: hasMore)
      if search.explains { scan.explain(in: &result) }
      return result
    }
    budget = work
    if let exhaustion { throw exhaustion }
    return result
  }

  /// Somebody as a search would list them, wherever they are and whatever its filters; nil: they do
  /// not wait.
  public func hit(of userID: String, _ search: TicketSearch) -> TicketHit? {
    guard let person = person(userID) else { return nil }
    let isOver = persons.withView {
      PersonWords.Reader($0, person).expiresAt <= search.now.milliseconds
    }
    return isOver ? nil : withScan(search) { hit($0.candidate(at: person), search, $0) }
  }

  private func hit(
    _ candidate: TicketScan.Candidate, _ search: TicketSearch, _ scan: TicketScan
  ) -> TicketHit {
    let detail = details[candidate.person.slot]!
    let isForAnything = detail.tagNames.contains(Self.anything)
    let common = isForAnything || search.tags.isEmpty ? [] : Set(detail.tagNames)
    return TicketHit(
      userID: detail.userID,
      position: Coordinate(
        uncheckedLatitude: candidate.person.latitude, longitude: candidate.person.longitude),
      cellMeters: isProtected ? grid.sideMeters(of: detail.cell) : 0,
      distanceMillimeters: candidate.millimeters,
      commonTags: search.tags.filter(common.contains), isOnline: scan.isOnline(candidate),
      lastSeen: Instant(milliseconds: candidate.person.lastSeen), score: scan.score(candidate))
  }

  private func withScan<Answer>(
    _ search: TicketSearch, _ body: (inout TicketScan) -> Answer
  ) -> Answer {
    let question = TicketQuestion(search, self)
    return WordView.of(question.words) { asked in
      rows.withView { rows in
        persons.withView { persons in
          var scan = TicketScan(search, question, self, asked: asked, rows: rows, persons: persons)
          return body(&scan)
        }
      }
    }
  }

  // MARK: - Cells

  /// Calls a function with slices of the rows of each cell that may be within a radius, until the
  /// budget ends it.
  func forEachCell(
    around place: Coordinate, radiusMillimeters: Int64, spending budget: inout WorkBudget,
    _ visit: (TicketCell, Range<Int>) -> Void
  ) -> WorkBudget.Exhaustion? {
    let meters = Double(radiusMillimeters) / 1000
    let levels = 0...(isProtected ? grid.maximumLevel : 0)
    let around = levels.reduce(0) { sum, level in
      let across = 2 * meters / (grid.settings.cellMeters * Double(1 << level)) + 2
      return sum + across * across
    }
    // A circle of more cells than there are with people in them.
    guard around < Double(cells.count) else {
      return visitCells(cells.cells.indices, spending: &budget, visit)
    }
    let snapped = isProtected ? grid.snapped(place) : place
    var places: [Int] = []
    for level in levels {
      let runs = grid.runs(
        level: level, around: snapped, radiusMeters: meters, slackSides: isProtected ? 0 : 1.5)
      for run in runs {
        if let exhaustion = budget.spending(run.columns.count) { return exhaustion }
        cells.collect(run, into: &places)
      }
      if let exhaustion = visitCells(places, spending: &budget, visit) { return exhaustion }
      places.removeAll(keepingCapacity: true)
    }
    return nil
  }

  private func visitCells(
    _ places: some Sequence<Int>, spending budget: inout WorkBudget,
    _ visit: (TicketCell, Range<Int>) -> Void
  ) -> WorkBudget.Exhaustion? {
    for place in places {
      let cell = cells[place]
      var first = 0
      while first < cell.count {
        let end = min(cell.count, first + WorkBudget.stepsBetweenLooks)
        if let exhaustion = budget.spending(end - first) { return exhaustion }
        visit(cell, first..<end)
        first = end
      }
    }
    return nil
  }
}

extension WorkBudget {
  /// ``spend(_:)`` for closures that do not throw.
  fileprivate mutating func spending(_ steps: Int) -> Exhaustion? {
    do throws(Exhaustion) {
      try spend(steps)
      return nil
    } catch {
      return error
    }
  }
}
