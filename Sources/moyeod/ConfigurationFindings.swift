import Foundation
import GRPCServerTransport
import Identity
import MoyeoServer
import MoyeoStorage
import ObjectModel
import Webhooks

/// `moyeod --check-configuration --findings`: what `moyeo doctor` says of settings that are good. It looks at
/// what they lead to: keys, certificates, targets of webhooks.
struct ConfigurationFindings {
  typealias Finding = StoreDoctor.Finding

  let settings: Settings
  let now: Instant

  /// Less than this before its end a certificate or key is mentioned.
  static let warningDays = 14
  /// Hosts of webhooks that are looked up; each may take seconds.
  static let maximumHosts = 20

  func json() async throws -> String {
    String(decoding: try JSONEncoder().encode(await report()), as: UTF8.self)
  }

  func report() async -> SettingsReport {
    var report = SettingsReport(findings: await identity() + certificate() + authority())
    report.findings += protectedFiles() + [listener()].compactMap(\.self) + webhooks()
    report.adminURL = adminURL
    report.asksWhoCalls = settings.auth.mode == .tokens
    return report
  }

  // MARK: - Identity

  private func identity() async -> [Finding] {
    guard settings.auth.mode == .tokens else {
      return [
        Finding(
          .notice, "identity",
          "Nobody is asked who they are (auth.mode is open), so only this machine is served: set "
            + "auth.mode to tokens before others are to reach it.")
      ]
    }
    let signing = await signingKeys()
    return signing + [apiKeys(hasSigningKeys: settings.auth.authenticator.keySet != nil)]
  }

  private func signingKeys() async -> [Finding] {
    let source: String
    switch settings.auth.authenticator.keySet {
    case nil:
      return [
        Finding(.fine, "identity", "API keys alone are taken: no signing keys are set (auth.jwks).")
      ]
    case .file(let path): source = path
    case .url(let url): source = url
    }
    let trial = Authenticator(settings: settings.auth.authenticator, keyFile: nil)
    var leftOut: [String] = []
    do throws(KeySetFailure) {
      leftOut += try await trial.reloadKeySet() ?? []
      leftOut += try await trial.refreshKeySet(KeySetFetching().document) ?? []
    } catch {
      return [
        Finding(
          .wrong, "identity",
          "The keys that sign tokens cannot be had, so no token is taken: \(error). Mend auth.jwks or "
            + "what stands there.")
      ]
    }
    let count = trial.signingKeyCount
    guard count > 0 else {
      return [
        Finding(
          .wrong, "identity",
          "\(source) holds no key that can be used, so no token is taken: put one there "
            + "(ES256, EdDSA or RS256).")
      ]
    }
    let words = count == 1 ? "1 key that signs tokens is" : "\(count) keys that sign tokens are"
    guard leftOut.isEmpty else {
      return [
        Finding(
          .notice, "identity",
          "\(words) loaded from \(source), others are left out: \(leftOut.joined(separator: "; "))."
        )
      ]
    }
    return [Finding(.fine, "identity", "\(words) loaded from \(source).")]
  }

  private func apiKeys(hasSigningKeys: Bool) -> Finding {
    let keys: [KeyRecord]
    do throws(KeyFileError) {
      keys = try KeyFile(directory: settings.dataDirectory).keys()
    } catch {
      return Finding(
        .wrong, "API keys", "\(error), so no API key is taken: restore the file from a backup.")
    }
    let good = keys.filter { $0.holds(at: now) }
    guard !good.isEmpty else {
      return hasSigningKeys
        ? Finding(.fine, "API keys", "No API key holds; moyeo keys create makes one.")
        : Finding(
          .wrong, "API keys",
          "No API key holds and no signing keys are set, so nobody may call: make a key with moyeo "
            + "keys create, or set auth.jwks.")
    }
    let soon = good.filter { key in
      key.expiresMilliseconds.map { days(until: $0) < Self.warningDays } ?? false
    }
    guard soon.isEmpty else {
      return Finding(
        .notice, "API keys",
        "\(good.count) API keys hold, and \(soon.map(\.id).joined(separator: ", ")) end within "
          + "\(Self.warningDays) days: moyeo keys rotate makes others in their place.")
    }
    return Finding(
      .fine, "API keys", good.count == 1 ? "1 API key holds." : "\(good.count) API keys hold.")
  }

  // MARK: - Certificates

  private func certificate() -> [Finding] {
    guard let files = settings.tls.files else {
      let hosts = [settings.daemon.host] + (settings.daemon.admin.map { [$0.host] } ?? [])
      return [
        hosts.allSatisfy(LoopbackHost.contains)
          ? Finding(
            .fine, "certificate",
            "None is set (tls.certificate): calls are in the clear, on this machine alone.")
          : Finding(
            .notice, "certificate",
            "None is set, so calls are in the clear on the network: set tls.certificate and tls.key, "
              + "or put a proxy with TLS in front.")
      ]
    }
    do {
      guard let statistics = try settings.tls.certificates()?.statistics else { return [] }
      return [ends("certificate", files.certificate, at: statistics.expiresAt)]
    } catch {
      return [Finding(.wrong, "certificate", "It cannot be used: \(error). Mend the files.")]
    }
  }

