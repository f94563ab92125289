import ObjectModel
import Synchronization
import Testing

@testable import RESPServer

struct KeyExpiryTests {
  @Test("The timer runs only while a key has a deadline")
  func timerFollowsDeadlines() {
    let expiry = KeyExpiry()
    let starts = Atomic<Int>(0)
    func set(_ key: String) -> Bool { expiry.set(key, Instant(milliseconds: 5_000)) { _ in true } }

    #expect(set("before"))
    expiry.follow { starts.add(1, ordering: .relaxed) }
    #expect(starts.load(ordering: .relaxed) == 0)
    #expect(set("first"))
    #expect(set("second"))
    #expect(starts.load(ordering: .relaxed) == 1)

    for key in ["before", "first"] { #expect(expiry.clear(key)) }
    #expect(expiry.timerGoesOn())
    #expect(expiry.clear("second"))
    #expect(!expiry.timerGoesOn())

    #expect(!expiry.set("third", Instant(milliseconds: 1)) { _ in false })
    #expect(starts.load(ordering: .relaxed) == 1)
    #expect(set("third"))
    #expect(starts.load(ordering: .relaxed) == 2)
  }
}
