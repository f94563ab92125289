import Foundation
import ObjectModel
import Testing

@testable import Identity

/// When the keys of a URL are fetched, and what a fetch that fails leaves.
@Suite("Signing keys behind a URL")
struct KeySetFetchTests {
  private struct Unreachable: Error {}

  private final class Server: Sendable {
    private let document: Data?
    init(_ document: Data?) { self.document = document }

    @Sendable
    func answer(_ url: String) throws -> Data {
      guard url == "https://keys.example/set", let document else { throw Unreachable() }
      return document
    }
  }

  private let began = ContinuousClock.now

  private func authenticator() -> Authenticator {
    var settings = AuthenticatorSettings()
    settings.keySet = .url("https://keys.example/set")
    settings.demands.issuer = TokenForge.issuer
    settings.demands.audience = TokenForge.audience
    settings.refreshSeconds = 300
    return Authenticator(settings: settings, keyFile: nil)
  }

  private func isGood(_ authenticator: Authenticator, _ token: String) -> Bool {
    if case .caller = authenticator.verify(token, now: TokenForge.now) { true } else { false }
  }

  /// Whether a fetch was made at a second.
  private func fetches(
    _ authenticator: Authenticator, at seconds: Int, _ document: Data?
  ) async throws -> Bool {
    let leftOut = try await authenticator.refreshKeySet(
      now: began + .seconds(seconds), Server(document).answer)
    return leftOut != nil
  }

  @Test("By the interval, and for a key that is not known, but never more often than every 10 s")
  func interval() async throws {
    let forge = try TokenForge()
    let authenticator = authenticator()
    let (ec, ed) = (try await forge.token("ec"), try await forge.token("ed"))
    let first = try forge.keySet(without: ["ed"])
    #expect(try await fetches(authenticator, at: 0, first))
    #expect(isGood(authenticator, ec))
    #expect(try await !fetches(authenticator, at: 299, first))
    #expect(try await fetches(authenticator, at: 300, first))
    // A key that nobody knows yet: at once if the last fetch is 10 s old, and remembered until then.
    #expect(!isGood(authenticator, ed))
    let both = try forge.keySet()
    #expect(try await !fetches(authenticator, at: 309, both))
    #expect(try await fetches(authenticator, at: 310, both))
    #expect(isGood(authenticator, ed))
    // A thousand that stay unknown are one fetch.
    for number in 0..<1000 {
      let header = Data(#"{"alg":"ES256","kid":"\#(number)"}"#.utf8).base64EncodedString()
      _ = isGood(authenticator, header.filter { $0 != "=" } + ".e30.AA")
    }
    #expect(try await fetches(authenticator, at: 320, both))
    #expect(try await !fetches(authenticator, at: 330, both))
  }

  @Test("What cannot be fetched, or is no set, leaves the keys of before")
  func failures() async throws {
    let forge = try TokenForge()
    let authenticator = authenticator()
    let token = try await forge.token("ec")
    await #expect(throws: KeySetFailure.self) { try await fetches(authenticator, at: 0, nil) }
    #expect(!isGood(authenticator, token))
    // Without any key it is asked again after 10 s.
    #expect(try await !fetches(authenticator, at: 9, try forge.keySet()))
    #expect(try await fetches(authenticator, at: 10, try forge.keySet()))
    #expect(isGood(authenticator, token))
    let bad: [Data?] = [
      nil, Data(), Data("<html>".utf8), Data(repeating: 0x20, count: 2 << 20),
    ]
    for (index, document) in bad.enumerated() {
      await #expect(throws: KeySetFailure.self) {
        try await fetches(authenticator, at: 1000 * (index + 1), document)
      }
      #expect(isGood(authenticator, token))
    }
    #expect(try await fetches(authenticator, at: 9000, try forge.keySet(without: ["ec"])))
    #expect(!isGood(authenticator, token))
  }
}
