import DurableCommands
import ObjectModel
import RideMatching

/// When something is due for a party or a standing request. Written by the commit thread, asked by the
/// timers.
struct PartyTimers: Sendable {
  enum Subject: Hashable, Sendable {
    case party(String)
    case request(String)
    case commute(String)
    case offer(String)
  }

  private let times = DueTimes<Subject>()

  func set(_ party: Party, _ rules: PartyRules) {
    times.set(.party(party.id), rules.nextTick(party))
  }

  func set(_ request: StandingRequest) {
    times.set(.request(request.id), request.isOver ? nil : request.query.window.end)
    if let offer = request.offer { times.set(.offer(offer.id), Self.due(offer)) }
  }

  func set(_ commute: Commute, _ rules: CommuteRules) {
    times.set(.commute(commute.id), rules.nextTick(commute))
  }

  private static func due(_ offer: RideOffer) -> Instant? { offer.isOpen ? offer.expiresAt : nil }

  func removeCommute(_ id: String) { times.set(.commute(id), nil) }

  func removeParty(_ id: String) { times.set(.party(id), nil) }

  func removeRequest(_ id: String) { times.set(.request(id), nil) }

  func replaceAll(_ parties: [Party], _ requests: [StandingRequest], _ rules: PartyRules) {
    times.replaceAll(
      parties.map { (.party($0.id), rules.nextTick($0)) }
        + requests.map { (.request($0.id), $0.isOver ? nil : $0.query.window.end) }
        + requests.compactMap { $0.offer.map { (.offer($0.id), Self.due($0)) } })
  }

  /// See ``DueTimes/take(by:limit:)``.
  func take(by now: Instant, limit: Int) -> [Subject] { times.take(by: now, limit: limit) }

  /// See ``DueTimes/retry(_:at:)``.
  func retry(_ subject: Subject, at moment: Instant) { times.retry(subject, at: moment) }
}
