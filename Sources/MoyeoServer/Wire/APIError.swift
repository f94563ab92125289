import MoyeoAPI
import LiveLayers

/// A refusal as it goes to the caller: a reason, a sentence, and the fields at fault.
struct APIError: Error {
  struct FieldViolation: Sendable {
    /// JSON path, e.g. `positions[3].latitude`.
    let field: String
    let reason: Reason
    let message: String
  }

  let reason: Reason
  let message: String
  var fields: [FieldViolation] = []
  var retryAfterMilliseconds: Int64?
  /// Figures of the refusal, for programs: `metadata` of ErrorInfo and of the HTTP error.
  var metadata: [String: String] = [:]
  /// What a known path answers to; the `Allow` header of `method_not_allowed`.
  var allowedMethods: [String] = []
  /// Header fields of the HTTP answer, beside those that every refusal has.
  var headers: [(name: String, value: String)] = []
  /// When every item of a Report was refused: what the answer would have listed.
  var rejections: [Moyeo_V1_Rejection] = []

  /// No refusal: the call is too long for an event loop and goes to the pool (see ``Operation``).
  private(set) var isForPool = false
  static let isForPool: APIError = {
    var error = APIError(.overloaded, "this call is too long for an event loop")
    error.isForPool = true
    return error
  }()

  init(_ reason: Reason, _ message: String, retryAfterMilliseconds: Int64? = nil) {
    self.reason = reason
    self.message = message
    self.retryAfterMilliseconds = retryAfterMilliseconds
  }

  /// A refusal of one field.
  init(_ reason: Reason, field: String, _ message: String) {
    self.reason = reason
    self.message = message
    fields = [FieldViolation(field: field, reason: reason, message: message)]
  }

  /// What is counted, and said to whoever still listens, where a call has thrown.
  init(thrown error: any Error) {
    switch error {
    case let error as APIError: self = error
    case is CancellationError: self.init(LayerError.abandoned)
    default: self.init(.internalError, "the call could not be answered")
    }
  }

  /// The same refusal, its fields seen from outside, e.g. `requests[2].` in front.
  func prefixingFields(_ prefix: String) -> APIError {
    var copy = self
    copy.fields = fields.map {
      FieldViolation(field: prefix + $0.field, reason: $0.reason, message: $0.message)
    }
    return copy
  }
}

extension APIError {
  /// The one place where the layers's errors get their reasons.
  init(_ error: LayerError) {
    switch error {
    case .badLayerName(let name):
      self.init(
        .badLayer, field: "layer",
        "\(quoted(name)) is not a layer name: use 1 to 63 of a-z, 0-9, _ and -, a letter or digit first"
      )
    case .unknownLayer(let name):
      self.init(
        .unknownLayer, field: "layer",
        "there is no layer \(quoted(name)) yet; a layer begins with its first report")
    case .reservedLayer(let name):
      self.init(
        .reservedLayer, field: "layer", "the layer \(quoted(name)) is filled by the service itself")
    case .tooManyLayers(let limit):
      self.init(
        .quotaExceeded, field: "layer", "a tenant may have at most \(limit) layers",
        retryAfterMilliseconds: nil)
    case .unknownObject(let layer, let id):
      self.init(
        .unknownObject, field: "id", "no live object \(quoted(id)) in layer \(quoted(layer))")
    case .badVersion(let text):
      self.init(
        .badVersion, field: "minVersion", "\(quoted(text)) is not a version this service gave out")
    case .versionNotReached(let text):
      self.init(
        .unavailable, "version \(quoted(text)) was not reached in time", retryAfterMilliseconds: 50)
    case .clustersOff(let layer):
      self.init(
        .clustersOff, field: "layer",
        "the layer \(quoted(layer)) keeps no clusters, by its settings")
    case .unknownCluster:
      self.init(
        .unknownCluster, field: "clusterId",
        "no cluster has this id now; fetch the tile or viewport again")
    case .badZoom(let zoom):
      self.init(.badTile, field: "zoom", "zoom is 0 to 22; got \(zoom)")
    case .tooManyTiles(let count):
      self.init(
        .limitOutOfRange, field: "zoom", "this viewport has \(count) tiles; watch fewer at a time")
    case .tooMuchWork(let limit, let field):
      self.init(
        .tooMuchWork, field: field,
        "this would take more than \(limit) steps of work: narrow \(field), or ask for a smaller area"
      )
    case .abandoned:
      self.init(.deadlineExceeded, "the caller left, or its deadline passed, before the answer")
    case .tooManyWatches(let limit):
      self.init(
        .quotaExceeded, "a layer watches at most \(limit) areas", retryAfterMilliseconds: 60_000)
    case .badCursor:
      self.init(
        .badCursor, field: "cursor", "not a cursor of this query: page with the query unchanged")
    }
  }

  private init(
    _ reason: Reason, field: String, _ message: String, retryAfterMilliseconds: Int64?
  ) {
    self.init(reason, field: field, message)
    self.retryAfterMilliseconds = retryAfterMilliseconds
  }
}

/// A caller's text in quotes, cut short and without control characters, for messages and logs.
func quoted(_ text: String) -> String {
  let shown = text.unicodeScalars.prefix(64).map { scalar in
    scalar.properties.generalCategory == .control ? "\u{FFFD}" : Character(scalar)
  }
  return "\"" + String(shown) + (text.unicodeScalars.count > 64 ? "…" : "") + "\""
}
