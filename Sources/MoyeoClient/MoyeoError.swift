public import MoyeoAPI

/// Why a call has no answer.
public enum MoyeoError: Error, Hashable, Sendable {
  /// Nobody answers there: refused, no such host, or the connection broke before the answer.
  ///
  /// `mayHaveRun` is false where nothing was sent, so that the call certainly did not run.
  case unreachable(endpoint: String, cause: String, mayHaveRun: Bool = true)
  /// The service refused the call and says why.
  case refused(Refusal)
  /// No answer within the client's time limit.
  case timedOut(endpoint: String)
  /// Something answered, but not as this service does.
  case unexpectedAnswer(String)
  /// Not an address of a service.
  case badEndpoint(String)
  /// The client's ``TokenSource`` gave no token; nothing was sent.
  case noToken(cause: String)
  /// The caller's task was cancelled.
  case cancelled

  /// The refusal, when the service gave one.
  public var refusal: Refusal? {
    if case .refused(let refusal) = self { refusal } else { nil }
  }

  /// The reason on the wire, e.g. `unknown_layer`; `nil` when the service did not answer.
  public var reason: String? { refusal?.reason }

  /// Whether the same call may succeed later, unchanged. The client has made it again already, as
  /// its ``RetryPolicy`` says.
  public var isRetryable: Bool {
    switch self {
    case .unreachable, .timedOut: true
    case .refused(let refusal): refusal.isRetryable
    case .unexpectedAnswer, .badEndpoint, .noToken, .cancelled: false
    }
  }
}

/// The service's own words on why it refused a call.
public struct Refusal: Hashable, Sendable {
  /// One field of the request at fault.
  public struct Field: Hashable, Sendable {
    /// JSON path, e.g. `positions[3].latitude`.
    public var field: String
    /// One word for what is wrong with the field, e.g. `latitude_out_of_range`.
    public var reason: String
    /// A sentence for people about this field alone.
    public var message: String

    /// Names a field at fault, with the service's word and sentence for it.
    public init(field: String, reason: String, message: String) {
      self.field = field
      self.reason = reason
      self.message = message
    }
  }

  /// Name of the gRPC status, e.g. `INVALID_ARGUMENT`, over HTTP too.
  public var code: String
  /// One word for one cause, e.g. `latitude_out_of_range`; empty when the service gave none.
  public var reason: String
  /// A sentence for people.
  public var message: String
  /// The fields at fault, as the service listed them; empty when it named none.
  public var fields: [Field]
  /// How long to wait before the next try, when the service says so.
  public var retryAfter: Duration?
  /// The HTTP status; `nil` over gRPC.
  public var httpStatus: Int?
  /// Of a Report of which every item was refused: each item's reason, as far as the wire tells
  /// (HTTP: all, gRPC: none).
  public var rejections: [Moyeo_V1_Rejection]

  /// Gathers what a failed answer said; what the wire did not carry keeps its default.
  public init(
    code: String, reason: String, message: String, fields: [Field] = [],
    retryAfter: Duration? = nil, httpStatus: Int? = nil, rejections: [Moyeo_V1_Rejection] = []
  ) {
    self.code = code
    self.reason = reason
    self.message = message
    self.fields = fields
    self.retryAfter = retryAfter
    self.httpStatus = httpStatus
    self.rejections = rejections
  }

  /// Whether the same call may succeed later, unchanged: by the reason, or where there is none by
  /// the status.
  public var isRetryable: Bool {
    switch reason {
    case "overloaded", "unavailable", "rate_limited", "deadline_exceeded", "read_only": true
    case "": code == "UNAVAILABLE" || [429, 502, 503, 504].contains(httpStatus)
    default: false
    }
  }

  /// Whether the service does not know the call at all.
  public var isUnknownCall: Bool {
    reason == Reason.unknownRoute.rawValue || (reason.isEmpty && code == "UNIMPLEMENTED")
  }
}

extension MoyeoError: CustomStringConvertible {
  /// One line for people that names the endpoint or the cause; a refusal speaks for itself.
  public var description: String {
    switch self {
    case .unreachable(let endpoint, let cause, _): "nobody answers at \(endpoint): \(cause)"
    case .refused(let refusal): refusal.description
    case .timedOut(let endpoint): "no answer from \(endpoint) in time"
    case .unexpectedAnswer(let what): "not an answer of moyeod: \(what)"
    case .badEndpoint(let text): "not an address: \(text)"
    case .noToken(let cause): "no access token could be got: \(cause)"
    case .cancelled: "cancelled"
    }
  }
}

extension Refusal: CustomStringConvertible {
  /// The message and the reason, then a line for each field that adds something and for the wait.
  public var description: String {
    var text = message.isEmpty ? code : message
    if !reason.isEmpty { text += " (\(reason))" }
    for field in fields where fields.count > 1 || field.message != message {
      text += "\n  \(field.field): \(field.message) (\(field.reason))"
    }
    if let retryAfter { text += "\n  retry after \(retryAfter)" }
    return text
  }
}
