/// Columns that text takes in a terminal (Unicode TR 11: wide and fullwidth characters take two).
enum DisplayWidth {
  static func of(_ text: String) -> Int {
    text.reduce(0) { $0 + of($1) }
  }

  /// Of a whole character: its widest scalar, so that decomposed Hangul, combining marks and joined
  /// emoji count once.
  static func of(_ character: Character) -> Int {
    var width = 0
    var regionalIndicators = 0
    for scalar in character.unicodeScalars {
      if (0x1F1E6...0x1F1FF).contains(scalar.value) { regionalIndicators += 1 }
      // An emoji presentation selector makes what stands before it wide.
      width = max(width, scalar.value == 0xFE0F ? 2 : of(scalar))
    }
    return regionalIndicators > 1 ? 2 : width
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    switch scalar.value {
    // Vowels and finals of decomposed Hangul stand in their initial's block.
    case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
      0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
