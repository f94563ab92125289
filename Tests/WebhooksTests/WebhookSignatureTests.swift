import Foundation
import ObjectModel
import Testing

@testable import Webhooks

@Suite("Signatures, addresses and the file of webhooks")
struct WebhookSignatureTests {
  /// The example that libraries of the Standard Webhooks specification test themselves with.
  @Test("The specification's example has the specification's signature")
  func example() throws {
    let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    let headers = WebhookSignature.headers(
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek", secrets: [secret, secret],
      now: Instant(milliseconds: 1_614_265_330_999), body: Array(#"{"test": 2432232314}"#.utf8))
    let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    #expect(
      headers.map(\.name) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
    #expect(
      headers.map(\.value)
        == ["msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", "\(expected) \(expected)"])
  }

  @Test("A secret is read back from its text, and what is none is refused")
  func secrets() {
    var random = SystemRandomNumberGenerator()
    let secret = WebhookSecret(using: &random)
    #expect(WebhookSecret(secret.text) == secret)
    let short = "whsec_" + Data(repeating: 1, count: 23).base64EncodedString()
    let long = "whsec_" + Data(repeating: 1, count: 65).base64EncodedString()
    for text in ["", "whsec_", "whsec_*", String(secret.text.dropFirst()), short, long] {
      #expect(WebhookSecret(text) == nil, "\(text)")
    }
  }

  @Test(
    "Addresses that are none are refused",
    arguments: [
      "", "ftp://a.example", "a.example", "https://", "https:///x", "https://u:p@a.example",
      "https://a.example:0", "https://a.example:65536", "https://a.example#x", "http://a b",
      "https://a.example/" + String(repeating: "x", count: 2048),
    ])
  func noAddresses(text: String) { #expect(WebhookURL(text) == nil) }

  @Test("Hosts are read without port and brackets")
  func hosts() {
    #expect(WebhookURL("HTTPS://a.example:8443/x?y=1")?.host == "a.example")
    #expect(WebhookURL("http://[2001:db8::1]:80/")?.host == "2001:db8::1")
  }

  @Test(
    "Neither this machine nor a private network is public, in no form",
    arguments: [
      [0, 0, 0, 0], [10, 1, 2, 3], [100, 64, 0, 1], [100, 127, 255, 255], [127, 0, 0, 1],
      [169, 254, 169, 254], [172, 16, 0, 1], [172, 31, 255, 255], [192, 168, 0, 1],
      [198, 19, 255, 255], [203, 0, 113, 9], [224, 0, 0, 1], [255, 255, 255, 255],
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127, 0, 0, 1],
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 1],
      [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      [0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 1],
      [0x20, 0x02, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      [0x20, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    ] as [[UInt8]])
  func privateAddresses(bytes: [UInt8]) { #expect(!NetworkAddress(bytes).isPublic) }

  @Test(
    "Addresses of the internet are public",
    arguments: [
      ([9, 255, 255, 255], "9.255.255.255"), ([100, 63, 0, 1], "100.63.0.1"),
      ([172, 32, 0, 1], "172.32.0.1"), ([198, 20, 0, 1], "198.20.0.1"),
      ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 8, 8, 8, 8], "8.8.8.8"),
      (
        [0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11],
        "2606:4700:0:0:0:0:0:1111"
      ),
    ] as [([UInt8], String)])
  func publicAddresses(bytes: [UInt8], text: String) {
    #expect(NetworkAddress(bytes).isPublic)
    #expect(NetworkAddress(bytes).text == text)
  }

  @Test("A webhook is made, listed, rotated and deleted, and its file is for its owner alone")
  func file() throws {
    let directory = NSTemporaryDirectory() + "webhooks-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let file = WebhookFile(directory: directory)
    #expect(try file.webhooks() == [])
    let url = try #require(WebhookURL("https://a.example/in"))
    let made = try file.create(
      tenant: "north", url: url, kinds: ["party.joined"], startsAtOldest: true)
    #expect(try file.webhooks() == [made])
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let stamp = file.stamp
    let second = try file.rotate(made.id)
    #expect(try file.webhooks()[0].secrets == [second] + made.secrets)
    let third = try file.rotate(made.id)
    #expect(try file.webhooks()[0].secrets == [third, second])
    #expect(file.stamp != stamp)
    #expect(throws: WebhookFileError.unknown(id: "wh_0")) { try file.delete("wh_0") }
    try file.delete(made.id)
    #expect(try file.webhooks() == [])
    try "no JSON".write(toFile: file.path, atomically: true, encoding: .utf8)
    #expect(throws: WebhookFileError.self) { try file.webhooks() }
  }
}
