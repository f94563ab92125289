import Foundation
import Testing

@testable import MoyeoServer

/// Requests that HTTP/1.1 does not allow, or that say beforehand what cannot be taken
/// (RFC 9110, RFC 9112): each gets an answer that programs can read.
@Suite struct HTTPFramingTests {
  private static let path = "/v1/layers/users/nearby"

  private static func isRefusal(
    _ answer: RawHTTPConnection.Answer?, _ status: Int, _ reason: String, isLast: Bool = false
  ) -> Bool {
    guard let answer, answer.status == status,
      answer.header("connection") == (isLast ? "close" : nil),
      let body = try? JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any]
    else { return false }
    return (body["error"] as? [String: Any])?["reason"] as? String == reason
  }

  @Test func oneHostIsNamed() async throws {
    try await RunningDaemon.run { daemon in
      for head in [
        "GET /v1/layers HTTP/1.1\r\n\r\n",
        "GET /v1/layers HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        "GET /v1/layers HTTP/1.1\r\nHost: a b\r\n\r\n",
        "GET /v1/layers HTTP/1.1\r\nHost:\r\n\r\n",
      ] {
        // The connection goes on.
        let answers = try await RawHTTPConnection.exchange(
          head + "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", answers: 2, with: daemon)
        #expect(Self.isRefusal(answers.first, 400, "malformed_request"), "\(head): \(answers)")
        #expect(answers.last?.status == 200, "\(answers)")
      }
      // A whole address names the host once more.
      let other = try await RawHTTPConnection.exchange(
        "GET http://evil.example/v1/layers HTTP/1.1\r\nHost: localhost\r\n\r\n", with: daemon)
      #expect(Self.isRefusal(other.first, 403, "forbidden_host"), "\(other)")
      let old = try await RawHTTPConnection.exchange(
        "GET /v1/layers HTTP/1.0\r\n\r\n", with: daemon)
      #expect(old.first?.status == 200, "\(old)")
    }
  }

  @Test func codingsThatAreNotReadAreRefused() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([ReportTests.good])
      let head =
        "POST \(Self.path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      let chunked = try await RawHTTPConnection.exchange(
        head + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", with: daemon)
      #expect(Self.isRefusal(chunked.first, 501, "unsupported_coding"), "\(chunked)")
      let gzip = try await RawHTTPConnection.exchange(
        head + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\u{1F}abc", with: daemon)
      #expect(Self.isRefusal(gzip.first, 415, "unsupported_media_type"), "\(gzip)")
      let plain = try await RawHTTPConnection.exchange(
        head + "Content-Encoding: identity\r\nTransfer-Encoding: Chunked\r\n\r\n"
          + "2\r\n{}\r\n0\r\n\r\n", with: daemon)
      #expect(plain.first?.status == 400, "the body is read, and lacks its fields: \(plain)")
      #expect(plain.first?.body.contains("missing_field") == true)
    }
  }

  @Test func whatIsNoHTTPIsAnsweredInJSON() async throws {
    try await RunningDaemon.run { daemon in
      for text in [
        "BREW /pot HTTP/1.1\r\nHost: localhost\r\n\r\n", "\u{16}\u{03}\u{01}\r\n\r\n",
        "GET / HTTP/3.7\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nbad header: 1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        "POST \(Self.path) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "x", count: 100_000))\r\n\r\n",
      ] {
        let answers = try await RawHTTPConnection.exchange(text, answers: nil, with: daemon)
        #expect(
          answers.count == 1
            && Self.isRefusal(answers.first, 400, "malformed_request", isLast: true),
          "\(text.prefix(80)): \(answers)")
      }
      // Answers to what came before stay in their order.
      let good = "GET /v1/layers HTTP/1.1\r\nHost: localhost\r\n\r\n"
      let answers = try await RawHTTPConnection.exchange(
        good + good + "nonsense\r\n\r\n", answers: nil, with: daemon)
      #expect(answers.map(\.status) == [200, 200, 400], "\(answers)")
    }
  }

  /// Nothing of the body is sent here: a service that waited for it would not answer at all.
  @Test func aBodyThatIsTooLargeIsRefusedBeforeItComes() async throws {
    try await RunningDaemon.run { daemon in
      for (path, length) in [
        (Self.path, 1_000_000_000), (Self.path, 1 << 20 + 1),
        ("/v1/layers/users/positions", 4 << 20 + 1), ("/v1/batch", 4 << 20 + 1),
        ("/v1/layers/users/watch", 4 << 20 + 1),
      ] {
        for expect in ["", "Expect: 100-continue\r\n"] {
          let answers = try await RawHTTPConnection.exchange(
            "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
              + "Content-Length: \(length)\r\n\(expect)\r\n", with: daemon)
          #expect(
            Self.isRefusal(
              answers.first, 413, "request_too_large",
              isLast: !expect.isEmpty || length > 64 << 20), "\(path) \(length): \(answers)")
        }
      }
      let welcome = try await RawHTTPConnection.exchange(
        "POST \(Self.path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1048576\r\n"
          + "Expect: 100-continue\r\n\r\n", with: daemon)
      #expect(welcome.first?.status == 100)
      // Chunks do not say how much comes: the answer stands as soon as it is too much.
      let chunk = "100000\r\n" + String(repeating: " ", count: 1 << 20) + "\r\n"
      let chunked = try await RawHTTPConnection.exchange(
        "POST \(Self.path) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
          + chunk + "1\r\n \r\n", with: daemon)
      #expect(Self.isRefusal(chunked.first, 413, "request_too_large"), "\(chunked)")
    }
  }
}
