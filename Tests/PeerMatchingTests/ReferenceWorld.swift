import ObjectModel
import PeerMatching

/// Who waits, asks and meets, written from the documentation in another way than the rules: one
/// list of facts for everybody instead of a ticket for each, and every answer a look at all facts.
struct ReferenceWorld {
  struct Ask: Equatable {
    var from: String
    var to: String
    var at: Int64
    var until: Int64
    /// Whoever asked has stopped waiting since.
    var isStale = false
  }

  struct Pair {
    var a: String
    var b: String
    var id: String
    var isOver = false
    var rated: Set<String> = []
  }

  let proposal: Int64?
  /// End of the waiting of those who wait.
  var waiting: [String: Int64] = [:]
  var everWaited: Set<String> = []
  var expired: Set<String> = []
  var asks: [Ask] = []
  var refusals: [Ask] = []
  var pairs: [Pair] = []
  var blocks: Set<[String]> = []
  var dodges: [(who: String, at: Int64)] = []
  var reports: [(by: String, of: String, at: Int64)] = []
  var penalties: [String: Int64] = [:]
  var bans: [String: Int64] = [:]
  var gender: [String: String] = [:]
  var wants: [String: String] = [:]
  var stars: [String: [Int]] = [:]

  func meeting(_ who: String) -> Int? {
    pairs.lastIndex { !$0.isOver && ($0.a == who || $0.b == who) }
  }

  func last(_ who: String) -> Int? { pairs.lastIndex { $0.a == who || $0.b == who } }

  func partner(_ who: String) -> String? {
    meeting(who).map { pairs[$0].a == who ? pairs[$0].b : pairs[$0].a }
  }

  func isWaiting(_ who: String, _ now: Int64) -> Bool { (waiting[who] ?? .min) > now }

  func state(_ who: String) -> String {
    if meeting(who) != nil { return "matched" }
    if waiting[who] != nil { return "open" }
    return expired.contains(who) ? "expired" : "closed"
  }

  func standing(to who: String, _ now: Int64) -> [String] {
    asks.filter { $0.to == who && $0.until > now && !$0.isStale }.map(\.from)
  }

  mutating func stop(_ who: String) {
    waiting[who] = nil
    asks.removeAll { $0.to == who }
    for i in asks.indices where asks[i].from == who { asks[i].isStale = true }
    refusals.removeAll { $0.to == who }
  }

  mutating func pairUp(_ a: String, _ b: String, _ id: String) {
    stop(a)
    stop(b)
    pairs.append(Pair(a: a, b: b, id: id))
  }

