package import WireFormat

/// Turns a JSON object of plain fields into the bytes of its message, without the generated types: what
/// most searches send is so plain, and takes a tenth of the time.
///
/// Plain are numbers without an exponent, `true` and `false`, strings without escapes, lists of strings,
/// and messages of moyeo.v1 with plain fields, such as a polygon's corners, and lists of those. A text with
/// anything else in it, and any that is wrong, is left to the decoder, which knows all of protobuf's JSON and
/// says what is wrong.
package struct PlainJSON {
  private let bytes: UnsafeRawBufferPointer
  private var at = 0
  /// Deeper messages are not plain; no request has deeper ones.
  private static let maximumDepth = 8

  /// Appends the fields of an object.
  ///
  /// - Parameters:
  ///   - json: A JSON text.
  ///   - schema: Of the message.
  ///   - seen: A bit for each field's number that stands elsewhere, and may not stand here. Those that
  ///     stand here are added.
  ///   - writer: What it has appended when the answer is no, is of no use.
  /// - Returns: Whether the text was plain.
  package static func append(
    _ json: UnsafeRawBufferPointer, of schema: MessageSchema, seen: inout UInt64,
    to writer: inout ProtobufWriter
  ) -> Bool {
    var reader = PlainJSON(bytes: json)
    return reader.object(schema, &seen, depth: 0, &writer) && reader.isAtEnd
  }

  private init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  private var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return at == bytes.count
    }
  }

  private mutating func object(
    _ schema: MessageSchema, _ seen: inout UInt64, depth: Int, _ writer: inout ProtobufWriter
  ) -> Bool {
    guard take(UInt8(ascii: "{")) else { return false }
    if take(UInt8(ascii: "}")) { return true }
    repeat {
      guard let name = string(), let field = schema.field(named: name), field.number < 64,
        take(UInt8(ascii: ":"))
      else { return false }
      let bit: UInt64 = 1 << UInt64(field.number)
      guard seen & bit == 0 else { return false }
      seen |= bit
      let content: MessageSchema?
      switch field.kind {
      case .message(let name):
        // Messages that are not of moyeo.v1, such as times, are written in a way of their own.
        guard depth < Self.maximumDepth, let found = MessageSchema.all[name] else { return false }
        content = found
      default: content = nil
      }
      guard
        field.isRepeated
          ? list(of: field, content, depth: depth, &writer)
          : value(of: field, content, depth: depth, &writer)
      else { return false }
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "}"))
  }

  /// `content` is the schema of a field that is a message.
  private mutating func list(
    of field: MessageSchema.Field, _ content: MessageSchema?, depth: Int,
    _ writer: inout ProtobufWriter
  ) -> Bool {
    switch field.kind {
    case .string, .message: break
    default: return false
    }
    guard take(UInt8(ascii: "[")) else { return false }
    if take(UInt8(ascii: "]")) { return true }
    repeat {
      guard value(of: field, content, depth: depth, &writer) else { return false }
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "]"))
  }

  private mutating func value(
    of field: MessageSchema.Field, _ content: MessageSchema?, depth: Int,
    _ writer: inout ProtobufWriter
  ) -> Bool {
    switch field.kind {
    case .message:
      guard let content else { return false }
      var (isPlain, seen) = (false, UInt64(0))
      writer.message(field.number) { isPlain = object(content, &seen, depth: depth + 1, &$0) }
      return isPlain
    case .string:
      guard let text = string() else { return false }
      writer.bytes(field.number, text)
    case .double:
      guard let number = number() else { return false }
      writer.double(field.number, number.value)
    case .uint32:
      guard let whole = number()?.whole, 0...Int64(UInt32.max) ~= whole else { return false }
      writer.varint(field.number, UInt64(whole))
    case .int32:
      guard let whole = number()?.whole, let value = Int32(exactly: whole) else { return false }
      writer.int64(field.number, Int64(value))
    case .bool:
      if take(word: "true") {
        writer.bool(field.number, true)
      } else {
        guard take(word: "false") else { return false }
        writer.bool(field.number, false)
      }
    default: return false
    }
    return true
  }

  // MARK: - Words of the text

  private mutating func skipSpace() {
    while at < bytes.count {
      switch bytes[at] {
      case 0x20, 0x0A, 0x0D, 0x09: at += 1
      default: return
      }
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipSpace()
    guard at < bytes.count, bytes[at] == byte else { return false }
    at += 1
    return true
  }

  private mutating func take(word: StaticString) -> Bool {
    skipSpace()
    let count = word.utf8CodeUnitCount
    guard bytes.count - at >= count,
      UnsafeRawBufferPointer(rebasing: bytes[at..<at + count]).elementsEqual(
        UnsafeRawBufferPointer(start: word.utf8Start, count: count))
    else { return false }
    at += count
    return true
  }

  /// The bytes of a string, valid UTF-8.
  private mutating func string() -> UnsafeRawBufferPointer? {
    guard take(UInt8(ascii: "\"")) else { return nil }
    let start = at
    var isASCII = true
    while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
      guard bytes[at] >= 0x20, bytes[at] != UInt8(ascii: "\\") else { return nil }
      isASCII = isASCII && bytes[at] < 0x80
      at += 1
    }
    guard at < bytes.count else { return nil }
    let text = UnsafeRawBufferPointer(rebasing: bytes[start..<at])
    at += 1
    guard isASCII || String(validating: text, as: UTF8.self) != nil else { return nil }
    return text
  }

  /// A number; `whole` where it is written without a point.
  private mutating func number() -> (value: Double, whole: Int64?)? {
    skipSpace()
    let start = at
    let isNegative = at < bytes.count && bytes[at] == UInt8(ascii: "-")
    if isNegative { at += 1 }
    let first = at
    // 18 digits fit.
    var digits: Int64 = 0
    while let digit = digit(), at - first < 18 {
      digits = digits * 10 + digit
      at += 1
    }
    let wholeCount = at - first
    guard wholeCount > 0, wholeCount == 1 || bytes[first] != UInt8(ascii: "0") else { return nil }
    var fractionCount = 0
    if at < bytes.count, bytes[at] == UInt8(ascii: ".") {
      at += 1
      while let digit = digit(), wholeCount + fractionCount < 18 {
        digits = digits * 10 + digit
        at += 1
        fractionCount += 1
      }
      guard fractionCount > 0 else { return nil }
    }
    // More digits, and exponents.
    if at < bytes.count, digit() != nil || bytes[at] | 0x20 == UInt8(ascii: "e") { return nil }
    if fractionCount == 0 {
      let value = Double(digits)
      return (isNegative ? -value : value, isNegative ? -digits : digits)
    }
    // Both are exact below 2^53 and 10^22, so that their quotient is rounded once, as it should be.
    if digits < 1 << 53 {
      let value = Double(digits) / Self.powersOfTen[fractionCount]
      return (isNegative ? -value : value, nil)
    }
    guard let value = Double(String(decoding: bytes[start..<at], as: UTF8.self)) else { return nil }
    return (value, nil)
  }

  private func digit() -> Int64? {
    guard at < bytes.count, 48...57 ~= bytes[at] else { return nil }
    return Int64(bytes[at] - 48)
  }

  private static let powersOfTen: [Double] = (0..<19).map { exponent in
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }
}
