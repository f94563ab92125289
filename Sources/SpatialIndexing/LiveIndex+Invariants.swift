import GeoMath
import ObjectModel

extension LiveIndex {
  /// Checks every invariant of the index and of its parts.
  ///
  /// - Complexity: O(n).
  func checkInvariants() throws(LiveIndexInvariantError) {
    guard let free = countFreeSlots() else {
      throw LiveIndexInvariantError("the free list has a cycle or names a slot in use")
    }
    guard free + count == Int(slotEnd) else {
      throw LiveIndexInvariantError(
        "\(free) free and \(count) used slots do not make \(slotEnd) slots")
    }
    guard map.count == count else {
      throw LiveIndexInvariantError("the id map holds \(map.count) objects, the tree \(count)")
    }
    var tagCounts = [UInt32](repeating: 0, count: Int(tags.idEnd))
    for slot in 0..<slotEnd where slots[slot].location != Slot.vacant {
      try checkSlot(slot, &tagCounts)
    }
    for id in tagCounts.indices where tags[UInt32(id)].count != tagCounts[id] {
      throw LiveIndexInvariantError(
        "tag \(id) counts \(tags[UInt32(id)].count) carriers, but has \(tagCounts[id])")
    }
    var seen = 0
    try checkNode(0, x: 0, y: 0, &seen)
    guard seen == count else {
      throw LiveIndexInvariantError("the leaves hold \(seen) points, the root counts \(count)")
    }
    for (leaf, order) in coincidentOrders { try checkCoincidentLeaf(leaf, order) }
  }

  private func checkCoincidentLeaf(_ leaf: UInt32, _ order: CoincidentOrder)
    throws(LiveIndexInvariantError)
  {
    let node = tree.nodes[leaf]
    guard !node.isInner, node.level == 32, Int(node.count) == order.count,
      order.count > CoincidentOrderLimits.unordered
    else {
      throw LiveIndexInvariantError(
        "coincident leaf \(leaf) has \(node.count) points, its order \(order.count)")
    }
    for group in order.groups {
      for chunk in group.members.chunks {
        for entry in chunk.entries
        where slots[entry.slot].latitude != group.latitude
          || slots[entry.slot].longitude != group.longitude
        {
          throw LiveIndexInvariantError("slot \(entry.slot) is in another place's group")
        }
      }
      try checkOrder(leaf, group.members)
    }
    try checkOrder(leaf, order.mixed)
  }

  private func checkOrder(
    _ leaf: UInt32, _ list: OrderedSlots
  ) throws(LiveIndexInvariantError) {
    var last: UInt32?
    var seen = 0
    for chunk in list.chunks {
      guard chunk.entries.first?.slot == chunk.first.slot else {
        throw LiveIndexInvariantError("a chunk of coincident leaf \(leaf) has another first entry")
      }
      for entry in chunk.entries {
        let slot = entry.slot
        if let last, unsafe !bytesPrecede(identifier(last), identifier(slot)) {
          throw LiveIndexInvariantError("slot \(slot) is out of order in coincident leaf \(leaf)")
        }
        guard tree.links[slots[slot].location >> 3].owner >> 6 == leaf,
          times.tick(expiresAt(slot)) >= chunk.earliest,
          signature(slot) & ~chunk.signature == 0
        else {
          throw LiveIndexInvariantError(
            "slot \(slot) is outside the bounds of its chunk in coincident leaf \(leaf)")
        }
        last = slot
        seen += 1
      }
    }
    guard seen == list.count else {
      throw LiveIndexInvariantError("coincident leaf \(leaf) counts its ordered slots wrongly")
    }
  }

