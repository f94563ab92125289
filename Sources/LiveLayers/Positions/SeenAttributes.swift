/// Which attributes of a search's conditions some object had, of those that were looked at.
///
/// `@unchecked Sendable`: belongs to one search, which runs on one thread.
package final class SeenAttributes: @unchecked Sendable {
  private var names: [String] = []
  /// One bit a name: the condition was put to an object.
  private var asked: UInt64 = 0
  /// One bit a name: an object had the attribute.
  private var present: UInt64 = 0

  package init() {}

  /// - Parameter names: Those after the 64th are not followed.
  func expect(_ names: [String]) { self.names = names }

  @inline(__always)
  func note(_ index: Int, isPresent: Bool) {
    guard index < 64 else { return }
    asked |= 1 << UInt64(index)
    if isPresent { present |= 1 << UInt64(index) }
  }

  /// Attributes that were looked for and that no object had.
  package var unknown: [String] {
    let unknown = asked & ~present
    guard unknown != 0 else { return [] }
    return names.indices.filter { $0 < 64 && unknown >> UInt64($0) & 1 == 1 }.map { names[$0] }
  }
}
