import MoyeoAPI

/// Finds what answers a method and path.
struct RouteTable: Sendable {
  enum Target: Sendable {
    case operation(Operation)
    case stream(StreamOperation)
    /// Makes its own response; HTTP only.
    case raw(RawRoute)
  }

  struct Match: Sendable {
    let target: Target
    /// JSON names and decoded path segments.
    let parameters: [(name: String, value: String)]
  }

  private let entries: [(route: Operation.Route, target: Target)]

  init(_ operations: [Operation], streams: [StreamOperation] = [], raw: [RawRoute] = []) {
    var entries: [(route: Operation.Route, target: Target)] = []
    for operation in operations {
      entries += operation.routes.map { ($0, .operation(operation)) }
    }
    for stream in streams { entries += stream.routes.map { ($0, .stream(stream)) } }
    self.entries = entries + raw.map { ($0.route, .raw($0)) }
  }

  /// - Throws: `unknown_route`; `method_not_allowed` when the path answers to other methods.
  func match(method: String, path: String) throws(APIError) -> Match {
    guard path.first == "/" else { throw Self.unknownRoute(path) }
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    var allowed: [String] = []
    for (route, target) in entries {
      guard let captured = Self.capture(route.segments, segments) else { continue }
      guard route.method == method else {
        allowed.append(route.method)
        continue
      }
      var parameters: [(name: String, value: String)] = []
      for (name, raw) in captured {
        guard let value = PercentCoding.decode(raw, plusIsSpace: false) else {
          throw APIError(.malformedRequest, field: name, "the path is not valid percent-encoding")
        }
        parameters.append((name, value))
      }
      return Match(target: target, parameters: parameters)
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

  private static func capture(_ template: [Substring], _ path: [Substring])
    -> [(String, Substring)]?
  {
    guard template.count == path.count else { return nil }
    var captured: [(String, Substring)] = []
    for (pattern, segment) in zip(template, path) {
      guard let open = pattern.firstIndex(of: "{"), let close = pattern.firstIndex(of: "}") else {
        guard pattern == segment else { return nil }
        continue
      }
      // `{y}.mvt`: a name with what must follow it.
      let suffix = pattern[pattern.index(after: close)...]
      guard segment.hasSuffix(suffix), segment.count > suffix.count else { return nil }
      captured.append(
        (String(pattern[pattern.index(after: open)..<close]), segment.dropLast(suffix.count)))
    }
    return captured
  }
}

/// RFC 3986 percent-encoding of UTF-8 text.
enum PercentCoding {
  /// `nil` for a broken escape or invalid UTF-8.
  static func decode(_ text: some StringProtocol, plusIsSpace: Bool) -> String? {
    let utf8 = Array(text.utf8)
    guard utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
      return String(text)
    }
    var out: [UInt8] = []
    out.reserveCapacity(utf8.count)
    var i = 0
    while i < utf8.count {
      switch utf8[i] {
      case UInt8(ascii: "%"):
        guard i + 2 < utf8.count, let high = hex(utf8[i + 1]), let low = hex(utf8[i + 2]) else {
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
