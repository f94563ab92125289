/// The form in which tags are stored and compared.
///
/// Unicode NFC, white space trimmed, inner white space to one space, leading `#` dropped, Unicode
/// lower case with final sigma as sigma, so that decomposed and composed Hangul, `#Swift` and
/// `swift `, `ΟΔΟΣ` and `οδος` are one tag each.
///
/// Normalising a normal form changes nothing, so it does not matter how often it is done.
public enum TagNormalization {
  /// The normalised tag; empty when nothing is left.
  public static func normalize(_ tag: String) -> String {
    if let fast = normalizedASCII(tag) { return fast }
    return withoutMarks(
      CanonicalText.normalize(CanonicalText.normalize(tag).lowercased()))
  }

  /// Drops leading number signs and white space, folds final sigma, and makes one space of inner
  /// white space.
  ///
  /// A number sign that carries a combining mark is no mark of a tag: without it the combining mark
  /// would stand alone or join what comes before, and the form would not be normal.
  private static func withoutMarks(_ text: String) -> String {
    var scalars = text.unicodeScalars[...]
    while let first = scalars.first {
      if first.properties.isWhitespace {
        scalars = scalars.dropFirst()
      } else if first == "#", !isCombining(scalars.dropFirst().first) {
        scalars = scalars.dropFirst()
      } else {
        break
      }
    }
    return collapseSpace(scalars)
  }

  private static func isCombining(_ scalar: Unicode.Scalar?) -> Bool {
    guard let scalar else { return false }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return true
    default: return scalar == "\u{200D}"
    }
  }

  /// Most tags are lower-case letters and digits already; they are returned as they are.
  private static func normalizedASCII(_ tag: String) -> String? {
    for byte in tag.utf8 {
      let plain = (97...122).contains(byte) || (48...57).contains(byte) || byte == 45 || byte == 95
      if !plain { return nil }
    }
    return tag
  }

  private static func collapseSpace(_ scalars: Substring.UnicodeScalarView) -> String {
    var out = String.UnicodeScalarView()
    var pendingSpace = false
    for scalar in scalars {
      if scalar.properties.isWhitespace {
        pendingSpace = !out.isEmpty
      } else {
        if pendingSpace { out.append(" ") }
        pendingSpace = false
        // Lower case of a capital sigma depends on its place; words are compared without it.
        out.append(scalar == "ς" ? "σ" : scalar)
      }
    }
    return String(out)
  }
}
