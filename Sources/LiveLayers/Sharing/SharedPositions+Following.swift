import ObjectModel
import SpatialIndexing
import Threading

extension SharedPositions {
  /// Reads the entries behind the last one that was applied; if a read is under way, once more after it.
  func read(_ number: Int) {
    let now = monotonic()
    let start = partitions[number].withLock { partition -> (LogEntryID, Bool)? in
      guard let applied = partition.applied else { return nil }
      guard !partition.isReading else {
        partition.mustReadAgain = !partition.held.isEmpty
        return nil
      }
      partition.isReading = true
      partition.mustReadAgain = false
      let verifies =
        applied != .zero && now - partition.verified >= settings.verifyMilliseconds * 1_000_000
      return (applied, verifies)
    }
    guard let (start, verifies) = start else { return }
    log.read(number, from: start, includesStart: verifies, limit: Self.entriesPerRead) {
      [self] result in
      concludeRead(result, of: number, from: start, verifies: verifies, askedAt: now)
    }
  }

  private func concludeRead(
    _ result: Result<[PositionLogEntry], PositionLogFailure>, of number: Int,
    from start: LogEntryID, verifies: Bool, askedAt: Nanoseconds
  ) {
    enum Next { case nothing, again, replace }
    var ends: [@Sendable () -> Void] = []
    let next = partitions[number].withLock { partition -> Next in
      partition.isReading = false
      guard case .success(var entries) = result else {
        // What is held is in the log, though it cannot be shown here at once.
        ends = partition.held.map(\.end)
        partition.held = []
        // A server that comes back may be another one.
        partition.verified = 0
        return .nothing
      }
      guard partition.applied != nil else { return .replace }
      let isPartial = entries.count >= Self.entriesPerRead
      if verifies {
        guard let first = entries.first else { return .replace }
        if first.id == start {
          entries.removeFirst()
        } else if first.previous != start {
          return .replace
        }
        partition.verified = askedAt
      }
      for entry in entries {
        guard let applied = partition.applied, entry.id > applied else { continue }
        guard partition.follows(entry.id, after: entry.previous) else { return .replace }
        apply(entry)
        partition.applied = entry.id
      }
      let reached = partition.applied ?? .zero
      ends = partition.held.filter { $0.entry <= reached }.map(\.end)
      partition.held.removeAll { $0.entry <= reached }
      if !isPartial, reached < partition.mustReach { return .replace }
      if !isPartial { partition.current = max(partition.current ?? .min, askedAt) }
      return isPartial || partition.mustReadAgain && !partition.held.isEmpty ? .again : .nothing
    }
    for end in ends { end() }
    if case .failure(let failure) = result {
      count { $0.failedReads += 1 }
      note(failure)
    }
    switch next {
    case .nothing: break
    case .again: read(number)
    case .replace:
      let wasWhole = partitions[number].withLock { partition in
        defer { partition.applied = nil }
        return partition.applied != nil
      }
      if wasWhole { count { $0.repairedGaps += 1 } }
      replace(number)
    }
  }

  /// Applies an entry to the layers.
  func apply(_ entry: PositionLogEntry) {
    count { $0.entries += 1 }
    var positions: [StoredPosition] = []
    func flush() {
      takeOver(positions)
      positions.removeAll(keepingCapacity: true)
    }
    for record in entry.records {
      switch record {
      case .position(let position):
        if let last = positions.last?.key,
          last.layer != position.key.layer || last.tenant != position.key.tenant
        {
          flush()
        }
        positions.append(position)
      case .removal(let key):
        flush()
        discard([key.id], layer: key.layer, tenant: key.tenant)
      }
    }
    flush()
  }

  /// Applies positions of one layer.
  private func takeOver(_ positions: [StoredPosition]) {
    guard let key = positions.first?.key, let layers = layers(of: key.tenant),
      !LayerName.reserved.contains(key.layer),
      // A name that is not valid, or one layer too many, is left out.
      let layer = try? layers.existingOrNewLayer(key.layer), layer.settings.protection == nil
    else { return }
    let withoutRoom = layer.takeOver(positions, now: layers.clock.now())
    if withoutRoom > 0 { count { $0.withoutRoom += withoutRoom } }
  }

  @discardableResult
  private func discard(_ ids: [String], layer: String, tenant: String) -> Int {
    guard let layers = layers(of: tenant), !LayerName.reserved.contains(layer),
      let layer = try? layers.layer(layer), layer.settings.protection == nil
    else { return 0 }
    return layer.discard(ids: ids, now: layers.clock.now()).count { $0 }
  }

  // MARK: - Replacing

