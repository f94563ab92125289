import DurableCommands
import Foundation
package import GeoMath
import LiveLayers
package import ObjectModel
package import PeerMatching
import PositionProtection
import QueryCoalescing
import Threading

/// A ticket as its person sees it.
package struct TicketAnswer: Hashable, Sendable {
  package var ticket: Ticket
  /// Where others see the person.
  package var shownAt: Coordinate?
  package var cellMeters: Double
  /// Who asked, and still waits.
  package var askedBy: [String]
  /// Whom the person asked, and who still waits.
  package var asks: [String]
  package var isOnline: Bool
  package var lastSeenMilliseconds: Int64
  /// Of the layer `tickets`.
  package var layerVersion: String
}

/// Somebody who waits, as others see them.
package struct TicketPersonAnswer: Hashable, Sendable {
  package var ticket: Ticket
  package var hit: TicketHit
  package var lastSeenMilliseconds: Int64
  /// Whether the searcher has asked them.
  package var isAsked: Bool
}

package struct TicketSearchQuery: Hashable, Sendable {
  package var userID: String
  /// Nil: where the searcher's ticket looks.
  package var lookingAt: Coordinate?
  /// Empty: those of the searcher's ticket; normalised.
  package var tags: [String] = []
  package var radiusMeters: Double?
  package var limit: Int?
  package var cursor: String?
  package var wanted: [WantedAttribute] = []
  package var onlineOnly = false
  package var minimumStars: Double?
  package var ranking: TicketRanking?
  package var explains = false

  package init(userID: String) { self.userID = userID }
}

package struct TicketSearchAnswer: Hashable, Sendable {
  package var around: [TicketPersonAnswer]
  package var askedMe: [TicketPersonAnswer]
  package var popularTags: [PopularTag]
  package var nextCursor: String?
  package var result: TicketSearchResult
  /// Of the layer `tickets`.
  package var layerVersion: String
}

extension TicketService {
  /// A ticket as it is in memory now; a sign of life of its person.
  /// - Throws: `rule(.unknown)`.
  package func get(_ userID: String) throws(TicketServiceError) -> TicketAnswer {
    book.touch(userID, at: clock.now())
    return try peek(userID)
  }

  /// The same, of which nobody takes it that the person is there.
  /// - Throws: `rule(.unknown)`.
  package func peek(_ userID: String) throws(TicketServiceError) -> TicketAnswer {
    guard let ticket = book.ticket(userID), ticket.opening > 0 else {
      throw model.unknownTicket(userID)
    }
    return answer(ticket)
  }

  /// The ticket once it is of a version above `version`, or as it is when the time has passed.
  /// - Throws: `rule(.unknown)`, `limitOutOfRange`, `badVersion`.
  package func get(
    _ userID: String, afterVersion text: String, waitSeconds: Double
  ) async throws(TicketServiceError) -> TicketAnswer {
    guard let version = UInt64(text) else { throw .badVersion(text) }
    guard configuration.waitSeconds.contains(waitSeconds) else {
      throw .limitOutOfRange(
        field: "waitSeconds", value: waitSeconds, allowed: configuration.waitSeconds)
    }
    let end = ContinuousClock.now + .milliseconds(Int64(waitSeconds * 1000))
    while true {
      // Asked before the read, so that no change falls in between.
      let newest = commands.feed.newest
      let answer = try get(userID)
      let left = end - .now
      guard answer.ticket.version <= version, left > .zero, !Task.isCancelled else {
        return answer
      }
      _ = await waitForEvents(after: newest, userID: userID, atMost: left)
    }
  }

  /// What counts of a person's conduct, who may never have waited; nil: nobody has said anything of it.
  package func conduct(of userID: String) -> Conduct? { book.ticket(userID)?.conduct }

  /// A sign of life. - Throws: `rule(.unknown)`.
  package func heartbeat(_ userID: String) throws(TicketServiceError) -> TicketAnswer {
    try get(userID)
  }

