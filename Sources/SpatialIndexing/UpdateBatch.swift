public import ObjectModel

/// Reports that are applied together: a contiguous array of fixed entries and an arena of bytes.
///
///     entries  | latitude longitude observedAt expiresAt | offset or handle | kind |  48 B each
///     bytes    | header | id | columns | tag lengths | tags | payload |             per upsert
///
/// A batch that is used again allocates nothing once it has grown to its working size.
public struct UpdateBatch: Sendable {
  struct Entry {
    var latitude: Double
    var longitude: Double
    var observedAt: Int64
    var expiresAt: Int64
    /// The offset of an upsert's header in `bytes`; for a move `slot | generation << 32`.
    var reference: UInt64
    var isMove: Bool
    /// Whether `observedAt` is the time of receipt, by which no report is stale.
    var isReceiptTime: Bool
  }

  /// The fixed start of an upsert's bytes. All offsets count from the end of the header.
  struct Header {
    var idLength: UInt32
    var tagCount: UInt32
    var tagBytes: UInt32
    var payloadLength: UInt32
  }

  /// The number of numeric columns of each upsert.
  public let columnCount: Int
  var entries: [Entry] = []
  var bytes: [UInt8] = []
  /// Whether any entry is an upsert: every upsert has bytes, and moves have none.
  var hasUpserts: Bool { !bytes.isEmpty }

  /// Makes an empty batch for an index with that many columns.
  public init(columnCount: Int = 0) {
    precondition((0...4).contains(columnCount), "a live index has 0 to 4 columns")
    self.columnCount = columnCount
  }

  /// The number of entries.
  public var count: Int { entries.count }

  /// The memory for ids, tags and payloads, in bytes.
  package var byteCapacity: Int { bytes.capacity }

  /// Makes room for entries and for the bytes of their records.
  public mutating func reserveCapacity(_ count: Int, bytes byteCount: Int = 0) {
    entries.reserveCapacity(count)
    bytes.reserveCapacity(byteCount)
  }

  /// Removes the entries and keeps the memory, unless told otherwise.
  public mutating func removeAll(keepingCapacity: Bool = true) {
    entries.removeAll(keepingCapacity: keepingCapacity)
    bytes.removeAll(keepingCapacity: keepingCapacity)
  }

  /// Appends an insert, or an update of everything that is known about an object.
  ///
  /// - Parameters:
  ///   - id: 1 byte or more of UTF-8.
  ///   - latitude: Valid degrees, as `Coordinate` checks them.
  ///   - longitude: Valid degrees, as `Coordinate` checks them.
  ///   - tags: Normalised tags; repetitions count once.
  ///   - payload: Opaque bytes that are kept with the object and handed back with hits.
  ///   - columns: At most `columnCount` numbers. Missing ones and NaN are absent values.
  ///   - observedAt: The moment at which the position was observed.
  ///   - expiresAt: The moment from which on the object is no longer found.
  ///   - isReceiptTime: Whether `observedAt` is the time of receipt instead of a claim of the
  ///     reporter. Such a report is never stale, whichever of two receivers comes first and
  ///     wherever the wall clock was set; the stored time does not go back.
  public mutating func append(
    id: UnsafeRawBufferPointer, latitude: Double, longitude: Double, tags: [String],
    payload: UnsafeRawBufferPointer, columns: [Double] = [], observedAt: Instant,
    expiresAt: Instant, isReceiptTime: Bool = false
  ) {
    precondition(columns.count <= columnCount, "an upsert has more columns than its batch")
    let start = bytes.count
    var tagBytes = 0
    for tag in tags { tagBytes += tag.utf8.count }
    let header = Header(
      idLength: UInt32(id.count), tagCount: UInt32(tags.count), tagBytes: UInt32(tagBytes),
      payloadLength: UInt32(payload.count))
    let size =
      MemoryLayout<Header>.size + id.count + 8 * columnCount + 4 * tags.count + tagBytes
      + payload.count
    bytes.append(addingCapacity: size) { span in
      unsafe span.withUnsafeMutableBufferPointer { buffer, written in
        var room = unsafe RecordRoom(UnsafeMutableRawBufferPointer(buffer))
        room.append(header)
        unsafe room.append(id)
        for column in 0..<columnCount {
          room.append(column < columns.count ? columns[column] : .nan)
        }
        for tag in tags { room.append(UInt32(tag.utf8.count)) }
        for tag in tags {
          var tag = tag
          tag.withUTF8 { unsafe room.append(UnsafeRawBufferPointer($0)) }
        }
        unsafe room.append(payload)
        written = room.count
      }
    }
    entries.append(
      Entry(
        latitude: latitude, longitude: longitude, observedAt: observedAt.milliseconds,
        expiresAt: expiresAt.milliseconds, reference: UInt64(start), isMove: false,
        isReceiptTime: isReceiptTime))
  }

