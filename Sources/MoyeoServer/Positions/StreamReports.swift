import CallTracing
import GRPCCore
import GRPCServerTransport
import GeoMath
import Identity
import MoyeoAPI
import LiveLayers
import ObjectModel
import SpatialIndexing
import SwiftProtobuf
import WireFormat

extension GRPCFrontend {
  /// One answer for each message of the stream, in order.
  func registerStreamReports(in router: inout RPCRouter<Transport>) {
    let recorder = requestMetrics.recorder(name: "StreamReports", transport: "grpc")
    let (shutdown, rooms) = (shutdown, rooms)
    let clock = rooms.standard.requestServices.clock
    let metrics = requestMetrics
    router.registerHandler(
      forMethod: MethodDescriptor(
        fullyQualifiedService: "moyeo.v1.PositionService", method: "StreamReports"),
      deserializer: BytesDeserializer(), serializer: BytesSerializer()
    ) { request, _ in
      let (room, caller): (TenantRoom, Caller)
      let tags = metrics.tags(request.metadata)
      do {
        caller = try rooms.caller(request.metadata)
        room = try await rooms.room(of: caller)
        tags.tenantNumber = room.tenantNumber
      } catch let error as APIError {
        recorder.finish(recorder.start(), reason: error.reason, tags: tags)
        throw error.grpcStatus
      }
      let messages = request.messages
      return StreamingServerResponse { writer in
        try await untilShutdown(shutdown) {
          var stream = ReportStream(
            positions: room.positions, caller: caller, clock: clock, rates: room.rates)
          for try await bytes in messages {
            let start = recorder.start()
            do {
              if let sharing = room.positions.layers.sharing {
                let message = try await stream.answer(encoded: bytes, sharing)
                recorder.finish(start, reason: nil, tags: tags)
                try await writer.write(message)
                continue
              }
              let answer: Result<[UInt8], APIError> = bytes.withUnsafeBytes { raw in
                Result { () throws(APIError) in try stream.answer(encoded: raw) }
              }
              let message = try answer.get()
              recorder.finish(start, reason: nil, tags: tags)
              try await writer.write(message)
            } catch let error as APIError {
              recorder.finish(start, reason: error.reason, tags: tags)
              throw error.grpcStatus
            }
          }
        }
        return [:]
      }
    }
  }
}

/// What one stream of reports remembers: its layer, named by the first message.
struct ReportStream {
  let positions: PositionOperations
  private let caller: Caller
  private let clock: any WallClock
  private let rates: TenantRates?
  private static let access =
    AccessTable.rule("PositionService", "StreamReports") ?? AccessTable.ruleOfUnknown
  private var layerName: String?
  private var outcomes: [UpdateOutcome] = []
  /// Of the layer; kept for its memory.
  private var moves: UpdateBatch?

  init(
    positions: PositionOperations, caller: Caller = .open, clock: any WallClock = SystemClock(),
    rates: TenantRates? = nil
  ) {
    self.rates = rates
    self.positions = positions
    self.caller = caller
    self.clock = clock
  }

  /// The answer to an encoded message, encoded. Packed columns that are plainly valid do without
  /// the generated types; anything else takes the path through them.
  mutating func answer(encoded message: UnsafeRawBufferPointer) throws(APIError) -> [UInt8] {
    try charge()
    if caller.role != .user, let columns = PackedColumns(message),
      let answer = try answer(columns)
    {
      return answer
    }
    return try encoded(try answer(try admitted(message)))
  }

  /// What every message takes.
  private func charge() throws(APIError) {
    if caller.role != .open { try admit() }
    try rates?.charge(.reports, call: "StreamReports", caller)
  }

  /// Takes a message in through the generated types.
  func received(
    _ message: UnsafeRawBufferPointer
  ) throws(APIError) -> Moyeo_V1_StreamReportsRequest {
    try charge()
    return try admitted(message)
  }

  private func admitted(
    _ message: UnsafeRawBufferPointer
  ) throws(APIError) -> Moyeo_V1_StreamReportsRequest {
    let request = try decoded(message)
    if caller.role == .user { try admit(request) }
    return request
  }

  /// Before each message: the stream ends with its token.
  private func admit() throws(APIError) {
    if let refusal = caller.refusal(now: clock.now()) { throw APIError(refusal) }
    try Self.access.admit(caller)
  }

  /// A person reports where they themselves are, by their id: a handle could be anybody's.
  private func admit(_ request: Moyeo_V1_StreamReportsRequest) throws(APIError) {
    guard !request.hasPacked, request.register.ids.isEmpty else {
      throw APIError(
        .forbidden, field: request.hasPacked ? "packed" : "register",
        "handles are for services: report positions by their id")
    }
    _ = try Self.access.admitted(request, of: caller)
  }

  private func decoded(
    _ message: UnsafeRawBufferPointer
  ) throws(APIError) -> Moyeo_V1_StreamReportsRequest {
    try positions.validation.checkLists(of: Moyeo_V1_StreamReportsRequest.self, message)
    return try RequestDecoding.message(
      Moyeo_V1_StreamReportsRequest.self, encoded: Array(message))
  }

