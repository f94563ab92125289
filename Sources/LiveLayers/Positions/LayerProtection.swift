import GeoMath
import ObjectModel
import PositionProtection
import SpatialIndexing
import Threading

/// Blurs the positions of a layer on their way in, so that nothing that reads the layer can tell
/// where in its cell an object is.
///
/// ```
/// reports ──> LayerProtection: exact place, cell ──> index ──> clusters, tiles, watches, exports
/// ```
/// It alone knows exact places, in memory: of who is in the layer, for the count of people in a
/// cell and for the margin at its border.
final class LayerProtection: Sendable {
  fileprivate struct Shown {
    var exact: Coordinate
    var cell: ProtectedCell
  }

  fileprivate struct State {
    var shown: [ObjectRank: Shown] = [:]
    var population: Population
    /// Cells of those who left, for when they come back: the newer half, and the older one.
    var left: [ObjectRank: ProtectedCell] = [:]
    var leftBefore: [ObjectRank: ProtectedCell] = [:]
  }

  /// Who left while the index changed; of one call, on its thread.
  private final class Removals {
    private(set) var ranks: [ObjectRank] = []

    func note(_ changes: UnsafeBufferPointer<IndexChange>) {
      for change in changes where change.kind == .removed { ranks.append(change.rank) }
    }
  }

  fileprivate static let remembered = 1 << 16

  let grid: ProtectionGrid
  private let state: StateLock<State>

  /// - Parameters:
  ///   - settings: How far positions are blurred.
  ///   - key: A secret of the service, the same at each start.
  init(_ settings: ProtectionSettings, key: HashKey) {
    let rank = KeyedHash(key: key).rank(of: "protected positions")
    grid = ProtectionGrid(settings: settings, marginKey: HashKey(rank.high, rank.low))
    state = StateLock(State(population: Population(grid: grid)))
  }

  /// Objects whose exact place is known.
  var count: Int { state.withLock { $0.shown.count } }

  /// Applies reports with their positions snapped; nothing else changes the layer meanwhile.
  ///
  /// - Parameters:
  ///   - batch: Reports and moves as they came.
  ///   - keepsSnapped: Whether a position in the middle of a cell stays there, as one that comes
  ///     back from the record does.
  ///   - index: Where they go.
  ///   - now: By which an object that is moved is there or not.
  ///   - apply: Applies the batch and hands on what changed.
  func apply(
    _ batch: borrowing UpdateBatch, keepsSnapped: Bool = false, in index: SharedLiveIndex,
    now: Instant,
    _ apply: (borrowing UpdateBatch, @escaping (UnsafeBufferPointer<IndexChange>) -> Void) ->
      [UpdateOutcome]
  ) {
    var snapped = copy batch
    state.withLock { state in
      // What each entry makes of its object; an entry of an object that is unknown makes nothing.
      var entries: [(rank: ObjectRank, shown: Shown)?] = []
      var newest: [ObjectRank: Shown] = [:]
      entries.reserveCapacity(snapped.count)
      newest.reserveCapacity(snapped.count)
      snapped.replacePositions { subject, latitude, longitude in
        guard let (rank, id) = Self.object(subject, index, now) else {
          entries.append(nil)
          return (latitude, longitude)
        }
        let exact = Coordinate(uncheckedLatitude: latitude, longitude: longitude)
        var cell = keepsSnapped ? grid.cell(shownAt: exact) : nil
        if cell == nil {
          let shown = state.shown[rank]
          let known = newest[rank] ?? shown
          let old = known?.cell ?? state.left[rank] ?? state.leftBefore[rank]
          cell = grid.protect(exact, userID: id, old: old, isStillShown: known != nil) { cell in
            let own = shown.map { grid.cell(of: $0.exact, level: cell.level) == cell }
            return state.population[cell] - (own == true ? 1 : 0)
          }
        }
        let shown = Shown(exact: exact, cell: cell!)
        newest[rank] = shown
        entries.append((rank, shown))
        let middle = grid.center(of: shown.cell)
        return (middle.latitude, middle.longitude)
      }
      let removals = Removals()
      let outcomes = apply(snapped, removals.note)
      for rank in removals.ranks { state.forget(rank) }
      for (entry, outcome) in zip(entries, outcomes)
      where outcome == .inserted || outcome == .updated {
        if let entry { state.keep(entry.shown, of: entry.rank) }
      }
    }
  }

  /// Takes objects out; `remove` does it and hands on what changed.
  func removing<Answer>(
    _ remove: (@escaping (UnsafeBufferPointer<IndexChange>) -> Void) -> Answer
  ) -> Answer {
    state.withLock { state in
      let removals = Removals()
      let answer = remove(removals.note)
      for rank in removals.ranks { state.forget(rank) }
      return answer
    }
  }

  /// The object that an entry is about; nil: it has left.
  private static func object(
    _ subject: UpdateBatch.Subject, _ index: SharedLiveIndex, _ now: Instant
  ) -> (rank: ObjectRank, id: String)? {
    switch subject {
    case .id(let bytes): (index.rank(of: bytes), String(decoding: bytes, as: UTF8.self))
    case .handle(let handle):
      index.withObject(handle: handle, now: now) { hit in
        (index.rank(of: hit.idString), hit.idString)
      }
    }
  }
}

extension LayerProtection.State {
  fileprivate mutating func keep(_ new: LayerProtection.Shown, of rank: ObjectRank) {
    if let old = shown.updateValue(new, forKey: rank) {
      population.move(from: old.exact, to: new.exact)
    } else {
      population.add(new.exact)
      // Nobody who is there is among those who left.
      left[rank] = nil
      leftBefore[rank] = nil
    }
  }

  fileprivate mutating func forget(_ rank: ObjectRank) {
    guard let gone = shown.removeValue(forKey: rank) else { return }
    population.remove(gone.exact)
    left[rank] = gone.cell
    if left.count >= LayerProtection.remembered {
      leftBefore = left
      left = [:]
    }
  }
}
