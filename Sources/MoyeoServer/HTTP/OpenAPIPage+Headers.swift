import MoyeoAPI

/// Headers of requests and of answers in /openapi.json.
extension OpenAPIPage {
  /// Headers that answers refer to.
  static var headers: [String: Any] {
    func text(_ description: String) -> [String: Any] {
      ["description": description, "schema": ["type": "string"]]
    }
    func count(_ description: String) -> [String: Any] {
      ["description": description, "schema": ["type": "integer", "minimum": 0] as [String: Any]]
    }
    return [
      "X-Request-Id": text("The caller's own, or one that was made: it stands in the logs, too."),
      "Retry-After": count(
        "Whole seconds after which another try is worth while, where that is known."),
      "RateLimit": text(
        "What is left of the allowance that was spent, and when it is whole again."),
      "RateLimit-Policy": text("The allowance that was spent: so many in so many seconds."),
      "ETag": text("Of this tile in this state, for `If-None-Match`."),
      "Cache-Control": text(
        "How long the tile may be kept; `no-cache`: ask each time, with its `ETag`."),
      "Vary": text("`accept-encoding`: tiles are packed for who takes gzip."),
      "X-Moyeo-Version": text("Of the layer as the tile shows it, for `minVersion`."),
      "X-Moyeo-Lag-Milliseconds": count("How far the clusters are behind the objects."),
      "X-Moyeo-Truncated": text("`true` where more is in the tile than one answer holds."),
    ]
  }

  static func headers(_ names: String...) -> [String: Any] {
    Dictionary(
      uniqueKeysWithValues: names.map { ($0, ["$ref": "#/components/headers/\($0)"]) })
  }

  /// Headers of a tile in any state: of a layer's clusters, which change, or of roads, which do not.
  static func tileHeaders(ofLayer isOfLayer: Bool) -> [String: Any] {
    let kept = headers("ETag", "Cache-Control")
    guard isOfLayer else { return kept }
    return kept.merging(
      headers("Vary", "X-Moyeo-Version", "X-Moyeo-Lag-Milliseconds", "X-Moyeo-Truncated")
    ) { $1 }
  }

  /// Headers that every call takes.
  static var commonParameters: [[String: Any]] {
    [
      header(
        "X-Request-Id", "Names the call in the logs and in the answer; 1 to 128 visible characters."
      ),
      header("traceparent", "The caller's span (W3C Trace Context): the call's becomes its child."),
    ]
  }

  /// Headers of calls of which the viewports of one session supersede each other.
  static var sessionParameters: [[String: Any]] {
    [
      header(
        "X-Moyeo-Session",
        """
        A viewport of the caller's: of its requests that come too early the newest is answered, those \
        that it replaces at once by `superseded`.
        """, ["type": "string", "maxLength": SessionThrottle.maximumSessionBytes]),
      header(
        "X-Moyeo-Sequence",
        "A whole number from 0: which request of the session is newer, where they may overtake each other."
      ),
    ]
  }

  /// What streams and tiles take in place of `Authorization`: a browser cannot set it there.
  static var accessTokenParameter: [String: Any] {
    [
      "name": HTTPFrontend.accessTokenName, "in": "query",
      "description": "The token, for callers that cannot set a header.",
      "schema": ["type": "string", "minLength": 1] as [String: Any],
    ]
  }

  static func header(
    _ name: String, _ description: String, _ schema: [String: Any] = ["type": "string"]
  ) -> [String: Any] {
    ["name": name, "in": "header", "description": description, "schema": schema]
  }
}
