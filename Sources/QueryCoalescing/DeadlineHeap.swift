public import HeapModule
public import Threading

/// Elements ordered by moments, the earliest first, in swift-collections' heap.
///
/// Elements of one moment come out in no particular order.
@usableFromInline
struct DeadlineHeap<Element> {
  @usableFromInline
  struct Entry: Comparable {
    @usableFromInline let moment: Nanoseconds
    @usableFromInline let element: Element

    @inlinable
    init(moment: Nanoseconds, element: Element) {
      self.moment = moment
      self.element = element
    }

    @inlinable
    static func < (a: Entry, b: Entry) -> Bool { a.moment < b.moment }

    @inlinable
    static func == (a: Entry, b: Entry) -> Bool { a.moment == b.moment }
  }

  @usableFromInline var entries = Heap<Entry>()

  /// The earliest moment; `nil` when the heap is empty.
  var first: Nanoseconds? { entries.min?.moment }

  @inlinable
  init() {}

  /// Adds an element.
  ///
  /// - Complexity: O(log count).
  @inlinable
  mutating func insert(_ element: Element, at moment: Nanoseconds) {
    entries.insert(Entry(moment: moment, element: element))
  }

  /// Removes the earliest element if its moment has come.
  ///
  /// - Complexity: O(log count).
  mutating func popFirst(notAfter now: Nanoseconds) -> Element? {
    guard let first, first <= now else { return nil }
    return entries.popMin()?.element
  }
}