  private func checkSlot(
    _ slot: UInt32, _ tagCounts: inout [UInt32]
  ) throws(LiveIndexInvariantError) {
    let entry = slots[slot]
    let block = unsafe tree.blocks.pointer(entry.location >> 3)
    guard unsafe block.pointee.slot[Int(entry.location & 7)] == slot else {
      throw LiveIndexInvariantError("slot \(slot) is not at its location")
    }
    let exact = MercatorPoint(latitude: entry.latitude, longitude: entry.longitude)
    guard point(slot) == exact else {
      throw LiveIndexInvariantError(
        "the tree holds slot \(slot) at \(point(slot)), its coordinates are at \(exact)")
    }
    let id = unsafe identifier(slot)
    guard unsafe findSlot(id, hash: hash(id)) == slot else {
      throw LiveIndexInvariantError("the id map does not find slot \(slot) by its id")
    }
    var signature: UInt32 = 0
    let carried = unsafe recordTags(record(slot))
    for i in carried.indices {
      let tag = unsafe carried[i]
      tagCounts[Int(tag.id)] += 1
      signature |= tags[tag.id].signature
      let carrier = tags.carrier(tag.id, at: tag.position)
      guard carrier.slot == slot, carrier.cell == Self.cell(exact) else {
        throw LiveIndexInvariantError("slot \(slot) is not in the posting list of tag \(tag.id)")
      }
    }
    guard signature == self.signature(slot) else {
      throw LiveIndexInvariantError(
        "slot \(slot) has signature \(self.signature(slot)), which its tags do not give")
    }
  }

  private func checkNode(
    _ index: UInt32, x: UInt32, y: UInt32, _ seen: inout Int
  ) throws(LiveIndexInvariantError) {
    let node = tree.nodes[index]
    let level = node.level
    guard node.isInner else { return try checkLeaf(index, x: x, y: y, &seen) }
    guard node.count > PointTree.mergeLimit else {
      throw LiveIndexInvariantError(
        "node \(index) is not merged, though it has only \(node.count) points")
    }
    var count: UInt32 = 0
    for quadrant in UInt32(0)..<4 {
      let child = tree.nodes[node.first + quadrant]
      guard child.parent == index, child.level == level + 1 else {
        throw LiveIndexInvariantError("child \(quadrant) of node \(index) names another parent")
      }
      guard child.signature & ~node.signature == 0 else {
        throw LiveIndexInvariantError("node \(index) lacks signature bits of a child")
      }
      guard child.count == 0 || child.earliest >= node.earliest else {
        throw LiveIndexInvariantError("the expiry bound of node \(index) is later than a child's")
      }
      count += child.count
      let side = UInt32(1) << (31 - level)
      try checkNode(
        node.first + quadrant, x: x + (quadrant & 1) * side, y: y + (quadrant >> 1) * side, &seen)
    }
    guard count == node.count else {
      throw LiveIndexInvariantError("node \(index) counts \(node.count) points, but has \(count)")
    }
  }

  private func checkLeaf(
    _ index: UInt32, x: UInt32, y: UInt32, _ seen: inout Int
  ) throws(LiveIndexInvariantError) {
    let node = tree.nodes[index]
    guard node.level == 32 || node.count <= PointTree.leafCapacity else {
      throw LiveIndexInvariantError("leaf \(index) has more points than a leaf may hold")
    }
    if node.level == 32 && node.count >= CoincidentOrderLimits.ordered
      && coincidentOrders[index] == nil
    {
      throw LiveIndexInvariantError(
        "coincident leaf \(index) has \(node.count) points, but no order")
    }
    var failure: String?
    var counted = 0
    let shift = 32 - node.level
    tree.forEachBlock(of: index) { id, lanes in
      let block = tree.blocks[id]
      if tree.links[id].owner != index << 6 | node.level { failure = "block \(id): owner" }
      for lane in 0..<lanes {
        let slot = block.slot[lane]
        if slots[slot].location != id << 3 | UInt32(lane) { failure = "slot \(slot): location" }
        if block.signature[lane] & ~node.signature != 0 { failure = "leaf \(index): signature" }
        if block.x[lane] >> shift != x >> shift || block.y[lane] >> shift != y >> shift {
          failure = "slot \(slot) is in the wrong leaf"
        }
        if times.tick(expiresAt(slot)) < node.earliest { failure = "leaf \(index): expiry bound" }
        counted += 1
      }
    }
    if let failure { throw LiveIndexInvariantError(failure) }
    guard counted == Int(node.count) else {
      throw LiveIndexInvariantError("leaf \(index) counts \(node.count) points, but has \(counted)")
    }
    seen += counted
  }
}