  /// Replaces what the layers have of a partition by what the log stores, and goes on behind the entry
  /// that was the newest before.
  func replace(_ number: Int) {
    guard mayReplace() else { return }
    let begins = partitions[number].withLock { partition -> Bool in
      guard !partition.isReplacing, partition.applied == nil else { return false }
      partition.isReplacing = true
      return true
    }
    guard begins else { return replacementEnded() }
    let askedAt = monotonic()
    let tenants = Set(attached.map(\.tenant))
    log.newest(number) { [self] result in
      let head: PositionLogHead
      switch result {
      case .success(let found): head = found
      case .failure(let failure):
        note(failure)
        return endReplacing(number, nil, askedAt)
      }
      replaceNext(
        Replacement(number: number, head: head, askedAt: askedAt, tenants: tenants),
        cursor: nil)
    }
  }

  private struct Replacement: Sendable {
    let number: Int
    let head: PositionLogHead
    let askedAt: Nanoseconds
    let tenants: Set<String>
    var members: Set<String> = []
    /// The newest entry of which a page may have shown something.
    var seen = LogEntryID.zero
  }

  private func replaceNext(_ replacement: Replacement, cursor: String?) {
    log.scan(replacement.number, cursor: cursor) { [self] result in
      if case .failure(let failure) = result { note(failure) }
      guard case .success(let page) = result, page.source == replacement.head.source else {
        return endReplacing(replacement.number, nil, replacement.askedAt)
      }
      var replacement = replacement
      // One that has expired is stored until somebody takes it out: the layers may have another state.
      for position in page.positions {
        guard let layers = layers(of: position.key.tenant),
          position.expiresAt > layers.clock.now()
        else { continue }
        replacement.members.insert(PositionRecordCoding.member(position.key))
      }
      takeOverLost(page.positions)
      if let next = page.next { return replaceNext(replacement, cursor: next) }
      finish(replacement)
    }
  }

  /// Asks once more how far the log goes: pages may show what was written after the first time, and a
  /// failover may lose that again.
  private func finish(_ replacement: Replacement) {
    log.newest(replacement.number) { [self] result in
      guard case .success(let head) = result, head.source == replacement.head.source else {
        return endReplacing(replacement.number, nil, replacement.askedAt)
      }
      var replacement = replacement
      replacement.seen = head.newest
      let removed = removeMissing(replacement)
      count {
        $0.replacements += 1
        $0.removedByRepair += removed
      }
      endReplacing(replacement.number, replacement, replacement.askedAt)
    }
  }

  /// Takes over what is stored. What the log has lost may be newer here: it goes first.
  private func takeOverLost(_ positions: [StoredPosition]) {
    for group in Dictionary(grouping: positions, by: { [$0.key.tenant, $0.key.layer] }).values {
      guard let key = group.first?.key, let layers = layers(of: key.tenant) else { continue }
      let now = layers.clock.now()
      if let layer = try? layers.layer(key.layer) {
        let newer = group.filter { position in
          layer.index.withObject(id: position.key.id, now: now) {
            $0.observedAt > position.observedAt
          } ?? false
        }
        discard(newer.map(\.key.id), layer: key.layer, tenant: key.tenant)
      }
      takeOver(group.filter { $0.expiresAt > now })
    }
  }

  /// Removes what the layers have of a partition and the log does not.
  private func removeMissing(_ replacement: Replacement) -> Int {
    var removed = 0
    for (tenant, layers) in attached where replacement.tenants.contains(tenant) {
      let now = layers.clock.now()
      for layer in layers.all
      where !LayerName.reserved.contains(layer.name) && layer.settings.protection == nil {
        var missing: [String] = []
        layer.index.forEachObject(now: now) { hit in
          let key = StoredPositionKey(tenant: tenant, layer: layer.name, id: hit.idString)
          if PositionRecordCoding.partition(key) == replacement.number,
            !replacement.members.contains(PositionRecordCoding.member(key))
          {
            missing.append(key.id)
          }
        }
        if !missing.isEmpty {
          removed += discard(missing, layer: layer.name, tenant: tenant)
        }
      }
    }
    return removed
  }

  private func endReplacing(_ number: Int, _ done: Replacement?, _ askedAt: Nanoseconds) {
    replacementEnded()
    // A tenant that was attached meanwhile is missing from what was read.
    let isWhole = done.map { $0.tenants == Set(attached.map(\.tenant)) } ?? false
    let ends = partitions[number].withLock { partition -> [@Sendable () -> Void] in
      partition.isReplacing = false
      guard let done, isWhole else {
        // What is held is in the log: it shows once the log can be read.
        defer { partition.held = [] }
        return partition.held.map(\.end)
      }
      partition.applied = done.head.newest
      partition.mustReach = done.seen
      partition.verified = askedAt
      return []
    }
    for end in ends { end() }
    if isWhole { read(number) }
  }
}
