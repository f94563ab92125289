/// Cuts the elements of a FeatureCollection's `features` out of a file, piece by piece, so that a
/// large file is never in memory as a whole and each feature knows its line.
///
/// Works on bytes: brackets outside strings are counted, nothing else is understood. What stands
/// around the features is kept in ``frame`` for whoever checks it.
/// ```
/// {"type": "FeatureCollection", "features": [ {...}, {...} ], "bbox": [...]}
///  frame ------------------------------------  elements   frame ------------
/// ```
struct FeatureScanner {
  struct Element: Hashable {
    /// Line of its first byte, from 1.
    var line: Int
    var bytes: [UInt8]
  }

  static let maximumElementBytes = 64 << 20
  private static let key = Array("features".utf8)

  private enum State { case outside, between, inside }

  private(set) var source: ByteSource
  /// The document without its features.
  private(set) var frame: [UInt8] = []
  /// Whether a `features` list was met.
  private(set) var sawFeatures = false
  private(set) var line = 1

  private var chunk: [UInt8] = []
  private var position = 0
  private var state = State.outside
  private var depth = 0
  private var isString = false
  private var isEscaped = false
  private var element = Element(line: 1, bytes: [])
  /// The last string at depth 1, and whether a colon followed it.
  private var lastString: [UInt8] = []
  private var isKey = false

  /// Bytes behind the last element handed out.
  var bytesConsumed: Int { source.bytesRead - (chunk.count - position) }

  init(_ source: ByteSource) { self.source = source }

  /// The next element; `nil` at the end of the file.
  /// - Throws: ``ImportFileError`` when the file ends inside a feature.
  mutating func next() throws -> Element? {
    while true {
      if position >= chunk.count {
        let before = source.bytesRead
        chunk = try source.next()
        position = 0
        if chunk.isEmpty {
          guard source.bytesRead == before else { continue }
          return try finish()
        }
      }
      let byte = chunk[position]
      switch state {
      case .outside: try scanOutside(byte)
      case .between: scanBetween(byte)
      case .inside:
        if depth == 0, !isString,
          byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]")
        {
          // The comma or bracket is read again, between features.
          state = .between
          return element
        }
        try scanInside(byte)
      }
      position += 1
      if byte == UInt8(ascii: "\n") { line += 1 }
    }
  }

  private mutating func finish() throws -> Element? {
    switch state {
    case .outside: return nil
    case .between: throw ImportFileError.format(line: line, "the file ends inside its features")
    case .inside:
      throw ImportFileError.format(
        line: element.line, "the file ends inside the feature that begins here")
    }
  }

  private mutating func scanOutside(_ byte: UInt8) throws {
    frame.append(byte)
    guard frame.count <= Self.maximumElementBytes else {
      throw ImportFileError.format(line: line, "no features in \(frame.count) bytes")
    }
    if isString {
      if depth == 1, !(byte == UInt8(ascii: "\"") && !isEscaped) { lastString.append(byte) }
      endString(byte)
      return
    }
    switch byte {
    case UInt8(ascii: "\""):
      isString = true
      if depth == 1 {
        lastString = []
        isKey = false
      }
    case UInt8(ascii: ":"): if depth == 1 { isKey = true }
    case UInt8(ascii: "["):
      if depth == 1, isKey, lastString == Self.key, frame.firstObjectByte == UInt8(ascii: "{") {
        state = .between
        sawFeatures = true
        depth = 0
      } else {
        depth += 1
      }
    case UInt8(ascii: "{"): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
    case UInt8(ascii: ","): if depth == 1 { isKey = false }
    default: break
    }
  }

  private mutating func scanBetween(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"),
      UInt8(ascii: ","):
      break
    case UInt8(ascii: "]"):
      frame.append(byte)
      state = .outside
      depth = 1
      isKey = false
    default:
      state = .inside
      depth = 0
      element = Element(line: line, bytes: [])
      isString = false
      beginInside(byte)
    }
  }

  private mutating func beginInside(_ byte: UInt8) {
    element.bytes.append(byte)
    switch byte {
    case UInt8(ascii: "\""): isString = true
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
    default: break
    }
  }

  private mutating func scanInside(_ byte: UInt8) throws {
    guard element.bytes.count < Self.maximumElementBytes else {
      throw ImportFileError.format(line: element.line, "a feature of more than 64 MiB")
    }
    if isString {
      element.bytes.append(byte)
      endString(byte)
    } else {
      beginInside(byte)
    }
  }

  private mutating func endString(_ byte: UInt8) {
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isString = false
    }
  }
}

extension [UInt8] {
  /// The first byte that is not white space.
  fileprivate var firstObjectByte: UInt8? {
    first { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }
  }
}
