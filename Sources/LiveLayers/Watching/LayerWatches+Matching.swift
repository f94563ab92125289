import GeoMath
import ObjectModel
import SpatialIndexing

extension LayerWatches {
  /// One change of the feed: who hears of it.
  ///
  /// The state it is held against is the index's of now, which may be newer than the change: then
  /// a later change finds nothing left to tell. After the last one, watches and index agree.
  /// - Complexity: O(levels in use + areas whose cells hold the object).
  func match(_ change: Change, _ table: inout Table, now: Instant) {
    let slot = change.handle.slot
    let place = table.objects.index(forKey: slot)
    if let place {
      let known = table.objects.values[place].generation
      if known != change.handle.generation {
        // Older than what a scan has seen already; or the end of the former one got lost.
        guard Self.isNewer(change.handle.generation, than: known) else { return }
        end(slot, &table)
        return match(change, &table, now: now)
      }
      if change.isRemoval { return end(slot, &table) }
    } else if change.isRemoval {
      return
    }
    findAreas(of: change, &table, now: now)
    guard let place else {
      if !table.inside.isEmpty { begin(change.handle, &table, now: now) }
      return
    }
    update(place, change, &table)
  }

  /// Generations count up and may wrap.
  private static func isNewer(_ generation: UInt32, than other: UInt32) -> Bool {
    Int32(truncatingIfNeeded: generation &- other) > 0
  }

  /// Leaves in `table.inside` the areas that hold the object, ascending, each once.
  private func findAreas(of change: Change, _ table: inout Table, now: Instant) {
    // Taken out of the table, which is read meanwhile.
    var inside: [UInt32] = []
    var candidates: [(area: UInt32, isInside: Bool)] = []
    swap(&inside, &table.inside)
    swap(&candidates, &table.candidates)
    inside.removeAll(keepingCapacity: true)
    candidates.removeAll(keepingCapacity: true)
    table.grid.forEachArea(at: change.to) { area, isInside in
      guard let watch = table.watchOf[Int(area)] else { return }
      let holds = isInside ? true : watch.areas[Int(table.indexOf[Int(area)])].holds(change.to)
      switch holds {
      case false: break
      case true where watch.isUnfiltered: inside.append(area)
      case true: candidates.append((area, true))
      case nil: candidates.append((area, false))
      }
    }
    if !candidates.isEmpty {
      index.withObject(handle: change.handle, now: now) { hit in
        for (area, isInside) in candidates {
          guard let watch = table.watchOf[Int(area)] else { continue }
          let holds =
            isInside
            || watch.areas[Int(table.indexOf[Int(area)])].contains(
              latitude: hit.latitude, longitude: hit.longitude)
          if holds, watch.isUnfiltered || watch.filter.admits(hit) { inside.append(area) }
        }
      }
    }
    if inside.count > 1 {
      inside.sort()
      var kept = 1
      for i in 1..<inside.count where inside[i] != inside[kept - 1] {
        inside[kept] = inside[i]
        kept += 1
      }
      inside.removeLast(inside.count - kept)
    }
    swap(&inside, &table.inside)
    swap(&candidates, &table.candidates)
  }

  /// An object that no area held.
  private func begin(_ handle: ObjectHandle, _ table: inout Table, now: Instant) {
    // It may have left since: then its end follows, and nobody need hear of it.
    guard let id = index.withObject(handle: handle, now: now, { $0.idString }) else { return }
    table.objects[handle.slot] = Watched(
      generation: handle.generation, areas: table.inside, id: id)
    for area in table.inside { table.tell(.enter, area, handle) }
  }

  /// An object that some areas held: both lists ascend, so one walk tells the difference.
  private func update(
    _ place: Dictionary<UInt32, Watched>.Index, _ change: Change, _ table: inout Table
  ) {
    let before = table.objects.values[place].areas
    if before == table.inside {
      if change.isNews { for area in before { table.tell(.move, area, change.handle) } }
      return
    }
    let id = table.objects.values[place].id
    var old = before[...]
    for area in table.inside {
      while let first = old.first, first < area {
        table.leave(first, change.handle, id)
        old = old.dropFirst()
      }
      if old.first == area {
        if change.isNews { table.tell(.move, area, change.handle) }
        old = old.dropFirst()
      } else {
        table.tell(.enter, area, change.handle)
      }
    }
    for area in old { table.leave(area, change.handle, id) }
    if table.inside.isEmpty {
      table.objects.remove(at: place)
    } else {
      table.objects.values[place].areas = table.inside
    }
  }

  /// An object that is no more.
  private func end(_ slot: UInt32, _ table: inout Table) {
    guard let gone = table.objects.removeValue(forKey: slot) else { return }
    let handle = ObjectHandle(slot: slot, generation: gone.generation)
    for area in gone.areas { table.leave(area, handle, gone.id) }
  }
}

extension ObjectFilter {
  /// Whether an object passes, its age left aside: that changes without a report.
  func admits(_ hit: HitView) -> Bool {
    guard matches(payload: hit.payload) else { return false }
    return excludedIDs.isEmpty || !excludedIDs.contains { ObjectPayload.equal(hit.id, $0) }
  }
}