  func answer(_ ticket: Ticket) -> TicketAnswer {
    let now = clock.now()
    let ids = Set((ticket.proposalsFrom + ticket.proposalsTo).map(\.userID))
    let others = Dictionary(
      uniqueKeysWithValues: book.tickets(ids).map { ($0.userID, $0) })
    let away = max(0, now.milliseconds(since: book.lastSeen(ticket)))
    let (shown, cell) = book.withIndex {
      ($0.shownPosition(of: ticket), $0.cellMeters(of: ticket))
    }
    return TicketAnswer(
      ticket: ticket, shownAt: shown, cellMeters: cell,
      askedBy: ticket.proposalsFrom.filter { proposal in
        guard proposal.isLive(at: now), let other = others[proposal.userID] else { return false }
        return other.isWaiting(at: now) && other.opening == proposal.opening
          && !other.blocks(ticket.userID)
      }.map(\.userID),
      asks: ticket.proposalsTo.filter { proposal in
        guard proposal.isLive(at: now), let other = others[proposal.userID] else { return false }
        return other.isWaiting(at: now) && !other.blocks(ticket.userID)
      }.map(\.userID),
      isOnline: away < configuration.leaseMilliseconds, lastSeenMilliseconds: away,
      layerVersion: layerVersion)
  }

  // MARK: - Who is around

  /// People around, and those who asked; a sign of life of the searcher.
  ///
  /// - Parameters:
  ///   - query: Who asks, and for whom.
  ///   - budget: Spent from a step for each cell and each person that is looked at, for the search
  ///     and for the popular tags.
  /// - Returns: A page of people.
  /// - Throws: `nowhereToLook`, `limitOutOfRange`, `badCursor`; `tooMuchWork` and `abandoned` by the
  ///   budget.
  package func search(
    _ query: TicketSearchQuery, budget: WorkBudget = .unlimited
  ) throws(TicketServiceError) -> TicketSearchAnswer {
    var budget = budget
    let now = clock.now()
    let version = layerVersion
    book.touch(query.userID, at: now)
    let own = book.ticket(query.userID) ?? Ticket(userID: query.userID)
    guard let around = query.lookingAt ?? own.lookingAt ?? own.here else { throw .nowhereToLook }
    var search = try self.search(query, own, around: around, now: now)
    let fingerprint = self.fingerprint(query, around)
    var passed: [UInt64] = []
    if let cursor = query.cursor {
      guard let read = TicketCursor(text: cursor, fingerprint: fingerprint),
        read.people.count <= configuration.pagedPeople
      else { throw .badCursor }
      passed = read.people
    }
    let askedBy = answer(own).askedBy
    let result: TicketSearchResult
    let numbers: [UInt64]
    let asking: [TicketHit]
    let popular: [PopularTag]
    do throws(WorkBudget.Exhaustion) {
      (result, numbers, asking) = try book.withIndex { index throws(WorkBudget.Exhaustion) in
        search.passedOver = Set(passed).union(askedBy.map(index.number(of:)))
        let result = try index.search(search, budget: &budget)
        return (
          result, result.hits.map { index.number(of: $0.userID) },
          askedBy.compactMap { index.hit(of: $0, search) }
        )
      }
      popular = try popularTags(around, search.radiusMillimeters, now: now, budget: &budget)
    } catch {
      throw TicketServiceError(error, field: "radiusMeters")
    }
    var cursor: String?
    if result.hasMore, passed.count + numbers.count <= configuration.pagedPeople {
      cursor = TicketCursor(fingerprint: fingerprint, people: passed + numbers).text
    }
    let asked = Set(own.proposalsTo.filter { $0.isLive(at: now) }.map(\.userID))
    func people(_ hits: [TicketHit]) -> [TicketPersonAnswer] {
      hits.compactMap { hit in
        guard let ticket = book.ticket(hit.userID) else { return nil }
        return TicketPersonAnswer(
          ticket: ticket, hit: hit,
          lastSeenMilliseconds: max(0, now.milliseconds(since: hit.lastSeen)),
          isAsked: asked.contains(hit.userID))
      }
    }
    return TicketSearchAnswer(
      around: people(result.hits), askedMe: people(asking),
      popularTags: popular, nextCursor: cursor,
      result: result, layerVersion: version)
  }

