import ObjectModel
import TestSupport
import Testing

@testable import Places

@Suite struct OneEditTests {
  /// All that one typing error makes of a text, the text itself included.
  static func errors<Item: Hashable>(_ text: [Item], alphabet: [Item]) -> Set<[Item]> {
    var out: Set<[Item]> = [text]
    for i in 0...text.count {
      for item in alphabet { out.insert(Array(text[..<i]) + [item] + Array(text[i...])) }
      guard i < text.count else { continue }
      out.insert(Array(text[..<i]) + Array(text[(i + 1)...]))
      for item in alphabet { out.insert(Array(text[..<i]) + [item] + Array(text[(i + 1)...])) }
      guard i + 1 < text.count else { continue }
      var exchanged = text
      exchanged.swapAt(i, i + 1)
      out.insert(exchanged)
    }
    return out
  }

  private func words(_ letters: [UInt16], _ length: Int) -> [[UInt16]] {
    length == 0 ? [[]] : words(letters, length - 1).flatMap { word in letters.map { word + [$0] } }
  }

  /// Every pair of texts of up to five letters of two, in which repetitions are as bad as can be.
  @Test func smallTextsAreComparedAsTheDefinitionSays() {
    let alphabet = units("ab")
    let all = (0...5).flatMap { words(alphabet, $0) }
    var wrong = 0
    for text in all {
      let whole = Self.errors(text, alphabet: alphabet)
      var begins: Set<[UInt16]> = []
      for length in 0...text.count {
        begins.formUnion(Self.errors(Array(text.prefix(length)), alphabet: alphabet))
      }
      for query in all {
        if OneEdit.isEqual(query[...], text[...]) != whole.contains(query) { wrong += 1 }
        if OneEdit.isPrefix(query[...], of: text[...]) != begins.contains(query) { wrong += 1 }
      }
    }
    #expect(wrong == 0)
  }

  /// Syllables that share letters with their neighbours, so that letters alone would misjudge where
  /// one begins.
  @Test func aWholeSyllableMayBeTheError() {
    let alphabet = ["가", "각", "강", "나", "a"]
    var random = SplitMix64(seed: 18)
    var missed: [String] = []
    for _ in 0..<400 {
      let name = (0..<random.int(4...7)).map { _ in random.pick(alphabet) }
      for wrong in Self.errors(name, alphabet: alphabet) where wrong.count >= 4 {
        let (query, text) = (FoldedText(wrong.joined()), FoldedText(name.joined()))
        if !OneEdit.isPrefix(characters: query, of: text, from: 0) {
          missed.append("\(wrong.joined()) of \(name.joined())")
        }
      }
    }
    #expect(missed.isEmpty, "\(missed.prefix(5))")
    let far = FoldedText("동대문역사문화공원")
    #expect(!OneEdit.isPrefix(characters: FoldedText("서대전역사"), of: far, from: 0))
    #expect(!OneEdit.isPrefix(characters: FoldedText("대동역"), of: far, from: 0))
  }
}
