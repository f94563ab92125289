import CMemoryHints

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Segments of 64-bit words in one piece of memory; each is of a power of two words.
///
/// ```
/// | segment | segment, free | segment      | … | unused |
/// ```
/// What is freed is kept by its size and given out first, so that nothing is ever moved but by its
/// owner. A value: copies share the words until one of them changes.
struct WordArena: Sendable {
  /// The place of a segment. From eight words on it begins on a cache line.
  struct Segment: Hashable, Sendable {
    var start: Int
    /// The segment has `1 << sizeClass` words.
    var sizeClass: Int

    @inline(__always)
    var capacity: Int { 1 << sizeClass }
  }

  private var words = WordMemory(capacity: 64)
  private var count = 0
  private var free: [[Int]] = []
  /// Words that were copied from segment to segment.
  private(set) var copiedWords = 0

  /// Gives out a segment; its words are whatever they were.
  /// - Complexity: O(words of it), amortised.
  mutating func allocate(atLeast wanted: Int) -> Segment {
    let sizeClass = wanted <= 8 ? 3 : Int.bitWidth - (wanted - 1).leadingZeroBitCount
    if sizeClass < free.count, let start = free[sizeClass].popLast() {
      return Segment(start: start, sizeClass: sizeClass)
    }
    let segment = Segment(start: count, sizeClass: sizeClass)
    if count + segment.capacity > words.capacity {
      words = WordMemory(
        capacity: max(2 * words.capacity, count + segment.capacity), copying: words, count: count)
    } else if !isKnownUniquelyReferenced(&words) {
      words = WordMemory(capacity: words.capacity, copying: words, count: count)
    }
    words.begin(segment.start, count: segment.capacity)
    count += segment.capacity
    return segment
  }

  /// Makes room for segments of so many words more.
  mutating func reserve(_ wanted: Int) {
    guard count + wanted > words.capacity else { return }
    words = WordMemory(capacity: count + wanted, copying: words, count: count)
  }

  mutating func release(_ segment: Segment) {
    while free.count <= segment.sizeClass { free.append([]) }
    free[segment.sizeClass].append(segment.start)
  }

  /// - Precondition: a word of a segment.
  subscript(place: Int) -> UInt64 {
    get {
      precondition(place >= 0 && place < count, "no segment has this word")
      return words[place]
    }
    set {
      precondition(place >= 0 && place < count, "no segment has this word")
      if !isKnownUniquelyReferenced(&words) {
        words = WordMemory(capacity: words.capacity, copying: words, count: count)
      }
      words[place] = newValue
    }
  }

  /// Copies words from one segment to another.
  mutating func copy(_ source: Int, to target: Int, count: Int) {
    for i in 0..<count { self[target + i] = self[source + i] }
    copiedWords += count
  }

  /// Reads without reference counts, as a scan of thousands of people does.
  func withView<Answer>(_ body: (WordView) -> Answer) -> Answer {
    defer { withExtendedLifetime(words) {} }
    return body(words.view(count: count))
  }
}

/// Words at one address; on huge pages, where the system has them, since a scan that walks the page
/// tables for each person takes twice as long.
///
/// `@unchecked`: it is written only by the one arena that holds it.
@safe
private final class WordMemory: @unchecked Sendable {
  let capacity: Int
  private let base: UnsafeMutablePointer<UInt64>
  private static let hugePage = 2 << 20

  init(capacity: Int, copying other: WordMemory? = nil, count: Int = 0) {
    let bytes = capacity * MemoryLayout<UInt64>.stride
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: bytes, alignment: bytes >= Self.hugePage ? Self.hugePage : 64)
    #if canImport(Glibc)
      if bytes >= Self.hugePage { unsafe madvise(memory, bytes, MADV_HUGEPAGE) }
    #endif
    self.capacity = capacity
    unsafe base = memory.bindMemory(to: UInt64.self, capacity: capacity)
    if let other { unsafe base.initialize(from: other.base, count: count) }
  }

  /// Words that are read from now on; those behind them cost no memory yet.
  func begin(_ start: Int, count: Int) {
    unsafe (base + start).initialize(repeating: 0, count: count)
  }

  deinit { unsafe base.deallocate() }

  /// - Precondition: below ``capacity``.
  @inline(__always)
  subscript(place: Int) -> UInt64 {
    get { unsafe base[place] }
    set { unsafe base[place] = newValue }
  }

  func view(count: Int) -> WordView {
    unsafe WordView(UnsafeBufferPointer(start: base, count: count))
  }
}

/// The words of an arena or an array, for as long as a closure runs. It must not leave it.
///
/// No bounds checks in release builds: whoever reads knows the segment.
@safe
struct WordView {
  /// Of a cache line.
  static let lineWords = 8

  private let words: UnsafeBufferPointer<UInt64>

  fileprivate init(_ words: UnsafeBufferPointer<UInt64>) { unsafe self.words = words }

  static func of<Answer>(_ words: [UInt64], _ body: (WordView) -> Answer) -> Answer {
    unsafe words.withUnsafeBufferPointer { unsafe body(WordView($0)) }
  }

  /// - Precondition: a word of the arena or array.
  @inline(__always)
  subscript(place: Int) -> UInt64 { unsafe words[place] }

  /// Starts bringing a word close that is read soon, if it is one of ours: misses that were foretold overlap (10 ns each),
  /// others come one after another (150 ns each).
  @inline(__always)
  func prefetch(_ place: Int) {
    if let base = unsafe words.baseAddress { unsafe memory_hint_read(base + place) }
  }

  /// Whether a range of words has one of a range of another view; both are short.
  @inline(__always)
  func hasAny(in range: Range<Int>, of wanted: Range<Int>, _ other: WordView) -> Bool {
    var i = range.lowerBound
    while i < range.upperBound {
      let word = self[i]
      var j = wanted.lowerBound
      while j < wanted.upperBound {
        if other[j] == word { return true }
        j += 1
      }
      i += 1
    }
    return false
  }

  /// Whether an ascending range of words has a word.
  func isSorted(_ range: Range<Int>, holding word: UInt64) -> Bool {
    var low = range.lowerBound
    var high = range.upperBound
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < word { low = middle + 1 } else { high = middle }
    }
    return low < range.upperBound && self[low] == word
  }
}
