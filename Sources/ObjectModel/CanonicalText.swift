// `_nfc` is the standard library's own normaliser; without Foundation there is no other.
@_spi(_Unicode) import Swift

/// The one spelling in which attribute names and string values are stored and compared: Unicode
/// NFC, so that `é` is one name whether it is sent composed or as `e` with an accent.
///
/// Unlike tags (``TagNormalization``) they keep case, spaces and number signs.
public enum CanonicalText {
  /// The text in NFC; normalising a normal form changes nothing.
  public static func normalize(_ text: String) -> String {
    if text.unicodeScalars.allSatisfy(isPlain) { return text }
    var scalars = String.UnicodeScalarView()
    for scalar in text._nfc { scalars.append(scalar) }
    return String(scalars)
  }

  /// Whether the text is spelled in NFC already.
  ///
  /// Swift's `==` cannot tell: it calls every spelling of one text equal.
  /// - Complexity: O(length), without allocation for ASCII, Latin, Hangul syllables and CJK.
  public static func isNormalized(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy(isPlain) || text.utf8.elementsEqual(normalize(text).utf8)
  }

  /// Scalars that neither change in NFC nor join what stands beside them: all below the combining
  /// marks, syllables of Hangul and ideographs.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x300, 0x4E00...0x9FFF, 0xAC00...0xD7A3: true
    default: false
    }
  }
}
