/// A binary heap of moments with something to do then.
@usableFromInline
struct DeadlineHeap<Element> {
  @usableFromInline var items: [(moment: Nanoseconds, element: Element)] = []

  var isEmpty: Bool { items.isEmpty }
  var count: Int { items.count }
  /// The earliest moment.
  var first: Nanoseconds? { items.first?.moment }

  @inlinable
  init() {}

  @inlinable
  mutating func insert(_ element: Element, at moment: Nanoseconds) {
    items.append((moment, element))
    var child = items.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard items[child].moment < items[parent].moment else { return }
      items.swapAt(child, parent)
      child = parent
    }
  }

  /// The earliest element if its moment has come.
  mutating func popFirst(notAfter now: Nanoseconds) -> Element? {
    guard let first = items.first, first.moment <= now else { return nil }
    items.swapAt(0, items.count - 1)
    items.removeLast()
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < items.count else { break }
      if child + 1 < items.count, items[child + 1].moment < items[child].moment { child += 1 }
      guard items[child].moment < items[parent].moment else { break }
      items.swapAt(child, parent)
      parent = child
    }
    return first.element
  }
}
