import GeoMath
import ObjectModel
import SpatialIndexing

extension LayerWatches {
  /// Works out which watches learn of one change of the feed.
  ///
  /// The change is compared with the index's present state, which may be newer. Then a later change
  /// finds nothing left to report. After the last change, watches and index agree.
  ///
  /// - Complexity: O(levels in use + areas whose cells hold the object).
  func match(_ change: Change, _ table: inout Table, now: Instant) {
    let slot = change.handle.slot
    let place = table.objects.index(forKey: slot)
    if let place {
      let known = table.objects.values[place].generation
      if known != change.handle.generation {
        // The change is older than what a scan has seen, or the end of the former object was lost.
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

  /// Compares generations, which count up and may wrap.
  private static func isNewer(_ generation: UInt32, than other: UInt32) -> Bool {
    Int32(truncatingIfNeeded: generation &- other) > 0
  }

  /// Leaves the areas that hold the object in `table.inside`, ascending and without repetitions.
  private func findAreas(of change: Change, _ table: inout Table, now: Instant) {
    // The array is moved out of the table, because the table is read meanwhile.
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

  /// Handles a change of an object that was in no area.
  private func begin(_ handle: ObjectHandle, _ table: inout Table, now: Instant) {
    // The object may have left since. Then its end follows, and nobody needs to learn of it.
    guard let id = index.withObject(handle: handle, now: now, { $0.idString }) else { return }
    table.objects[handle.slot] = Watched(
      generation: handle.generation, areas: table.copyOfInside(), id: id)
    for area in table.inside { table.tell(.enter, area, handle) }
  }

  /// Handles a change of an object that was in some areas. Both lists of areas ascend, so that one
  /// pass finds the difference.
  private func update(
    _ place: Dictionary<UInt32, Watched>.Index, _ change: Change, _ table: inout Table
  ) {
    let before = table.objects.values[place].areas
    if before == table.inside {
      if change.hasVisibleChange { for area in before { table.tell(.move, area, change.handle) } }
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
        if change.hasVisibleChange { table.tell(.move, area, change.handle) }
        old = old.dropFirst()
      } else {
        table.tell(.enter, area, change.handle)
      }
    }
    for area in old { table.leave(area, change.handle, id) }
    if table.inside.isEmpty {
      table.objects.remove(at: place)
    } else {
      table.objects.values[place].areas = table.copyOfInside()
    }
  }

  /// Handles the end of an object.
  private func end(_ slot: UInt32, _ table: inout Table) {
    guard let gone = table.objects.removeValue(forKey: slot) else { return }
    let handle = ObjectHandle(slot: slot, generation: gone.generation)
    for area in gone.areas { table.leave(area, handle, gone.id) }
  }
}

extension ObjectFilter {
  /// Returns whether an object passes. Its age is not tested, because it changes without a report.
  func admits(_ hit: HitView) -> Bool {
    guard matches(payload: hit.payload) else { return false }
    return excludedIDs.isEmpty || !excludedIDs.contains { ObjectPayload.equal(hit.id, $0) }
  }
}
