public import ObjectModel

/// Reports to apply together: one contiguous array of fixed entries and one arena of bytes.
///
///     entries  | latitude longitude observedAt expiresAt | offset or handle | kind |  48 B each
///     bytes    | header | id | columns | tag lengths | tags | payload |             per upsert
///
/// Reused batches allocate nothing once they have grown to their working size.
public struct UpdateBatch: Sendable {
  struct Entry {
    var latitude: Double
    var longitude: Double
    var observedAt: Int64
    var expiresAt: Int64
    /// Upsert: offset of its header in `bytes`. Move: slot | generation << 32.
    var reference: UInt64
    var isMove: Bool
    /// `observedAt` is the time of receipt: never older than what is stored.
    var isReceiptTime: Bool
  }

  /// Fixed front of an upsert's bytes. All offsets count from the end of the header.
  struct Header {
    var idLength: UInt32
    var tagCount: UInt32
    var tagBytes: UInt32
    var payloadLength: UInt32
  }

  /// Numeric columns of each upsert.
  public let columnCount: Int
  var entries: [Entry] = []
  var bytes: [UInt8] = []
  /// Every upsert has bytes; moves have none.
  var hasUpserts: Bool { !bytes.isEmpty }

  /// Makes an empty batch for an index with that many columns.
  public init(columnCount: Int = 0) {
    precondition((0...4).contains(columnCount), "a live index has 0 to 4 columns")
    self.columnCount = columnCount
  }

  /// Entries in the batch.
  public var count: Int { entries.count }

  /// Makes room for entries and for the bytes of their records.
  public mutating func reserveCapacity(_ count: Int, bytes byteCount: Int = 0) {
    entries.reserveCapacity(count)
    bytes.reserveCapacity(byteCount)
  }

  /// Forgets the entries; keeps the memory unless told otherwise.
  public mutating func removeAll(keepingCapacity: Bool = true) {
    entries.removeAll(keepingCapacity: keepingCapacity)
    bytes.removeAll(keepingCapacity: keepingCapacity)
  }

  /// An insert or an update of everything known about an object.
  ///
  /// - `id`: 1 byte or more of UTF-8.
  /// - `latitude`: valid degrees, as `Coordinate` checks them; likewise `longitude`.
  /// - `tags`: normalised; repeats count once.
  /// - `payload`: opaque bytes kept with the object and handed back on hits.
  /// - `columns`: `columnCount` numbers (missing ones are absent); NaN means absent.
  /// - `isReceiptTime`: `observedAt` is no claim of the reporter but the time of receipt. Such a
  ///   report is never stale, whichever of two receivers comes first and wherever the wall clock
  ///   was set; the stored time does not go back.
  public mutating func append(
    id: UnsafeRawBufferPointer, latitude: Double, longitude: Double, tags: [String],
    payload: UnsafeRawBufferPointer, columns: [Double] = [], observedAt: Instant,
    expiresAt: Instant, isReceiptTime: Bool = false
  ) {
    precondition(columns.count <= columnCount, "more columns than the batch has")
    let start = bytes.count
    var tagBytes = 0
    for tag in tags { tagBytes += tag.utf8.count }
    let header = Header(
      idLength: UInt32(id.count), tagCount: UInt32(tags.count), tagBytes: UInt32(tagBytes),
      payloadLength: UInt32(payload.count))
    unsafe withUnsafeBytes(of: header) { unsafe bytes.append(contentsOf: $0) }
    unsafe bytes.append(contentsOf: id)
    for column in 0..<columnCount {
      let value = column < columns.count ? columns[column] : .nan
      unsafe withUnsafeBytes(of: value) { unsafe bytes.append(contentsOf: $0) }
    }
    for tag in tags {
      unsafe withUnsafeBytes(of: UInt32(tag.utf8.count)) { unsafe bytes.append(contentsOf: $0) }
    }
    for tag in tags { bytes.append(contentsOf: tag.utf8) }
    unsafe bytes.append(contentsOf: payload)
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

  /// The same from a string and an array.
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

  /// A move that keeps tags, payload and columns.
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
