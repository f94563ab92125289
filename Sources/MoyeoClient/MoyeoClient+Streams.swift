import GRPCCore
public import MoyeoAPI
import NIOConcurrencyHelpers
import SwiftProtobuf

/// Streams of events. Each goes on by itself when its connection is cut, the service restarts or
/// nothing was heard of it for 45 s: one of durable events after the last that was handed out,
/// without a gap or a duplicate; one of positions or tiles by its token, or with an event `reset`
/// and what is there; one of matches with those there are.
///
/// A stream ends when the task is cancelled, when `onEvent` throws, and with a refusal that no waiting
/// mends, such as `resume_token_expired`. Its first opening gives up like a call.
/// ``RetryPolicy/streamPatience`` limits how long it tries later on. Each throws ``MoyeoError``, or
/// what `onEvent` threw, as it was.
extension MoyeoClient {
  /// The tenant's durable events, in the order of their commits.
  ///
  /// - Throws: ``MoyeoError``: `forbidden` for who is no server, `resume_token_expired`, or what
  ///   ends every attempt to go on.
  public func watchEvents(
    _ request: Moyeo_V1_WatchEventsRequest,
    onEvent: @Sendable @escaping (Moyeo_V1_Event) async throws -> Void
  ) async throws {
    try await follow(
      StreamCall(Moyeo_V1_EventService.Method.Watch.descriptor, .get("events")), request,
      onEvent: onEvent)
  }

  /// What happens to a party: after the token or version that the request names, else from now on.
  ///
  /// - Throws: ``MoyeoError``: `unknown_party`, or what ends every attempt to go on.
  public func watchParty(
    _ request: Moyeo_V1_WatchPartyRequest,
    onEvent: @Sendable @escaping (Moyeo_V1_Event) async throws -> Void
  ) async throws {
    var known = request
    if !request.hasResumeToken, !request.hasAfterVersion {
      // An opening that is cut before its first event would else lose what happens meanwhile.
      var now = Moyeo_V1_GetPartyRequest()
      now.id = request.id
      known.afterVersion = try await party(now).party.version
    }
    let call = StreamCall<Moyeo_V1_WatchPartyRequest>(
      Moyeo_V1_PartyService.Method.Watch.descriptor, .get("parties", request.id, "events")
    ) { $0.clearID() }
    try await follow(call, known, onEvent: onEvent)
  }

  /// What happens to somebody's ticket, likewise.
  ///
  /// - Throws: ``MoyeoError``: `unknown_ticket`, or what ends every attempt to go on.
  public func watchTicket(
    _ request: Moyeo_V1_WatchTicketRequest,
    onEvent: @Sendable @escaping (Moyeo_V1_Event) async throws -> Void
  ) async throws {
    var known = request
    if !request.hasResumeToken, !request.hasAfterVersion {
      var now = Moyeo_V1_GetTicketRequest()
      now.userID = request.userID
      known.afterVersion = try await ticket(now).ticket.version
    }
    let call = StreamCall<Moyeo_V1_WatchTicketRequest>(
      Moyeo_V1_TicketService.Method.Watch.descriptor, .get("tickets", request.userID, "events")
    ) { $0.clearUserID() }
    try await follow(call, known, onEvent: onEvent)
  }

  /// What enters, moves in and leaves an area.
  ///
  /// - Throws: ``MoyeoError``: `unknown_layer`, `too_many_items`, or what ends every attempt to go
  ///   on.
  public func watchPositions(
    _ request: Moyeo_V1_WatchPositionsRequest,
    onEvent: @Sendable @escaping (Moyeo_V1_WatchPositionsEvent) async throws -> Void
  ) async throws {
    let call = StreamCall<Moyeo_V1_WatchPositionsRequest>(
      Moyeo_V1_PositionService.Method.Watch.descriptor, .post("layers", request.layer, "watch")
    ) { $0.clearLayer() }
    try await follow(call, request, onEvent: onEvent)
  }

  /// Which tiles of a box have changed.
  ///
  /// - Throws: ``MoyeoError``: `unknown_layer`, `clusters_off`, or what ends every attempt to go
  ///   on.
  public func watchTiles(
    _ request: Moyeo_V1_WatchTilesRequest,
    onEvent: @Sendable @escaping (Moyeo_V1_WatchTilesEvent) async throws -> Void
  ) async throws {
    let call = StreamCall<Moyeo_V1_WatchTilesRequest>(
      Moyeo_V1_ClusterService.Method.WatchTiles.descriptor,
      .get("layers", request.layer, "tiles", "watch")
    ) { $0.clearLayer() }
    try await follow(call, request, onEvent: onEvent)
  }

