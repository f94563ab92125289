/// A bounded queue that serves sessions in turn: however much one of them asks for, another waits
/// for at most one of its requests a round.
///
/// ```
///   round   A: a1 a2 a3 a4     B: b1     C: c1 c2        order: a1 b1 c1 a2 c2 a3 a4
/// ```
package struct FairQueue<Session: Hashable, Element> {
  package enum Refusal: Error, Hashable, Sendable {
    /// The session's own share is full.
    case sessionFull(limit: Int)
    /// The whole queue is full.
    case queueFull(limit: Int)
  }

  package let perSession: Int
  package let capacity: Int
  private var waiting: [Session: Line] = [:]
  /// The first and last of the sessions that have something waiting, linked in the order of their
  /// turns.
  private var first: Session?
  private var last: Session?
  package private(set) var count = 0

  private struct Line {
    var elements: [Element] = []
    /// The number of elements that have been served.
    var head = 0
    var next: Session?

    var length: Int { elements.count - head }
  }

  package init(capacity: Int = 10_000, perSession: Int = 100) {
    precondition(capacity > 0 && perSession > 0)
    self.capacity = capacity
    self.perSession = perSession
  }

  package var isEmpty: Bool { count == 0 }
  /// The number of sessions that have something waiting.
  package var sessionCount: Int { waiting.count }

  /// Whether a session has something waiting.
  package func isWaiting(_ session: Session) -> Bool { waiting[session] != nil }

  /// Appends an element behind the others of its session.
  ///
  /// - Complexity: O(1) expected.
  package mutating func append(
    _ element: Element, of session: Session
  ) throws(Refusal) {
    guard count < capacity else { throw .queueFull(limit: capacity) }
    if let line = waiting.index(forKey: session) {
      guard waiting.values[line].length < perSession else {
        throw .sessionFull(limit: perSession)
      }
      waiting.values[line].elements.append(element)
    } else {
      waiting[session] = Line(elements: [element])
      if let last { waiting[last]?.next = session } else { first = session }
      last = session
    }
    count += 1
  }

  /// Removes the oldest element of the session whose turn it is.
  ///
  /// - Complexity: O(1) amortised.
  package mutating func popFirst() -> (session: Session, element: Element)? {
    guard let session = first, var line = waiting.removeValue(forKey: session) else { return nil }
    let element = line.elements[line.head]
    line.head += 1
    count -= 1
    first = line.next
    if first == nil { last = nil }
    if line.length > 0 {
      if line.head > 32, line.head * 2 > line.elements.count {
        line.elements.removeFirst(line.head)
        line.head = 0
      }
      line.next = nil
      waiting[session] = line
      if let last { waiting[last]?.next = session } else { first = session }
      last = session
    }
    return (session, element)
  }

  /// Removes the elements that a predicate selects, for instance those of a caller that has left.
  ///
  /// - Complexity: O(the session's elements).
  package mutating func removeAll(of session: Session, where isDead: (Element) -> Bool) -> [Element]
  {
    guard let index = waiting.index(forKey: session) else { return [] }
    let live = waiting.values[index].elements[waiting.values[index].head...]
    let dead = live.filter(isDead)
    guard !dead.isEmpty else { return [] }
    count -= dead.count
    let rest = live.filter { !isDead($0) }
    if rest.isEmpty {
      unlink(session)
    } else {
      waiting.values[index].elements = rest
      waiting.values[index].head = 0
    }
    return dead
  }

  private mutating func unlink(_ session: Session) {
    let next = waiting.removeValue(forKey: session)?.next
    if first == session {
      first = next
      if next == nil { last = nil }
      return
    }
    var before = first
    while let here = before, waiting[here]?.next != session { before = waiting[here]?.next }
    guard let before else { return }
    waiting[before]?.next = next
    if last == session { last = before }
  }
}
