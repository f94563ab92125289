import ObjectModel

extension LiveIndex {
  /// Frees up to `limit` expired objects and returns how many it freed.
  ///
  /// - Complexity: It visits only nodes whose expiry bound has passed, and each visit raises the
  ///   bound to the next expiry beneath.
  mutating func reclaimExpired(
    now: Instant, limit: Int, changes: ((UnsafeBufferPointer<IndexChange>) -> Void)?
  ) -> Int {
    guard limit > 0 else { return 0 }
    let now = now.milliseconds
    var expired: [UInt32] = []
    collectExpired(node: 0, now: now, tick: times.tick(now), limit: limit, into: &expired)
    guard !expired.isEmpty else { return 0 }
    feed.removeAll(keepingCapacity: true)
    for slot in expired { unsafe drop(slot, hash: hash(identifier(slot)), isFed: changes != nil) }
    unsafe publish(changed: true) { feed in unsafe changes?(feed) }
    return expired.count
  }

  /// Returns whether an object may have expired: by the bound of all of them, which may be too early.
  func mayHaveExpired(now: Instant) -> Bool {
    let root = tree.nodes[0]
    return root.count > 0 && root.earliest <= times.tick(now.milliseconds)
  }

  private func collectExpired(
    node index: UInt32, now: Int64, tick: UInt32, limit: Int, into expired: inout [UInt32]
  ) {
    let node = tree.nodes[index]
    guard node.count > 0, node.earliest <= tick, expired.count < limit else { return }
    var earliest = UInt32.max
    if node.isInner {
      for child in node.first..<node.first + 4 {
        collectExpired(node: child, now: now, tick: tick, limit: limit, into: &expired)
        if tree.nodes[child].count > 0 { earliest = min(earliest, tree.nodes[child].earliest) }
      }
    } else if let order = order(ofLeaf: index) {
      guard let bound = collectExpired(order, now: now, tick: tick, limit: limit, into: &expired)
      else { return }
      earliest = bound
    } else {
      var isComplete = true
      tree.forEachBlock(of: index) { block, lanes in
        guard expired.count < limit else {
          isComplete = false
          return
        }
        let members = unsafe tree.blocks.pointer(block).pointee.slot
        for lane in 0..<lanes {
          let expiry = expiresAt(members[lane])
          if expiry > now {
            earliest = min(earliest, times.tick(expiry))
          } else if expired.count < limit {
            expired.append(members[lane])
          } else {
            isComplete = false
          }
        }
      }
      if !isComplete { return }
    }
    unsafe tree.nodes.pointer(index).pointee.earliest = earliest
  }

  /// Collects the expired slots of a large coincident leaf from the chunks whose bound has passed.
  ///
  /// - Returns: The new expiry bound of the leaf; `nil` when the limit ended the visit.
  private func collectExpired(
    _ order: CoincidentOrder, now: Int64, tick: UInt32, limit: Int, into expired: inout [UInt32]
  ) -> UInt32? {
    var isComplete = true
    order.forEachChunk(dueAt: tick) { entries in
      var bound = UInt32.max
      for entry in entries {
        let expiry = expiresAt(entry.slot)
        if expiry > now {
          bound = min(bound, times.tick(expiry))
        } else if expired.count < limit {
          expired.append(entry.slot)
        } else {
          isComplete = false
          return nil
        }
      }
      return bound
    }
    guard isComplete else { return nil }
    return order.earliest
  }
}
