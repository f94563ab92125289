import GeoMath
import LiveLayers
import ObjectModel
import WireFormat

/// Reads a ReportRequest's positions straight from the wire into a batch.
///
/// A position costs a quarter of what the generated types cost. The reader takes only what is
/// plainly valid: for anything else (an unknown field, a value out of range, attributes that are
/// nested or not in NFC) it gives up, and the request goes through the generated types and their validation,
/// which also words the refusals. Both paths store the same bytes
/// (`Tests/MoyeoServerTests` compares them).
struct ReportReader: Sendable {
  let limits: LayerLimits
  let tagCache: TagCache

  /// The layer named by a request that this reader may take, `nil` for others.
  func layerName(in request: UnsafeRawBufferPointer) -> String? {
    var reader = ProtobufReader(request)
    var name: String?
    while let field = reader.nextField() {
      if field.key == 1 << 3 | 2 {
        // Of a field that stands twice the later counts, but each has to be text.
        guard let text = String(validating: field.bytes, as: UTF8.self) else { return nil }
        name = text
      }
    }
    return reader.isIntact ? name : nil
  }

  /// Appends all positions. - Returns: `false` when the request must take the other path.
  func read(
    _ request: UnsafeRawBufferPointer, settings: LayerSettings, into batch: inout ReportBatch
  ) -> Bool {
    var reader = ProtobufReader(request)
    var scratch = Scratch()
    while let field = reader.nextField() {
      switch field.key {
      case 1 << 3 | 2: continue
      case 2 << 3 | 2:
        guard batch.count < limits.reportBatch,
          readPosition(field.bytes, settings, &scratch, into: &batch)
        else { return false }
      default: return false
      }
    }
    return reader.isIntact
  }

  /// Buffers that live as long as a request.
  private struct Scratch {
    var tags: [String] = []
    var attributes: [UInt8] = []
    var entries: [AttributeEntry] = []
  }

  private func readPosition(
    _ bytes: UnsafeRawBufferPointer, _ settings: LayerSettings, _ scratch: inout Scratch,
    into batch: inout ReportBatch
  ) -> Bool {
    var reader = ProtobufReader(bytes)
    var id: UnsafeRawBufferPointer?
    var latitude = Double.nan
    var longitude = Double.nan
    var ttl: Int64?
    var observedAt: ObjectModel.Instant?
    var tagsRead = 0
    scratch.tags.removeAll(keepingCapacity: true)
    scratch.attributes.removeAll(keepingCapacity: true)
    while let field = reader.nextField() {
      switch field.key {
      case 1 << 3 | 2:
        // Of a text that stands twice the later counts, but both have to be text.
        guard id == nil else { return false }
        id = field.bytes
      case 2 << 3 | 1: latitude = Double(bitPattern: field.bits)
      case 3 << 3 | 1: longitude = Double(bitPattern: field.bits)
      case 4 << 3 | 2:
        tagsRead += 1
        guard tagsRead <= limits.tagsAsSent,
          let tag = tagCache.normalized(field.bytes, maximumBytes: limits.tagBytes)
        else { return false }
        if !scratch.tags.contains(tag) {
          guard scratch.tags.count < limits.tagsPerObject else { return false }
          scratch.tags.append(tag)
        }
      case 5 << 3 | 2:
        // Two such fields would have to be merged.
        guard scratch.attributes.isEmpty, copyAttributes(field.bytes, &scratch) else {
          return false
        }
      case 6 << 3 | 1:
        guard let valid = limits.ttlMilliseconds(seconds: Double(bitPattern: field.bits)) else {
          return false
        }
        ttl = valid
      case 7 << 3 | 2:
        // Two such fields would have to be merged.
        guard observedAt == nil, let instant = timestamp(field.bytes) else { return false }
        observedAt = instant
      default: return false
      }
    }
    guard reader.isIntact, let id, (1...limits.idBytes).contains(id.count), isText(id),
      let place = try? Coordinate(latitude: latitude, longitude: longitude),
      settings.accepts(place),
      scratch.attributes.count <= limits.attributeBytes
    else { return false }
    scratch.attributes.withUnsafeBytes { attributes in
      batch.append(
        id: id, latitude: latitude, longitude: longitude, tags: scratch.tags,
        attributes: attributes, ttlMilliseconds: ttl, observedAt: observedAt)
    }
    return true
  }

