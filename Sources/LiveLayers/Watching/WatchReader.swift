package import ObjectModel
package import SpatialIndexing
import Threading

/// The objects of one area of a watch in pages. An object that stays is neither missed nor
/// repeated.
struct AreaPages {
  private let watch: PositionWatch
  private let area: Int
  private var after: (mortonCode: UInt64, id: String)?
  private(set) var hasMore = true

  init(watch: PositionWatch, area: Int) {
    self.watch = watch
    self.area = area
  }

  mutating func end() { hasMore = false }

  /// Looks at the next `count` objects around the area and visits those in it.
  mutating func next(
    _ count: Int, in index: SharedLiveIndex, now: Instant, _ visit: (HitView) -> Void
  ) {
    let searchArea: SearchArea
    var isExact = true
    switch watch.query.areas[area] {
    case .box(let box): searchArea = .box(box)
    case .polygon(let polygon): searchArea = .polygon(polygon)
    case .circle:
      searchArea = .box(watch.areas[area].bounds)
      isExact = false
    }
    let query = WithinQuery(area: searchArea, limit: count, after: after)
    var last: (mortonCode: UInt64, id: String)?
    let found = index.within(query, now: now) { hit in
      last = (hit.mortonCode, hit.idString)
      guard
        isExact
          || watch.areas[area].contains(latitude: hit.latitude, longitude: hit.longitude)
      else { return }
      if watch.filter.isEmpty || watch.filter.admits(hit) { visit(hit) }
    }
    after = last
    if found < count { hasMore = false }
  }
}

/// A notice of a stream to its reader.
package struct WatchNotice: Sendable {
  package enum Kind: Sendable {
    /// The reader drops every object that it knows; those present follow.
    case reset
    case enter
    case move
    case exit
  }

  package let kind: Kind
  /// The index among the query's areas.
  package let area: Int
  /// Whether the notice is of an object that was present at the start.
  package let isSnapshot: Bool
  /// The id of an object that left; other notices carry their object.
  package let id: String
  /// The token that comes back to what follows this notice.
  package let resumeToken: WatchToken
}

/// The position of a stream in its watch.
///
/// Its text is `epoch-watch-sequence`, each in hexadecimal. A sequence of 0 is a position inside a
/// snapshot, from where a stream can only begin anew.
package struct WatchToken: Hashable, Sendable {
  let epoch: UInt32
  let watch: UInt64
  let sequence: UInt64

  init(epoch: UInt32, watch: UInt64, sequence: UInt64) {
    self.epoch = epoch
    self.watch = watch
    self.sequence = sequence
  }

  /// Reads a token; `nil` for text that this service does not give out.
  package init?(text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ (1...16).contains($0.utf8.count) }),
      parts.allSatisfy({ !$0.hasPrefix("+") }), let epoch = UInt32(parts[0], radix: 16),
      let watch = UInt64(parts[1], radix: 16), let sequence = UInt64(parts[2], radix: 16)
    else { return nil }
    self.init(epoch: epoch, watch: watch, sequence: sequence)
  }

  package var text: String {
    [UInt64(epoch), watch, sequence].map { String($0, radix: 16) }.joined(separator: "-")
  }
}

