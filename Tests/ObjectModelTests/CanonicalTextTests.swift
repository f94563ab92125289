import ObjectModel
import Testing

/// Attribute names and string values have one spelling.
@Suite struct CanonicalTextTests {
  @Test(arguments: [
    ("", ""), ("seats_free", "seats_free"), ("\u{E9}", "\u{E9}"), ("e\u{301}", "\u{E9}"),
    ("\u{1112}\u{1161}\u{11AB}", "한"), ("\u{AC00}\u{11A8}", "각"), ("\u{212B}", "\u{C5}"),
    // Order of combining marks, and one that no letter takes up.
    ("q\u{307}\u{323}", "q\u{323}\u{307}"), ("Case Kept #", "Case Kept #"),
  ])
  func namesHaveOneSpelling(_ sent: String, _ wanted: String) {
    let normal = CanonicalText.normalize(sent)
    #expect(Array(normal.utf8) == Array(wanted.utf8))
    #expect(Array(CanonicalText.normalize(normal).utf8) == Array(normal.utf8))
    #expect(CanonicalText.isNormalized(wanted))
    #expect(CanonicalText.isNormalized(sent) == (Array(sent.utf8) == Array(wanted.utf8)))
  }
}
