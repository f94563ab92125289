import ObjectModel
import Testing

@Suite struct TagNormalizationTests {
  @Test(arguments: [
    ("swift", "swift"), ("Swift", "swift"), ("#Swift", "swift"), (" swift ", "swift"),
    ("#  swift", "swift"), ("  # Swift  UI\t", "swift ui"), ("스위프트", "스위프트"),
    ("\u{1109}\u{1173}\u{110B}\u{1171}\u{1111}\u{1173}\u{1110}\u{1173}", "스위프트"),
    ("cafe\u{301}", "caf\u{E9}"), ("CAFE\u{301}", "caf\u{E9}"), ("a\u{3000}b", "a b"),
    ("a\u{A0}\n b", "a b"), ("\u{212B}ngstrom", "\u{E5}ngstrom"), ("\u{212A}elvin", "kelvin"),
    ("ΑΘΗΝΑ", "αθηνα"), ("ÄPFEL", "äpfel"), ("STRASSE", "strasse"), ("Straße", "straße"),
    ("\u{1E9E}", "ß"), ("İstanbul", "i\u{307}stanbul"), ("I", "i"), ("ı", "ı"),
    ("C#", "c#"), ("c++", "c++"), ("##a", "a"), ("# #  a", "a"), ("ΟΔΟΣ", "οδοσ"), ("οδος", "οδοσ"),
    ("ΟΔΟΣ ΟΔΟΣ", "οδοσ οδοσ"), ("#️⃣", "#️⃣"), ("a#b", "a#b"), ("snake_case-9", "snake_case-9"),
    ("👩‍👩‍👧", "👩‍👩‍👧"), ("#👨🏽‍💻", "👨🏽‍💻"), ("Привет", "привет"), ("ﬁ", "ﬁ"), ("１２", "１２"),
  ])
  func normalForm(given: String, normal: String) {
    let found = TagNormalization.normalize(given)
    // Scalar by scalar: `==` on strings would hide a difference of composition.
    #expect(Array(found.unicodeScalars) == Array(normal.unicodeScalars), "\(found)")
  }

  @Test(arguments: ["", " ", "#", " # ", "##", "# # #", "\t\n\u{3000}", "# \u{A0}"])
  func nothingIsLeft(tag: String) {
    #expect(TagNormalization.normalize(tag).isEmpty)
  }

  @Test func normalFormsStayAsTheyAre() {
    var state: UInt64 = 99
    let pieces = [
      "A", "e", "\u{301}", "ㄱ", "\u{1100}", "\u{1161}", "\u{11A8}", " ", "\u{3000}", "é", "Σ",
      "İ", "👍", "\u{200D}", "ß", "\u{307}", "\u{327}", "가", "z", "#", "##", "ς", "\u{FE0F}",
      "\u{20E3}",
      "\t",
    ]
    for _ in 0..<3_000 {
      var text = ""
      for _ in 0..<8 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text += pieces[Int(state >> 33) % pieces.count]
      }
      let once = TagNormalization.normalize(text)
      let twice = TagNormalization.normalize(once)
      #expect(Array(once.unicodeScalars) == Array(twice.unicodeScalars), "\(text.debugDescription)")
      #expect(!once.hasPrefix(" ") && !once.hasSuffix(" ") && !once.contains("  "))
    }
  }

  @Test func longTagsTakeLinearTime() {
    let long = String(repeating: "가 ", count: 10_000)
    #expect(TagNormalization.normalize(long).unicodeScalars.count == 19_999)
    let zalgo = "a" + String(repeating: "\u{301}\u{323}", count: 2_000)
    #expect(!TagNormalization.normalize(zalgo).isEmpty)
  }
}
