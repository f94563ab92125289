public import ObjectModel
import GeoMath

/// One object as a query or lookup sees it.
///
/// A view is valid only inside the closure that it is handed to, because it reads the locked index.
/// Each property reads other memory when it is asked for, so that what a caller does not use costs
/// nothing.
@safe public struct HitView {
  private let reader: UnsafePointer<HitReader>
  private let slot: UInt32
  /// The distance from the query's origin in whole millimetres; 0 for queries without an origin.
  public let distanceMillimeters: Int64

  @inline(__always)
  init(reader: UnsafePointer<HitReader>, slot: UInt32, distanceMillimeters: Int64) {
    unsafe self.reader = unsafe reader
    self.slot = slot
    self.distanceMillimeters = distanceMillimeters
  }

  /// The id in UTF-8.
  public var id: UnsafeRawBufferPointer { unsafe reader.pointee.identifier(slot) }
  /// The bytes that the report gave with the object.
  public var payload: UnsafeRawBufferPointer { unsafe reader.pointee.payload(slot) }
  /// The latitude in degrees, exactly as reported.
  public var latitude: Double { unsafe reader.pointee.slots[Int(slot)].latitude }
  /// The longitude in degrees, exactly as reported.
  public var longitude: Double { unsafe reader.pointee.slots[Int(slot)].longitude }
  /// The Morton code of the object's Mercator point, by which ``WithinQuery`` orders hits.
  public var mortonCode: UInt64 { unsafe MortonCode(reader.pointee.point(slot)).rawValue }
  /// The moment at which the position was observed.
  public var observedAt: Instant { unsafe Instant(milliseconds: reader.pointee.observedAt(slot)) }
  /// The moment from which on the object is no longer found.
  public var expiresAt: Instant { unsafe Instant(milliseconds: reader.pointee.expiresAt(slot)) }
  /// The handle of the object, valid until it leaves the index.
  public var handle: ObjectHandle {
    unsafe ObjectHandle(slot: slot, generation: reader.pointee.slots[Int(slot)].generation)
  }

  /// Everything that is stored, read in one step: cheaper than the properties one by one.
  public var contents: HitContents { unsafe reader.pointee.contents(slot) }

  /// The id as a string, which is allocated.
  public var idString: String { unsafe String(decoding: id, as: UTF8.self) }
}

/// What is stored of one object. It is valid for as long as the ``HitView`` that it comes from.
@safe public struct HitContents {
  /// The id in UTF-8.
  public let id: UnsafeRawBufferPointer
  /// The bytes that the report gave with the object.
  public let payload: UnsafeRawBufferPointer
  /// The latitude in degrees, exactly as reported.
  public let latitude: Double
  /// The longitude in degrees, exactly as reported.
  public let longitude: Double
  /// The moment at which the position was observed.
  public let observedAt: Instant
}

/// Reads objects through base addresses that never change while the index exists.
@safe struct HitReader: BitwiseCopyable {
  let slots: UnsafeMutablePointer<Slot>
  let records: UnsafeMutablePointer<UInt32>
  let arena: RecordArena.Reader
  let blocks: UnsafeMutablePointer<PointBlock>
  var times: ReportTimes.Reader

  @inline(__always)
  func record(_ slot: UInt32) -> UnsafeMutableRawPointer {
    unsafe arena.pointer(records[Int(slot)])
  }

  @inline(__always)
  func identifier(_ slot: UInt32) -> UnsafeRawBufferPointer {
    let record = unsafe record(slot)
    let header = unsafe record.load(as: RecordHeader.self)
    return unsafe UnsafeRawBufferPointer(
      start: record + 8 + Int(header.tagCount) * 8, count: Int(header.idLength))
  }

  @inline(__always)
  func payload(_ slot: UInt32) -> UnsafeRawBufferPointer {
    let record = unsafe record(slot)
    let header = unsafe record.load(as: RecordHeader.self)
    return unsafe UnsafeRawBufferPointer(
      start: record + 8 + Int(header.tagCount) * 8 + Int(header.idLength),
      count: Int(header.payloadLength))
  }

  @inline(__always)
  func contents(_ slot: UInt32) -> HitContents {
    let record = unsafe record(slot)
    let header = unsafe record.load(as: RecordHeader.self)
    let id = unsafe record + 8 + Int(header.tagCount) * 8
    let stored = unsafe slots + Int(slot)
    return unsafe HitContents(
      id: UnsafeRawBufferPointer(start: id, count: Int(header.idLength)),
      payload: UnsafeRawBufferPointer(
        start: id + Int(header.idLength), count: Int(header.payloadLength)),
      latitude: stored.pointee.latitude, longitude: stored.pointee.longitude,
      observedAt: Instant(milliseconds: times.observedAt(slot, stored.pointee.times)))
  }

  @inline(__always)
  func point(_ slot: UInt32) -> MercatorPoint {
    let location = unsafe slots[Int(slot)].location
    let block = unsafe blocks + Int(location >> 3)
    let lane = Int(location & 7)
    return unsafe MercatorPoint(x: block.pointee.x[lane], y: block.pointee.y[lane])
  }

  @inline(__always)
  func observedAt(_ slot: UInt32) -> Int64 { unsafe times.observedAt(slot, slots[Int(slot)].times) }

  @inline(__always)
  func expiresAt(_ slot: UInt32) -> Int64 { unsafe times.expiresAt(slot, slots[Int(slot)].times) }
}
