package import FareEstimation
import HTTPTypes
import Identity
package import MoyeoAPI
package import ObjectModel
package import Parties
package import Places
package import RoutePlanning
import Threading
package import Tickets

/// A part of the HTTP frontend that speaks the dialect of an app which exists already: its paths, its
/// bodies, its status codes.
///
/// What holds for every call holds for it too, because the frontend sees to it before and after:
/// hosts and origins, the bound of a body, time limits, metrics. The port lives here, where it is
/// needed; `MoyeoAdapters` implements it (Decisions/0015).
package protocol HTTPDoor: Sendable {
  /// Names of its calls, as ``DoorAnswer/call`` gives them; for metrics.
  var calls: [String] { get }
  /// The largest body of its calls.
  var maximumRequestBytes: Int { get }

  /// Whether a path, as it was sent, is answered here.
  func owns(path: String) -> Bool

  /// Whether a request wants its refusals in this dialect.
  ///
  /// - Parameters:
  ///   - path: As it was sent, without the query.
  ///   - header: The value of a header by its name in lower case.
  /// - Returns: True of every path that is owned.
  func speaks(path: String, header: (_ name: String) -> String?) -> Bool

  /// Answers a request on a path that is owned.
  func answer(_ request: DoorRequest, _ services: DoorServices) async -> DoorAnswer

  /// What the frontend refuses, in this dialect.
  func answer(refusing refusal: DoorRefusal, path: String) -> DoorAnswer
}

/// A request as a door sees it: nothing of it is decoded.
package struct DoorRequest: Sendable {
  package var method: String
  package var path: String
  /// After the question mark; nil where there is none.
  package var query: String?
  package var body: [UInt8]
  private let headers: HTTPFields

  init(method: String, path: String, query: String?, headers: HTTPFields, body: [UInt8]) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
  }

  /// The value of a header, whatever the case of its name.
  package func header(_ name: String) -> String? {
    HTTPField.Name(name).flatMap { headers[$0] }
  }
}

/// What doors share with the calls of the API.
package struct DoorServices: Sendable {
  let throttle: SessionThrottle
  /// Where what takes long is worked out.
  let pool: BoundedThreadPool
  /// Of the tenant that the doors serve; nil where it has none.
  var rates: TenantRates?

  /// Takes a call from the allowances of the person who makes it and of their tenant.
  ///
  /// - Parameters:
  ///   - method: Of the request: GET is a read, all else a command.
  ///   - userID: Who calls; nil where nobody says.
  /// - Throws: ``DoorRefusal`` with `rate_limited`.
  package func charge(method: String, userID: String?) throws(DoorRefusal) {
    do throws(RateRefusal) {
      try rates?.take(method == "GET" ? .reads : .commands, of: userID)
    } catch {
      throw DoorRefusal(APIError(error))
    }
  }

  /// Waits for the turn of a person's request among their own.
  ///
  /// - Parameters:
  ///   - call: Which call; calls do not supersede each other.
  ///   - userID: Whose session it is.
  /// - Throws: ``DoorRefusal`` with `superseded` as soon as a newer request of theirs is known;
  ///   `CancellationError` when the caller has left.
  package func admit(_ call: String, userID: String) async throws {
    let context = CallContext(caller: Caller(subject: userID, scopes: []))
    do {
      try await throttle.admit(call, scope: "", context, Self.session)
    } catch let error as APIError {
      throw DoorRefusal(error)
    }
  }

  /// The token's user is the session: one each, under their own name as caller.
  private static let stepsOnTheSpot = 1024

  /// Reads something: on the spot as far as a few steps lead, and what takes more on the pool.
  ///
  /// - Parameters:
  ///   - steps: Steps of work that it may cost in all.
  ///   - work: Reads, spending from the budget; it is begun anew on the pool.
  /// - Returns: What `work` answers.
  /// - Throws: What `work` throws, and `overloaded`.
  package func read<Answer: Sendable>(
    steps: Int, _ work: @escaping @Sendable (WorkBudget) throws(DoorRefusal) -> Answer
  ) async throws -> Answer {
    do throws(DoorRefusal) {
      return try work(WorkBudget(steps: min(steps, Self.stepsOnTheSpot)))
    } catch {
      guard error.reason == .tooMuchWork, steps > Self.stepsOnTheSpot else { throw error }
    }
    return try await readOnPool(steps: steps, work)
  }

  /// Reads something that a budget does not end quickly, on the pool, while somebody waits for it.
  ///
  /// - Parameters:
  ///   - steps: Steps of work that it may cost in all.
  ///   - work: Reads, spending from the budget.
  /// - Returns: What `work` answers.
  /// - Throws: What `work` throws, and `overloaded`.
  package func readOnPool<Answer: Sendable>(
    steps: Int, _ work: @escaping @Sendable (WorkBudget) throws(DoorRefusal) -> Answer
  ) async throws -> Answer {
    do {
      return try await pool.run { isCancelled in
        try work(WorkBudget(steps: steps, isCancelled: isCancelled))
      }
    } catch ThreadPoolError.overloaded(let waiting) {
      throw DoorRefusal(
        .overloaded, "\(waiting) long requests wait already", retryAfterMilliseconds: 200)
    }
  }

  private static let session = "door"
}

/// Why something was refused, with the word of the one error table.
package struct DoorRefusal: Error, Hashable, Sendable {
  package var reason: Reason
  /// A sentence for people.
  package var message: String
  /// When another try may go better; nil where it will not.
  package var retryAfterMilliseconds: Int64?

  package init(_ reason: Reason, _ message: String, retryAfterMilliseconds: Int64? = nil) {
    self.reason = reason
    self.message = message
    self.retryAfterMilliseconds = retryAfterMilliseconds
  }

  init(_ error: APIError) {
    self.init(
      error.reason, error.message, retryAfterMilliseconds: error.retryAfterMilliseconds)
  }

  package init(_ error: TicketServiceError, now: Instant) { self.init(APIError(error, now: now)) }

  package init(_ error: PartyServiceError) { self.init(APIError(error)) }

  package init(_ error: FareRequestError) { self.init(APIError(error)) }

  package init(_ error: PlaceError) { self.init(APIError(error)) }

  package init(_ error: RouteError) { self.init(APIError(error, field: "goal")) }
}

/// What a door answers.
package struct DoorAnswer: Sendable {
  /// Which call it was; for metrics.
  package var call: String
  package var status: Int
  /// Empty where the status allows none (204, 205).
  package var body: [UInt8]
  package var contentType = "application/json; charset=utf-8"
  /// Why it was refused; nil when it went well.
  package var reason: Reason?
  package var retryAfterMilliseconds: Int64?

  package init(
    call: String, status: Int, body: [UInt8], reason: Reason? = nil,
    retryAfterMilliseconds: Int64? = nil
  ) {
    self.call = call
    self.status = status
    self.body = body
    self.reason = reason
    self.retryAfterMilliseconds = retryAfterMilliseconds
  }
}

extension RequestHeadPolicy {
  /// A refusal in the dialect of who asks; nil where nobody's door is meant.
  func dialectAnswer(
    refusing error: APIError, uri: String, header: (_ name: String) -> String?
  ) -> DoorAnswer? {
    guard !doors.isEmpty else { return nil }
    let path = String(uri.prefix { $0 != "?" })
    return doors.first { $0.speaks(path: path, header: header) }?
      .answer(refusing: DoorRefusal(error), path: path)
  }
}
