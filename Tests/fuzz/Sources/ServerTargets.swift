import Foundation
import GeoMath
import LiveLayers
import MoyeoAPI
import ObjectModel
import SwiftProtobuf
import WireFormat

@testable import MoyeoServer

/// Positions to ask about, made anew now and then so that reports do not fill the memory.
private final class FuzzedPositions {
  let operations: PositionOperations
  private static let start = ObjectModel.Instant(seconds: 1_795_183_800)

  init() {
    var limits = LayerLimits()
    limits.objectsPerLayer = 1 << 14
    let layers = LayerRegistry(
      configuration: LayerRegistryConfiguration(limits: limits) { _ in
        var settings = LayerSettings()
        settings.clusters = false
        return settings
      }, clock: ManualClock(Self.start), epoch: 0xA0B1)
    // What the second to ask is given depends on the first where answers are kept.
    var coalescing = CoalescingSettings()
    coalescing.isOn = false
    operations = PositionOperations(
      services: RequestServices(layers: layers, shared: SharedReads(settings: coalescing)))
    var request = Moyeo_V1_ReportRequest()
    request.layer = "users"
    request.positions = (0..<64).map { i in
      .with {
        $0.id = "o\(i)"
        $0.latitude = 37 + Double(i) / 64
        $0.longitude = 127
        $0.tags = i % 2 == 0 ? ["swift"] : ["go", "math"]
        $0.ttlSeconds = 0
      }
    }
    hold((try? operations.report(request)) != nil, "the layer cannot be filled")
  }
}

/// Requests over gRPC: the readers that go without the generated types answer as those that do not.
enum RequestTarget {
  private static let inputsPerLayer = 512
  nonisolated(unsafe) private static var quick = FuzzedPositions()
  nonisolated(unsafe) private static var slow = FuzzedPositions()
  nonisolated(unsafe) private static var inputs = 0

  @Sendable
  static func feed(_ bytes: UnsafeRawBufferPointer) {
    guard let (choice, rest) = bytes.choice else { return }
    inputs += 1
    if inputs.isMultiple(of: inputsPerLayer) {
      quick = FuzzedPositions()
      slow = FuzzedPositions()
    }
    let (a, b) = (quick.operations, slow.operations)
    switch choice % 4 {
    case 0:
      compare(rest, a.nearbyOnEventLoop) { (request: Moyeo_V1_NearbyRequest) throws(APIError) in
        try b.nearby(request, .eventLoop)
      }
    case 1:
      // An event loop leaves long batches to the pool before anything else is looked at.
      compare(
        rest, { raw throws(APIError) in try a.nearbyBatch(raw, .pool(WorkCaller())) }
      ) { (request: Moyeo_V1_NearbyBatchRequest) throws(APIError) in
        try b.nearbyBatch(request, .pool(WorkCaller()))
      }
    case 2:
      compare(rest, a.reportOnEventLoop) { (request: Moyeo_V1_ReportRequest) throws(APIError) in
        try b.report(request)
      }
    default:
      var streams = (ReportStream(positions: a), ReportStream(positions: b))
      compare(rest, { bytes throws(APIError) in try streams.0.answer(encoded: bytes) }) {
        (request: Moyeo_V1_StreamReportsRequest) throws(APIError) in
        try encoded(try streams.1.answer(request))
      }
    }
  }

  private static func compare<Request: Message>(
    _ bytes: UnsafeRawBufferPointer,
    _ quick: (UnsafeRawBufferPointer) throws(APIError) -> [UInt8],
    _ slow: (Request) throws(APIError) -> [UInt8]
  ) {
    let first = outcome { () throws(APIError) in try quick(bytes) }
    let second = outcome { () throws(APIError) in
      try slow(try RequestDecoding.message(Request.self, encoded: Array(bytes)))
    }
    hold(
      first == second,
      "\(String(decoding: first, as: UTF8.self)) and \(String(decoding: second, as: UTF8.self))")
  }

  /// An answer, or a refusal: of those only that both refuse, since the bounds of lists are looked
  /// at before other fields on one of the paths.
  private static func outcome(_ answer: () throws(APIError) -> [UInt8]) -> [UInt8] {
    do throws(APIError) { return try answer() } catch { return [] }
  }
}

/// Paths and queries over HTTP: what is taken is one JSON object with the fields that were named.
enum ParameterTarget {
  private static let routes: RouteTable = {
    let positions = FuzzedPositions().operations
    return RouteTable(positions.all)
  }()
  private static let tiles = MessageSchema.of(Moyeo_V1_GetTileRequest.self)

  @Sendable
  static func feed(_ bytes: UnsafeRawBufferPointer) {
    guard let text = bytes.text else { return }
    let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let query = halves.count > 1 ? String(halves[1]) : nil
    if let match = try? routes.match(method: "GET", path: String(halves[0])),
      case .operation(let operation) = match.target
    {
      _ = json(operation.requestSchema, match.parameters, query)
    }
    if let nearby = json(MessageSchema.of(Moyeo_V1_NearbyRequest.self), [], query) {
      _ = try? RequestDecoding.message(Moyeo_V1_NearbyRequest.self, body: nil, parameters: nearby)
    }
    // Tile addresses: /zoom/x/y.
    let parts = halves[0].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 4,
      let tile = json(tiles, [("zoom", parts[1]), ("x", parts[2]), ("y", parts[3])], query),
      let message = try? RequestDecoding.message(
        Moyeo_V1_GetTileRequest.self, body: nil, parameters: tile),
      let address = TileAddress(zoom: Int(message.zoom), x: Int(message.x), y: Int(message.y))
    else { return }
    let side = 1 << address.zoom
    hold(Int(address.x) < side && Int(address.y) < side, "\(address) lies outside its zoom")
  }

  private static func json(
    _ schema: MessageSchema, _ path: [(name: String, value: String)], _ query: String?
  ) -> Data? {
    guard let json = try? RequestParameters(schema).json(path: path, query: query) else {
      return nil
    }
    let object = try? JSONSerialization.jsonObject(with: json) as? [String: Any]
    hold(object != nil, "not an object: \(String(decoding: json, as: UTF8.self))")
    hold(
      object?.keys.allSatisfy { schema.field(jsonName: $0) != nil } ?? false,
      "a field that was not asked for: \(String(decoding: json, as: UTF8.self))")
    return json
  }
}

/// Cursors, versions, resume tokens, layer names and tags: what is taken prints as it was given.
enum TokenTarget {
  @Sendable
  static func feed(_ bytes: UnsafeRawBufferPointer) {
    guard let text = bytes.text else { return }
    if let version = LayerVersion(text: text) {
      hold(LayerVersion(text: version.text) == version, "another version: \(version.text)")
    }
    if let token = WatchToken(text: text) {
      hold(WatchToken(text: token.text) == token, "another token: \(token.text)")
    }
    _ = try? ResumeToken.sequence(of: text, field: "resumeToken")
    let place = PagingCursor(fingerprint: 7, key: UInt64(text.utf8.count), id: text)
    if text.utf8.count <= 128, !text.isEmpty {
      let again = try? PagingCursor(text: place.text, fingerprint: 7)
      hold(again == place, "a cursor is another when it is read back")
    }
    // Most texts are of another query; 0 in front makes one of this.
    _ = try? PagingCursor(text: text, fingerprint: 0)
    _ = LayerName.isValid(text)
    let tag = TagNormalization.normalize(text)
    hold(TagNormalization.normalize(tag) == tag, "normalising twice makes another tag of \(text)")
  }
}
