/// Finds an object of a JSON text that carries one name twice: a decoder keeps one of the two values
/// and loses the other, and which one is nobody's promise (RFC 8259, section 4).
package enum JSONRepeatedName {
  /// Names of one object that are compared with one another; of more, a set is made.
  private static let fewNames = 16

  /// The first name that its object had before.
  ///
  /// - Parameter json: A JSON text; one that is none is looked through as far as it reads like one.
  /// - Returns: The name as it is written, escapes included; nil where no object has one twice.
  /// - Complexity: O(bytes), with O(depth + names of the open objects) of memory.
  package static func first(in json: UnsafeRawBufferPointer) -> String? {
    var scan = Scan(bytes: json)
    return scan.firstRepeated()
  }

  private struct Names {
    var ranges: [Range<Int>] = []
    var set: Set<String> = []
  }

  private struct Scan {
    let bytes: UnsafeRawBufferPointer
    /// Of the open objects and lists, the innermost last; nil for a list.
    private var open: [Names?] = []

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func firstRepeated() -> String? {
      var at = 0
      var mayBeName = false
      while at < bytes.count {
        let byte = bytes[at]
        at += 1
        switch byte {
        case UInt8(ascii: "{"):
          open.append(Names())
          mayBeName = true
        case UInt8(ascii: "["):
          open.append(nil)
          mayBeName = false
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          if !open.isEmpty { open.removeLast() }
          mayBeName = false
        case UInt8(ascii: ","): mayBeName = true
        case UInt8(ascii: "\""):
          let start = at
          while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
            at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
          }
          guard at < bytes.count else { return nil }
          if mayBeName, !open.isEmpty, note(start..<at) {
            return String(decoding: bytes[start..<at], as: UTF8.self)
          }
          mayBeName = false
          at += 1
        default: break
        }
      }
      return nil
    }

    /// Notes a name of the innermost object. - Returns: Whether it has it already.
    private mutating func note(_ name: Range<Int>) -> Bool {
      let last = open.count - 1
      guard var names = open[last] else { return false }
      open[last] = Names()
      defer { open[last] = names }
      guard names.ranges.count >= JSONRepeatedName.fewNames else {
        if names.ranges.contains(where: { isEqual($0, name) }) { return true }
        names.ranges.append(name)
        return false
      }
      if names.set.isEmpty { names.set = Set(names.ranges.map(text)) }
      return !names.set.insert(text(name)).inserted
    }

    private func isEqual(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
      a.count == b.count && bytes[a].elementsEqual(bytes[b])
    }

    private func text(_ range: Range<Int>) -> String {
      String(decoding: bytes[range], as: UTF8.self)
    }
  }
}
