import Identity
import MoyeoAPI
import QueryCoalescing
import Synchronization
package import Threading

/// What a call is, as rates count it.
package enum CallKind: Int, Hashable, Sendable, CaseIterable {
  /// It changes nothing: lists, searches, tiles, and the opening of a stream.
  case reads
  /// Positions are reported or removed; each message of a stream of reports is one.
  case reports
  /// Parties, tickets and layers are changed.
  case commands

  var word: String { "\(self)" }
}

/// Calls a second that a tenant and each of its people may make (`rates.*`).
package struct RateSettings: Hashable, Sendable {
  /// Calls a second of one call, by its name; 0 is no limit.
  package struct OneCall: Hashable, Sendable {
    package var tenant = 0.0
    package var caller = 0.0

    package init(tenant: Double = 0, caller: Double = 0) {
      (self.tenant, self.caller) = (tenant, caller)
    }
  }

  /// Calls a second by kind; 0 is no limit.
  package struct Rates: Hashable, Sendable {
    package var reads = 0.0
    package var reports = 0.0
    package var commands = 0.0

    package init(reads: Double = 0, reports: Double = 0, commands: Double = 0) {
      self.reads = reads
      self.reports = reports
      self.commands = commands
    }

    package subscript(kind: CallKind) -> Double {
      switch kind {
      case .reads: reads
      case .reports: reports
      case .commands: commands
      }
    }

    /// Whether nothing is limited.
    var areNone: Bool { CallKind.allCases.allSatisfy { self[$0] <= 0 } }
  }

  /// Of all callers of a tenant together.
  package var tenant = Rates()
  /// Of one person: servers act for many, and open mode tells nobody apart.
  package var caller = Rates()
  /// Of single calls, by the name under which they are counted, such as `PartyMatch`: beside what their
  /// kind may.
  package var calls: [String: OneCall] = [:]
  /// So many seconds' worth may come at once after a rest.
  package var burstSeconds = 10.0
  /// People of one tenant whose spending is remembered, each with three kinds of calls.
  package var rememberedCallers = 20_000

  package init() {}

  /// Whether nothing is limited.
  var areNone: Bool {
    tenant.areNone && caller.areNone && calls.values.allSatisfy { $0.tenant <= 0 && $0.caller <= 0 }
  }
}

/// The rates of all tenants: what every wire asks, by way of the tenant's room, before a call is
/// carried out.
package final class CallRates: Sendable {
  private let settings: @Sendable (_ tenant: String) -> RateSettings
  private let clock: any MonotonicClock
  private let tenants = StateLock<[String: TenantRates?]>([:])
  private let counts = RefusalCounts()

  /// The names of the calls that may have rates of their own, sorted.
  package static var callNames: [String] { AccessTable.callNames }

  /// No limits.
  package convenience init() { self.init { _ in RateSettings() } }

  /// - Parameters:
  ///   - clock: By which allowances fill.
  ///   - settings: Those of a tenant, asked for once.
  package init(
    clock: any MonotonicClock = SystemMonotonicClock(),
    settings: @escaping @Sendable (_ tenant: String) -> RateSettings
  ) {
    self.clock = clock
    self.settings = settings
  }

  /// The rates of a tenant that is served; nil where it has none.
  package func tenant(_ name: String) -> TenantRates? {
    tenants.withLock { tenants in
      if let known = tenants[name] { return known }
      let settings = settings(name)
      let made =
        settings.areNone ? nil : TenantRates(settings: settings, clock: clock, counts: counts)
      tenants[name] = .some(made)
      return made
    }
  }

  /// Calls refused so far, by whose allowance was spent and kind.
  var refusals: [(limit: RateRefusal.Limit, kind: CallKind, count: UInt64)] { counts.all }

  /// How often somebody's spending was forgotten because too many had to be remembered.
  var forgottenDebts: UInt64 {
    tenants.withLock { Array($0.values) }.reduce(0) { $0 + ($1?.forgottenDebts ?? 0) }
  }
}

