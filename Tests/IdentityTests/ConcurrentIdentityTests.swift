import Foundation
import ObjectModel
import Testing

@testable import Identity

/// Callers are verified while keys come and go, as event loops do beside the service that reloads.
/// Also run under the thread sanitizer.
@Suite("Concurrent verification")
struct ConcurrentIdentityTests {
  private let now = TokenForge.now

  private func isGood(_ verdict: TokenVerdict) -> Bool {
    if case .caller = verdict { true } else { false }
  }

  @Test("Keys that stay are good throughout, and those that have ended are never good again")
  func reloading() async throws {
    let directory = NSTemporaryDirectory() + "keys-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let file = KeyFile(directory: directory)
    let (kept, ended) = (
      try file.create(tenant: "north", scopes: [.read], name: nil, expiresAt: nil, now: now),
      try file.create(tenant: "north", scopes: [.read], name: nil, expiresAt: nil, now: now)
    )
    let forge = try TokenForge()
    var settings = AuthenticatorSettings()
    settings.demands.issuer = TokenForge.issuer
    settings.demands.audience = TokenForge.audience
    // Small, so that what is remembered goes round, too.
    settings.cachedTokens = 32
    let authenticator = Authenticator(settings: settings, keyFile: file)
    try authenticator.reloadKeys()
    try await authenticator.takeKeySet(try forge.keySet())
    var stay = [kept.key.text]
    for number in 0..<40 {
      stay.append(try await forge.token("ed", ["sub": "person-\(number)"]))
    }
    let go = [ended.key.text, try await forge.token("ec")]
    let (steady, leaving) = (stay, go)
    try await withThrowingTaskGroup(of: Int.self) { tasks in
      for _ in 0..<4 {
        tasks.addTask { [now] in
          var bad = 0
          for _ in 0..<20 {
            for token in steady where !isGood(authenticator.verify(token, now: now)) { bad += 1 }
            for token in leaving { _ = authenticator.verify(token, now: now) }
          }
          return bad
        }
      }
      tasks.addTask { [now] in
        for step in 0..<20 {
          try await authenticator.takeKeySet(
            try forge.keySet(without: step.isMultiple(of: 2) ? ["ec"] : []))
          _ = try file.create(
            tenant: "north", scopes: [.read], name: "\(step)", expiresAt: nil, now: now)
          try authenticator.reloadKeys()
        }
        return 0
      }
      for try await bad in tasks { #expect(bad == 0) }
    }
    try await authenticator.takeKeySet(try forge.keySet(without: ["ec"]))
    _ = try file.revoke(ended.record.id, now: now)
    try authenticator.reloadKeys()
    for token in leaving { #expect(!isGood(authenticator.verify(token, now: now))) }
    for token in steady { #expect(isGood(authenticator.verify(token, now: now))) }
  }
}
