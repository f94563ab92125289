public import GeoMath
public import ObjectModel

/// A city that moves: people sleep, commute, meet and stroll between its hot spots and report
/// their positions at a steady, even rate.
///
/// A person's position is a pure function of (city, seed, index, moment): nothing is integrated,
/// so the reports between two moments are the same whether one step or a thousand lead there,
/// and nothing is stored per person. Only `+ - * /` are used, which IEEE 754 rounds
/// exactly, so the sequence is also the same on every machine.
public struct CitySimulation: Sendable {
  /// What one simulated person reports at one moment.
  public struct Report: Hashable, Sendable {
    /// Index of the person, 0 ..< users; ``CitySimulation/user(at:)`` tells more.
    public let user: Int
    /// Where the user is.
    public let coordinate: Coordinate
    /// When they were there.
    public let observedAt: Instant
  }

  /// The city that everyone moves in.
  public let city: City
  /// Number of people.
  public let users: Int
  /// The same seed gives the same city at every moment.
  public let seed: UInt64
  /// The first heartbeat's moment.
  public let start: Instant
  /// Each person reports once in this time.
  public let heartbeatMilliseconds: Int64

  let itinerary: Itinerary
  /// Reports handed out so far: report r is person r % users in round r / users.
  private var handedOut: Int64 = 0

  /// - Precondition: `users` is not below 0, `heartbeatMilliseconds` is above 0.
  /// - Complexity: O(hot spots).
  public init(
    city: City, users: Int, seed: UInt64, start: Instant, heartbeatMilliseconds: Int64 = 20_000
  ) {
    precondition(users >= 0, "a city cannot have \(users) users")
    precondition(heartbeatMilliseconds > 0)
    self.city = city
    self.users = users
    self.seed = seed
    self.start = start
    self.heartbeatMilliseconds = heartbeatMilliseconds
    itinerary = Itinerary(city: city, seed: seed)
  }

  /// The heartbeats since the last step whose moment is not after `to`, in order of moment, then
  /// index; at most `limit` of them, the rest comes with the next call.
  ///
  /// The concatenation of the answers does not depend on the steps taken. A moment before the last
  /// step answers nothing.
  /// - Complexity: O(reports), no work for people who do not report.
  public mutating func step(to moment: Instant, limit: Int = .max) -> [Report] {
    var reports: [Report] = []
    reports.reserveCapacity(Int(min(due(at: moment), Int64(max(0, limit)))))
    forEachReport(to: moment, limit: limit) { reports.append($0) }
    return reports
  }

  /// ``step(to:limit:)`` without the array.
  public mutating func forEachReport(
    to moment: Instant, limit: Int = .max, _ body: (Report) throws -> Void
  ) rethrows {
    var left = limit
    while left > 0, users > 0 {
      let at = reportMoment(handedOut)
      guard at <= moment else { return }
      let user = Int(handedOut % Int64(users))
      handedOut += 1
      left -= 1
      try body(Report(user: user, coordinate: position(of: user, at: at), observedAt: at))
    }
  }

  /// Leaves out the heartbeats up to a moment, after a pause that nobody wants to replay.
  /// - Complexity: O(1).
  public mutating func skip(to moment: Instant) { handedOut += due(at: moment) }

  /// Where a person is at any moment, before `start` too. - Precondition: 0 ..< users.
  /// - Complexity: O(1).
  public func position(of user: Int, at moment: Instant) -> Coordinate {
    precondition((0..<users).contains(user), "no user \(user)")
    return itinerary.position(of: Int64(user), at: moment)
  }

  /// Everybody at one moment, in order of index: what a demo loads before it moves.
  public func snapshot(at moment: Instant) -> [Report] {
    (0..<users).map {
      Report(user: $0, coordinate: position(of: $0, at: moment), observedAt: moment)
    }
  }

  /// How many heartbeats ``step(to:limit:)`` would answer now. - Complexity: O(1).
  public func due(at moment: Instant) -> Int64 {
    guard users > 0, moment >= start else { return 0 }
    let elapsed = moment.milliseconds(since: start)
    let (rounds, rest) = elapsed.quotientAndRemainder(dividingBy: heartbeatMilliseconds)
    // People whose offset, floor(index * heartbeat / users), is not above the rest of the round.
    let (high, low) = Int64(users).multipliedFullWidth(by: rest + 1)
    let (quotient, remainder) = heartbeatMilliseconds.dividingFullWidth((high, low))
    let inRound = min(Int64(users), remainder > 0 ? quotient + 1 : quotient)
    let (full, overflow) = rounds.multipliedReportingOverflow(by: Int64(users))
    let (total, overflow2) = full.addingReportingOverflow(inRound)
    return max(0, (overflow || overflow2 ? Int64.max : total) - handedOut)
  }

  private func reportMoment(_ number: Int64) -> Instant {
    let (round, user) = number.quotientAndRemainder(dividingBy: Int64(users))
    let (high, low) = user.multipliedFullWidth(by: heartbeatMilliseconds)
    let offset = Int64(users).dividingFullWidth((high, low)).quotient
    let (base, overflow) = round.multipliedReportingOverflow(by: heartbeatMilliseconds)
    return overflow
      ? .distantFuture : start.advanced(milliseconds: base).advanced(milliseconds: offset)
  }
}
