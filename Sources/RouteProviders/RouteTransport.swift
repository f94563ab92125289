public import RoutePlanning

/// An HTTP request to a provider, as data.
public struct RouteExchange: Hashable, Sendable {
  public enum Method: Hashable, Sendable {
    case get
    /// A JSON body.
    case post([UInt8])
  }

  public var method: Method
  public var url: String
  /// Name and value; may hold keys, so it is never logged.
  public var headers: [Header]

  public struct Header: Hashable, Sendable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  public init(method: Method = .get, url: String, headers: [Header] = []) {
    self.method = method
    self.url = url
    self.headers = headers
  }
}

/// A whole HTTP answer.
public struct RouteReply: Hashable, Sendable {
  public var status: Int
  /// Of the Retry-After header in seconds, when it has one.
  public var retryAfterMilliseconds: Int64?
  public var body: [UInt8]

  public init(status: Int, retryAfterMilliseconds: Int64? = nil, body: [UInt8]) {
    self.status = status
    self.retryAfterMilliseconds = retryAfterMilliseconds
    self.body = body
  }
}

/// How an exchange reaches a provider.
public protocol RouteTransport: Sendable {
  /// One try, without redirects.
  ///
  /// - Throws: ``RouteError/timedOut(milliseconds:)``, ``RouteError/unavailable(_:)``,
  ///   ``RouteError/tooLarge(limitBytes:)`` as soon as the answer passes `maximumBytes`, and
  ///   ``RouteError/cancelled``.
  func send(
    _ exchange: RouteExchange, timeoutMilliseconds: Int64, maximumBytes: Int
  ) async throws(RouteError) -> RouteReply
}
