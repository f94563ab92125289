import Foundation
import JWTKit
import Testing
import ObjectModel

/// Makes tokens and key sets as an issuer does, and as somebody does who is none.
struct TokenForge {
  static let now = ObjectModel.Instant(milliseconds: 1_795_183_800_000)
  static let issuer = "https://issuer.example"
  static let audience = "moyeo"
  static let secret = Data("0123456789abcdef0123456789abcdef".utf8)

  let elliptic = ES256PrivateKey()
  let edwards: EdDSA.PrivateKey
  let rsa: Insecure.RSA.PrivateKey

  init() throws {
    edwards = try EdDSA.PrivateKey(curve: .ed25519)
    rsa = try Insecure.RSA.PrivateKey(pem: Self.rsaText)
  }

  /// The public halves, with the ids `ec`, `ed` and `rsa`; `also` are further keys as JSON text.
  func keySet(also: [String] = [], without: Set<String> = []) throws -> Data {
    let point = try #require(elliptic.parameters)
    var keys = [
      (
        "ec",
        #"{"kty":"EC","crv":"P-256","kid":"ec","x":"\#(Self.url(point.x))","y":"\#(Self.url(point.y))"}"#
      ),
      (
        "ed",
        #"{"kty":"OKP","crv":"Ed25519","kid":"ed","alg":"EdDSA","x":"\#(Self.text(edwards.publicKey.rawRepresentation))"}"#
      ),
      (
        "rsa",
        #"{"kty":"RSA","kid":"rsa","alg":"RS256","use":"sig","e":"AQAB","n":"\#(try rsaModulus)"}"#
      ),
    ]
    keys.removeAll { without.contains($0.0) }
    return Data(#"{"keys":[\#((keys.map(\.1) + also).joined(separator: ","))]}"#.utf8)
  }

  static var sharedSecret: String {
    #"{"kty":"oct","kid":"hs","k":"\#(text(secret))"}"#
  }

  var rsaModulus: String {
    get throws { Self.text(try rsa.publicKey.getKeyPrimitives().modulus) }
  }

  /// The claims of a good token; nil takes a claim out.
  static func claims(_ changes: [String: Any?] = [:]) -> [String: Any] {
    let seconds = Double(now.milliseconds) / 1000
    var out: [String: Any] = [
      "iss": issuer, "aud": audience, "sub": "ann", "scope": "read command other",
      "iat": seconds - 60, "exp": seconds + 600, "tenant": "north",
      "attributes": ["gender": "f", "age": 30, "student": true] as [String: Any],
    ]
    for (name, value) in changes { out[name] = value }
    return out
  }

  static func unsigned(_ header: [String: Any], _ claims: [String: Any]) throws -> String {
    text(try JSONSerialization.data(withJSONObject: header)) + "."
      + text(try JSONSerialization.data(withJSONObject: claims))
  }

  /// A token signed by the key that an id names.
  func token(
    _ kid: String?, _ changes: [String: Any?] = [:], alg: String? = nil, header: [String: Any] = [:]
  ) async throws -> String {
    let names = ["ec": "ES256", "ed": "EdDSA", "rsa": "RS256", "hs": "HS256"]
    var fields: [String: Any] = ["typ": "JWT", "alg": alg ?? names[kid ?? "ec"] ?? "ES256"]
    if let kid { fields["kid"] = kid }
    for (name, value) in header { fields[name] = value }
    let head = try Self.unsigned(fields, Self.claims(changes))
    return head + "." + Self.text(Data(try await signature(kid ?? "ec", head)))
  }

  func signature(_ kid: String, _ text: String) async throws -> [UInt8] {
    let collection = JWTKeyCollection()
    switch kid {
    case "ed": await collection.add(eddsa: edwards, kid: "key")
    case "rsa": await collection.add(rsa: rsa, digestAlgorithm: .sha256, kid: "key")
    case "hs":
      await collection.add(hmac: HMACKey(from: Self.secret), digestAlgorithm: .sha256, kid: "key")
    default: await collection.add(ecdsa: elliptic, kid: "key")
    }
    return try await collection.getKey(for: "key").sign(Data(text.utf8))
  }

  /// A signature by anything at all as an HMAC secret.
  static func confused(_ secret: Data, _ header: [String: Any]) async throws -> String {
    let head = try unsigned(header, claims())
    let collection = JWTKeyCollection()
    await collection.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256, kid: "key")
    return head + "." + text(Data(try await collection.getKey(for: "key").sign(Data(head.utf8))))
  }

