import WireFormat

/// The columns of a StreamReportsRequest that has packed columns and at most a sequence besides,
/// where they stand: valid as long as the message's bytes.
///
/// ```
/// 22 len packed [28 sequence]
///        0A len handles (8 B each)  12 len latitudes (4 B each)  1A len longitudes  [20 …] [29 …]
/// ```
struct PackedColumns {
  let count: Int
  private let handles: UnsafeRawBufferPointer
  private let latitudes: UnsafeRawBufferPointer
  private let longitudes: UnsafeRawBufferPointer
  private(set) var observedAtMilliseconds: Int64?
  private(set) var ttlSeconds: Double?
  private(set) var sequence: Int64?

  /// `nil` for other messages, and for columns of different lengths.
  init?(_ message: UnsafeRawBufferPointer) {
    var packed: UnsafeRawBufferPointer?
    var reader = ProtobufReader(message)
    while let field = reader.nextField() {
      switch field.key {
      // Two would have to be merged.
      case 4 << 3 | 2 where packed == nil: packed = field.bytes
      case 5 << 3: sequence = Int64(bitPattern: field.bits)
      default: return nil
      }
    }
    guard reader.isIntact, let packed else { return nil }
    var handles: UnsafeRawBufferPointer?
    var latitudes: UnsafeRawBufferPointer?
    var longitudes: UnsafeRawBufferPointer?
    reader = ProtobufReader(packed)
    while let field = reader.nextField() {
      switch field.key {
      case 1 << 3 | 2 where handles == nil: handles = field.bytes
      case 2 << 3 | 2 where latitudes == nil: latitudes = field.bytes
      case 3 << 3 | 2 where longitudes == nil: longitudes = field.bytes
      case 4 << 3: observedAtMilliseconds = Int64(bitPattern: field.bits)
      case 5 << 3 | 1: ttlSeconds = Double(bitPattern: field.bits)
      default: return nil
      }
    }
    guard reader.isIntact, let handles, let latitudes, let longitudes, handles.count % 8 == 0,
      latitudes.count == handles.count / 2, longitudes.count == handles.count / 2
    else { return nil }
    count = handles.count / 8
    self.handles = handles
    self.latitudes = latitudes
    self.longitudes = longitudes
  }

  func handle(_ i: Int) -> UInt64 {
    UInt64(littleEndian: handles.loadUnaligned(fromByteOffset: 8 * i, as: UInt64.self))
  }

  /// Degrees times 1e7.
  func latitudeE7(_ i: Int) -> Int32 {
    Int32(littleEndian: latitudes.loadUnaligned(fromByteOffset: 4 * i, as: Int32.self))
  }

  /// Degrees times 1e7.
  func longitudeE7(_ i: Int) -> Int32 {
    Int32(littleEndian: longitudes.loadUnaligned(fromByteOffset: 4 * i, as: Int32.self))
  }
}
