import ObjectModel
import Testing

@testable import Places

@Suite struct FoldedTextTests {
  private func letters(_ text: String) -> String {
    String(decoding: FoldedText(text).letters, as: UTF16.self)
  }

  private func initials(_ text: String) -> String {
    String(decoding: FoldedText(text).initials, as: UTF16.self)
  }

  @Test(arguments: [
    ("서울역", "ㅅㅓㅇㅜㄹㅇㅕㄱ", "ㅅㅇㅇ"), ("닭갈비", "ㄷㅏㄹㄱㄱㅏㄹㅂㅣ", "ㄷㄱㅂ"),
    ("과천", "ㄱㅗㅏㅊㅓㄴ", "ㄱㅊ"), ("꾀꼬리", "ㄲㅗㅣㄲㅗㄹㅣ", "ㄲㄲㄹ"), ("값없는", "ㄱㅏㅂㅅㅇㅓㅂㅅㄴㅡㄴ", "ㄱㅇㄴ"),
    ("GS25 역삼점", "gs25ㅇㅕㄱㅅㅏㅁㅈㅓㅁ", "gs25ㅇㅅㅈ"), ("Café  de l'Été", "cafedelete", "cafedelete"),
    ("ㅅㅇ역", "ㅅㅇㅇㅕㄱ", "ㅅㅇㅇ"), ("ㄳㅏ", "ㄱㅅㅏ", "ㄱㅅㅏ"), ("", "", ""), ("·()-", "", ""),
    ("ＡＢ１", "ab1", "ab1"),
  ])
  func lettersAreThoseThatAreTyped(_ text: String, _ expected: String, _ expectedInitials: String) {
    #expect(letters(text) == expected)
    #expect(initials(text) == expectedInitials)
  }

  /// Every syllable there is, composed and decomposed.
  @Test func compositionCaseAndSpacesDoNotCount() {
    var differences = 0
    for value in UInt32(0xAC00)...0xD7A3 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let composed = String(scalar)
      let decomposed = CanonicalText.decompose(composed)
      #expect(decomposed.unicodeScalars.count >= 2)
      let folded = FoldedText(composed)
      if folded != FoldedText(decomposed) || folded.characterStarts != [0] || folded.isInitials {
        differences += 1
      }
    }
    #expect(differences == 0)
    #expect(FoldedText("서울 역").letters == FoldedText(" 서 울역 ").letters)
    #expect(FoldedText("SEOUL").letters == FoldedText("seoul").letters)
  }

  @Test func halfATypedSyllableBeginsTheWord() {
    let seoul = FoldedText("서울역").letters
    for typed in ["ㅅ", "서", "성", "서우", "서울", "서울ㅇ", "서울여"] {
      #expect(seoul.starts(with: FoldedText(typed).letters), "\(typed)")
    }
    #expect(!seoul.starts(with: FoldedText("서을").letters))
  }

  @Test func wordsAndCharactersKnowWhereTheyBegin() {
    let text = FoldedText("Seoul 서울역 (1호선)")
    #expect(text.wordStarts == [0, 5, 13])
    #expect(text.initialWordStarts == [0, 5, 8])
    #expect(text.characterStarts == [0, 1, 2, 3, 4, 5, 7, 10, 13, 14, 16])
    #expect(Array(text.word(1)) == units("ㅅㅓㅇㅜㄹㅇㅕㄱ"))
    #expect(Array(text.character(6)) == units("ㅇㅜㄹ"))
  }

  @Test func initialsAreToldFromSyllables() {
    #expect(FoldedText("ㅅㅇㅇ").isInitials)
    #expect(FoldedText("gs ㅇㅅㅈ").isInitials)
    #expect(!FoldedText("서ㅇ").isInitials)
    #expect(!FoldedText("ㅅㅏ").isInitials)
    #expect(!FoldedText("gs25").isInitials)
  }

  @Test func longTextsAreCutOff() {
    let long = FoldedText(String(repeating: "가", count: 10_000))
    #expect((96...100).contains(long.letters.count))
    let words = FoldedText(String(repeating: "가 나 ", count: 500))
    #expect(words.wordStarts.count == FoldedText.maximumWords)
    #expect(words.initials.count == words.characterStarts.count)
    #expect(words.letters.count == 2 * FoldedText.maximumWords)
    #expect(FoldedText(String(repeating: " ", count: 9000) + "가").isEmpty)
  }
}
