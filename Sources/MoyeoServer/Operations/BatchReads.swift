import Foundation
import Identity
import MoyeoAPI
import Threading
import WireFormat

/// `POST /v1/batch`: up to 20 reads in one call, answered in order, each with its own status.
struct BatchReads: Sendable {
  static let path = "/v1/batch"
  /// For metrics and /openapi.json.
  static let name = "Batch"
  static let maximumRequestBytes = 4 << 20
  let routes: RouteTable
  let maximumRequests: Int
  /// Where large bodies are decoded.
  let pool: BoundedThreadPool
  var rates: TenantRates?

  private struct JSONItem {
    let method: String
    let path: String
    let body: Data?
  }

  func answer(method: String, body: Data, caller: Caller) async throws -> [UInt8] {
    guard method == "POST" else {
      var error = APIError(.methodNotAllowed, "this route answers POST, not \(method)")
      error.allowedMethods = ["POST"]
      throw error
    }
    // Each of its reads counts, too.
    try rates?.charge(.reads, caller)
    let items: [JSONItem]
    if RequestDecoding.isLarge(body.count) {
      items = try await pool.work { [maximumRequests] () throws(APIError) in
        try Self.items(in: body, maximum: maximumRequests)
      }
    } else {
      items = try Self.items(in: body, maximum: maximumRequests)
    }
    var out = Array(#"{"responses":["#.utf8)
    for (i, item) in items.enumerated() {
      if i > 0 { out.append(UInt8(ascii: ",")) }
      let (status, answer) = await self.answer(item, caller)
      out.append(contentsOf: #"{"status":"#.utf8)
      JSONText.append(Int64(status), to: &out)
      out.append(contentsOf: #","body":"#.utf8)
      out.append(contentsOf: answer)
      out.append(UInt8(ascii: "}"))
    }
    out.append(contentsOf: "]}".utf8)
    return out
  }

  private func answer(_ item: JSONItem, _ caller: Caller) async -> (status: Int, body: [UInt8]) {
    do {
      let halves = item.path.split(
        separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      let match = try routes.match(method: item.method, path: String(halves[0]))
      guard let operation = Self.read(match.target) else {
        throw APIError(
          .methodNotAllowed, "a batch carries reads that answer JSON, no commands, tiles or streams"
        )
      }
      let parameters = try RequestParameters(operation.requestSchema).json(
        path: match.parameters, query: halves.count > 1 ? String(halves[1]) : nil)
      var context = CallContext(caller: caller)
      context.pool = pool
      let encoded = try await operation.callJSON(item.body, parameters, context)
      return (200, try operation.json(encoded))
    } catch let error as APIError {
      return (error.reason.status.http, error.httpBody())
    } catch {
      let refusal = APIError(.internalError, "something went wrong here")
      return (500, refusal.httpBody())
    }
  }

  /// Where a list and a stream share a path, the list.
  private static func read(_ target: RouteTable.Target) -> Operation? {
    let operation: Operation? =
      switch target {
      case .operation(let operation): operation
      case .stream(let stream): stream.poll
      case .raw: nil
      }
    return operation?.isRead == true ? operation : nil
  }

  private static func items(in body: Data, maximum: Int) throws(APIError) -> [JSONItem] {
    guard let object = UTF8JSON.value(of: body) as? [String: Any] else {
      throw APIError(.malformedRequest, "the body is not a JSON object")
    }
    if let unknown = object.keys.first(where: { $0 != "requests" }) {
      throw APIError(.unknownField, field: unknown, "there is no field \(quoted(unknown)) here")
    }
    guard let requests = object["requests"] as? [Any] else {
      throw APIError(.missingField, field: "requests", "requests is a list")
    }
    guard requests.count <= maximum else {
      throw APIError(
        .tooManyItems, field: "requests", "at most \(maximum) requests; got \(requests.count)")
    }
    var items: [JSONItem] = []
    for (i, request) in requests.enumerated() { items.append(try item(request, index: i)) }
    return items
  }

  private static func item(_ request: Any, index: Int) throws(APIError) -> JSONItem {
    let field = "requests[\(index)]"
    guard let request = request as? [String: Any] else {
      throw APIError(.malformedRequest, field: field, "a request is an object")
    }
    if let unknown = request.keys.first(where: { !["method", "path", "body"].contains($0) }) {
      throw APIError(
        .unknownField, field: "\(field).\(unknown)", "there is no field \(quoted(unknown)) here")
    }
    guard let method = request["method"] as? String, let path = request["path"] as? String else {
      throw APIError(.missingField, field: field, "a request has a method and a path")
    }
    var body: Data?
    if let value = request["body"], !(value is NSNull) {
      guard value is [String: Any], let data = try? JSONSerialization.data(withJSONObject: value)
      else { throw APIError(.malformedRequest, field: "\(field).body", "a body is an object") }
      body = data
    }
    return JSONItem(method: method, path: path, body: body)
  }
}
