import Foundation
import ObjectModel
import Testing

@testable import Identity

@Suite("API keys")
struct KeyFileTests {
  private let now = TokenForge.now

  private func inDirectory(_ body: (String) throws -> Void) throws {
    let directory = NSTemporaryDirectory() + "keys-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try body(directory)
  }

  private func isGood(_ verdict: TokenVerdict) -> Bool {
    if case .caller = verdict { true } else { false }
  }

  @Test("A key lets in whom it was made for, and the record has no trace of it but a hash")
  func create() throws {
    try inDirectory { directory in
      let file = KeyFile(directory: directory)
      let made = try file.create(
        tenant: "north", scopes: [.read, .service], name: "backend", expiresAt: nil, now: now)
      let text = try String(contentsOfFile: file.path, encoding: .utf8)
      #expect(!text.contains(made.key.text))
      #expect(!text.contains(made.key.secret))
      #expect(text.contains(made.key.hash))
      let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
      #expect(mode as? Int == 0o600)
      let authenticator = Authenticator(settings: AuthenticatorSettings(), keyFile: file)
      #expect(!isGood(authenticator.verify(made.key.text, now: now)))
      try authenticator.reloadKeys()
      let caller = try authenticator.verify(made.key.text, now: now).caller()
      #expect(caller.tenant == "north")
      #expect(caller.role == .service)
      #expect(caller.subject == nil)
      #expect(authenticator.keyRecords.map(\.tenant) == ["north"])
      let wrong = [
        "moyeo_" + made.key.id + "_" + String(repeating: "0", count: 64), made.key.text + "0",
        "moyeo_" + String(repeating: "0", count: 16) + "_" + made.key.secret, "moyeo_", "moyeo__",
        made.key.text.uppercased(), "moyeo_../../keys.json_" + made.key.secret,
      ]
      for text in wrong { #expect(!isGood(authenticator.verify(text, now: now)), "\(text)") }
    }
  }

  @Test("A revoked key ends at once, for those too who are let in")
  func revoke() throws {
    try inDirectory { directory in
      let file = KeyFile(directory: directory)
      let made = try file.create(
        tenant: "north", scopes: [.read], name: nil, expiresAt: nil, now: now)
      let kept = try file.create(
        tenant: "north", scopes: [.read], name: nil, expiresAt: nil, now: now)
      let authenticator = Authenticator(settings: AuthenticatorSettings(), keyFile: file)
      try authenticator.reloadKeys()
      let caller = try authenticator.verify(made.key.text, now: now).caller()
      let other = try authenticator.verify(kept.key.text, now: now).caller()
      _ = try file.revoke(made.record.id, now: now)
      try authenticator.reloadKeys()
      #expect(caller.refusal(now: now) != nil)
      #expect(other.refusal(now: now) == nil)
      #expect(!isGood(authenticator.verify(made.key.text, now: now)))
      #expect(isGood(authenticator.verify(kept.key.text, now: now)))
      #expect(throws: KeyFileError.unknownKey(id: "x")) { try file.revoke("x", now: now) }
    }
  }

  @Test(
    "A rotated key holds through its grace, and the new one as long as the old one was made for")
  func rotate() throws {
    try inDirectory { directory in
      let file = KeyFile(directory: directory)
      let made = try file.create(
        tenant: "north", scopes: [.read], name: "a", expiresAt: now.advanced(milliseconds: 90_000),
        now: now)
      let authenticator = Authenticator(settings: AuthenticatorSettings(), keyFile: file)
      try authenticator.reloadKeys()
      let caller = try authenticator.verify(made.key.text, now: now).caller()
      let later = now.advanced(milliseconds: 10_000)
      let next = try file.rotate(made.record.id, graceMilliseconds: 5000, now: later)
      #expect(next.record.scopes == ["read"])
      #expect(next.record.name == "a")
      #expect(next.record.expiresMilliseconds == later.milliseconds + 90_000)
      try authenticator.reloadKeys()
      #expect(isGood(authenticator.verify(next.key.text, now: later)))
      #expect(isGood(authenticator.verify(made.key.text, now: later)))
      // Who was let in before hears of the new end, too.
      #expect(caller.refusal(now: later) != nil)
      let end = later.advanced(milliseconds: 5000)
      guard case .expired = authenticator.verify(made.key.text, now: end) else {
        Issue.record("the old key outlived its grace")
        return
      }
      #expect(throws: KeyFileError.unknownKey(id: made.record.id)) {
        try file.rotate(made.record.id, graceMilliseconds: 0, now: end)
      }
    }
  }

  @Test("A list that is damaged is neither believed nor written over")
  func damaged() throws {
    try inDirectory { directory in
      let file = KeyFile(directory: directory)
      #expect(try file.keys().isEmpty)
      let made = try file.create(
        tenant: "north", scopes: [.read], name: nil, expiresAt: nil, now: now)
      let authenticator = Authenticator(settings: AuthenticatorSettings(), keyFile: file)
      try authenticator.reloadKeys()
      try Data("{".utf8).write(to: URL(fileURLWithPath: file.path))
      #expect(throws: KeyFileError.self) { try authenticator.reloadKeys() }
      #expect(isGood(authenticator.verify(made.key.text, now: now)))
      #expect(throws: KeyFileError.self) {
        try file.create(tenant: "north", scopes: [.read], name: nil, expiresAt: nil, now: now)
      }
      #expect(try String(contentsOfFile: file.path, encoding: .utf8) == "{")
    }
  }
}
