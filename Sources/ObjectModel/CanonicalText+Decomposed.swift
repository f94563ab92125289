// `_nfd` is the standard library's own normaliser; without Foundation there is no other.
@_spi(_Unicode) import Swift

extension CanonicalText {
  /// The text in NFD: syllables of Hangul as their letters, letters with marks as letter and mark.
  public static func decompose(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    var scalars = String.UnicodeScalarView()
    for scalar in text._nfd { scalars.append(scalar) }
    return String(scalars)
  }
}