  private func timestamp(_ bytes: UnsafeRawBufferPointer) -> ObjectModel.Instant? {
    var reader = ProtobufReader(bytes)
    var seconds: Int64 = 0
    var nanoseconds: Int64 = 0
    while let field = reader.nextField() {
      switch field.key {
      case 1 << 3: seconds = Int64(bitPattern: field.bits)
      case 2 << 3: nanoseconds = Int64(bitPattern: field.bits)
      default: return nil
      }
    }
    guard reader.isIntact, RFC3339.isTimestamp(seconds: seconds, nanoseconds: nanoseconds)
    else { return nil }
    return Instant(milliseconds: seconds * 1000 + nanoseconds / 1_000_000)
  }
}

// MARK: - Attributes

/// One entry of a Struct: all of it, its key, and where both stand.
private struct AttributeEntry {
  let whole: UnsafeRawBufferPointer
  let key: UnsafeRawBufferPointer
}

extension ReportReader {
  /// Copies a flat Struct with its entries in order of their keys.
  /// - Returns: `false` for nesting, repeated keys, numbers that are not finite, keys beyond ASCII.
  private func copyAttributes(_ bytes: UnsafeRawBufferPointer, _ scratch: inout Scratch) -> Bool {
    scratch.entries.removeAll(keepingCapacity: true)
    var reader = ProtobufReader(bytes)
    while let field = reader.nextField() {
      guard field.key == 1 << 3 | 2, scratch.entries.count < 32,
        let entry = attributeEntry(field.bytes)
      else { return false }
      // Insertion into a short sorted list.
      var at = scratch.entries.count
      while at > 0, precedes(entry.key, scratch.entries[at - 1].key) { at -= 1 }
      if at > 0, !precedes(scratch.entries[at - 1].key, entry.key) { return false }
      scratch.entries.insert(entry, at: at)
    }
    guard reader.isIntact else { return false }
    for entry in scratch.entries {
      scratch.attributes.append(1 << 3 | 2)
      scratch.attributes.appendVarint(UInt64(entry.whole.count))
      scratch.attributes.append(contentsOf: entry.whole)
    }
    return true
  }

  private func precedes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    let count = min(a.count, b.count)
    for i in 0..<count where a[i] != b[i] { return a[i] < b[i] }
    return a.count < b.count
  }

  /// A key of ASCII, then a value that is a finite number, a string, a boolean or null.
  private func attributeEntry(_ bytes: UnsafeRawBufferPointer) -> AttributeEntry? {
    var reader = ProtobufReader(bytes)
    guard let key = reader.nextField(), key.key == 1 << 3 | 2, isASCII(key.bytes),
      let value = reader.nextField(), value.key == 2 << 3 | 2, reader.nextField() == nil,
      reader.isIntact
    else { return nil }
    var inner = ProtobufReader(value.bytes)
    guard let scalar = inner.nextField(), inner.nextField() == nil, inner.isIntact else {
      return nil
    }
    switch scalar.key {
    case 1 << 3 where scalar.bits == 0: break
    case 2 << 3 | 1 where Double(bitPattern: scalar.bits).isFinite: break
    case 3 << 3 | 2 where isCanonicalText(scalar.bytes): break
    case 4 << 3 where scalar.bits <= 1: break
    default: return nil
    }
    return AttributeEntry(whole: bytes, key: key.bytes)
  }

  private func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var bits: UInt8 = 0
    for byte in bytes { bits |= byte }
    return bits < 0x80
  }

  /// Valid UTF-8 in the spelling in which attributes are stored.
  private func isCanonicalText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    isASCII(bytes)
      || String(validating: bytes, as: UTF8.self).map(CanonicalText.isNormalized) == true
  }

  /// Valid UTF-8.
  private func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    isASCII(bytes) || String(validating: bytes, as: UTF8.self) != nil
  }
}