  static func text(_ data: some DataProtocol) -> String {
    url(Data(data).base64EncodedString())
  }

  private static func url(_ base64: String) -> String {
    base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Made for these tests, by openssl genrsa.
  private static let rsaText = """
    -----BEGIN PRIVATE KEY-----
    MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDT0O6e6NqGUQVf
    awsAT2kdDO4LAALjYbqAp6tZKGx4YbVvF8PEEAKJ6nhRFPyrwIiDAuPlutbnnY7F
    Hc68CyHOqBLo/K9+ey2ZW09VzXPm0VTlRE98TNJWYYBKE4264FVB81GWSxC8QKJ/
    FKUnrIE0/1x2KytVUFlhBssLVmom9oZNK3G4C8H9fCwdlZABYg8EmagqgyI10ki+
    mKEao+U62yh2tz4sB/CkQgHbQHmZ4qRHDWpWYLROMSatUHns9BvEzn07JSgLZ6Bz
    6iQiAZsNgstwcuhOrui78Dj6szHYL8U3b5Ro27z3GdxExMBGshd+FZsFkyCPiA51
    SemFgvB1AgMBAAECggEAHj9xtrSxnB5kLNudlGZCsE4r4jCWuP+NlsNwNzO2xbwi
    S40yZ28Shb0Q1cywRnCgrfYoMvgVqg64bX1pC+Eaa1IEx/Zps0oGLtEOHnElUiVm
    QQqaao7n4e5bgniSCUlG3julKi1puZBmBCLKcO9z+2xUuQqczg/tgOsWQiC4LlGh
    5q2CPtaxMunmK26/PdSL0jiqezLZQE7kGd1KGvIRtW32UP0vF02fnFJ+mMIqk7pR
    TioQPXoJlzGHdNrAHOJFNNpI93BzPNpOQKEaLO0zgiZpRfk6Gyz95m7MvQk7/mbM
    01e5uerC0AQ2xaMJUf0zIhLcRw8xo5wemVwpaR1DowKBgQDw7JLdWUwSkC20WZTm
    ocFFLLLTEtvZD6PMrAV1VpI8ZM4cnZRR0uCdUAdpbneEzS8BlRmMsntkMX2an1Do
    OaI9q2PNqPeRnt2RJLy7jJC0QqA1BrfgAkdo3ENVZA6osLdc9bo/HoiVxHGHUiXv
    xZzWUFPw0o8MsL6Y0alFaWUn2wKBgQDhEhH23cgdIGvbdOzHnHED8K4YUXKZXCfq
    6+r0boiHz5vonPw+IvbgBmQC5uYkih3A+xrbUrq1HnQKgpV1vuhHf9a/Xu7VQtnS
    GjAXCV/gI/cPNxuVsEQS/5eAtEpbxBFMxEfNTSgChJYMCR1yF3364F9noaBivJsW
    zKawHqah7wKBgQDSA9fOfm4S7H367fAfz7dzfpBv8MuWfsyxuO6VJ58YaGNHjJHj
    dej5GO8tF++140rrnTaFcHyhjYbJR8G2fa8RBRteBsGwvgS05opjDxiBGmcfcjjN
    XA81uHQ1tqAUqt9ceJQfO5WiwHialqCdT+z04Vca4eFzFYtAGdvttv9H6wKBgFVW
    datFwkeQ8HRgbBrvbUaSLmCYGTye3Z/MXeTaODhOdo4HX/jrZvHgWnFjPSXjnI58
    Z117i8F6z4LgqmzfutDJXxJmm2YPF+n69fr2Gf0xhc6mFXZ3RAh0EuzA72TF/c0+
    qv7j32S9AuuDVT/aOnEyO9peRSLK4n8Nj7I9nO7PAoGAf4/xgbC40Dz6MHEo8E0o
    RHCjRiS4r00ec2yStjR8rOU1rAi6Q53ykJ5Vgn4QkQhedb0Ly+5AYd0Il+C5OhtR
    XWWsYJqako7eMZAtUbsyW5uPNOiuL4dJDJEANzdqFGSZL7h9ubtpH/Iwg1qDGs6Y
    SV62rIdSjwymBZ9tSq8krvg=
    -----END PRIVATE KEY-----
    """
}