  private func search(
    _ query: TicketSearchQuery, _ own: Ticket, around: Coordinate, now: Instant
  ) throws(TicketServiceError) -> TicketSearch {
    let radius = query.radiusMeters ?? configuration.defaultRadiusMeters
    guard configuration.radiusMeters.contains(radius) else {
      throw .limitOutOfRange(
        field: "radiusMeters", value: radius, allowed: configuration.radiusMeters)
    }
    let limit = query.limit ?? configuration.defaultSearch
    guard (1...configuration.searchLimit).contains(limit) else {
      throw .limitOutOfRange(
        field: "limit", value: Double(limit), allowed: 1...Double(configuration.searchLimit))
    }
    if let stars = query.minimumStars, !(stars >= 1 && stars <= 5) {
      throw .limitOutOfRange(field: "minimumStars", value: stars, allowed: 1...5)
    }
    let ranking = query.ranking ?? configuration.ranking.standard
    if let (name, value) = configuration.ranking.violation(in: ranking) {
      throw .limitOutOfRange(
        field: "ranking.\(name)", value: value, allowed: configuration.ranking.allowed)
    }
    var search = TicketSearch(
      userID: query.userID, around: around, radiusMillimeters: Int64((radius * 1000).rounded()),
      tags: query.tags.isEmpty ? own.tags : query.tags, attributes: own.attributes,
      wanted: own.wanted + query.wanted, blocked: Set(own.blocked), ranking: ranking,
      limit: limit, now: now)
    search.onlineOnly = query.onlineOnly
    search.minimumStars = query.minimumStars
    search.explains = query.explains
    return search
  }

  private func fingerprint(_ query: TicketSearchQuery, _ around: Coordinate) -> UInt64 {
    var fingerprint = QueryFingerprint()
    fingerprint.add("tickets")
    fingerprint.add(query.userID)
    fingerprint.add(query.lookingAt.map { [$0.latitude, $0.longitude] }.map(\.description) ?? "")
    fingerprint.add(query.tags)
    fingerprint.add(query.radiusMeters ?? -1)
    for wish in query.wanted { fingerprint.add([wish.name] + wish.values) }
    fingerprint.add(query.onlineOnly ? 1 : 0)
    fingerprint.add(query.minimumStars ?? -1)
    for weight in query.ranking?.weights ?? [] { fingerprint.add(weight.value) }
    return fingerprint.value
  }

  private func popularTags(
    _ place: Coordinate, _ radiusMillimeters: Int64, now: Instant, budget: inout WorkBudget
  ) throws(WorkBudget.Exhaustion) -> [PopularTag] {
    let grid = model.rules.grid
    let key = PopularTagKey(
      place: configuration.isProtected ? grid.snapped(place) : place,
      radiusMillimeters: radiusMillimeters)
    let moment = now.milliseconds * 1_000_000
    let freshness = Freshness(maximumAge: configuration.popularMilliseconds * 1_000_000)
    // A reading of the future is none: the wall clock was put back.
    if case .hit(let known, let reading, _) = popular.lookup(
      key, freshness: freshness, at: moment), reading.time <= moment
    {
      return known
    }
    var found = try book.withIndex { index throws(WorkBudget.Exhaustion) in
      try index.popularTags(
        around: place, radiusMillimeters: radiusMillimeters, now: now,
        limit: configuration.popularTags, budget: &budget)
    }
    for tag in configuration.recommendedTags
    where found.count < configuration.popularTags && !found.contains(where: { $0.tag == tag }) {
      found.append(PopularTag(tag: tag, count: 0))
    }
    popular.insert(
      key, found, reading: Reading(time: moment),
      bytes: found.reduce(0) { $0 + $1.tag.utf8.count + MemoryLayout<PopularTag>.stride })
    return found
  }
}

/// What popular tags are kept by.
struct PopularTagKey: Hashable {
  var place: Coordinate
  var radiusMillimeters: Int64
}

/// Where a page of a search ended: a fingerprint of its query and everyone told so far, so that
/// ranks may change between pages and nobody is repeated or skipped.
struct TicketCursor {
  var fingerprint: UInt64
  var people: [UInt64]

  init(fingerprint: UInt64, people: [UInt64]) {
    self.fingerprint = fingerprint
    self.people = people
  }

  /// Nil: not a cursor of this query.
  init?(text: String, fingerprint: UInt64) {
    guard let data = Data(base64Encoded: text), data.count >= 8, data.count % 8 == 0 else {
      return nil
    }
    var words: [UInt64] = []
    words.reserveCapacity(data.count / 8)
    for start in stride(from: data.startIndex, to: data.endIndex, by: 8) {
      words.append(data[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) })
    }
    guard words[0] == fingerprint else { return nil }
    self.init(fingerprint: fingerprint, people: Array(words.dropFirst()))
  }

  var text: String {
    var data = Data(capacity: 8 * (people.count + 1))
    for word in [fingerprint] + people {
      withUnsafeBytes(of: word.bigEndian) { data.append(contentsOf: $0) }
    }
    return data.base64EncodedString()
  }
}
