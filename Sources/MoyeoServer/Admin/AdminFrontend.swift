import CallTracing
import Foundation
import HTTPTypes
import HummingbirdCore
import Identity
import Instrumentation
import Logging
import MoyeoAPI
import NIOCore

/// The operator's calls behind HTTP/1.1, on a listener of their own: none of them is on the public port,
/// and a crowd there takes no connection from them.
struct AdminFrontend: Sendable {
  let rooms: TenantRooms
  let pages: OperatorPages
  let calls: AdminCalls
  let page: AdminPage
  let description: DocumentOnDemand
  let routes: RouteTable
  let recorders: [String: RequestMetrics.Recorder]
  let unmatched: RequestMetrics.Recorder
  let policy: RequestHeadPolicy
  let metrics: RequestMetrics
  let logger: Logger

  init(
    rooms: TenantRooms, pages: OperatorPages, calls: AdminCalls, page: AdminPage,
    hosts: HostAllowList, requestMetrics: RequestMetrics, logger: Logger
  ) {
    self.rooms = rooms
    self.pages = pages
    self.calls = calls
    self.page = page
    self.logger = logger
    metrics = requestMetrics
    routes = RouteTable([], raw: calls.routes)
    description = DocumentOnDemand { AdminDescription.make(calls.routes, version: "1") }
    // No page of another origin has anything to ask here.
    policy = RequestHeadPolicy(hosts: hosts, origins: CrossOrigin(origins: [])) { _, _ in
      AdminRequest.maximumBodyBytes
    }
    recorders = Dictionary(
      AdminCall.allCases.map {
        ($0.rawValue, requestMetrics.recorder(name: $0.rawValue, transport: "admin"))
      }, uniquingKeysWith: { first, _ in first })
    unmatched = requestMetrics.recorder(name: "unmatched", transport: "admin")
  }

  @Sendable
  func makeGate(_ deadlines: HTTPDeadlines) -> HTTPRequestGate {
    HTTPRequestGate(
      policy: policy, identifiers: metrics.identifiers, deadlines: deadlines,
      record: metrics.record(in: unmatched))
  }

  @Sendable
  func respond(to request: Request, over connection: any Channel) async -> Response {
    // Nothing here is short enough for an event loop, nor asked for often.
    let tags = metrics.tags(request.headers)
    var response = await ServiceContext.withValue(tags.context) {
      await awayFromEventLoops { await answer(request, tags) }
    }
    response.headers.setRequestID(tags)
    return request.method == .head ? HTTPFrontend.withoutBody(response) : response
  }

  private func answer(_ request: Request, _ tags: CallTags) async -> Response {
    let path = request.uri.path
    var recorder = unmatched
    let start = recorder.start()
    do {
      if path == "/openapi.json", request.method == .get || request.method == .head {
        return HTTPFrontend.json(await description.bytes())
      }
      if OperatorPages.paths.contains(path), request.method == .get || request.method == .head {
        if path == OperatorPages.metricsPath {
          try HTTPFrontend.requireMetricsRight(try rooms.caller(request.headers))
        }
        if let page = await pages.response(path: path, request: request) { return page }
      }
      if let file = page.response(path: path, request: request) { return file }
      let method = request.method == .head ? "GET" : request.method.rawValue
      let match: RouteTable.Match
      do {
        match = try routes.match(method: method, path: path)
      } catch {
        try await HTTPFrontend.drain(request)
        let isPage = OperatorPages.paths.contains(path) || page.serves(path)
        throw isPage ? OperatorPages.refusal(of: request.method) : error
      }
      guard case .raw(let route) = match.target else {
        throw APIError(.unknownRoute, "there is no route \(quoted(path))")
      }
      recorder = recorders[route.name] ?? unmatched
      let caller = try rooms.caller(request.headers)
      tags.tenantNumber = rooms.ready(caller.tenant)?.tenantNumber ?? TenantLabels.others
      let response = try await route.respond(
        match.parameters, request, caller: caller, token: nil)
      recorder.finish(start, reason: nil, tags: tags)
      return response
    } catch let error as APIError {
      recorder.finish(start, reason: error.reason, tags: tags)
      return HTTPFrontend.response(error)
    } catch {
      logger.error("a request failed unexpectedly", metadata: ["error": "\(error)"])
      recorder.finish(start, reason: .internalError, tags: tags)
      return HTTPFrontend.response(
        APIError(.internalError, "something went wrong here; it has been logged"))
    }
  }
}