  /// - Returns: The reason of the refusal; nil: carried out, or so already.
  mutating func apply(_ command: TicketCommand, _ now: Int64) -> String? {
    switch command {
    case .withdraw(let me, let other) where me == other,
      .decline(let me, let other) where me == other,
      .dodge(let me, let other) where me == other, .rate(let me, let other, _) where me == other,
      .report(let me, let other) where me == other, .block(let me, let other) where me == other:
      return "oneself"
    case .open(let me, let open):
      if let until = bans[me], until > now { return "banned" }
      if let until = penalties[me], until > now { return "penalty" }
      if meeting(me) != nil { return "already_matched" }
      if !isWaiting(me, now) {
        stop(me)
        forgotten.insert(me)
      }
      waiting[me] = now + (open.milliseconds ?? 3_600_000)
      everWaited.insert(me)
      expired.remove(me)
      gender[me] = open.attributes["gender"]
      wants[me] = open.wanted.first?.values.first
      return nil
    case .stopWaiting(let me):
      if meeting(me) != nil { return "already_matched" }
      return apply(.close(userID: me), now)
    case .close(let me), .shut(let me):
      if !everWaited.contains(me) { return "unknown_ticket" }
      if let i = meeting(me) {
        pairs[i].isOver = true
      } else if waiting[me] != nil {
        stop(me)
        expired.remove(me)
      }
      return nil
    case .propose(let me, let other, let id, let matches):
      if let reason = obstacle(me, other, now) { return reason }
      if standing(to: me, now).contains(other) {
        if !matches { return "other_asked_you" }
        pairUp(me, other, id)
        return nil
      }
      if standing(to: other, now).contains(me) { return nil }
      if refusals.contains(where: { $0.from == me && $0.to == other }) { return "declined" }
      if let wish = wants[me], wish != gender[other] { return "not_wanted" }
      if let wish = wants[other], wish != gender[me] { return "not_wanted" }
      asks.removeAll { $0.from == me && $0.to == other }
      asks.append(Ask(from: me, to: other, at: now, until: proposal.map { now + $0 } ?? .max))
      return nil
    case .withdraw(let me, let other):
      if !everWaited.contains(me) { return "unknown_ticket" }
      asks.removeAll { $0.from == me && $0.to == other && !$0.isStale }
      return nil
    case .accept(let me, let other, let id):
      if partner(me) == other { return nil }
      if let reason = obstacle(me, other, now) { return reason }
      guard let ask = asks.first(where: { $0.from == other && $0.to == me }) else {
        return "not_asked"
      }
      if ask.isStale { return "other_gone" }
      if ask.until <= now { return "proposal_expired" }
      pairUp(me, other, id)
      return nil
    case .decline(let me, let other):
      if !isWaiting(me, now) { return everWaited.contains(me) ? "not_waiting" : "unknown_ticket" }
      if let i = asks.firstIndex(where: { $0.from == other && $0.to == me }) {
        refusals.append(asks.remove(at: i))
      }
      return nil
    case .dodge(let me, let other):
      guard let i = meeting(me), partner(me) == other else {
        if meeting(me) == nil, let i = last(me), [pairs[i].a, pairs[i].b].contains(other),
          dodgers[i] == me, !forgotten.contains(me)
        {
          return nil
        }
        return "not_matched"
      }
      pairs[i].isOver = true
      dodgers[i] = me
      forgotten.remove(me)
      penalise(me, now, now)
      return nil
    case .rate(let me, let other, let rating):
      guard let i = meeting(me) ?? last(me), [pairs[i].a, pairs[i].b].contains(other),
        [pairs[i].a, pairs[i].b].contains(me)
      else { return "not_matched" }
      if pairs[i].rated.contains(me) { return "already_rated" }
      pairs[i].isOver = true
      pairs[i].rated.insert(me)
      stars[other, default: []].append(rating.stars ?? 0)
      return nil
    case .report(let me, let other):
      if !everWaited.contains(other) { return "unknown_ticket" }
      let month: Int64 = 30 * 86_400_000
      let counting = reports.filter { $0.of == other && $0.at > now - month }
      if counting.contains(where: { $0.by == me }) { return nil }
      reports.append((me, other, now))
      if counting.count + 1 >= 3, (bans[other] ?? .min) <= now {
        bans[other] = now + 7 * 86_400_000
        reports.removeAll { $0.of == other }
        if waiting[other] != nil { stop(other) }
      }
      return nil
    case .block(let me, let other):
      if let i = meeting(me), partner(me) == other, !blocks.contains([me, other]) {
        pairs[i].isOver = true
      }
      if blocks.insert([me, other]).inserted {
        asks.removeAll { ask in
          (ask.from == me && ask.to == other && !ask.isStale) || (ask.from == other && ask.to == me)
        }
      }
      return nil
    case .unblock(let me, let other):
      blocks.remove([me, other])
      return nil
    case .tick(let me):
      guard let end = waiting[me] else { return nil }
      if end <= now {
        stop(me)
        expired.insert(me)
      } else {
        asks.removeAll { $0.to == me && $0.until <= now }
      }
      return nil
    case .noShow(let me, let moment):
      let at = moment.milliseconds
      if !dodges.contains(where: { $0.who == me && $0.at == at }) { penalise(me, at, now) }
      return nil
    case .unban(let me):
      if bans[me] != nil { reports.removeAll { $0.of == me } }
      bans[me] = nil
      return nil
    case .clearPenalty(let me):
      penalties[me] = nil
      return nil
    case .ban(let me, let until):
      if let until {
        bans[me] = until.milliseconds
        if until.milliseconds > now, waiting[me] != nil { stop(me) }
      } else {
        if bans[me] != nil || penalties[me] != nil { reports.removeAll { $0.of == me } }
        bans[me] = nil
        penalties[me] = nil
      }
      return nil
    }
  }

  /// Who called which pair off.
  private var dodgers: [Int: String] = [:]
  /// Who has begun to wait since they called somebody off.
  private var forgotten: Set<String> = []

  init(proposal: Int64?) { self.proposal = proposal }

  private mutating func penalise(_ who: String, _ at: Int64, _ now: Int64) {
    let day: Int64 = 86_400_000
    guard at > now - day else { return }
    dodges.append((who, at))
    let count = dodges.count { $0.who == who && $0.at > now - day }
    penalties[who] = max(penalties[who] ?? .min, at + Int64(min(count, 3)) * 60_000)
  }

  private func obstacle(_ me: String, _ other: String, _ now: Int64) -> String? {
    if me == other { return "oneself" }
    if !everWaited.contains(me) { return "unknown_ticket" }
    if meeting(me) != nil { return "already_matched" }
    if !isWaiting(me, now) { return "not_waiting" }
    if blocks.contains([me, other]) { return "blocked_by_you" }
    if blocks.contains([other, me]) { return "other_gone" }
    if meeting(other) != nil { return "other_matched" }
    return isWaiting(other, now) ? nil : "other_gone"
  }
}