/// One reader of a watch. It gets a snapshot first, then what changes, from a position that only
/// the reader holds.
///
/// Its share in the watch ends with its life.
package final class WatchReader: Sendable {
  private struct State {
    enum Phase {
      case snapshot(AreaPages, area: Int)
      case live
    }

    var phase: Phase
    /// The position up to which everything was told, once the phase is live and nothing is pending.
    var sequence: UInt64
    /// The merged records that are not told yet, and the reader's position after the last of them.
    var pending: ArraySlice<WatchChange> = []
    var after: UInt64 = 0
    var startsWithReset: Bool
    /// The objects whose entry was skipped because they had left again when it was read. The reader
    /// does not know them, so that their exit is skipped too.
    var untold: Set<WatchMembership> = []
    /// Whether the reader may have heard more than its position says, until its first read.
    var mayKnowMore: Bool
  }

  let watch: PositionWatch
  private let layer: Layer
  private let clock: any WallClock
  // One stream uses it at a time. The compiler asks for the lock, which is never waited for.
  private let state: StateLock<State>

  init(
    layer: Layer, clock: any WallClock, watch: PositionWatch, resumingAt sequence: UInt64?,
    startsWithReset: Bool
  ) {
    self.layer = layer
    self.clock = clock
    self.watch = watch
    let newest = watch.sequence
    let phase =
      sequence == nil ? State.Phase.snapshot(AreaPages(watch: watch, area: 0), area: 0) : .live
    state = StateLock(
      State(
        phase: phase, sequence: sequence ?? newest, startsWithReset: startsWithReset,
        mayKnowMore: sequence != nil))
  }

  deinit { layer.watches.release(watch, now: clock.now()) }

  /// The areas of the query, in order.
  package var areas: [WatchArea] { watch.query.areas }

  /// Returns once there may be something to tell, or the time has passed.
  package func wait(atMost limit: Duration) async {
    let (isReady, sequence) = state.withLock { state in
      if case .snapshot = state.phase { return (true, state.sequence) }
      return (!state.pending.isEmpty || state.startsWithReset, state.sequence)
    }
    if !isReady { await watch.signal.wait(past: sequence, atMost: limit) }
  }

  /// Visits about `limit` notices, each with its object where there is one. `visit` runs inside the
  /// index's read lock, which keeps writers waiting: it copies what is needed and returns.
  ///
  /// - Parameters:
  ///   - limit: About how many notices are visited in one call.
  ///   - tellsMoves: Whether objects that only moved are told of.
  ///   - visit: Takes a notice, and the object where there is one.
  /// - Returns: Whether more can be told at once.
  package func read(
    limit: Int, tellsMoves: Bool = true, _ visit: (WatchNotice, HitView?) -> Void
  ) -> Bool {
    let now = clock.now()
    return state.withLock { state in
      if state.startsWithReset {
        state.startsWithReset = false
        visit(notice(.reset, sequence: 0), nil)
      }
      if case .snapshot(var pages, let area) = state.phase {
        readSnapshot(&state, pages: &pages, area: area, limit: limit, now: now, visit)
        return true
      }
      return readChanges(&state, limit: limit, tellsMoves: tellsMoves, now: now, visit)
    }
  }

  /// Visits a page of the objects present. The last notice of all carries the position after them.
  /// There is none when no object is present, since a reader without a token begins anew in any
  /// case.
  private func readSnapshot(
    _ state: inout State, pages: inout AreaPages, area: Int, limit: Int, now: Instant,
    _ visit: (WatchNotice, HitView?) -> Void
  ) {
    var area = area
    var told = 0
    // A watch may have many fences, and many may be empty.
    while told < limit, area < watch.areas.count {
      layer.watches.nextMembers(of: watch, area, limit: limit, pages: &pages, now: now) { hit in
        told += 1
        visit(notice(.enter, area: area, isSnapshot: true, sequence: 0), hit)
      }
      guard !pages.hasMore else { continue }
      area += 1
      if area < watch.areas.count { pages = AreaPages(watch: watch, area: area) }
    }
    state.phase = area < watch.areas.count ? .snapshot(pages, area: area) : .live
  }

  private func readChanges(
    _ state: inout State, limit: Int, tellsMoves: Bool, now: Instant,
    _ visit: (WatchNotice, HitView?) -> Void
  ) -> Bool {
    if state.pending.isEmpty {
      guard
        let (changes, sequence) = watch.changes(
          after: state.sequence, mayKnowMore: state.mayKnowMore)
      else {
        // The log no longer keeps what the reader missed.
        state.sequence = watch.sequence
        state.phase = .snapshot(AreaPages(watch: watch, area: 0), area: 0)
        state.untold = []
        state.startsWithReset = true
        return true
      }
      state.mayKnowMore = false
      state.pending =
        tellsMoves
        ? changes[...]
        : changes.filter {
          $0.record.kind != .move || state.untold.contains($0.record.membership)
        }[...]
      state.after = sequence
    }
    for _ in 0..<limit {
      guard let change = state.pending.popFirst() else { break }
      let record = change.record
      // Until all of a merged batch is told, a reader that comes back hears it again.
      let sequence = state.pending.isEmpty ? state.after : state.sequence
      let area = Int(record.area)
      switch record.kind {
      case .exit:
        guard state.untold.remove(record.membership) == nil else { continue }
        visit(notice(.exit, area: area, id: change.id ?? "", sequence: sequence), nil)
      case .enter, .move:
        let isNew = record.kind == .enter || state.untold.contains(record.membership)
        let isTold = layer.index.withObject(handle: record.handle, now: now) { hit in
          // The object may have moved or changed since the record was made. A state outside the
          // area or the filter is shown to nobody: its exit follows.
          guard
            watch.areas[area].contains(latitude: hit.latitude, longitude: hit.longitude),
            watch.isUnfiltered || watch.filter.admits(hit)
          else { return false }
          visit(notice(isNew ? .enter : .move, area: area, sequence: sequence), hit)
          return true
        }
        if isTold == true {
          state.untold.remove(record.membership)
        } else if isNew {
          state.untold.insert(record.membership)
        }
      }
    }
    guard state.pending.isEmpty else { return true }
    // This releases what the empty slice still holds.
    state.pending = []
    state.sequence = state.after
    return watch.sequence > state.sequence
  }

  /// Whether the reader was told of everybody who was present.
  package var isLive: Bool {
    state.withLock { state in
      if case .live = state.phase { return !state.startsWithReset }
      return false
    }
  }

  /// The position of a reader that has heard everything so far. It is none inside a snapshot.
  package var position: WatchToken {
    state.withLock { state in
      if case .live = state.phase { return token(state.sequence) }
      return token(0)
    }
  }

  private func notice(
    _ kind: WatchNotice.Kind, area: Int = 0, isSnapshot: Bool = false, id: String = "",
    sequence: UInt64
  ) -> WatchNotice {
    WatchNotice(
      kind: kind, area: area, isSnapshot: isSnapshot, id: id, resumeToken: token(sequence))
  }

  private func token(_ sequence: UInt64) -> WatchToken {
    WatchToken(epoch: layer.epoch, watch: watch.number, sequence: sequence)
  }
}

extension Layer {
  /// Begins a reader of a query's objects: those present, then those that enter, move and leave.
  ///
  /// With a token of this query's watch it begins at the token's position; with any other it begins
  /// with `reset`. It ends when it is released.
  ///
  /// - Throws: `tooManyWatches`, `tooMuchWork`, `abandoned`.
  package func watch(
    _ query: WatchQuery, resuming text: String?, clock: any WallClock,
    budget: WorkBudget = .unlimited
  ) throws(LayerError) -> WatchReader {
    var budget = budget
    let watch = try watches.acquire(query, now: clock.now(), budget: &budget)
    var sequence: UInt64?
    if let text, let token = WatchToken(text: text), token.epoch == epoch,
      token.watch == watch.number, token.sequence > 0, watch.keeps(token.sequence)
    {
      sequence = token.sequence
    }
    return WatchReader(
      layer: self, clock: clock, watch: watch, resumingAt: sequence,
      startsWithReset: text != nil && sequence == nil)
  }
}
