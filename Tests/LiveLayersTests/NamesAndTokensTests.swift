import ObjectModel
import Testing

@testable import LiveLayers

@Suite struct NamesAndTokensTests {
  @Test func layerNames() {
    let names = ["a", "0", "a-b_c", "users", "9-", "a_", String(repeating: "x", count: 63)]
    for name in names { #expect(LayerName.isValid(name), "\(name)") }
    let bad = [
      "", "-a", "_a", "A", "a b", "a.b", "é", "모여", "a\n", "a\0", "a/b",
      String(repeating: "x", count: 64),
    ]
    for name in bad { #expect(!LayerName.isValid(name), "\(name)") }
  }

  @Test(arguments: [UInt64(0), 1, 255, UInt64.max], [UInt32(1), 0xABCD, .max])
  func versionsReadBack(counter: UInt64, epoch: UInt32) {
    let version = LayerVersion(epoch: epoch, counter: counter)
    #expect(LayerVersion(text: version.text) == version)
  }

  @Test(arguments: [
    "", "-", "1", "1-", "-1", "1-2-3", "g-1", "1-g", "+1-1", "1-+1", "-1-1", "1--1", " 1-1",
    "100000000-1", "1-10000000000000000", "１-1",
  ])
  func otherTextsAreNoVersion(text: String) { #expect(LayerVersion(text: text) == nil) }

  /// What an earlier version of the service gave out must be read, and is given out still.
  @Test func cursorTextIsBase64URL() {
    let texts = [
      "_wAAAAAAAAEAAAAAAAAAKmE", "_wAAAAAAAAEAAAAAAAAAKmFi", "_wAAAAAAAAEAAAAAAAAAKuq4uMO_",
    ]
    for (id, text) in zip(["a", "ab", "길ÿ"], texts) {
      #expect(PagingCursor(fingerprint: 0xFF00_0000_0000_0001, key: 42, id: id).text == text)
    }
  }

  @Test(arguments: [UInt64(1), 2])
  func cursorsReadBack(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<500 {
      let count = Int.random(in: 1...100, using: &generator)
      let id = String(
        String.UnicodeScalarView(
          (0..<count).compactMap { _ in
            Unicode.Scalar(UInt32.random(in: 0...0xFFFF, using: &generator))
          }))
      guard !id.isEmpty, id.utf8.count <= 256 else { continue }
      let cursor = PagingCursor(fingerprint: generator.next(), key: generator.next(), id: id)
      let read = try PagingCursor(text: cursor.text, fingerprint: cursor.fingerprint)
      #expect(read == cursor)
      #expect(Array(read.id.utf8) == Array(id.utf8))
      #expect(cursor.text.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != 43 && $0 != 47 })
      #expect(throws: LayerError.badCursor) {
        try PagingCursor(text: cursor.text, fingerprint: cursor.fingerprint ^ 1)
      }
    }
  }

  @Test(arguments: [UInt64(3), 4])
  func randomTextIsNoCursorAndNoTrap(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let letters = Array("ABCDEFGHabcdefgh0123456789-_=+/ é모")
    for _ in 0..<2000 {
      let count = Int.random(in: 0...60, using: &generator)
      let text = String((0..<count).compactMap { _ in letters.randomElement(using: &generator) })
      #expect(throws: LayerError.badCursor) { try PagingCursor(text: text, fingerprint: 42) }
    }
  }
}
