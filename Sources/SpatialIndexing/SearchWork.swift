/// What a search did, counted in passing: the same on every machine for the same index and query,
/// so that tests can hold it to a bound where a time would tell about the machine.
public struct SearchWork: Hashable, Sendable {
  /// Inner nodes whose children were looked at.
  public var nodesVisited = 0
  /// Leaves, or pages of a posting list, whose points were looked at.
  public var leavesVisited = 0
  /// Points compared with the bound, the area or the filter.
  public var pointsTested = 0
  /// Distances worked out by the one function, or points put to an area's exact test.
  public var exactTests = 0

  /// Steps after which the search ends unfinished; its hits are then of no use.
  public var limit: Int

  /// Makes counts of nothing done.
  public init(limit: Int = .max) { self.limit = limit }

  /// Everything counted.
  @inline(__always)
  public var steps: Int { nodesVisited &+ leavesVisited &+ pointsTested &+ exactTests }

  /// Whether more was done than the limit allows.
  @inline(__always)
  public var isSpent: Bool { steps > limit }

  /// Adds what another search did.
  public static func += (a: inout SearchWork, b: SearchWork) {
    a.nodesVisited += b.nodesVisited
    a.leavesVisited += b.leavesVisited
    a.pointsTested += b.pointsTested
    a.exactTests += b.exactTests
  }
}
