import MoyeoServer

/// Why a body is no form.
package enum FormError: Error, Hashable, Sendable {
  /// A broken escape, bytes that are not UTF-8, or the character NUL, which no text holds.
  case badEncoding
  /// More pairs than ``FormBody/maximumPairs``.
  case tooManyPairs
  /// A value without a name.
  case namelessValue
}

/// The fields of an `application/x-www-form-urlencoded` text, as Alamofire's encoder writes it: a
/// list repeats its key, bare (`.noBrackets`), with brackets or with an index in them; one element is
/// a scalar, and a call without parameters may carry `=` alone.
package struct FormBody: Hashable, Sendable {
  /// The most pairs of one body; the longest call of these apps has some twenty.
  package static let maximumPairs = 256

  /// Values by name in the order sent, names without their brackets.
  private var values: [String: [String]] = [:]

  /// Reads a form.
  ///
  /// - Parameter bytes: The body, or a query.
  /// - Throws: ``FormError``; nothing is guessed.
  package init(_ bytes: some Collection<UInt8>) throws(FormError) {
    var pairs = 0
    for part in Array(bytes).split(separator: UInt8(ascii: "&")) {
      pairs += 1
      guard pairs <= Self.maximumPairs else { throw .tooManyPairs }
      let halves = part.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentCoding.decode(halves[0], plusIsSpace: true),
        let value = PercentCoding.decode(halves.count > 1 ? halves[1] : [], plusIsSpace: true),
        !name.utf8.contains(0), !value.utf8.contains(0)
      else { throw .badEncoding }
      guard !name.isEmpty else {
        if value.isEmpty { continue }
        throw .namelessValue
      }
      values[Self.withoutBrackets(name), default: []].append(value)
    }
  }

  /// The values of a list; empty where none was sent.
  package func list(_ name: String) -> [String] { values[name] ?? [] }

  /// The one value of a field; nil where there is none, or several.
  package func scalar(_ name: String) -> String? {
    guard let found = values[name], found.count == 1 else { return nil }
    return found[0]
  }

  /// Whether a field was sent, whatever its value.
  package func contains(_ name: String) -> Bool { values[name] != nil }

  /// A finite decimal number; nil for anything else.
  package func number(_ name: String) -> Double? { scalar(name).flatMap(Self.number) }

  /// A finite decimal number; not the hexadecimal ones and the words that Swift reads too.
  package static func number(_ text: some StringProtocol) -> Double? {
    guard !text.isEmpty, text.utf8.count <= 64,
      text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }),
      let number = Double(text), number.isFinite
    else { return nil }
    return number
  }

  /// `studylist[]` and `studylist[3]` are `studylist`.
  private static func withoutBrackets(_ name: String) -> String {
    guard name.last == "]", let open = name.lastIndex(of: "["), open > name.startIndex,
      name[name.index(after: open)...].dropLast().allSatisfy({ ("0"..."9").contains($0) })
    else { return name }
    return String(name[..<open])
  }
}
