import GeoMath

extension LiveIndex {
  /// Returns the level-16 cell of a point, as posting lists keep it: column << 16 | row.
  @inline(__always)
  static func cell(_ point: MercatorPoint) -> UInt32 {
    (point.x & 0xFFFF_0000) | point.y >> 16
  }

  /// Returns whether an upsert brings the tags, payload and columns that the object has already,
  /// the tags in the same order.
  func isUnchanged(_ slot: UInt32, _ upsert: UpsertView) -> Bool {
    let record = unsafe record(slot)
    let header = unsafe header(record)
    guard Int(header.tagCount) == upsert.tagCount,
      unsafe Int(header.payloadLength) == upsert.payload.count,
      unsafe bytesAreEqual(
        payload(slot).baseAddress, upsert.payload.baseAddress, upsert.payload.count),
      unsafe bytesAreEqual(
        columns.base + Int(slot) * configuration.columnCount, upsert.columns,
        configuration.columnCount * 8)
    else { return false }
    let stored = unsafe recordTags(record)
    var i = 0
    var same = true
    unsafe upsert.forEachTag { name in
      same = unsafe same && tags.isNamed(stored[i].id, name)
      i += 1
    }
    return same
  }

  /// Returns whether there is room for an upsert's record and tags.
  func hasRoom(_ upsert: UpsertView) -> Bool {
    let header = unsafe RecordHeader(
      idLength: UInt16(upsert.id.count), tagCount: UInt16(upsert.tagCount),
      payloadLength: UInt32(upsert.payload.count))
    return arena.hasRoom(header.size) && tags.hasRoom(upsert.tagCount)
  }

  /// Writes a new object's record and adds the object to its tags' posting lists. Returns the
  /// signature of its tags.
  mutating func writeRecord(_ slot: UInt32, _ upsert: UpsertView, cell: UInt32) -> UInt32 {
    var ids: [UInt32] = []
    if upsert.tagCount > 0 {
      ids.reserveCapacity(upsert.tagCount)
      var p = unsafe upsert.tagBytes
      for i in 0..<upsert.tagCount {
        let length = unsafe Int(
          upsert.tagLengths.loadUnaligned(fromByteOffset: i * 4, as: UInt32.self))
        let id = unsafe tags.findOrAdd(UnsafeRawBufferPointer(start: p, count: length))
        unsafe p += length
        if !ids.contains(id) { ids.append(id) }
      }
    }
    let header = unsafe RecordHeader(
      idLength: UInt16(upsert.id.count), tagCount: UInt16(ids.count),
      payloadLength: UInt32(upsert.payload.count))
    let reference = arena.allocate(header.size)
    records[slot] = reference
    let record = unsafe arena.pointer(reference)
    unsafe record.storeBytes(of: header, as: RecordHeader.self)
    var signature: UInt32 = 0
    for (i, id) in ids.enumerated() {
      signature |= tags[id].signature
      let position = tags.addCarrier(id, slot: slot, cell: cell)
      unsafe (record + 8 + i * 8).storeBytes(
        of: RecordTag(id: id, position: position), as: RecordTag.self)
    }
    var p = unsafe record + 8 + ids.count * 8
    if let base = unsafe upsert.id.baseAddress {
      unsafe p.copyMemory(from: base, byteCount: upsert.id.count)
    }
    unsafe p += upsert.id.count
    if let base = unsafe upsert.payload.baseAddress {
      unsafe p.copyMemory(from: base, byteCount: upsert.payload.count)
    }
    if configuration.columnCount > 0 {
      unsafe UnsafeMutableRawPointer(columns.base + Int(slot) * configuration.columnCount)
        .copyMemory(from: upsert.columns, byteCount: configuration.columnCount * 8)
    }
    return signature
  }

  /// Removes an object from the posting lists and frees its record.
  mutating func eraseRecord(_ slot: UInt32) {
    let reference = records[slot]
    let record = unsafe arena.pointer(reference)
    let list = unsafe recordTags(record)
    for i in list.indices {
      let tag = unsafe list[i]
      if let moved = tags.removeCarrier(tag.id, at: tag.position) {
        let others = unsafe recordTags(self.record(moved))
        for j in others.indices where unsafe others[j].id == tag.id {
          unsafe others[j].position = tag.position
        }
      }
    }
    unsafe arena.free(reference, count: header(record).size)
  }

  /// Gives a live object other tags, payload or columns.
  mutating func replaceRecord(_ slot: UInt32, _ upsert: UpsertView) {
    let old = records[slot]
    let oldRecord = unsafe arena.pointer(old)
    let oldTags = unsafe Array(recordTags(oldRecord))
    let oldSize = unsafe header(oldRecord).size
    for tag in oldTags {
      if let moved = tags.removeCarrier(tag.id, at: tag.position) {
        let others = unsafe recordTags(self.record(moved))
        for j in others.indices where unsafe others[j].id == tag.id {
          unsafe others[j].position = tag.position
        }
      }
    }
    let signature = writeRecord(slot, upsert, cell: Self.cell(point(slot)))
    arena.free(old, count: oldSize)
    tree.setSignature(location: slots[slot].location, signature)
    widenCoincidentLeaf(slot, signature: signature)
  }

  /// Updates the cell of an object in the posting lists of its tags.
  @inline(never)
  mutating func updatePostings(_ slot: UInt32, cell: UInt32) {
    let list = unsafe recordTags(record(slot))
    for i in list.indices { unsafe tags.setCell(list[i].id, at: list[i].position, cell) }
  }
}
