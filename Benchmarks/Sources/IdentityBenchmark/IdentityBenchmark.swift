import ArgumentParser
import Foundation
import Identity
import JWTKit
import ObjectModel

/// What it costs to know who calls: a token that was seen before, among many, and a new one.
@main
struct IdentityBenchmark: AsyncParsableCommand {
  @Option(help: "Tokens that are seen in turn.")
  var tokens = 10_000
  @Option(help: "Verifications of tokens that were seen before.")
  var calls = 2_000_000

  func run() async throws {
    let now = ObjectModel.Instant(milliseconds: 1_795_183_800_000)
    let key = ES256PrivateKey()
    guard let point = key.parameters else { throw ExitCode.failure }
    let set =
      #"{"keys":[{"kty":"EC","crv":"P-256","kid":"a","x":"\#(Self.url(point.x))","y":"\#(Self.url(point.y))"}]}"#
    var settings = AuthenticatorSettings()
    settings.demands.issuer = "https://issuer.example"
    settings.demands.audience = "moyeo"
    let authenticator = Authenticator(settings: settings, keyFile: nil)
    try await authenticator.takeKeySet(Data(set.utf8))
    let signer = JWTKeyCollection()
    await signer.add(ecdsa: key, kid: "a")
    let algorithm = try await signer.getKey(for: "a")
    let all = try (0..<tokens).map { try Self.token("user-\($0)", now: now, algorithm) }
    let first = Self.time(calls: all.count) {
      for token in all { _ = authenticator.verify(token, now: now) }
    }
    var good = 0
    let seen = Self.time(calls: calls) {
      for call in 0..<calls {
        if case .caller = authenticator.verify(all[call % all.count], now: now) { good += 1 }
      }
    }
    print("a token of \(all[0].utf8.count) bytes, ES256, first seen: \(Int(first)) ns")
    print("one of \(all.count) seen before: \(Int(seen)) ns (\(good) of \(calls) good)")
    guard good == calls else { throw ExitCode.failure }
  }

  private static func token(
    _ subject: String, now: ObjectModel.Instant, _ algorithm: any JWTAlgorithm
  ) throws -> String {
    let seconds = now.milliseconds / 1000
    let head = text(Data(#"{"alg":"ES256","kid":"a","typ":"JWT"}"#.utf8))
    let claims =
      #"{"iss":"https://issuer.example","aud":"moyeo","sub":"\#(subject)","tenant":"north","#
      + #""scope":"read report command","iat":\#(seconds),"exp":\#(seconds + 3600),"#
      + #""attributes":{"gender":"f"}}"#
    let signed = head + "." + text(Data(claims.utf8))
    return signed + "." + text(Data(try algorithm.sign(Data(signed.utf8))))
  }

  private static func text(_ data: Data) -> String { url(data.base64EncodedString()) }

  private static func url(_ base64: String) -> String {
    base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Nanoseconds a call.
  private static func time(calls: Int, _ body: () -> Void) -> Double {
    let took = ContinuousClock().measure(body)
    return Double(took / .nanoseconds(1)) / Double(max(1, calls))
  }
}
