/// Records which attributes of a search's conditions no object had, among those that were tested.
///
/// `@unchecked Sendable`: an instance belongs to one search, which runs on one thread.
package final class SeenAttributes: @unchecked Sendable {
  private var names: [String] = []
  /// One bit a name, set when the condition was put to an object.
  private var asked: UInt64 = 0
  /// One bit a name, set when an object had the attribute.
  private var present: UInt64 = 0

  package init() {}

  /// Sets the attributes of the conditions; those after the 64th are not recorded.
  func expect(_ names: [String]) { self.names = names }

  @inline(__always)
  func note(_ index: Int, isPresent: Bool) {
    guard index < 64 else { return }
    asked |= 1 << UInt64(index)
    if isPresent { present |= 1 << UInt64(index) }
  }

  /// The attributes that were tested and that no object had.
  package var unknown: [String] {
    let unknown = asked & ~present
    guard unknown != 0 else { return [] }
    return names.indices.filter { $0 < 64 && unknown >> UInt64($0) & 1 == 1 }.map { names[$0] }
  }
}
