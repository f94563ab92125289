import MoyeoAPI
import MoyeoServer
import Threading

/// Searches of each person that are on their way, so that one which a newer one supersedes is
/// answered with the newer one's list.
///
/// ```
/// arrive ── turn comes ──> finish(list) ──> answers itself and every older one that waits
///    └──── superseded ──> waits for it; works its own out if no search is left that could answer
/// ```
final class NewestSearches: Sendable {
  private struct Waiter {
    let number: UInt64
    let continuation: CheckedContinuation<[UInt8]?, Never>
  }

  private struct Person {
    /// Of the search that came last.
    var newest: UInt64 = 0
    /// Searches that may yet be answered.
    var running = 0
    var waiters: [Waiter] = []
  }

  // Invariant: a person is here exactly while a search of theirs runs; who waits waits for one.
  private let people = StateLock<[String: Person]>([:])

  /// People with a search on its way.
  var count: Int { people.withLock { $0.count } }
  /// Superseded searches that wait.
  var waitingCount: Int { people.withLock { $0.values.reduce(0) { $0 + $1.waiters.count } } }

  /// A search begins; ``finish(_:_:of:)`` or ``newerAnswer(than:of:)`` ends it.
  /// - Returns: Its number among those of the person.
  func arrive(_ userID: String) -> UInt64 {
    people.withLock { people in
      people[userID, default: Person()].running += 1
      people[userID]?.newest += 1
      return people[userID]?.newest ?? 0
    }
  }

  /// A search has its list, or failed (`nil`).
  func finish(_ number: UInt64, _ answer: [UInt8]?, of userID: String) {
    let told = people.withLock { people -> [(Waiter, [UInt8]?)] in
      guard var person = people[userID] else { return [] }
      person.running -= 1
      var told: [(Waiter, [UInt8]?)] = []
      person.waiters.removeAll { waiter in
        if let answer, waiter.number < number {
          told.append((waiter, answer))
        } else if person.running == 0 {
          told.append((waiter, nil))
        } else {
          return false
        }
        return true
      }
      people[userID] = person.running == 0 ? nil : person
      return told
    }
    for (waiter, answer) in told { waiter.continuation.resume(returning: answer) }
  }

  /// The list of a newer search than a superseded one.
  /// - Returns: Nil when none is left that could answer.
  func newerAnswer(than number: UInt64, of userID: String) async -> [UInt8]? {
    await withCheckedContinuation { continuation in
      // Whoever waited for this very search must not wait for ever: it is ended like one that failed.
      finish(number, nil, of: userID)
      let waits = people.withLock { people in
        guard people[userID] != nil else { return false }
        people[userID]?.waiters.append(Waiter(number: number, continuation: continuation))
        return true
      }
      if !waits { continuation.resume(returning: nil) }
    }
  }
}

extension NewestSearches {
  /// Works out a search when its turn has come; a superseded one has the list of a newer one.
  ///
  /// - Parameters:
  ///   - call: Which call; calls do not supersede each other.
  ///   - userID: The token's user, who is the session.
  ///   - services: Whose throttle gives the turns.
  ///   - work: The search.
  /// - Returns: What `work` returned, of this search or of a newer one.
  /// - Throws: What `work` throws; `CancellationError` when the caller has left.
  func answer(
    _ call: String, of userID: String, _ services: DoorServices,
    _ work: () async throws -> [UInt8]
  ) async throws -> [UInt8] {
    let number = arrive(userID)
    do {
      try await services.admit(call, userID: userID)
    } catch let refusal as DoorRefusal where refusal.reason == .superseded {
      if let newer = await newerAnswer(than: number, of: userID) { return newer }
      return try await work()
    } catch {
      finish(number, nil, of: userID)
      throw error
    }
    do {
      let answer = try await work()
      finish(number, answer, of: userID)
      return answer
    } catch {
      finish(number, nil, of: userID)
      throw error
    }
  }
}
