import HeapModule
package import ObjectModel
import Threading

/// When something is due for each of many subjects. Set by the commit thread, asked by timers.
///
/// A heap of moments; the moment that counts for a subject is the one set last.
package final class DueTimes<Subject: Hashable & Sendable>: Sendable {
  private struct Moment: Comparable {
    var at: Int64
    var subject: Subject

    static func < (a: Moment, b: Moment) -> Bool { a.at < b.at }
    static func == (a: Moment, b: Moment) -> Bool { a.at == b.at }
  }

  private struct State {
    var heap = Heap<Moment>()
    /// The moment that counts for a subject.
    var due: [Subject: Int64] = [:]

    mutating func set(_ subject: Subject, _ moment: Instant?) {
      guard let at = moment?.milliseconds else {
        due[subject] = nil
        return
      }
      guard due.updateValue(at, forKey: subject) != at else { return }
      heap.insert(Moment(at: at, subject: subject))
    }
  }

  private let state = StateLock(State())

  package init() {}

  /// Nil: nothing is due for it any more.
  package func set(_ subject: Subject, _ moment: Instant?) {
    state.withLock { $0.set(subject, moment) }
  }

  /// These and no others.
  package func replaceAll(_ all: [(subject: Subject, moment: Instant?)]) {
    var fresh = State()
    for (subject, moment) in all { fresh.set(subject, moment) }
    let ready = fresh
    state.withLock { $0 = ready }
  }

  /// What is due by `now`, at most `limit`. Each is told once, until it is set again.
  package func take(by now: Instant, limit: Int) -> [Subject] {
    state.withLock { state in
      var found: [Subject] = []
      while found.count < limit, let first = state.heap.min, first.at <= now.milliseconds {
        state.heap.removeMin()
        guard state.due[first.subject] == first.at else { continue }
        state.due[first.subject] = nil
        found.append(first.subject)
      }
      return found
    }
  }

  /// Tells it again at `moment`, if nothing newer is set.
  package func retry(_ subject: Subject, at moment: Instant) {
    state.withLock { state in
      if state.due[subject] == nil { state.set(subject, moment) }
    }
  }
}