  /// - Returns: `nil`, and nothing is stored, when the message must take the other path.
  private mutating func answer(_ columns: PackedColumns) throws(APIError) -> [UInt8]? {
    guard let layerName, let layer = try? positions.layers.layer(layerName),
      columns.count <= Self.maximumPackedReports
    else { return nil }
    var ttl: Int64?
    if let seconds = columns.ttlSeconds {
      guard let valid = try? positions.validation.ttlMilliseconds(seconds, field: "") else {
        return nil
      }
      ttl = valid
    }
    let now = positions.layers.clock.now()
    let times = layer.times(
      observedAt: columns.observedAtMilliseconds.map(Instant.init(milliseconds:)),
      ttlMilliseconds: ttl, now: now,
      clockSkewMilliseconds: positions.layers.limits.clockSkewMilliseconds)
    guard times.expiresAt > now else { return nil }
    var batch = moves.take() ?? UpdateBatch(columnCount: layer.columns.count)
    defer { moves = batch }
    batch.removeAll(keepingCapacity: true)
    batch.reserveCapacity(columns.count)
    for i in 0..<columns.count {
      let (latitude, longitude) = (columns.latitudeE7(i), columns.longitudeE7(i))
      guard refusal(latitude, longitude, layer.settings) == nil else { return nil }
      batch.append(
        handle: ObjectHandle(packed: columns.handle(i)), latitude: Double(latitude) / 1e7,
        longitude: Double(longitude) / 1e7, observedAt: times.observedAt,
        expiresAt: times.expiresAt, isReceiptTime: times.isReceiptTime)
    }
    layer.apply(batch, now: now, outcomes: &outcomes)
    if outcomes.allSatisfy(\.isAccepted) {
      var writer = ProtobufWriter(capacity: 64)
      writer.int32(1, columns.count)
      writer.version(4, layer.version)
      if let sequence = columns.sequence { writer.int64(5, sequence) }
      return writer.bytes
    }
    var response = Moyeo_V1_StreamReportsResponse()
    response.accepted = 0
    tally(&response) { $0 }
    response.version = layer.version.text
    if let sequence = columns.sequence { response.sequence = sequence }
    return try encoded(response)
  }

  /// Positions or ids a message.
  static let maximumPackedReports = 100_000

  /// Notes the layer that a message names.
  ///
  /// - Returns: The stream's.
  mutating func begin(_ message: Moyeo_V1_StreamReportsRequest) throws(APIError) -> String {
    if message.hasLayer {
      // Handles hold for the layer they were registered in.
      guard layerName == nil || layerName == message.layer else {
        throw APIError(.conflictingFields, field: "layer", "a stream is about one layer")
      }
      // Packed columns go past Report, which refuses bad and reserved names itself.
      if layerName == nil { _ = try positions.settingsForReports(message.layer) }
      layerName = message.layer
    }
    guard let layerName else {
      throw APIError(.missingField, field: "layer", "the first message of a stream names the layer")
    }
    return layerName
  }

  mutating func answer(_ message: Moyeo_V1_StreamReportsRequest) throws(APIError)
    -> Moyeo_V1_StreamReportsResponse
  {
    let layerName = try begin(message)
    var response = Moyeo_V1_StreamReportsResponse()
    response.accepted = 0
    if !message.positions.isEmpty {
      do {
        let report = try positions.report(message.positions, to: layerName)
        response.accepted = report.accepted
        response.rejections = report.rejections
      } catch {
        // One bad message of a stream is answered, not the end of the stream.
        guard !error.rejections.isEmpty else { throw error }
        response.rejections = error.rejections
      }
    }
    if message.hasRegister { try register(message.register.ids, layerName, &response) }
    if message.hasPacked { try apply(message.packed, layerName, &response) }
    if let layer = try? positions.layers.layer(layerName) { response.version = layer.version.text }
    if message.hasSequence { response.sequence = message.sequence }
    return response
  }

  func register(
    _ ids: [String], _ layerName: String, _ response: inout Moyeo_V1_StreamReportsResponse
  ) throws(APIError) {
    guard ids.count <= Self.maximumPackedReports else {
      throw APIError(.tooManyItems, field: "register.ids", "at most 100000 ids a message")
    }
    let layer = try positions.services.layer(layerName, minVersion: nil)
    let now = positions.layers.clock.now()
    var handles: [ObjectHandle?] = []
    handles.reserveCapacity(ids.count)
    // In slices, so that writers need not wait for all of them.
    for start in stride(from: 0, to: ids.count, by: 1024) {
      handles += layer.index.handles(
        ids: Array(ids[start..<min(start + 1024, ids.count)]), now: now)
    }
    response.handles = handles.map { $0?.packed ?? 0 }
    for (i, handle) in handles.enumerated() where handle == nil {
      response.rejections.append(
        rejection(
          index: i, field: "register.ids[\(i)]", id: ids[i],
          "report this id once before registering it"))
    }
  }

