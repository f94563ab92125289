import ObjectModel
import TestSupport
import Testing

@testable import MoyeoAdapters

@Suite("Forms")
struct FormBodyTests {
  private func form(_ text: String) throws(FormError) -> FormBody {
    try FormBody(text.utf8)
  }

  @Test(
    "A list repeats its key, in every way in which Alamofire may write it",
    arguments: [
      "studylist=swift&studylist=%EC%88%98%ED%95%99",
      "studylist[]=swift&studylist[]=%EC%88%98%ED%95%99",
      "studylist%5B%5D=swift&studylist%5B%5D=%EC%88%98%ED%95%99",
      "studylist[0]=swift&studylist[1]=%EC%88%98%ED%95%99", "studylist=swift&studylist[]=수학",
    ])
  func lists(text: String) throws {
    let form = try form(text)
    #expect(form.list("studylist") == ["swift", "수학"])
    #expect(form.scalar("studylist") == nil)
  }

  @Test("What a scalar, an empty list and an empty body look like")
  func scalars() throws {
    #expect(try form("studylist=swift").list("studylist") == ["swift"])
    #expect(try form("studylist=").list("studylist") == [""])
    for empty in ["", "=", "&", "=&="] {
      let form = try form(empty)
      #expect(form == (try FormBody([])))
      #expect(form.list("studylist").isEmpty)
    }
    let one = try form("a=b%20c+d%2Be&flag&x=1=2")
    #expect(one.scalar("a") == "b c d+e")
    #expect(one.scalar("flag") == "")
    #expect(one.scalar("x") == "1=2")
    #expect(one.contains("flag") && !one.contains("b"))
  }

  @Test("Brackets that hold something else belong to the name")
  func brackets() throws {
    #expect(try form("a[b]=1").scalar("a[b]") == "1")
    #expect(try form("[]=1").scalar("[]") == "1")
    #expect(try form("a]=1").scalar("a]") == "1")
  }

  @Test("What is no form says why")
  func refusals() {
    #expect(throws: FormError.badEncoding) { try form("a=%") }
    #expect(throws: FormError.badEncoding) { try form("a=%g1") }
    #expect(throws: FormError.badEncoding) { try form("%ff=1") }
    #expect(throws: FormError.badEncoding) { try FormBody([0x61, 0x3D, 0xFF]) }
    #expect(throws: FormError.namelessValue) { try form("=value") }
    let many = (0...FormBody.maximumPairs).map { "studylist=t\($0)" }
    #expect(throws: FormError.tooManyPairs) { try form(many.joined(separator: "&")) }
    #expect(throws: Never.self) { try form(many.dropLast().joined(separator: "&")) }
  }

  @Test(
    "Numbers are finite decimals",
    arguments: [
      ("37.517819", 37.517819), ("-1e2", -100), ("+5", 5), ("", nil), (" 1", nil), ("0x1p3", nil),
      ("nan", nil), ("inf", nil), ("1e999", nil), ("1,5", nil), ("--1", nil), ("٣", nil),
    ] as [(String, Double?)])
  func numbers(text: String, value: Double?) {
    #expect(FormBody.number(text) == value)
  }

  @Test(
    "Reading never traps, and every value read was sent", arguments: 1...8 as ClosedRange<UInt64>)
  func anything(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let alphabet = Array("ab=&%+[]01 ,2Ff\u{0}".utf8) + [0x80, 0xC3, 0xA9, 0xFF]
    for _ in 0..<4000 {
      let count = Int.random(in: 0..<40, using: &random)
      let bytes = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
      guard let form = try? FormBody(bytes) else { continue }
      // What names a field carries its text, so the form is at most as long as what was sent.
      let length = ["a", "b", "ab", "ba"].flatMap(form.list).reduce(0) { $0 + $1.utf8.count }
      #expect(length <= bytes.count)
    }
  }
}
