/// A pattern of SCAN and ZSCAN: `*`, `?`, `[abc]`, `[^a-c]` and `\` before a byte that stands for
/// itself. fnmatch(3) has other brackets, and takes `.` and `/` for more than bytes.
struct GlobPattern: Sendable {
  private let pattern: [UInt8]

  init(_ pattern: [UInt8]) { self.pattern = pattern }

  /// Returns whether all of a text matches.
  ///
  /// - Complexity: O(pattern x text): after a mismatch only the last star is tried again.
  func matches(_ text: some Collection<UInt8>) -> Bool {
    let text = Array(text)
    var (p, t) = (0, 0)
    var star: (pattern: Int, text: Int)?
    while t < text.count {
      if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
        star = (p + 1, t)
        p += 1
      } else if let next = element(at: p, matches: text[t]) {
        p = next
        t += 1
      } else if let last = star {
        star = (last.pattern, last.text + 1)
        (p, t) = (last.pattern, last.text + 1)
      } else {
        return false
      }
    }
    while p < pattern.count, pattern[p] == UInt8(ascii: "*") { p += 1 }
    return p == pattern.count
  }

  /// Returns where the pattern goes on when its element matches a byte; `nil` when it does not.
  private func element(at start: Int, matches byte: UInt8) -> Int? {
    guard start < pattern.count else { return nil }
    switch pattern[start] {
    case UInt8(ascii: "?"): return start + 1
    case UInt8(ascii: "["): return set(from: start + 1, matches: byte)
    case UInt8(ascii: "\\") where start + 1 < pattern.count:
      return pattern[start + 1] == byte ? start + 2 : nil
    case let literal: return literal == byte ? start + 1 : nil
    }
  }

  /// Reads a set up to its bracket, or to the pattern's end.
  private func set(from start: Int, matches byte: UInt8) -> Int? {
    var i = start
    let isNegated = i < pattern.count && pattern[i] == UInt8(ascii: "^")
    if isNegated { i += 1 }
    var isIn = false
    while i < pattern.count, pattern[i] != UInt8(ascii: "]") {
      if pattern[i] == UInt8(ascii: "\\"), i + 1 < pattern.count {
        isIn = isIn || pattern[i + 1] == byte
        i += 2
      } else if i + 2 < pattern.count, pattern[i + 1] == UInt8(ascii: "-") {
        let (low, high) = (min(pattern[i], pattern[i + 2]), max(pattern[i], pattern[i + 2]))
        isIn = isIn || (low...high).contains(byte)
        i += 3
      } else {
        isIn = isIn || pattern[i] == byte
        i += 1
      }
    }
    return isIn != isNegated ? min(i + 1, pattern.count) : nil
  }
}
