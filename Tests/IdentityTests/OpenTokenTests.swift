import ObjectModel
import Testing

@testable import Identity

@Suite("Tokens of open mode")
struct OpenTokenTests {
  private enum Kind { case caller, expired, refreshExpired, invalid }

  private func kind(_ verdict: TokenVerdict) -> Kind {
    switch verdict {
    case .caller: .caller
    case .expired: .expired
    case .refreshExpired: .refreshExpired
    case .invalid: .invalid
    }
  }

  private func subject(_ verdict: TokenVerdict) throws -> String? {
    try verdict.caller().subject
  }

  @Test("In open mode the token is the user's id")
  func open() throws {
    let verifier = OpenTokenVerifier(maximumBytes: 8)
    let now = Instant(milliseconds: 0)
    #expect(try subject(verifier.verify("ann~1", now: now)) == "ann~1")
    #expect(kind(verifier.verify("123456789", now: now)) == .invalid)
  }

  @Test("Tokens of a developer's machine expire")
  func development() throws {
    let verifier = DevelopmentTokenVerifier(maximumBytes: 8)
    let now = Instant(milliseconds: 1000)
    #expect(try subject(verifier.verify("ann~1001", now: now)) == "ann")
    #expect(try subject(verifier.verify("a~b~1001", now: now)) == "a~b")
    #expect(kind(verifier.verify("ann~1000", now: now)) == .expired)
    #expect(kind(verifier.verify("ann~0", now: now)) == .expired)
    #expect(kind(verifier.verify("ann~refresh", now: now)) == .refreshExpired)
    for none in ["ann", "~5000", "ann~", "ann~soon", "123456789~5000"] {
      #expect(kind(verifier.verify(none, now: now)) == .invalid, "\(none)")
    }
  }
}