/// Why a call has to wait.
package struct RateRefusal: Error, Hashable, Sendable {
  package enum Limit: Int, Hashable, Sendable, CaseIterable {
    /// Of all callers of the tenant together.
    case tenant
    /// Of the person who calls.
    case caller
  }

  package let limit: Limit
  package let kind: CallKind
  /// The call whose own rate it was; nil: that of its kind.
  package let call: String?
  /// Calls that a full allowance has.
  package let quota: Int
  /// How long an empty one takes to fill.
  package let windowSeconds: Int64
  package let waitNanoseconds: Nanoseconds

  package var waitMilliseconds: Int64 { (waitNanoseconds - 1) / 1_000_000 + 1 }
  private var waitSeconds: Int64 { (waitNanoseconds - 1) / 1_000_000_000 + 1 }
  /// What the rate is of.
  package var word: String { call ?? kind.word }
  private var name: String { "\(limit)-\(word)" }

  /// The header fields of draft-ietf-httpapi-ratelimit-headers-10, both lists of structured fields
  /// (RFC 9651): the policy with its quota `q` and window `w`, and what remains, `r`, for the next `t`
  /// seconds.
  var headers: [(name: String, value: String)] {
    [
      ("RateLimit-Policy", "\"\(name)\";q=\(quota);w=\(windowSeconds)"),
      ("RateLimit", "\"\(name)\";r=0;t=\(waitSeconds)"),
    ]
  }
}

/// The allowances of one tenant and of its people.
package final class TenantRates: Sendable {
  private struct Rate: Sendable {
    let allowance: RateAllowance
    let windowSeconds: Int64

    /// Nil where there is no limit.
    init?(perSecond: Double, burstSeconds: Double) {
      guard perSecond > 0 else { return nil }
      let interval = max(1, Nanoseconds((1e9 / perSecond).rounded()))
      let burst = max(1, Int((perSecond * burstSeconds).rounded(.down)))
      allowance = RateAllowance(interval: interval, burst: burst)
      windowSeconds = max(1, Int64((Double(interval) * Double(burst) / 1e9).rounded(.up)))
    }
  }

  /// The rates of a kind of calls, or of one call.
  private struct Limits: Sendable {
    let ofTenant: Rate?
    let ofCaller: Rate?
    let tenantAllowance: SharedAllowance?

    init(tenant: Double, caller: Double, burstSeconds: Double) {
      ofTenant = Rate(perSecond: tenant, burstSeconds: burstSeconds)
      ofCaller = Rate(perSecond: caller, burstSeconds: burstSeconds)
      tenantAllowance = ofTenant.map { SharedAllowance($0.allowance) }
    }
  }

  /// Those of kinds by their numbers, then those of calls.
  private let limits: [Limits]
  private let places: [String: Int]
  private let callers: AllowanceTable?
  private let clock: any MonotonicClock
  private let counts: RefusalCounts

  fileprivate init(settings: RateSettings, clock: any MonotonicClock, counts: RefusalCounts) {
    self.clock = clock
    self.counts = counts
    var limits = CallKind.allCases.map {
      Limits(
        tenant: settings.tenant[$0], caller: settings.caller[$0],
        burstSeconds: settings.burstSeconds)
    }
    var places: [String: Int] = [:]
    for (name, rate) in settings.calls where rate.tenant > 0 || rate.caller > 0 {
      places[name] = limits.count
      limits.append(
        Limits(
          tenant: rate.tenant, caller: rate.caller, burstSeconds: settings.burstSeconds))
    }
    (self.limits, self.places) = (limits, places)
    let limitsOfCallers = limits.count { $0.ofCaller != nil }
    callers =
      limitsOfCallers == 0
      ? nil : AllowanceTable(capacity: settings.rememberedCallers * limitsOfCallers)
  }

  fileprivate var forgottenDebts: UInt64 { callers?.forgottenDebts ?? 0 }

  /// Takes a call from the allowances of the person who makes it and of the tenant. What the person
  /// lacks costs the tenant nothing, and what the tenant lacks costs the person nothing.
  ///
  /// - Parameters:
  ///   - kind: What the call is.
  ///   - call: Its name, under which it may have rates of its own.
  ///   - person: Whose token it is; nil for servers and where nobody is told apart.
  /// - Throws: ``RateRefusal``.
  package func take(
    _ kind: CallKind, call: String? = nil, of person: String?
  ) throws(RateRefusal) {
    try take(from: kind.rawValue, kind, nil, person)
    guard let call, let place = places[call] else { return }
    do throws(RateRefusal) {
      try take(from: place, kind, call, person)
    } catch {
      giveBack(to: kind.rawValue, person)
      throw error
    }
  }

  private func take(
    from place: Int, _ kind: CallKind, _ call: String?, _ person: String?
  ) throws(RateRefusal) {
    let limits = limits[place]
    let (ofTenant, ofCaller) = (limits.ofTenant, limits.ofCaller)
    guard ofTenant != nil || (ofCaller != nil && person != nil) else { return }
    let now = clock.now()
    var key: UInt64?
    if let person, let ofCaller, let callers {
      let own = Self.key(person, place)
      if let wait = callers.take(own, ofCaller.allowance, at: now) {
        throw refusal(.caller, kind, call, ofCaller, wait)
      }
      key = own
    }
    guard let ofTenant, let wait = limits.tenantAllowance?.take(at: now) else { return }
    if let key, let ofCaller { callers?.giveBack(key, ofCaller.allowance) }
    throw refusal(.tenant, kind, call, ofTenant, wait)
  }

  private func giveBack(to place: Int, _ person: String?) {
    if let person, let rate = limits[place].ofCaller {
      callers?.giveBack(Self.key(person, place), rate.allowance)
    }
    limits[place].tenantAllowance?.giveBack()
  }

  /// Gives back what ``charge(_:call:_:)`` took for a call that is asked anew elsewhere.
  func giveBack(_ kind: CallKind, call: String?, _ caller: Caller) {
    let person = Self.person(caller)
    giveBack(to: kind.rawValue, person)
    if let call, let place = places[call] { giveBack(to: place, person) }
  }

  /// The same for a caller of the API.
  ///
  /// - Throws: `rate_limited`.
  func charge(_ kind: CallKind, call: String? = nil, _ caller: Caller) throws(APIError) {
    do throws(RateRefusal) {
      try take(kind, call: call, of: Self.person(caller))
    } catch {
      throw APIError(error)
    }
  }

  private static func person(_ caller: Caller) -> String? {
    caller.role == .user ? caller.subject : nil
  }

  private func refusal(
    _ limit: RateRefusal.Limit, _ kind: CallKind, _ call: String?, _ rate: Rate,
    _ wait: Nanoseconds
  ) -> RateRefusal {
    counts.count(limit, kind)
    return RateRefusal(
      limit: limit, kind: kind, call: call, quota: rate.allowance.burst,
      windowSeconds: rate.windowSeconds,
      waitNanoseconds: wait)
  }

  /// By this process's own secret, so that nobody can choose names that meet.
  private static func key(_ person: String, _ place: Int) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(person)
    hasher.combine(place)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}

