/// What a search asks of one person beyond their row, as words in a row.
///
/// ```
/// counts of interests, attributes | of blocked, wishes | bytes of id
/// | interests … | attributes … | blocked, ascending … | id, big-endian … | wish: count, words … | …
/// ```
/// Everything about somebody lies together, and nothing in it is counted by reference.
struct PersonWords {
  static let headerCount = 3

  var interests: [UInt64]
  var attributes: [UInt64]
  var blocked: [UInt64]
  /// Any of each list.
  var wishes: [[UInt64]]
  var userID: String

  func encoded() -> [UInt64] {
    let id = Array(userID.utf8)
    var words = [
      UInt64(interests.count) << 32 | UInt64(attributes.count),
      UInt64(blocked.count) << 32 | UInt64(wishes.count), UInt64(id.count),
    ]
    words += interests
    words += attributes
    words += blocked.sorted()
    for start in stride(from: 0, to: id.count, by: 8) {
      var word: UInt64 = 0
      for i in start..<start + 8 { word = word << 8 | (i < id.count ? UInt64(id[i]) : 0) }
      words.append(word)
    }
    for wish in wishes {
      words.append(UInt64(wish.count))
      words += wish
    }
    return words
  }

  /// The parts of a person's words, by where these begin.
  struct Reader {
    let words: WordView
    let start: Int

    @inline(__always)
    init(_ words: WordView, _ start: Int) {
      self.words = words
      self.start = start
    }

    @inline(__always) private var counts: UInt64 { words[start] }
    @inline(__always) private var furtherCounts: UInt64 { words[start + 1] }

    @inline(__always) var interests: Range<Int> {
      let first = start + headerCount
      return first..<first + Int(counts >> 32)
    }

    @inline(__always) var attributes: Range<Int> {
      let first = interests.upperBound
      return first..<first + Int(counts & 0xFFFF_FFFF)
    }

    @inline(__always) var blocked: Range<Int> {
      let first = attributes.upperBound
      return first..<first + Int(furtherCounts >> 32)
    }

    var id: Range<Int> {
      let first = blocked.upperBound
      return first..<first + Int((words[start + 2] + 7) / 8)
    }

    /// Whether each wish has a word among some of another view.
    @inline(__always)
    func isEachWish(metBy range: Range<Int>, of other: WordView) -> Bool {
      var first = id.upperBound
      for _ in 0..<Int(furtherCounts & 0xFFFF_FFFF) {
        let end = first + 1 + Int(words[first])
        guard words.hasAny(in: first + 1..<end, of: range, other) else { return false }
        first = end
      }
      return true
    }

    /// Whether the id's UTF-8 comes before that of another person.
    func precedes(_ other: Reader) -> Bool {
      let own = id
      let theirs = other.id
      var i = 0
      while i < own.count, i < theirs.count {
        let left = words[own.lowerBound + i]
        let right = other.words[theirs.lowerBound + i]
        if left != right { return left < right }
        i += 1
      }
      return words[start + 2] < other.words[other.start + 2]
    }
  }
}