  /// Whose position an entry of a batch tells.
  @safe public enum Subject {
    /// The bytes of an id, for as long as the call runs.
    case id(UnsafeRawBufferPointer)
    /// An object that is moved.
    case handle(ObjectHandle)
  }

  /// Puts other positions in place of those reported, such as coarser ones.
  ///
  /// - Parameter replacement: Called with each entry in order: whose it is, and its latitude and
  ///   longitude in degrees. Returns valid ones.
  public mutating func replacePositions(
    _ replacement: (Subject, _ latitude: Double, _ longitude: Double) -> (
      latitude: Double, longitude: Double
    )
  ) {
    unsafe bytes.withUnsafeBytes { bytes in
      for i in entries.indices {
        let entry = entries[i]
        let subject: Subject
        if entry.isMove {
          subject = .handle(
            ObjectHandle(
              slot: UInt32(truncatingIfNeeded: entry.reference),
              generation: UInt32(entry.reference >> 32)))
        } else {
          let start = Int(entry.reference)
          let header = unsafe bytes.loadUnaligned(fromByteOffset: start, as: Header.self)
          let first = start + MemoryLayout<Header>.size
          subject = unsafe .id(
            UnsafeRawBufferPointer(rebasing: bytes[first..<first + Int(header.idLength)]))
        }
        let place = replacement(subject, entry.latitude, entry.longitude)
        entries[i].latitude = place.latitude
        entries[i].longitude = place.longitude
      }
    }
  }

  /// Appends an insert or an update from a string and an array.
  public mutating func append(
    id: String, latitude: Double, longitude: Double, tags: [String] = [], payload: [UInt8] = [],
    columns: [Double] = [], observedAt: Instant, expiresAt: Instant, isReceiptTime: Bool = false
  ) {
    var id = id
    id.withUTF8 { idBytes in
      unsafe payload.withUnsafeBytes { payloadBytes in
        unsafe append(
          id: UnsafeRawBufferPointer(idBytes), latitude: latitude, longitude: longitude,
          tags: tags, payload: payloadBytes, columns: columns, observedAt: observedAt,
          expiresAt: expiresAt, isReceiptTime: isReceiptTime)
      }
    }
  }

  /// Appends a move, which keeps tags, payload and columns.
  @inline(__always)
  public mutating func append(
    handle: ObjectHandle, latitude: Double, longitude: Double, observedAt: Instant,
    expiresAt: Instant, isReceiptTime: Bool = false
  ) {
    entries.append(
      Entry(
        latitude: latitude, longitude: longitude, observedAt: observedAt.milliseconds,
        expiresAt: expiresAt.milliseconds,
        reference: UInt64(handle.slot) | UInt64(handle.generation) << 32, isMove: true,
        isReceiptTime: isReceiptTime))
  }
}

/// Memory that the parts of one record are written into, one behind the other.
@safe private struct RecordRoom {
  private let memory: UnsafeMutableRawBufferPointer
  private(set) var count = 0

  init(_ memory: UnsafeMutableRawBufferPointer) { unsafe self.memory = memory }

  @inline(__always)
  mutating func append<Part: BitwiseCopyable>(_ part: Part) {
    unsafe memory.storeBytes(of: part, toByteOffset: count, as: Part.self)
    count += MemoryLayout<Part>.size
  }

  @inline(__always)
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    let end = count + bytes.count
    unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count..<end]).copyMemory(from: bytes)
    count = end
  }
}
