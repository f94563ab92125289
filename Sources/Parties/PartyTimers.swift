import ObjectModel
import RideMatching
import Threading

/// When something is due for a party or a kept request. Written by the commit thread, asked by the
/// timers.
///
/// A heap of moments; what was set anew since is told by ``State/due``.
final class PartyTimers: Sendable {
  enum Subject: Hashable, Sendable {
    case party(String)
    case request(String)
  }

  fileprivate struct State {
    var heap: [(at: Int64, subject: Subject)] = []
    /// The moment that counts for a subject.
    var due: [Subject: Int64] = [:]
  }

  private let state = StateLock(State())

  func set(_ party: Party, _ rules: PartyRules) {
    set(.party(party.id), rules.nextTick(party))
  }

  func set(_ request: StandingRequest) {
    set(.request(request.id), request.isOver ? nil : request.query.window.end)
  }

  private func set(_ subject: Subject, _ moment: Instant?) {
    state.withLock { state in state.set(subject, moment) }
  }

  func replaceAll(_ parties: [Party], _ requests: [StandingRequest], _ rules: PartyRules) {
    var fresh = State()
    for party in parties { fresh.set(.party(party.id), rules.nextTick(party)) }
    for request in requests {
      fresh.set(.request(request.id), request.isOver ? nil : request.query.window.end)
    }
    let ready = fresh
    state.withLock { $0 = ready }
  }

  /// What is due by `now`, at most `limit`. Each is told once, until it is set again.
  func take(by now: Instant, limit: Int) -> [Subject] {
    state.withLock { state in
      var found: [Subject] = []
      while found.count < limit, let first = state.heap.first, first.at <= now.milliseconds {
        state.pop()
        guard state.due[first.subject] == first.at else { continue }
        state.due[first.subject] = nil
        found.append(first.subject)
      }
      return found
    }
  }

  /// Tells it again at `moment`, if nothing newer is set.
  func retry(_ subject: Subject, at moment: Instant) {
    state.withLock { state in
      if state.due[subject] == nil { state.set(subject, moment) }
    }
  }
}

extension PartyTimers.State {
  fileprivate mutating func set(_ subject: PartyTimers.Subject, _ moment: Instant?) {
    guard let at = moment?.milliseconds else {
      due[subject] = nil
      return
    }
    guard due.updateValue(at, forKey: subject) != at else { return }
    heap.append((at, subject))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].at < heap[parent].at else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  fileprivate mutating func pop() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].at < heap[child].at { child += 1 }
      guard heap[child].at < heap[parent].at else { break }
      heap.swapAt(child, parent)
      parent = child
    }
  }
}
