import ObjectModel
import Testing

@testable import MoyeoAdapters

@Suite("Writes without a key")
struct FingerprintTests {
  private let body = Array(#"{"like_status":true}"#.utf8)
  private let start = Instant(milliseconds: 1_795_183_859_000)

  @Test("A write is the same for a minute from its first arrival, over the minute's end")
  func window() {
    let fingerprints = RequestFingerprints()
    func key(_ milliseconds: Int64) -> String {
      fingerprints.key(
        caller: "ann", path: "/v1/posts", body: body,
        now: start.advanced(milliseconds: milliseconds))
    }
    let first = key(0)
    #expect(key(1) == first)
    #expect(key(30_000) == first)
    #expect(key(59_999) == first)
    let second = key(60_000)
    #expect(second != first)
    #expect(key(119_999) == second)
    #expect((1...64).contains(first.utf8.count))
  }

  @Test("Another caller, path or body is another write")
  func parts() {
    let fingerprints = RequestFingerprints()
    var keys: Set<String> = []
    let writes: [(String, String, String)] = [
      ("ann", "/v1/posts", "body"), ("ben", "/v1/posts", "body"), ("ann", "/v1/posts/", "body"),
      ("ann", "/v1/posts", "body "), ("ann/", "v1/posts", "body"), ("ann", "/v1/postsbody", ""),
      ("ann/v1/posts", "", "body"),
    ]
    for (caller, path, body) in writes {
      keys.insert(
        fingerprints.key(caller: caller, path: path, body: Array(body.utf8), now: start))
    }
    #expect(keys.count == writes.count)
  }

  @Test("A daemon that was started again within the minute gives the same key")
  func restart() {
    let moment = Instant(milliseconds: 1_795_183_800_000)
    let keys = (0..<2).map { i in
      RequestFingerprints().key(
        caller: "ann", path: "/v1/posts", body: body,
        now: moment.advanced(milliseconds: Int64(i) * 20_000))
    }
    #expect(keys[0] == keys[1])
  }

  @Test("Many writes are remembered in a bounded table, and none is mixed up with another")
  func bounds() {
    let fingerprints = RequestFingerprints()
    var keys: Set<String> = []
    for i in 0..<70_000 {
      keys.insert(
        fingerprints.key(
          caller: "ann", path: "/v1/posts", body: Array("\(i)".utf8), now: start))
    }
    #expect(keys.count == 70_000)
  }
}
