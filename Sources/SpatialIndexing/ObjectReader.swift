import GeoMath
import ObjectModel

/// The start of an object's record in the arena.
///
///     | header 8 | (tag id, posting position) x tagCount | id | payload |
struct RecordHeader: BitwiseCopyable {
  var idLength: UInt16
  var tagCount: UInt16
  var payloadLength: UInt32

  @inline(__always)
  var size: Int { 8 + Int(tagCount) * 8 + Int(idLength) + Int(payloadLength) }
}

/// A tag of a record, with the object's position in the tag's posting list.
struct RecordTag: BitwiseCopyable {
  var id: UInt32
  var position: UInt32
}

extension LiveIndex {
  // MARK: Reading one object

  @inline(__always)
  func record(_ slot: UInt32) -> UnsafeMutableRawPointer { unsafe reader.pointee.record(slot) }

  @inline(__always)
  func header(_ record: UnsafeMutableRawPointer) -> RecordHeader {
    unsafe record.load(as: RecordHeader.self)
  }

  @inline(__always)
  func recordTags(_ record: UnsafeMutableRawPointer) -> UnsafeMutableBufferPointer<RecordTag> {
    unsafe UnsafeMutableBufferPointer(
      start: (record + 8).assumingMemoryBound(to: RecordTag.self),
      count: Int(header(record).tagCount))
  }

  @inline(__always)
  func identifier(_ slot: UInt32) -> UnsafeRawBufferPointer {
    unsafe reader.pointee.identifier(slot)
  }

  @inline(__always)
  func payload(_ slot: UInt32) -> UnsafeRawBufferPointer { unsafe reader.pointee.payload(slot) }

  @inline(__always)
  func expiresAt(_ slot: UInt32) -> Int64 { unsafe reader.pointee.expiresAt(slot) }

  @inline(__always)
  func observedAt(_ slot: UInt32) -> Int64 { unsafe reader.pointee.observedAt(slot) }

  @inline(__always)
  func isLive(_ slot: UInt32, now: Int64) -> Bool { expiresAt(slot) > now }

  @inline(__always)
  func handle(_ slot: UInt32) -> ObjectHandle {
    ObjectHandle(slot: slot, generation: slots[slot].generation)
  }

  /// Returns where the tree holds a slot's point.
  @inline(__always)
  func point(_ slot: UInt32) -> MercatorPoint { unsafe reader.pointee.point(slot) }

  @inline(__always)
  func signature(_ slot: UInt32) -> UInt32 {
    let location = slots[slot].location
    return unsafe tree.blocks.pointer(location >> 3).pointee.signature[Int(location & 7)]
  }

  /// Returns the slot of a handle, `nil` if the handle names no live object.
  @inline(__always)
  func slot(of handle: ObjectHandle, now: Int64) -> UInt32? {
    guard handle.slot < slotEnd else { return nil }
    let slot = slots[handle.slot]
    guard slot.generation == handle.generation, slot.location != Slot.vacant,
      times.expiresAt(handle.slot, slot.times) > now
    else { return nil }
    return handle.slot
  }

  /// Returns the slot of an id, whether or not the object has expired.
  @inline(__always)
  func findSlot(_ id: UnsafeRawBufferPointer, hash: UInt64) -> UInt32? {
    map.find(hash) { unsafe hasIdentifier($0, id) }
  }

  /// Returns the slot of an id and tries `likely` first.
  @inline(__always)
  func findSlot(_ id: UnsafeRawBufferPointer, hash: UInt64, likely: UInt32) -> UInt32? {
    if likely != Slot.vacant, unsafe hasIdentifier(likely, id) { return likely }
    return unsafe findSlot(id, hash: hash)
  }

  @inline(__always)
  private func hasIdentifier(_ slot: UInt32, _ id: UnsafeRawBufferPointer) -> Bool {
    let other = unsafe identifier(slot)
    return unsafe other.count == id.count
      && bytesAreEqual(other.baseAddress, id.baseAddress, id.count)
  }

  func findSlot(_ id: String) -> UInt32? {
    var id = id
    return id.withUTF8 { bytes in
      let raw = UnsafeRawBufferPointer(bytes)
      return unsafe findSlot(raw, hash: hash(raw))
    }
  }

  @inline(__always)
  func view(_ slot: UInt32, distance: Int64 = 0) -> HitView {
    unsafe HitView(reader: UnsafePointer(reader), slot: slot, distanceMillimeters: distance)
  }

  // MARK: Prefetching records

  /// Prefetches the reference to a slot's record.
  @inline(__always)
  func prefetchReference(_ slot: UInt32) { unsafe MemoryHints.read(records.base + Int(slot)) }

  /// Prefetches the first line of a slot's record, whose reference is in the cache.
  @inline(__always)
  func prefetchRecord(_ slot: UInt32) {
    let record = unsafe record(slot)
    unsafe MemoryHints.read(record)
    unsafe MemoryHints.read(record + MemoryHints.line)
  }

  /// Prefetches the rest of a slot's record, whose first line is in the cache.
  @inline(__always)
  func prefetchRest(_ slot: UInt32) {
    let record = unsafe record(slot)
    // The processor itself prefetches the rest of a long payload, which is read in order.
    let end = unsafe min(header(record).size, 8 * MemoryHints.line)
    var offset = 2 * MemoryHints.line
    while offset < end {
      unsafe MemoryHints.read(record + offset)
      offset += MemoryHints.line
    }
    // The record may end in one line more, when it does not begin at the start of a line.
    unsafe MemoryHints.read(record + end - 1)
  }
}