  private func authority() -> [Finding] {
    guard let path = settings.tls.files?.clientAuthority,
      let end = try? settings.tls.certificates()?.statistics.clientAuthorityExpiresAt
    else { return [] }
    return [ends("client CA", path, at: end)]
  }

  private func ends(_ subject: String, _ path: String, at seconds: Int) -> Finding {
    let day = Self.day(seconds)
    let left = days(until: Int64(seconds) * 1000)
    guard Int64(seconds) * 1000 > now.milliseconds else {
      return Finding(
        .wrong, subject,
        "\(path) ended on \(day), so that it is refused: put a new one in its place.")
    }
    guard left >= Self.warningDays else {
      let time = left == 0 ? "within a day" : left == 1 ? "in 1 day" : "in \(left) days"
      return Finding(
        .notice, subject,
        "\(path) ends \(time), on \(day): put a new one in its place, which is taken without a restart."
      )
    }
    return Finding(.fine, subject, "\(path) is good until \(day), for \(left) days.")
  }

  private func days(until milliseconds: Int64) -> Int {
    Int(max(0, milliseconds - now.milliseconds) / 86_400_000)
  }

  private static func day(_ seconds: Int) -> String {
    String(
      Date(timeIntervalSince1970: Double(seconds)).ISO8601Format().prefix(10))
  }

  /// Secrets outside of the data directory, which everybody on the machine may read.
  private func protectedFiles() -> [Finding] {
    var paths = [settings.tls.files?.key].compactMap(\.self)
    // A set of shared secrets signs as well as it verifies.
    if settings.auth.authenticator.allowsDevelopmentAlgorithms,
      case .file(let path) = settings.auth.authenticator.keySet
    {
      paths.append(path)
    }
    let open = paths.filter { path in
      let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
      let attributes = try? FileManager.default.attributesOfItem(atPath: target)
      let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0
      return mode & 0o007 != 0
    }
    guard let first = open.first else {
      return paths.isEmpty
        ? []
        : [Finding(.fine, "key files", "Only their owner and group can read the private keys.")]
    }
    return [
      Finding(
        .wrong, "key files",
        "Everybody on this machine can read \(open.joined(separator: " and ")), which must be secret: "
          + "chmod o= \(first), and make a new key if others were here.")
    ]
  }

  // MARK: - The operator's port

  /// Nil where the port is known: moyeo doctor asks there and says what came of it.
  private func listener() -> Finding? {
    guard let admin = settings.daemon.admin else {
      return Finding(
        .fine, "operators",
        "No port for operators is set: set admin.port if somebody is to drain or to look people up."
      )
    }
    guard admin.port > 0 else {
      return Finding(
        .notice, "operators",
        "admin.port is 0, another port at each start: set one that operators know.")
    }
    return nil
  }

  private var adminURL: String? {
    guard let admin = settings.daemon.admin, admin.port > 0 else { return nil }
    let everywhere = ["0.0.0.0": "127.0.0.1", "::": "::1"]
    let host = everywhere[admin.host] ?? admin.host
    let name = host.contains(":") ? "[\(host)]" : host
    return "\(settings.tls.files == nil ? "http" : "https")://\(name):\(admin.port)"
  }

  // MARK: - Webhooks

  /// Whether the daemon would connect to the hosts of webhooks. Whether they can be read at all is the
  /// data directory's affair.
  private func webhooks() -> [Finding] {
    let file = WebhookFile(directory: settings.dataDirectory)
    guard let all = try? file.webhooks(), !all.isEmpty else { return [] }
    let hosts = Set(all.compactMap { WebhookURL($0.url)?.host }).sorted()
    var out: [Finding] = []
    for host in hosts.prefix(Self.maximumHosts) {
      let refusal = HTTPWebhookSender.refusal(
        of: host, allowsPrivateTargets: settings.webhooks.allowsPrivateTargets)
      guard let refusal else { continue }
      let ids = all.filter { WebhookURL($0.url)?.host == host }.map(\.id).joined(separator: ", ")
      out.append(
        Finding(
          .wrong, "webhooks",
          "\(ids) cannot be delivered, for \(refusal): mend the name, moyeo webhooks delete it, or "
            + "set webhooks.allowPrivateTargets where it is yours."))
    }
    if hosts.count > Self.maximumHosts {
      out.append(
        Finding(
          .notice, "webhooks",
          "\(hosts.count - Self.maximumHosts) more hosts of webhooks were not looked up."))
    }
    return out
  }
}
