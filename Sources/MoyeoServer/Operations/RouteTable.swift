import MoyeoAPI

/// Finds what answers a method and path.
struct RouteTable: Sendable {
  enum Target: Sendable {
    case operation(Operation)
    case stream(StreamOperation)
    /// Makes its own response; HTTP only.
    case raw(RawRoute)

    /// For metrics.
    var name: String {
      switch self {
      case .operation(let operation): operation.name
      case .stream(let stream): stream.name
      case .raw(let route): route.name
      }
    }

    /// Whether a token may stand in the address: on tiles, TileJSON and server-sent events.
    var takesTokenInAddress: Bool {
      if case .operation = self { false } else { true }
    }

    /// The most bytes of a body; `nil` where none is read.
    var maximumRequestBytes: Int? {
      switch self {
      case .operation(let operation): operation.maximumRequestBytes
      case .stream(let stream): stream.maximumRequestBytes
      case .raw: nil
      }
    }
  }

  struct Match: Sendable {
    let target: Target
    /// JSON names and decoded path segments.
    let parameters: [(name: String, value: String)]
  }

  private let entries: [(method: String, pattern: RoutePattern, target: Target)]

  init(_ operations: [Operation], streams: [StreamOperation] = [], raw: [RawRoute] = []) {
    var entries: [(route: Operation.Route, target: Target)] = []
    for operation in operations {
      entries += operation.routes.map { ($0, .operation(operation)) }
    }
    for stream in streams { entries += stream.routes.map { ($0, .stream(stream)) } }
    entries += raw.map { ($0.route, .raw($0)) }
    self.entries = entries.map { ($0.method, RoutePattern($0.segments), $1) }
  }

  /// - Throws: `unknown_route`; `method_not_allowed` when the path answers to other methods.
  func match(method: String, path: String) throws(APIError) -> Match {
    let bytes = Array(path.utf8)
    guard bytes.first == UInt8(ascii: "/") else { throw Self.unknownRoute(path) }
    let segments = bytes.dropFirst().split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    var allowed: [String] = []
    for entry in entries {
      guard let captured = entry.pattern.capture(segments) else { continue }
      guard entry.method == method else {
        allowed.append(entry.method)
        continue
      }
      var parameters: [(name: String, value: String)] = []
      for (name, raw) in captured {
        guard let value = PercentCoding.decode(raw, plusIsSpace: false) else {
          throw APIError(.malformedRequest, field: name, "the path is not valid percent-encoding")
        }
        parameters.append((name, value))
      }
      return Match(target: entry.target, parameters: parameters)
    }
    guard allowed.isEmpty else {
      let names = Set(allowed).sorted()
      var error = APIError(
        .methodNotAllowed, "this route answers \(names.joined(separator: ", ")), not \(method)")
      error.allowedMethods = names
      throw error
    }
    throw Self.unknownRoute(path)
  }

  private static func unknownRoute(_ path: String) -> APIError {
    APIError(.unknownRoute, "there is no route \(quoted(path))")
  }
}

/// The segments of a route, as bytes to compare.
private struct RoutePattern: Sendable {
  private enum Segment {
    case literal([UInt8])
    /// `{y}.mvt`: a name with what must follow it.
    case capture(name: String, suffix: [UInt8])
  }

  private let segments: [Segment]

  init(_ template: [Substring]) {
    segments = template.map { segment in
      guard let open = segment.firstIndex(of: "{"), let close = segment.firstIndex(of: "}") else {
        return .literal(Array(segment.utf8))
      }
      return .capture(
        name: String(segment[segment.index(after: open)..<close]),
        suffix: Array(segment[segment.index(after: close)...].utf8))
    }
  }

  /// What a path captures, not decoded; `nil` when it is another route's.
  func capture(_ path: [ArraySlice<UInt8>]) -> [(name: String, value: ArraySlice<UInt8>)]? {
    guard segments.count == path.count else { return nil }
    var captured: [(name: String, value: ArraySlice<UInt8>)] = []
    // From the end, where routes differ.
    for i in segments.indices.reversed() {
      switch segments[i] {
      case .literal(let literal):
        guard literal.count == path[i].count, literal.elementsEqual(path[i]) else { return nil }
      case .capture(let name, let suffix):
        guard path[i].count > suffix.count, path[i].suffix(suffix.count).elementsEqual(suffix)
        else { return nil }
        captured.append((name, path[i].dropLast(suffix.count)))
      }
    }
    return captured.reversed()
  }
}

/// RFC 3986 percent-encoding of UTF-8 text, read from the bytes of a request. Foundation's
/// `removingPercentEncoding` wants them as text first, and knows no `+` of forms.
package enum PercentCoding {
  /// `nil` for a broken escape or invalid UTF-8.
  package static func decode(_ text: some StringProtocol, plusIsSpace: Bool) -> String? {
    decode(Array(text.utf8)[...], plusIsSpace: plusIsSpace)
  }

  package static func decode(_ utf8: ArraySlice<UInt8>, plusIsSpace: Bool) -> String? {
    guard utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
      return String(validating: utf8, as: UTF8.self)
    }
    var out: [UInt8] = []
    out.reserveCapacity(utf8.count)
    var i = utf8.startIndex
    while i < utf8.endIndex {
      switch utf8[i] {
      case UInt8(ascii: "%"):
        guard i + 2 < utf8.endIndex, let high = hex(utf8[i + 1]), let low = hex(utf8[i + 2]) else {
          return nil
        }
        out.append(high << 4 | low)
        i += 3
      case UInt8(ascii: "+") where plusIsSpace:
        out.append(UInt8(ascii: " "))
        i += 1
      default:
        out.append(utf8[i])
        i += 1
      }
    }
    return String(validating: out, as: UTF8.self)
  }

  private static func hex(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: byte - 48
    case 65...70: byte - 55
    case 97...102: byte - 87
    default: nil
    }
  }
}
