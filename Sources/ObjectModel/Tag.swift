// `_nfc` is the standard library's own normaliser; without Foundation there is no other.
@_spi(_Unicode) import Swift

/// The form in which tags are stored and compared.
///
/// Unicode NFC, white space trimmed, inner white space to one space, a leading `#` dropped,
/// Unicode lower case, so that decomposed and composed Hangul, `#Swift` and `swift ` are one tag.
public enum TagNormalization {
  /// The normalised tag; empty when nothing is left.
  public static func normalize(_ tag: String) -> String {
    if let fast = normalizedASCII(tag) { return fast }
    var folded = nfc(nfc(tag).lowercased())
    folded = collapseSpace(folded)
    if folded.hasPrefix("#") { folded = collapseSpace(String(folded.dropFirst())) }
    return folded
  }

  /// Most tags are lower-case letters and digits already; they are returned as they are.
  private static func normalizedASCII(_ tag: String) -> String? {
    for byte in tag.utf8 {
      let plain = (97...122).contains(byte) || (48...57).contains(byte) || byte == 45 || byte == 95
      if !plain { return nil }
    }
    return tag
  }

  private static func nfc(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text._nfc { scalars.append(scalar) }
    return String(scalars)
  }

  private static func collapseSpace(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    var pendingSpace = false
    for scalar in text.unicodeScalars {
      if scalar.properties.isWhitespace {
        pendingSpace = !out.isEmpty
      } else {
        if pendingSpace { out.append(" ") }
        pendingSpace = false
        out.append(scalar)
      }
    }
    return String(out)
  }
}
