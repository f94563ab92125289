import ObjectModel
import Threading

/// Normalised forms of tags seen before, so that neither a heartbeat nor a query
/// normalises Hangul again.
final class TagCache: Sendable {
  private let forms = StateLock<[String: String]>([:])
  /// Then it begins anew: a bound on what callers can make us keep.
  private static let capacity = 4096

  /// Forms kept now.
  var count: Int { forms.withLock { $0.count } }

  /// `nil` for what is not a valid tag.
  func normalized(_ bytes: UnsafeRawBufferPointer, maximumBytes: Int) -> String? {
    guard (1...maximumBytes).contains(bytes.count) else { return nil }
    if bytes.allSatisfy(Self.isPlain) { return String(decoding: bytes, as: UTF8.self) }
    guard let raw = String(validating: bytes, as: UTF8.self) else { return nil }
    if let known = forms.withLock({ $0[raw] }) { return known }
    let form = TagNormalization.normalize(raw)
    guard (1...maximumBytes).contains(form.utf8.count) else { return nil }
    forms.withLock { forms in
      if forms.count >= Self.capacity { forms.removeAll(keepingCapacity: true) }
      // Canonically equal strings are equal keys, and have one form.
      forms[raw] = form
    }
    return form
  }

  /// Lower-case ASCII letters, digits, - and _ are their own normal form.
  private static func isPlain(_ byte: UInt8) -> Bool {
    (97...122).contains(byte) || (48...57).contains(byte) || byte == 45 || byte == 95
  }
}