  /// Which parties match a trip. It returns when the rider's window has passed. A request with
  /// `store` is stored once for its idempotency key; without one the client makes it.
  ///
  /// - Throws: ``MoyeoError``: what ``matchParties(_:)`` is refused for, or what ends every
  ///   attempt to go on.
  public func watchMatches(
    _ request: Moyeo_V1_WatchMatchesRequest, idempotencyKey: String? = nil,
    onEvent: @Sendable @escaping (Moyeo_V1_WatchMatchesEvent) async throws -> Void
  ) async throws {
    var call = StreamCall<Moyeo_V1_WatchMatchesRequest>(
      Moyeo_V1_PartyService.Method.WatchMatches.descriptor, .post("parties", "match", "watch"))
    if request.store { call.headers = [Self.keyHeader(idempotencyKey)] }
    let began = configuration.time.secondsSince1970()
    call.isOver = { [configuration, transport] in
      // gRPC tells the end from a shutdown; over HTTP both look alike.
      if case .grpc = transport { return true }
      let departure =
        request.hasDepartureTime
        ? Double(request.departureTime.seconds) + Double(request.departureTime.nanos) / 1e9
        : began
      let window =
        request.hasDepartureWindowSeconds
        ? request.departureWindowSeconds : Self.standardWindowSeconds
      return configuration.time.secondsSince1970() >= departure + window
    }
    try await follow(call, request, onEvent: onEvent)
  }

  /// Of a rider who states none.
  private static let standardWindowSeconds = 600.0
}

/// Where a stream is found over either wire.
struct StreamCall<Request: ResumableRequest>: Sendable {
  let descriptor: MethodDescriptor
  let route: HTTPRoute
  /// Takes out of a request what stands in the path.
  let clearPath: @Sendable (inout Request) -> Void
  /// Sent at each opening.
  var headers: [(String, String)] = []
  /// Whether a stream that ended without an error has said all.
  var isOver: @Sendable () -> Bool = { false }

  init(
    _ descriptor: MethodDescriptor, _ route: HTTPRoute,
    clearPath: @escaping @Sendable (inout Request) -> Void = { _ in }
  ) {
    self.descriptor = descriptor
    self.route = route
    self.clearPath = clearPath
  }
}

extension MoyeoClient {
  /// Opens a stream again and again until it ends for good.
  private func follow<Request: ResumableRequest, Event: ResumableEvent>(
    _ call: StreamCall<Request>, _ request: Request,
    onEvent: @Sendable @escaping (Event) async throws -> Void
  ) async throws {
    let time = configuration.time
    let state = NIOLockedValueBox(ResumeState(request, policy: configuration.retries))
    let own = HandlerError()
    var token = try await tokens.current()
    while true {
      var error = MoyeoError.unreachable(
        endpoint: endpoint.description, cause: "the service ended the stream")
      do throws(MoyeoError) {
        try await open(call, state, token: token) { (event: Event) in
          guard state.withLockedValue({ $0.takes(event) }) else { return }
          try await own.keeping { try await onEvent(event) }
        }
        if call.isOver() { return }
      } catch let failure {
        if let thrown = own.error { throw thrown }
        error = failure
      }
      let mayRenew = tokens.mayRenew(after: error)
      if state.withLockedValue({ $0.renews(allowed: mayRenew) }) {
        token = try await tokens.current(refused: token)
        continue
      }
      let (now, dice) = (time.now(), time.dice())
      let wait = try state.withLockedValue { try $0.wait(after: error, at: now, dice: dice) }
      do { try await time.sleep(wait) } catch { throw MoyeoError.cancelled }
      token = try await tokens.current()
    }
  }

  private func open<Request: ResumableRequest, Event: ResumableEvent>(
    _ call: StreamCall<Request>, _ state: NIOLockedValueBox<ResumeState<Request>>,
    token: String?, onEvent: @Sendable @escaping (Event) async throws -> Void
  ) async throws(MoyeoError) {
    let request = state.withLockedValue { $0.request }
    let headers = call.headers + TokenKeeper.headers(token)
    switch transport {
    case .grpc(let grpc):
      try await grpc.events(request, call.descriptor, headers: headers, onEvent: onEvent)
    case .http(let http):
      var rest = request
      call.clearPath(&rest)
      try await http.events(
        rest, call.route, headers: headers, onOpen: { state.withLockedValue { $0.opened() } },
        onEvent: onEvent)
    }
  }
}

/// What a caller's closure threw, apart from what went wrong on the way to the service: a transport
/// that ends because of it would tell it as its own failure.
final class HandlerError: Sendable {
  private let thrown = NIOLockedValueBox<(any Error)?>(nil)

  var error: (any Error)? { thrown.withLockedValue { $0 } }

  func keeping(_ body: () async throws -> Void) async throws {
    do { try await body() } catch {
      thrown.withLockedValue { $0 = error }
      throw error
    }
  }
}
