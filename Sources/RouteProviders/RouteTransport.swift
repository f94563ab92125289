package import RoutePlanning

/// An HTTP request to a provider, as data.
package struct RouteExchange: Hashable, Sendable {
  package enum Method: Hashable, Sendable {
    case get
    /// A JSON body.
    case post([UInt8])
  }

  package var method: Method
  package var url: String
  /// Name and value; may hold keys, so it is never logged.
  package var headers: [Header]

  package struct Header: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package init(method: Method = .get, url: String, headers: [Header] = []) {
    self.method = method
    self.url = url
    self.headers = headers
  }
}

/// A whole HTTP answer.
package struct RouteReply: Hashable, Sendable {
  package var status: Int
  /// Of the Retry-After header in seconds, when it has one.
  package var retryAfterMilliseconds: Int64?
  package var body: [UInt8]

  package init(status: Int, retryAfterMilliseconds: Int64? = nil, body: [UInt8]) {
    self.status = status
    self.retryAfterMilliseconds = retryAfterMilliseconds
    self.body = body
  }
}

/// How an exchange reaches a provider.
package protocol RouteTransport: Sendable {
  /// One try, without redirects.
  ///
  /// - Throws: ``RouteError/timedOut(milliseconds:)``, ``RouteError/unavailable(_:)``,
  ///   ``RouteError/tooLarge(limitBytes:)`` as soon as the answer passes `maximumBytes`, and
  ///   ``RouteError/cancelled``.
  func send(
    _ exchange: RouteExchange, timeoutMilliseconds: Int64, maximumBytes: Int
  ) async throws(RouteError) -> RouteReply
}
