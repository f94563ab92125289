import LiveLayers
import WireFormat

/// Reads NearbyRequests straight from the wire.
///
/// It takes only what is plainly valid and commonly sent: for anything else (a polygon, conditions
/// on attributes, a version to wait for, staleness, a field unknown or out of range) it gives up,
/// and the request goes through the generated types and their validation, which also words the
/// refusals. Both paths ask the same (`Tests/MoyeoServerTests` compares them).
struct NearbyReader: Sendable {
  struct Question {
    var layer: String?
    var search: NearbySearch
  }

  let validation: RequestValidation
  let tagCache: TagCache

  private var limits: LayerLimits { validation.limits }

  /// The query of a NearbyRequest; `nil` when it must take the other path.
  func question(in request: UnsafeRawBufferPointer) -> Question? {
    guard var fields = fields(in: request) else { return nil }
    var layer: String?
    if let name = fields.layer {
      layer = String(validating: name, as: UTF8.self)
      guard layer != nil else { return nil }
    }
    return search(&fields).map { Question(layer: layer, search: $0) }
  }

  /// The number of queries of a NearbyBatchRequest, at most one more than are allowed; damage is not
  /// looked for.
  func queries(in request: UnsafeRawBufferPointer) -> Int {
    var queries = 0
    var reader = ProtobufReader(request)
    while queries <= limits.nearbyBatch, let field = reader.nextField() {
      if field.key == Self.queryKey { queries += 1 }
    }
    return queries
  }

  /// Of the `requests` of a NearbyBatchRequest.
  private static let queryKey: UInt64 = 2 << 3 | 2

  /// Layer and queries of a NearbyBatchRequest; `nil` when it must take the other path.
  func batch(in request: UnsafeRawBufferPointer) -> (layer: String, searches: [NearbySearch])? {
    var layer: UnsafeRawBufferPointer?
    /// What the queries call it that name one.
    var named: UnsafeRawBufferPointer?
    var searches: [NearbySearch] = []
    searches.reserveCapacity(min(request.count / 24 + 1, limits.nearbyBatch))
    var reader = ProtobufReader(request)
    while let field = reader.nextField() {
      switch field.key {
      case 1 << 3 | 2:
        guard layer == nil else { return nil }
        layer = field.bytes
      case Self.queryKey:
        guard searches.count < limits.nearbyBatch, var fields = fields(in: field.bytes)
        else { return nil }
        if let name = fields.layer {
          guard named?.elementsEqual(name) ?? true else { return nil }
          named = name
        }
        guard let search = search(&fields) else { return nil }
        searches.append(search)
      default: return nil
      }
    }
    guard reader.isIntact, let layer, named?.elementsEqual(layer) ?? true,
      let name = String(validating: layer, as: UTF8.self)
    else { return nil }
    return (name, searches)
  }

  /// A request's fields, as far as they are taken; of a number that stands twice the later.
  private struct Fields: ~Copyable {
    /// Not yet known to be text.
    var layer: UnsafeRawBufferPointer?
    var latitude: Double?
    var longitude: Double?
    var limit: Int32?
    var radiusMeters: Double?
    var maximumAgeSeconds: Double?
    var filter = ObjectFilter()
    var tagsRead = 0
    var cursor: String?
  }

  private func fields(in request: UnsafeRawBufferPointer) -> Fields? {
    var fields = Fields()
    var reader = ProtobufReader(request)
    while let field = reader.nextField() {
      guard take(field, into: &fields) else { return nil }
    }
    guard reader.isIntact else { return nil }
    return fields
  }

  private func take(_ field: ProtobufReader.Field, into fields: inout Fields) -> Bool {
    switch field.key {
    case 1 << 3 | 2:
      // Of a text that stands twice the later counts, but both have to be text.
      guard fields.layer == nil else { return false }
      fields.layer = field.bytes
    case 2 << 3 | 1: fields.latitude = Double(bitPattern: field.bits)
    case 3 << 3 | 1: fields.longitude = Double(bitPattern: field.bits)
    case 4 << 3: fields.limit = Int32(truncatingIfNeeded: field.bits)
    case 5 << 3 | 1: fields.radiusMeters = Double(bitPattern: field.bits)
    case 6 << 3 | 2: return tag(field, &fields.filter.tags, &fields.tagsRead)
    case 7 << 3 | 2:
      var word: String?
      guard text(field, &word), let match = try? validation.tagMatch(word) else { return false }
      fields.filter.tagMatch = match
    case 8 << 3 | 2: return tag(field, &fields.filter.notTags, &fields.tagsRead)
    case 9 << 3 | 2:
      var id: String?
      guard text(field, &id), let id, fields.filter.excludedIDs.count < limits.excludedIDs
      else { return false }
      fields.filter.excludedIDs.append(id)
    case 12 << 3 | 1: fields.maximumAgeSeconds = Double(bitPattern: field.bits)
    case 13 << 3 | 2: return text(field, &fields.cursor)
    default: return false
    }
    return true
  }

  /// Takes the query out of a request's fields.
  private func search(_ fields: inout Fields) -> NearbySearch? {
    guard
      let origin = try? validation.coordinate(
        latitude: fields.latitude, longitude: fields.longitude, allowsNullIsland: true),
      let limit = try? validation.limit(
        fields.limit, default: limits.defaultHits, maximum: limits.hits)
    else { return nil }
    var search = NearbySearch(origin: origin, limit: limit)
    swap(&search.filter, &fields.filter)
    swap(&search.cursor, &fields.cursor)
    if let meters = fields.radiusMeters {
      guard let radius = try? validation.radiusMillimeters(meters) else { return nil }
      search.radiusMillimeters = radius
    }
    if let seconds = fields.maximumAgeSeconds {
      guard let age = try? validation.maximumAgeMilliseconds(seconds) else { return nil }
      search.filter.maximumAgeMilliseconds = age
    }
    return search
  }

  private func text(_ field: ProtobufReader.Field, _ text: inout String?) -> Bool {
    text = String(validating: field.bytes, as: UTF8.self)
    return text != nil
  }

  private func tag(
    _ field: ProtobufReader.Field, _ tags: inout [String], _ tagsRead: inout Int
  ) -> Bool {
    tagsRead += 1
    guard tagsRead <= limits.tagsAsSent,
      let tag = tagCache.normalized(field.bytes, maximumBytes: limits.tagBytes)
    else { return false }
    if tags.contains(tag) { return true }
    tags.append(tag)
    return tags.count <= limits.tagsPerObject
  }
}
