import ArgumentParser
import Foundation
import MoyeoClient
import MoyeoStorage

/// Whether operators get an answer where the settings send them.
struct AdminProbe {
  typealias Finding = StoreDoctor.Finding

  let url: String
  /// Whom to trust and who asks; flags that are not given come from the environment.
  let token: String?
  let ca: String?
  let asksWhoCalls: Bool
  /// Whether a daemon serves the data directory, so that somebody should answer.
  let isServed: Bool

  private static let timeoutSeconds = 5.0

  func finding() async -> Finding {
    let connection: ConnectionOptions
    do { connection = try options() } catch {
      return Finding(.wrong, "operators", "\(url) cannot be asked: \(error).")
    }
    let hasToken = !connection.headers().isEmpty
    do {
      _ = try await connection.withClient { client in
        try await client.rawHTTP("GET", "/v1/admin/statistics")
      }
    } catch let error as MoyeoError {
      return finding(error, hasToken: hasToken)
    } catch {
      return Finding(.wrong, "operators", "\(url) cannot be asked: \(error).")
    }
    return Finding(
      .fine, "operators",
      asksWhoCalls
        ? "\(url) answers operators and takes this token."
        : "\(url) answers operators, and everybody on this machine is one.")
  }

  private func options() throws -> ConnectionOptions {
    var out = try ConnectionOptions.parse(["--url", url])
    out.token = token
    if url.hasPrefix("https:") { out.ca = ca }
    out.timeout = Self.timeoutSeconds
    return out
  }

  private func finding(_ error: MoyeoError, hasToken: Bool) -> Finding {
    switch error {
    case .unreachable, .timedOut:
      guard isServed else {
        return Finding(
          .notice, "operators",
          "\(url) was not asked with success, as no daemon runs on this directory: start it.")
      }
      return Finding(
        .wrong, "operators",
        "\(url) does not answer though a daemon runs: see that it was started with these settings, "
          + "and with TLS give --ca (\(error)).")
    case .refused(let refusal) where refusal.reason == "unauthenticated" && !hasToken:
      return Finding(
        .fine, "operators",
        "\(url) answers and asks who calls: with --token it is seen whether yours is taken.")
    case .refused(let refusal) where refusal.reason == "forbidden":
      return Finding(
        .wrong, "operators",
        "\(url) answers, but this token may not ask it: give one with the scope admin "
          + "(moyeo keys create --scopes admin).")
    case .refused(let refusal):
      return Finding(
        .wrong, "operators", "\(url) answers and refuses: \(refusal.message). Give another --token."
      )
    default:
      return Finding(
        .wrong, "operators", "\(url) is not the operators' port of this daemon (\(error)).")
    }
  }
}