/// How many calls were refused, by limit and kind.
private final class RefusalCounts: Sendable {
  private let counts = StateLock(
    [UInt64](repeating: 0, count: RateRefusal.Limit.allCases.count * CallKind.allCases.count))

  private static func index(_ limit: RateRefusal.Limit, _ kind: CallKind) -> Int {
    limit.rawValue * CallKind.allCases.count + kind.rawValue
  }

  func count(_ limit: RateRefusal.Limit, _ kind: CallKind) {
    counts.withLock { $0[Self.index(limit, kind)] += 1 }
  }

  var all: [(limit: RateRefusal.Limit, kind: CallKind, count: UInt64)] {
    let counts = counts.withLock { $0 }
    return RateRefusal.Limit.allCases.flatMap { limit in
      CallKind.allCases.map { (limit, $0, counts[Self.index(limit, $0)]) }
    }
  }
}

extension APIError {
  init(_ refusal: RateRefusal) {
    let whose = refusal.limit == .tenant ? "this tenant's" : "your"
    self.init(
      .rateLimited, "\(whose) allowance of \(refusal.word) is spent: come again later",
      retryAfterMilliseconds: refusal.waitMilliseconds)
    metadata = ["limit": "\(refusal.limit)", "kind": refusal.kind.word]
    if let call = refusal.call { metadata["call"] = call }
    headers = refusal.headers
  }
}

// MARK: - Calls behind their rates

extension Operation {
  /// What the call counts as.
  var kind: CallKind {
    if isRead { return .reads }
    return access?.scope.contains(.report) ?? false ? .reports : .commands
  }

  /// The same call, which takes from its caller's allowance before anything else.
  func charged(by rates: TenantRates) -> Operation {
    let (kind, name) = (kind, name)
    let encoded = callEncoded
    let json = callJSON
    var out = self
    out.callEncoded = { bytes, context in
      try rates.charge(kind, call: name, context.caller)
      return try await encoded(bytes, context)
    }
    out.callJSON = { body, parameters, context in
      try rates.charge(kind, call: name, context.caller)
      return try await json(body, parameters, context)
    }
    if let short = callOnEventLoop {
      out.callOnEventLoop = { bytes, caller throws(APIError) in
        try rates.charge(kind, call: name, caller)
        return try short(bytes, caller)
      }
    }
    if let short = shortJSON {
      out.shortJSON = { body, parameters, caller throws(APIError) in
        try rates.charge(kind, call: name, caller)
        return try short(body, parameters, caller)
      }
    }
    out.giveBack = { caller in rates.giveBack(kind, call: name, caller) }
    return out
  }
}
