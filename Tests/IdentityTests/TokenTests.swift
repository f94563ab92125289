import Foundation
import JWTKit
import ObjectModel
import Testing

@testable import Identity

/// What a token that is refused is refused for.
private enum Refused: Equatable {
  case expired
  case invalid
}

@Suite("Tokens")
struct TokenTests {
  private let now = TokenForge.now

  private func authenticator(
    _ forge: TokenForge, development: Bool = false, also: [String] = []
  ) async throws -> Authenticator {
    var settings = AuthenticatorSettings()
    settings.demands.issuer = TokenForge.issuer
    settings.demands.audience = TokenForge.audience
    settings.allowsDevelopmentAlgorithms = development
    let out = Authenticator(settings: settings, keyFile: nil)
    try await out.takeKeySet(try forge.keySet(also: also))
    return out
  }

  private func refusal(_ verdict: TokenVerdict) -> Refused? {
    switch verdict {
    case .caller: nil
    case .expired: .expired
    case .refreshExpired, .invalid: .invalid
    }
  }

  @Test("A token of each algorithm says who calls", arguments: ["ec", "ed", "rsa"])
  func good(kid: String) async throws {
    let forge = try TokenForge()
    let authenticator = try await authenticator(forge)
    let caller = try authenticator.verify(try await forge.token(kid), now: now).caller()
    #expect(caller.subject == "ann")
    #expect(caller.tenant == "north")
    #expect(caller.role == .user)
    #expect(caller.scopes == [.read, .command])
    #expect(
      caller.attributes == ["gender": .string("f"), "age": .number(30), "student": .bool(true)])
  }

  @Test("A token without a tenant is of the default one, and one for servers is a server's")
  func defaults() async throws {
    let forge = try TokenForge()
    let authenticator = try await authenticator(forge)
    let token = try await forge.token(
      "ec", ["tenant": nil, "scope": "read service", "aud": ["x", "moyeo"]])
    let caller = try authenticator.verify(token, now: now).caller()
    #expect(caller.tenant == "default")
    #expect(caller.role == .service)
  }

  @Test("Times count with the skew of clocks")
  func times() async throws {
    let forge = try TokenForge()
    let authenticator = try await authenticator(forge)
    let seconds = Double(now.milliseconds) / 1000
    func verdict(_ changes: [String: Any?]) async throws -> Refused? {
      refusal(authenticator.verify(try await forge.token("ec", changes), now: now))
    }
    #expect(try await verdict(["exp": seconds - 29]) == nil)
    #expect(try await verdict(["exp": seconds - 30]) == .expired)
    #expect(try await verdict(["exp": 0]) == .expired)
    #expect(try await verdict(["exp": nil]) == .invalid)
    #expect(try await verdict(["exp": "soon"]) == .invalid)
    #expect(try await verdict(["exp": true]) == .invalid)
    #expect(try await verdict(["nbf": seconds + 30]) == nil)
    #expect(try await verdict(["nbf": seconds + 31]) == .invalid)
    #expect(try await verdict(["iat": seconds + 31]) == .invalid)
    // What is wrong besides is not hidden behind the expiry.
    #expect(try await verdict(["exp": 0, "aud": "other"]) == .invalid)
  }

  @Test("Claims that are not ours, or are none")
  func claims() async throws {
    let forge = try TokenForge()
    let authenticator = try await authenticator(forge)
    let wrong: [[String: Any?]] = [
      ["aud": "other"], ["aud": nil], ["aud": ["a", "b"]], ["aud": 1],
      ["iss": "https://evil.example"],
      ["iss": nil], ["sub": nil], ["sub": ""], ["sub": 7],
      ["sub": String(repeating: "a", count: 129)],
      ["tenant": "North"], ["tenant": "../north"], ["tenant": ""], ["tenant": 1],
      ["attributes": ["a": ["b": 1]]], ["attributes": [1]],
    ]
    for changes in wrong {
      let token = try await forge.token("ec", changes)
      #expect(refusal(authenticator.verify(token, now: now)) == .invalid, "\(changes)")
    }
  }

  @Test("No signature of another kind passes for a key's")
  func hostileSignatures() async throws {
    let forge = try TokenForge()
    let authenticator = try await authenticator(forge, development: true)
    let claims = TokenForge.claims()
    var hostile: [String: String] = [:]
    for name in ["none", "None", "NONE", "nOnE", ""] {
      for kid in ["ec", "rsa", "x"] {
        let head = try TokenForge.unsigned(["alg": name, "kid": kid], claims)
        hostile["alg \(name) \(kid)"] = head + "."
        hostile["alg \(name) \(kid) with a signature"] = head + ".AAAA"
      }
    }
    // A public key as the secret of an HMAC, in every spelling that is known to everybody.
    let spellings = [
      Data(try forge.rsaModulus.utf8), Data(forge.rsa.publicKey.pemRepresentation.utf8),
      Data((forge.rsa.publicKey.pemRepresentation + "\n").utf8), try forge.keySet(),
    ]
    for (index, secret) in spellings.enumerated() {
      for kid in ["rsa", "ec", "ed"] {
        hostile["HS256 as \(kid) \(index)"] = try await TokenForge.confused(
          secret, ["alg": "HS256", "kid": kid])
        hostile["RS256 made by HMAC as \(kid) \(index)"] = try await TokenForge.confused(
          secret, ["alg": "RS256", "kid": kid])
      }
    }
    for (kid, alg) in [("ec", "RS256"), ("rsa", "ES256"), ("ed", "ES256"), ("ec", "ES384")] {
      hostile["\(alg) of \(kid)"] = try await forge.token(kid, alg: alg)
    }
    for kid in [
      "../../../../dev/null", "/dev/null", "ec'; DROP TABLE keys; --", "EC", "ec\u{0}", "", "hs",
      String(repeating: "k", count: 4000),
    ] {
      let head = try TokenForge.unsigned(["alg": "ES256", "kid": kid], claims)
      let signature = TokenForge.text(Data(try await forge.signature("ec", head)))
      hostile["kid \(kid.prefix(20))"] = head + "." + signature
    }
    hostile["no kid among several"] = try await forge.token(nil)
    hostile["critical"] = try await forge.token("ec", header: ["crit": ["b64"], "b64": false])
    hostile["another issuer's key"] = try await TokenForge().token("ec")
    hostile["another person's signature"] = try await swapped(forge)
    let good = try await forge.token("ec")
    hostile["one letter off"] = String(good.dropLast()) + (good.last == "A" ? "B" : "A")
    hostile["cut"] = String(good.dropLast(8))
    hostile["without a signature"] =
      good.split(separator: ".").prefix(2).joined(separator: ".") + "."
    hostile["two parts"] = good.split(separator: ".").prefix(2).joined(separator: ".")
    hostile["four parts"] = good + ".AAAA"
    hostile["padding"] = good + "="
    hostile["100 KB"] = String(repeating: "a", count: 100_000)
    hostile["100 KB of claims"] = try await forge.token(
      "ec", ["scope": String(repeating: "x", count: 75_000)])
    hostile["dots"] = String(repeating: ".", count: 8000)
    hostile["nothing"] = ".."
    hostile["no text"] = "\u{0}\u{0}\u{0}"
    for (name, token) in hostile {
      #expect(refusal(authenticator.verify(token, now: now)) == .invalid, "\(name)")
    }
    #expect(refusal(authenticator.verify(good, now: now)) == nil)
  }

  /// The claims of one token under the signature of another.
  private func swapped(_ forge: TokenForge) async throws -> String {
    let own = try await forge.token("ec").split(separator: ".")
    let other = try await forge.token("ec", ["sub": "ben"]).split(separator: ".")
    return [own[0], other[1], own[2]].joined(separator: ".")
  }

  @Test("A shared secret is for developers alone")
  func developmentAlgorithm() async throws {
    let forge = try TokenForge()
    let token = try await forge.token("hs")
    let strict = try await authenticator(forge, also: [TokenForge.sharedSecret])
    #expect(refusal(strict.verify(token, now: now)) == .invalid)
    let lenient = try await authenticator(
      forge, development: true, also: [TokenForge.sharedSecret])
    #expect(refusal(lenient.verify(token, now: now)) == nil)
  }

  @Test("Keys that are weak, or for something else, are left out with the reason")
  func leftOut() async throws {
    let forge = try TokenForge()
    let keys = try await SigningKeys(
      document: forge.keySet(also: [
        #"{"kty":"RSA","kid":"short","e":"AQAB","n":"AQAB"}"#,
        #"{"kty":"EC","crv":"P-384","kid":"p384","x":"AA","y":"AA"}"#,
        #"{"kty":"RSA","kid":"enc","use":"enc","e":"AQAB","n":"AQAB"}"#,
        #"{"kty":"EC","crv":"P-256","kid":"broken","x":"AA","y":"AA"}"#, TokenForge.sharedSecret,
      ]), allowsDevelopmentAlgorithms: false)
    #expect(keys.keys.keys.sorted() == ["ec", "ed", "rsa"])
    #expect(keys.leftOut.count == 5)
    for document in ["", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[1]}"#] {
      await #expect(throws: KeySetError.notAKeySet) {
        try await SigningKeys(document: Data(document.utf8), allowsDevelopmentAlgorithms: false)
      }
    }
  }

  @Test("A key that is withdrawn ends its tokens, seen before or not; others go on")
  func withdrawnKey() async throws {
    let forge = try TokenForge()
    let authenticator = try await authenticator(forge)
    let (ec, ed) = (try await forge.token("ec"), try await forge.token("ed"))
    let caller = try authenticator.verify(ec, now: now).caller()
    let other = try authenticator.verify(ed, now: now).caller()
    try await authenticator.takeKeySet(try forge.keySet(without: ["ec"]))
    #expect(caller.refusal(now: now) != nil)
    #expect(other.refusal(now: now) == nil)
    #expect(refusal(authenticator.verify(ec, now: now)) == .invalid)
    #expect(refusal(authenticator.verify(ed, now: now)) == nil)
  }

  @Test("A token seen before expires all the same")
  func cachedExpiry() async throws {
    let forge = try TokenForge()
    let authenticator = try await authenticator(forge)
    let token = try await forge.token("ec")
    let first = try authenticator.verify(token, now: now).caller()
    let second = try authenticator.verify(token, now: now.advanced(milliseconds: 629_000)).caller()
    #expect(first === second)
    #expect(
      refusal(authenticator.verify(token, now: now.advanced(milliseconds: 630_000))) == .expired)
  }

  @Test("The cache stays within its bound")
  func bound() {
    let cache = TokenCache(capacity: 320)
    for number in 0..<5000 { cache.insert(.open, cache.key(of: "token-\(number)")) }
    #expect(cache.count <= 320)
    let last = cache.key(of: "token-4999")
    #expect(cache.caller(last) === Caller.open)
  }
}
