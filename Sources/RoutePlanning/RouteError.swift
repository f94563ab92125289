/// Why there is no route, or no answer of the provider asked first.
public enum RouteError: Error, Hashable, Sendable {
  /// More stops than one request holds.
  case tooManyStops(Int, maximum: Int)
  /// The provider knows no road between two of the places.
  case noRoute(String)
  /// The provider refuses the request itself (status and its own words).
  case refused(status: Int, message: String)
  /// Key missing, wrong or without this permission.
  case unauthorized
  /// The provider's quota is used up; `retryAfterMilliseconds` as far as it says.
  case rateLimited(retryAfterMilliseconds: Int64?)
  /// No whole answer within the time allowed.
  case timedOut(milliseconds: Int64)
  /// Not reachable, reset, or a 5xx.
  case unavailable(String)
  /// Not asked: it failed too often of late. It is tried again after the time given.
  case circuitOpen(retryAfterMilliseconds: Int64)
  /// The answer is longer than the cap.
  case tooLarge(limitBytes: Int)
  /// The answer cannot be read.
  case malformed(String)
  /// The answer can be read and cannot be true: negative, not a number, or inconsistent.
  case implausible(String)
  /// The caller gave up.
  case cancelled

  /// The word for metrics, logs and `fallbackReason` on the wire.
  public var reason: String {
    switch self {
    case .tooManyStops: "too_many_stops"
    case .noRoute: "no_route"
    case .refused: "refused"
    case .unauthorized: "unauthorized"
    case .rateLimited: "rate_limited"
    case .timedOut: "timed_out"
    case .unavailable: "unavailable"
    case .circuitOpen: "circuit_open"
    case .tooLarge: "too_large"
    case .malformed: "malformed"
    case .implausible: "implausible"
    case .cancelled: "cancelled"
    }
  }

  /// Whether another try of the same request may go better.
  public var isTransient: Bool {
    switch self {
    case .timedOut, .unavailable, .rateLimited: true
    case .tooManyStops, .noRoute, .refused, .unauthorized, .circuitOpen, .tooLarge, .malformed,
      .implausible, .cancelled:
      false
    }
  }

  /// Whether it speaks against the provider rather than against the request.
  public var isProviderFault: Bool {
    switch self {
    case .timedOut, .unavailable, .rateLimited, .unauthorized, .tooLarge, .malformed, .implausible:
      true
    case .tooManyStops, .noRoute, .refused, .circuitOpen, .cancelled: false
    }
  }
}