  func checkCounts(of packed: Moyeo_V1_PackedReports) throws(APIError) {
    let count = packed.handles.count
    guard packed.latitudeE7.count == count, packed.longitudeE7.count == count else {
      throw APIError(
        .malformedRequest, field: "packed",
        "handles, latitudeE7 and longitudeE7 have one entry for each position; got \(count), "
          + "\(packed.latitudeE7.count) and \(packed.longitudeE7.count)")
    }
    guard count <= Self.maximumPackedReports else {
      throw APIError(.tooManyItems, field: "packed", "at most 100000 positions a message")
    }
  }

  private mutating func apply(
    _ packed: Moyeo_V1_PackedReports, _ layerName: String,
    _ response: inout Moyeo_V1_StreamReportsResponse
  ) throws(APIError) {
    let count = packed.handles.count
    try checkCounts(of: packed)
    let layer = try positions.services.layer(layerName, minVersion: nil)
    let ttl = try positions.validation.ttlMilliseconds(
      packed.ttlSecondsIfSet, field: "packed.ttlSeconds")
    let now = positions.layers.clock.now()
    let times = layer.times(
      observedAt: packed.observedAtMillisecondsIfSet.map(Instant.init(milliseconds:)),
      ttlMilliseconds: ttl, now: now,
      clockSkewMilliseconds: positions.layers.limits.clockSkewMilliseconds)
    guard times.expiresAt > now else {
      // Late, each of them; the next message may be in time.
      for i in 0..<count {
        response.rejections.append(
          Self.rejection(index: i, id: "", field: "observedAtMilliseconds", reason: .stale))
      }
      return
    }
    var batch = UpdateBatch(columnCount: layer.columns.count)
    var accepted: [Int32] = []
    accepted.reserveCapacity(count)
    for i in 0..<count {
      let latitude = packed.latitudeE7[i]
      let longitude = packed.longitudeE7[i]
      if let refusal = refusal(latitude, longitude, layer.settings) {
        response.rejections.append(
          Self.rejection(index: i, id: "", field: refusal.field, reason: refusal.reason))
        continue
      }
      accepted.append(Int32(i))
      batch.append(
        handle: ObjectHandle(packed: packed.handles[i]), latitude: Double(latitude) / 1e7,
        longitude: Double(longitude) / 1e7, observedAt: times.observedAt,
        expiresAt: times.expiresAt, isReceiptTime: times.isReceiptTime)
    }
    layer.apply(batch, now: now, outcomes: &outcomes)
    tally(&response) { Int(accepted[$0]) }
    response.rejections.sort { $0.index < $1.index }
  }

  /// Adds what became of each position applied; `index` tells its place in the message.
  private func tally(
    _ response: inout Moyeo_V1_StreamReportsResponse, index: (Int) -> Int
  ) {
    for (k, outcome) in outcomes.enumerated() {
      switch outcome {
      case .inserted, .updated: response.accepted += 1
      case .stale:
        response.rejections.append(
          Self.rejection(
            index: index(k), id: "", field: "observedAtMilliseconds", reason: .stale))
      case .full:
        response.rejections.append(
          Self.rejection(index: index(k), id: "", field: "handles", reason: .quotaExceeded))
      case .unknownHandle:
        response.rejections.append(
          Self.rejection(index: index(k), id: "", field: "handles", reason: .unknownObject))
      }
    }
  }

  func refusal(_ latitude: Int32, _ longitude: Int32, _ settings: LayerSettings)
    -> (field: String, reason: Reason)?
  {
    do throws(CoordinateError) {
      // Quotients of whole degrees are exact, so that the bounds are those of other reports.
      let place = try Coordinate(
        latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)
      return settings.accepts(place) ? nil : ("latitudeE7", .nullIsland)
    } catch {
      switch error {
      case .latitudeOutOfRange: return ("latitudeE7", .latitudeOutOfRange)
      case .longitudeOutOfRange: return ("longitudeE7", .longitudeOutOfRange)
      }
    }
  }

  private func rejection(index: Int, field: String, id: String, _ message: String)
    -> Moyeo_V1_Rejection
  {
    var out = Self.rejection(index: index, id: id, field: field, reason: .unknownObject)
    out.message = message
    return out
  }

  static func rejection(index: Int, id: String, field: String, reason: Reason)
    -> Moyeo_V1_Rejection
  {
    var out = Moyeo_V1_Rejection()
    out.index = Int32(index)
    out.id = id
    out.field = field
    out.reason = reason.rawValue
    out.message =
      switch reason {
      case .unknownObject: "no live object has this handle: report and register it again"
      case .stale: "a newer observation is stored, or its time to live had passed on arrival"
      case .quotaExceeded:
        "the layer holds as many objects as it may: remove some, or raise its quota"
      case .nullIsland: "0, 0 is refused: it is what clients send when they have no position"
      default: "outside the range of \(field)"
      }
    return out
  }
}

extension UpdateOutcome {
  fileprivate var isAccepted: Bool {
    switch self {
    case .inserted, .updated: true
    case .stale, .unknownHandle, .full: false
    }
  }
}
